package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;

/** The rules of design.md, section 2, as far as they show through the JVM's door. */
class TollgateTest {
    private static final long HOUR = 3_600_000;

    private static Tollgate unlimited() {
        return Tollgate.create(TollgateConfig.builder().build());
    }

    private static Tollgate limited(double perHour) {
        return Tollgate.create(TollgateConfig.builder().defaultQuota(perHour, 1.0).build());
    }

    @Test
    void s1_admitted_once_then_known_and_throttled_beyond_the_quota() {
        try (Tollgate gate = limited(2)) {
            int alice = gate.intern("alice", 0);
            assertEquals(Decision.ADMITTED, Decision.kind(gate.track(alice, 1, 0)));
            assertEquals(Decision.KNOWN, Decision.kind(gate.track(alice, 1, 0)));
            assertEquals(Decision.ADMITTED, Decision.kind(gate.track(alice, 2, 0)));
            assertEquals(Decision.THROTTLED, Decision.kind(gate.track(alice, 3, 0)));
            assertFalse(gate.contains(alice, 3, 0), "a throttled PID is not remembered");
            assertEquals(Decision.KNOWN, Decision.kind(gate.track(alice, 2, 0)));
        }
    }

    @Test
    void s12_a_windowed_quota_admits_a_windows_worth_in_any_window() {
        var config = TollgateConfig.builder().windowMs(8_000).defaultQuota(3_600, 1.0).limiter(Limiter.WINDOWED).build();
        try (Tollgate gate = Tollgate.create(config)) {
            int alice = gate.intern("alice", 0);
            long admitted = 0;
            for (long pid = 0; pid < 8_000; pid++) {
                // The first eight at once; a bucket would admit another each second.
                admitted += Decision.isAdmitted(gate.track(alice, pid, pid)) ? 1 : 0;
            }
            assertEquals(8, admitted);
        }
    }

