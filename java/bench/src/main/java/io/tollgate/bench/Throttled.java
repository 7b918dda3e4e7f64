package io.tollgate.bench;

import io.tollgate.Decision;
import io.tollgate.TollgateStats;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** New ids over a quota of one an hour, which is spent: what a flood costs the host. */
@State(Scope.Benchmark)
public class Throttled extends Measured {
    @Param({"1000", "250000"})
    public int perLayer;

    private FullGate full;
    private long next = Ids.STRANGERS;

    @Setup
    public void spend() {
        full = FullGate.of(perLayer).checkLayers();
        full.gate().setQuota(FullGate.NAME, 1, 1.0, full.now());
        long charged = 0;
        while (charged == 0) {
            tollgateTrack();
            charged = full.stats().admitted();
        }
        if (!Decision.isThrottled(tollgateTrack()) && !Decision.isThrottled(tollgateTrack())) {
            throw new IllegalStateException("Tollgate doesn't throttle: " + full.stats());
        }
    }

    @Benchmark
    public long tollgateTrack() {
        return full.gate().track(full.alice(), next++, full.now());
    }

    /** That one was admitted, by the set-up, and that of the others no more than the filter's false positives passed. */
    @TearDown
    public void check() {
        TollgateStats stats = full.stats();
        if (stats.admitted() != 1 || stats.known() > 10 + 0.01 * stats.throttled()) {
            throw new IllegalStateException("Tollgate didn't throttle: " + stats);
        }
        full.gate().close();
    }
}
