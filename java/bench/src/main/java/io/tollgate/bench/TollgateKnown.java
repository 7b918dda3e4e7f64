package io.tollgate.bench;

import io.tollgate.Decision;
import io.tollgate.Tollgate;
import io.tollgate.TollgateStats;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Tollgate with four full layers, to be asked for ids that it knows. */
@State(Scope.Benchmark)
public class TollgateKnown {
    @Param({"1000", "250000", "4000000"})
    public int perLayer;

    long[] newest;
    long[] oldest;
    Tollgate gate;
    int alice;
    long now;

    private FullGate full;
    private TollgateStats before;

    @Setup
    public void fill() {
        newest = Ids.shuffled(0, perLayer);
        oldest = Ids.shuffled(Ids.LAYERS - 1, perLayer);
        full = FullGate.of(perLayer).checkLayers();
        gate = full.gate();
        alice = full.alice();
        now = full.now();
        Ids.check("Tollgate", newest, id -> gate.contains(alice, id, now));
        Ids.check("Tollgate", oldest, id -> gate.contains(alice, id, now));
        for (int i = 0; i < 1_000; i++) {
            if (!Decision.isKnown(gate.track(alice, newest[i], now))) {
                throw new IllegalStateException("Tollgate's track doesn't know " + newest[i]);
            }
        }
        before = full.stats();
    }

    /** That what was measured were hits in the newest layer, and nothing else. */
    @TearDown
    public void check() {
        TollgateStats after = full.stats();
        if (after.admitted() != 0 || after.throttled() != 0 || after.reRecorded() != before.reRecorded()) {
            throw new IllegalStateException("not all were Known in the newest layer: " + before + ", then " + after);
        }
        gate.close();
    }
}
