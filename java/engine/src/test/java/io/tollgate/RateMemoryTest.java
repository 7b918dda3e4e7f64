package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** What a call costs the heap, and what a rate that nobody holds any more costs the process. */
class RateMemoryTest {
    private static double run(IntToDoubleFunction call, int calls) {
        double sum = 0;
        for (int n = 0; n < calls; n++) {
            sum += call.applyAsDouble(n);
        }
        return sum;
    }

    private static void assertAllocatesNothing(IntToDoubleFunction call) {
        double[] sum = {run(call, 200_000)};
        assertEquals(0, Memory.allocated(() -> sum[0] += run(call, 1_000_000)), "bytes over a million rounds");
        assertTrue(sum[0] != 0, "the calls had an effect");
    }

    @Test
    void a_rate_allocates_nothing() {
        for (WindowedRate.Policy policy : WindowedRate.Policy.values()) {
            try (WindowedRate rate = WindowedRate.create(policy, 2, 1_000)) {
                assertAllocatesNothing(n -> {
                    rate.record(1, n);
                    return rate.perSecond(n) + rate.windowMs(n) + rate.throttleMs(1, n);
                });
            }
        }
    }

    @Test
    void buckets_allocate_nothing_taking_or_refusing() {
        try (TokenBucket owing = TokenBucket.full(100, 100, 0); TokenBucket strict = TokenBucket.full(100, 100, 0);
                Gcra gcra = Gcra.full(3_600, 10, 0)) {
            assertAllocatesNothing(n -> owing.charge(1, n) + strict.chargeStrict(1, n) + owing.tokens(n) + gcra.charge(n)
                    + gcra.tokens(n));
        }
    }

    @Test
    void an_estimator_allocates_nothing() {
        try (DispatchEstimator estimator = DispatchEstimator.create(true)) {
            assertAllocatesNothing(n -> {
                estimator.recordPush(n & 1023, 2);
                return estimator.entriesToRead(n, 500) + (estimator.isPrecise() ? estimator.average() : 0);
            });
        }
    }

    @Test
    void what_nobody_holds_is_freed() throws Exception {
        churn(200);
        long before = Memory.residentBytes();
        churn(4_000);
        // A thousand samples of three words each.
        long held = 4_000 * 1_000 * 24L;
        long left = Memory.grownSince(before, held / 4);
        assertTrue(left <= held / 4, () -> left + " bytes are left of " + held);
    }

    /** Makes and drops objects of each kind, half of them closed. */
    private static void churn(int rounds) {
        for (int round = 0; round < rounds; round++) {
            NativeObject[] made = {WindowedRate.create(WindowedRate.Policy.GRID, 1_000, 1), TokenBucket.full(1, 1, 0),
                Gcra.full(1, 1, 0), DispatchEstimator.create(true)};
            for (NativeObject each : made) {
                if (round % 2 == 0) {
                    each.close();
                }
            }
            if (round % 200 == 0) {
                System.gc();
            }
        }
    }
}
