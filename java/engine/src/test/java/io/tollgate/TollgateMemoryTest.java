package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** What a call costs the heap, and what an engine that nobody holds any more costs the process. */
class TollgateMemoryTest {
    private static long run(Tollgate gate, int alice, int calls, long firstNew) {
        long sum = 0;
        for (int call = 0; call < calls; call++) {
            sum += gate.track(alice, call & 1023, 1);
            sum += gate.track(alice, firstNew + call, 1);
            sum += gate.touch(alice, call, 1);
            sum += gate.remember(alice, call & 1023, 1);
            sum += gate.contains(alice, call, 1) ? 1 : 0;
            sum += gate.isLive(alice) ? 1 : 0;
        }
        return sum;
    }

    @Test
    void the_hot_calls_allocate_nothing() {
        try (Tollgate gate = Tollgate.create(TollgateConfig.builder().defaultQuota(100_000, 1.0).build())) {
            int alice = gate.intern("alice", 0);
            long[] sum = {run(gate, alice, 200_000, 1L << 32)};
            long[] first = {1L << 40};
            long allocated = Memory.allocated(() -> sum[0] += run(gate, alice, 1_000_000, first[0] += 1L << 32));
            assertEquals(0, allocated, "bytes over six million calls, admitted, throttled and known");
            assertTrue(sum[0] != 0 && gate.stats(alice, 1).throttled() > 0);
        }
    }

    @Test
    void engines_that_nobody_holds_are_freed() throws Exception {
        churn(5);
        long before = Memory.residentBytes();
        long held = churn(100);
        assertTrue(held > 100L << 20, () -> "the engines held only " + held + " bytes: too few to show a leak");
        long left = Memory.grownSince(before, held / 4);
        assertTrue(left <= held / 4, () -> left + " bytes are left of " + held);
    }

    /** Makes and drops engines, half of them closed, and gives back the bytes that they held in all. */
    private static long churn(int engines) {
        long held = 0;
        for (int engine = 0; engine < engines; engine++) {
            Tollgate gate = Tollgate.create(TollgateConfig.builder().build());
            int alice = gate.intern("alice", 0);
            for (long pid = 0; pid < 20_000; pid++) {
                gate.track(alice, pid, 0);
            }
            held += gate.totals(0).memoryBytes();
            if (engine % 2 == 0) {
                gate.close();
            }
            if (engine % 20 == 0) {
                System.gc();
            }
        }
        return held;
    }
}