    @Test
    void s1_every_long_is_a_pid() {
        try (Tollgate gate = unlimited()) {
            int alice = gate.intern("alice", 0);
            for (long pid : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32}) {
                assertEquals(Decision.ADMITTED, Decision.kind(gate.track(alice, pid, 0)), () -> "PID " + pid);
                assertTrue(gate.contains(alice, pid, 0));
            }
        }
    }

    @Test
    void s2_known_for_a_window_less_a_layer_and_forgotten_after_a_window() {
        try (Tollgate gate = unlimited()) {
            int alice = gate.intern("alice", 0);
            assertEquals(Decision.ADMITTED, Decision.kind(gate.track(alice, 1, 1_000)));
            assertTrue(gate.contains(alice, 1, 1_000 + HOUR * 3 / 4));
            assertFalse(gate.contains(alice, 1, 1_001 + HOUR));
        }
    }

    /** B1: ten thousand keys from several threads at once, where Guava counted 10,892 new ones. */
    @Test
    void s3_exactly_once_from_many_threads() throws Exception {
        int threads = 4;
        int keys = 10_000;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (Tollgate gate = unlimited()) {
            int alice = gate.intern("alice", 0);
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Future<int[]>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                Callable<int[]> race = () -> {
                    int[] admitted = new int[keys];
                    start.await();
                    for (int key = 0; key < keys; key++) {
                        long decision = gate.track(alice, key, key / 100);
                        if (Decision.isAdmitted(decision)) {
                            admitted[key]++;
                        } else if (!Decision.isKnown(decision)) {
                            throw new AssertionError(Decision.toString(decision));
                        }
                    }
                    return admitted;
                };
                running.add(pool.submit(race));
            }
            int[] times = new int[keys];
            for (Future<int[]> race : running) {
                int[] admitted = race.get();
                for (int key = 0; key < keys; key++) {
                    times[key] += admitted[key];
                }
            }
            assertEquals(0, Arrays.stream(times).filter(count -> count > 1).count(), "keys admitted twice");
            long missed = Arrays.stream(times).filter(count -> count == 0).count();
            assertTrue(missed <= keys / 500, () -> missed + " keys taken for known, at a false-positive rate of 0.001");
            assertEquals(keys - missed, gate.totals(100).stats().admitted());
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void s6_idle_principals_are_swept_and_their_handles_are_stale() {
        try (Tollgate gate = unlimited()) {
            int alice = gate.intern("alice", 0);
            gate.track(alice, 1, 0);
            assertArrayEquals(new String[] {"alice"}, gate.principals());
            assertEquals(0, gate.sweep(HOUR / 4));
            assertTrue(gate.isLive(alice));
            assertEquals(1, gate.sweep(3 * HOUR));
            assertFalse(gate.isLive(alice));
            assertEquals(0, gate.principals().length);
            assertEquals(Decision.STALE, Decision.kind(gate.track(alice, 1, 3 * HOUR)));
            assertEquals(Decision.STALE, Decision.kind(gate.touch(alice, 1, 3 * HOUR)));
            assertEquals(Decision.STALE, Decision.kind(gate.remember(alice, 1, 3 * HOUR)));
            assertFalse(gate.contains(alice, 1, 3 * HOUR));
            assertNull(gate.stats(alice, 3 * HOUR));
            int again = gate.intern("alice", 3 * HOUR);
            assertNotEquals(alice, again);
            assertEquals(Decision.ADMITTED, Decision.kind(gate.track(again, 1, 3 * HOUR)));
        }
    }

    @Test
    void s15_a_wait_behind_others_is_foretold_and_costs_nothing() {
        for (Limiter limiter : Limiter.values()) {
            // One each second, four at once.
            try (Tollgate gate = Tollgate.create(TollgateConfig.builder().windowMs(4_000).limiter(limiter)
                    .defaultQuota(3_600, 1.0).build())) {
                int alice = gate.intern("alice", 0);
                assertTrue(Decision.isNew(gate.await(alice, 3, 0)));
                for (long pid = 0; pid < 4; pid++) {
                    assertTrue(Decision.isNew(gate.await(alice, 0, 0)));
                    gate.track(alice, pid, 0);
                }
                // What came together leaves a window together.
                long next = limiter == Limiter.WINDOWED ? 4_000 : 1_000;
                long last = limiter == Limiter.WINDOWED ? 4_000 : 3_000;
                assertEquals(next, Decision.retryAfterMs(gate.await(alice, 0, 0)));
                assertEquals(next - 400, Decision.retryAfterMs(gate.await(alice, 0, 400)));
                assertEquals(last, Decision.retryAfterMs(gate.await(alice, 2, 0)));
                assertTrue(Decision.isNew(gate.await(alice, 0, next)));
                assertEquals(0, gate.stats(alice, 0).throttled());
                assertTrue(Decision.isAdmitted(gate.track(alice, 9, next)));
                gate.sweep(20_000);
                assertTrue(Decision.isStale(gate.await(alice, 0, 20_000)));
            }
        }
    }

    @Test
    void s8_principals_beyond_the_most_share_one_gate() {
        try (Tollgate gate = Tollgate.create(TollgateConfig.builder().maxPrincipals(2).defaultQuota(1, 1.0).build())) {
            gate.intern("alice", 0);
            gate.intern("bob", 0);
            int carol = gate.intern("carol", 0);
            int dave = gate.intern("dave", 0);
            assertEquals(Tollgate.OVERFLOW, carol);
            assertEquals(Tollgate.OVERFLOW, dave);
            assertEquals(Decision.ADMITTED, Decision.kind(gate.track(carol, 1, 0)));
            assertEquals(Decision.THROTTLED, Decision.kind(gate.track(dave, 2, 0)));
            TollgateTotals totals = gate.totals(0);
            assertEquals(2, totals.principals());
            assertEquals(2, totals.overflowInterns());
        }
    }

    @Test
    void s9_times_below_zero_count_as_zero() {
        try (Tollgate gate = unlimited()) {
            int alice = gate.intern("alice", -1);
            assertEquals(Decision.ADMITTED, Decision.kind(gate.track(alice, 1, Long.MIN_VALUE)));
            assertTrue(gate.contains(alice, 1, HOUR / 2), "a negative time is not the far future");
            assertEquals(Decision.KNOWN, Decision.kind(gate.track(alice, 1, HOUR / 2)));
        }
    }

    @Test
    void s10_stats_of_one_and_of_all() {
        try (Tollgate gate = unlimited()) {
            int alice = gate.intern("alice", 0);
            int bob = gate.intern("bob", 0);
            gate.setQuota("alice", 2, 1.0, 0);
            for (long pid = 0; pid < 5; pid++) {
                gate.track(alice, pid, 0);
            }
            gate.track(alice, 0, 0);
            gate.track(bob, 0, 0);
            TollgateStats stats = gate.stats(alice, 0);
            assertEquals(1, stats.known());
            assertEquals(2, stats.admitted());
            assertEquals(3, stats.throttled());
            assertEquals(2, stats.livePids());
            assertEquals(2.0, stats.quotaPerHour());
            assertEquals(0.0, stats.tokens());
            assertTrue(stats.bytes() > 0);
            assertTrue(Double.isNaN(gate.stats(bob, 0).quotaPerHour()));
            TollgateTotals totals = gate.totals(0);
            assertEquals(3, totals.stats().admitted());
            assertEquals(3, totals.stats().throttled());
            assertEquals(2, totals.principals());
            assertEquals(0, totals.overflowInterns());
            assertEquals(0, totals.evictedLayers());
            assertTrue(totals.memoryBytes() >= stats.bytes());
            String[] names = gate.principals();
            Arrays.sort(names);
            assertArrayEquals(new String[] {"alice", "bob"}, names);
        }
    }

    @Test
    void s11_quota_changes_hold_from_the_next_call_on() {
        try (Tollgate gate = unlimited()) {
            int alice = gate.intern("alice", 0);
            assertTrue(Decision.isAdmitted(gate.track(alice, 1, 0)));
            gate.setQuota("alice", 1, 1.0, 0);
            assertTrue(Decision.isAdmitted(gate.track(alice, 2, 0)));
            assertTrue(Decision.isThrottled(gate.track(alice, 3, 0)));
            gate.setUnlimited("alice", 0);
            assertTrue(Decision.isAdmitted(gate.track(alice, 3, 0)));
            gate.setDefaultQuota(1, 1.0, 0);
            assertTrue(Decision.isAdmitted(gate.track(alice, 4, 0)), "exempted by name");
            gate.clearQuota("alice", 0);
            assertTrue(Decision.isAdmitted(gate.track(alice, 5, 0)), "the default quota's first");
            assertTrue(Decision.isThrottled(gate.track(alice, 6, 0)));
            gate.clearDefaultQuota(0);
            assertTrue(Decision.isAdmitted(gate.track(alice, 6, 0)));
        }
    }

    @Test
    void s13_the_wait_is_at_least_1_and_at_most_the_most() {
        try (Tollgate gate = Tollgate.create(TollgateConfig.builder().defaultQuota(1, 0.0).maxThrottleMs(250).build())) {
            int alice = gate.intern("alice", 0);
            gate.track(alice, 0, 0);
            for (long pid = 1; pid <= 1_000; pid++) {
                int wait = Decision.retryAfterMs(gate.track(alice, pid, 0));
                assertTrue(wait >= 1 && wait <= 250, () -> "wait of " + wait);
            }
        }
    }

    @Test
    void k7_touch_then_remember_charges_nothing() {
        try (Tollgate gate = limited(1)) {
            int alice = gate.intern("alice", 0);
            assertEquals(Decision.NEW, Decision.kind(gate.touch(alice, 1, 0)));
            assertEquals(Decision.NEW, Decision.kind(gate.touch(alice, 1, 0)), "touch changed nothing");
            assertEquals(Decision.KNOWN, Decision.kind(gate.remember(alice, 1, 0)));
            assertEquals(Decision.KNOWN, Decision.kind(gate.touch(alice, 1, 0)));
            assertEquals(Decision.ADMITTED, Decision.kind(gate.track(alice, 2, 0)), "the one token is still there");
            assertEquals(Decision.THROTTLED, Decision.kind(gate.track(alice, 3, 0)));
        }
    }

    @Test
    void names_are_any_strings() {
        try (Tollgate gate = unlimited()) {
            String[] names = {"", "User:alice", "käthe", "\u0000nul", "\uD83D\uDE80", "a".repeat(10_000)};
            int[] handles = Arrays.stream(names).mapToInt(name -> gate.intern(name, 0)).toArray();
            assertEquals(names.length, Arrays.stream(handles).distinct().count());
            for (int i = 0; i < names.length; i++) {
                assertEquals(handles[i], gate.intern(names[i], 0));
            }
            String[] live = gate.principals();
            Arrays.sort(live);
            Arrays.sort(names);
            assertArrayEquals(names, live);
            assertThrows(NullPointerException.class, () -> gate.intern(null, 0));
        }
    }

    @Test
    void handles_that_were_never_given_are_stale_and_harmless() {
        try (Tollgate gate = unlimited()) {
            for (int handle : new int[] {12_345, Integer.MIN_VALUE, Integer.MAX_VALUE - 1}) {
                assertEquals(Decision.STALE, Decision.kind(gate.track(handle, 1, 0)), () -> "handle " + handle);
                assertFalse(gate.isLive(handle));
            }
        }
    }

    @Test
    void after_close_every_call_says_so() {
        Tollgate gate = unlimited();
        int alice = gate.intern("alice", 0);
        gate.close();
        gate.close();
        List<Runnable> calls = List.of(() -> gate.intern("alice", 0), () -> gate.track(alice, 1, 0),
                () -> gate.touch(alice, 1, 0), () -> gate.remember(alice, 1, 0), () -> gate.contains(alice, 1, 0),
                () -> gate.isLive(alice), () -> gate.setQuota("alice", 1, 1, 0), () -> gate.setUnlimited("alice", 0),
                () -> gate.clearQuota("alice", 0), () -> gate.setDefaultQuota(1, 1, 0), () -> gate.clearDefaultQuota(0),
                () -> gate.sweep(0), () -> gate.stats(alice, 0), () -> gate.totals(0), gate::principals);
        for (Runnable call : calls) {
            assertEquals("this Tollgate is closed", assertThrows(IllegalStateException.class, call::run).getMessage());
        }
    }

    @Test
    void a_null_handle_is_a_fault_or_an_exception_never_a_crash() {
        try (Tollgate loaded = unlimited()) {
            assertEquals(0, loaded.totals(0).principals());
            assertEquals(Decision.FAULT, Decision.kind(NativeEngine.track(0, 1, 2, 3)));
            assertEquals(Decision.FAULT, Decision.kind(NativeEngine.touch(0, 1, 2, 3)));
            assertEquals(Decision.FAULT, Decision.kind(NativeEngine.remember(0, 1, 2, 3)));
            assertFalse(NativeEngine.contains(0, 1, 2, 3));
            assertFalse(NativeEngine.isLive(0, 1));
            NativeEngine.free(0);
            List<Runnable> others = List.of(() -> NativeEngine.intern(0, "x", 0), () -> NativeEngine.setQuota(0, "x", 1, 1, 0),
                    () -> NativeEngine.setUnlimited(0, "x", 0), () -> NativeEngine.clearQuota(0, "x", 0),
                    () -> NativeEngine.setDefaultQuota(0, 1, 1, 0), () -> NativeEngine.clearDefaultQuota(0, 0),
                    () -> NativeEngine.sweep(0, 0), () -> NativeEngine.stats(0, 1, 0, new long[8], new double[5]),
                    () -> NativeEngine.totals(0, 0, new long[12], new double[5]), () -> NativeEngine.principals(0));
            for (Runnable call : others) {
                assertEquals("a native object's handle is 0", assertThrows(TollgateNativeException.class, call::run).getMessage());
            }
        }
    }
}
