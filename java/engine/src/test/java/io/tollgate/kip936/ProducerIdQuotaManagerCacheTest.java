package io.tollgate.kip936;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.junit.jupiter.api.Test;

class ProducerIdQuotaManagerCacheTest {
    private static final long HOUR = 3_600_000;
    private static final KafkaPrincipal ALICE = new KafkaPrincipal(KafkaPrincipal.USER_TYPE, "alice");
    private static final KafkaPrincipal BOB = new KafkaPrincipal(KafkaPrincipal.USER_TYPE, "bob");

    private final AtomicLong now = new AtomicLong();

    private ProducerIdQuotaManagerCache cache() {
        return new ProducerIdQuotaManagerCache(0.001, HOUR, 4, now::get);
    }

    @Test
    void kip936_true_when_the_pid_was_seen_and_per_principal() {
        try (ProducerIdQuotaManagerCache cache = new ProducerIdQuotaManagerCache(0.001, HOUR, 4)) {
            assertFalse(cache.track(ALICE, 100, 1));
            assertTrue(cache.track(ALICE, 100, 1));
            assertFalse(cache.track(BOB, 100, 1), "another principal");
            assertFalse(cache.track(ALICE, 100, 2));
            assertTrue(cache.track(new KafkaPrincipal(KafkaPrincipal.USER_TYPE, "alice"), 100, 2), "an equal principal");
            assertFalse(cache.track(new KafkaPrincipal("Group", "alice"), 100, 2), "another type of principal");
        }
    }

    @Test
    void kip936_the_rate_does_not_throttle() {
        try (ProducerIdQuotaManagerCache cache = cache()) {
            for (long pid = 0; pid < 1_000; pid++) {
                cache.track(ALICE, 1, pid);
            }
            for (long pid = 0; pid < 1_000; pid++) {
                assertTrue(cache.track(ALICE, 1, pid), "remembered whatever the rate");
            }
        }
    }

    /** B10: a rate of 1 over 4 layers is a capacity of 0 by the KIP's formula, and threw. */
    @Test
    void b10_the_smallest_rates_work_and_sequential_pids_are_told_apart() {
        try (ProducerIdQuotaManagerCache cache = cache()) {
            int seen = 0;
            for (long pid = 0; pid < 1_000; pid++) {
                seen += cache.track(ALICE, (int) (pid % 2), pid) ? 1 : 0;
            }
            assertTrue(seen <= 8, seen + " of 1,000 new PIDs called seen");
        }
    }

    /** The recurring-PID rule of the KIP's reply: seen again after a layer period, it must not vanish with its first layer. */
    @Test
    void b11_a_pid_in_use_is_never_forgotten() {
        try (ProducerIdQuotaManagerCache cache = cache()) {
            assertFalse(cache.track(ALICE, 100, 1));
            for (int round = 0; round < 40; round++) {
                now.addAndGet(HOUR / 2);
                assertTrue(cache.track(ALICE, 100, 1), "round " + round);
            }
        }
    }

    @Test
    void forgotten_after_the_ttl_and_the_principal_with_it() {
        try (ProducerIdQuotaManagerCache cache = cache()) {
            assertFalse(cache.track(ALICE, 100, 1));
            now.set(3 * HOUR);
            assertFalse(cache.track(BOB, 100, 1), "sweeps in passing");
            assertFalse(cache.track(ALICE, 100, 1), "new again");
            assertTrue(cache.track(ALICE, 100, 1));
        }
    }

    @Test
    void s3_exactly_one_of_many_threads_is_told_that_a_pid_is_new() throws Exception {
        int threads = 4;
        int pids = 5_000;
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (ProducerIdQuotaManagerCache cache = cache()) {
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Future<Integer>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                running.add(pool.submit(() -> {
                    start.await();
                    int fresh = 0;
                    for (long pid = 0; pid < pids; pid++) {
                        fresh += cache.track(ALICE, 100, pid) ? 0 : 1;
                    }
                    return fresh;
                }));
            }
            int fresh = 0;
            for (Future<Integer> race : running) {
                fresh += race.get();
            }
            assertTrue(fresh <= pids && fresh >= pids - pids / 250, fresh + " of " + pids);
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void bad_arguments_are_refused_with_the_engines_words() {
        assertEquals("layers = 2: must be 3 to 64", assertThrows(IllegalArgumentException.class,
                () -> new ProducerIdQuotaManagerCache(0.001, HOUR, 2)).getMessage());
        assertEquals("layers = 0: must be 3 to 64", assertThrows(IllegalArgumentException.class,
                () -> new ProducerIdQuotaManagerCache(0.001, HOUR, 0)).getMessage());
        assertEquals("window_ms = 0: must be 1000 to 2592000000 (milliseconds)", assertThrows(IllegalArgumentException.class,
                () -> new ProducerIdQuotaManagerCache(0.001, 0, 4)).getMessage());
    }

    @Test
    void after_close_track_says_so() {
        ProducerIdQuotaManagerCache cache = cache();
        cache.track(ALICE, 100, 1);
        cache.close();
        assertThrows(IllegalStateException.class, () -> cache.track(ALICE, 100, 1));
    }
}
