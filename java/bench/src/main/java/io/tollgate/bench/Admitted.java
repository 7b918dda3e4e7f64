package io.tollgate.bench;

import io.tollgate.TollgateStats;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * New ids without a limit, until the newest of four layers is full: one pass per gate, since it can be filled once only.
 * The score is still the time per id.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@Warmup(iterations = 5)
@Measurement(iterations = 15)
public class Admitted extends Measured {
    static final int PER_LAYER = 250_000;

    private FullGate full;

    @Setup(Level.Iteration)
    public void fill() {
        full = FullGate.butTheNewest(PER_LAYER);
        full.gate().setUnlimited(FullGate.NAME, full.now());
    }

    @Benchmark
    @OperationsPerInvocation(PER_LAYER)
    public long tollgateTrack() {
        long decisions = 0;
        for (long id = 0; id < PER_LAYER; id++) {
            decisions += full.gate().track(full.alice(), id, full.now());
        }
        return decisions;
    }

    /** That all were admitted but for the filter's false positives. */
    @TearDown(Level.Iteration)
    public void check() {
        TollgateStats stats = full.checkLayers().stats();
        if (stats.throttled() != 0 || stats.admitted() < 0.99 * PER_LAYER || stats.admitted() + stats.known() != PER_LAYER) {
            throw new IllegalStateException("Tollgate didn't admit: " + stats);
        }
        full.gate().close();
    }
}
