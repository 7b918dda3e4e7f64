package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.common.errors.ThrottlingQuotaExceededException;
import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.Quota;
import org.apache.kafka.common.metrics.QuotaViolationException;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.quota.ControllerMutationQuotaManager;
import org.apache.kafka.server.quota.StrictControllerMutationQuota;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * TokenBucket (R3) beside the one that Kafka 4.4.0 ships, permissive as its Sensor has it and strict as
 * StrictControllerMutationQuota does it. Kafka's keeps its level and adds to it at each call, ours reckons it anew: so they are
 * equal but for rounding, and a test has both numbers where that shows.
 */
class KafkaTokenBucketTest {
    /** Equal to this, relative to the capacity. */
    private static final double PRECISION = 1e-9;

    /** A clock that stands where it is put. */
    private static final class Clock implements Time {
        private long now;

        @Override
        public long milliseconds() {
            return now;
        }

        @Override
        public long nanoseconds() {
            return TimeUnit.MILLISECONDS.toNanos(now);
        }

        @Override
        public void sleep(long ms) {
            now += ms;
        }
    }

    /** Both under a quota of so many a second over N samples of W, which is the capacity. */
    private static final class Pair implements AutoCloseable {
        final double quota;
        final double capacity;
        final TokenBucket ours;
        final Clock clock = new Clock();
        final MetricConfig config;
        final Metrics metrics;
        final Sensor sensor;
        final org.apache.kafka.common.metrics.stats.TokenBucket kafkas =
                new org.apache.kafka.common.metrics.stats.TokenBucket();
        final StrictControllerMutationQuota strict;

        Pair(double quota, int samples, long sampleMs, long firstMs) {
            this.quota = quota;
            capacity = samples * (sampleMs / 1000.0) * quota;
            ours = TokenBucket.full(quota, capacity, firstMs);
            config = new MetricConfig().samples(samples).timeWindow(sampleMs, TimeUnit.MILLISECONDS)
                    .quota(new Quota(quota, true));
            metrics = new Metrics(new MetricConfig(), Collections.emptyList(), clock);
            sensor = metrics.sensor("mutations", config);
            sensor.add(metrics.metricName("tokens", "test"), kafkas);
            strict = new StrictControllerMutationQuota(clock, sensor);
        }

        long charge(double amount, long now) {
            try {
                sensor.record(amount, now, true);
                return 0;
            } catch (QuotaViolationException e) {
                return ControllerMutationQuotaManager.throttleTimeMs(e);
            }
        }

        /** What Kafka's answers when it refuses; -1 when it does not. */
        long chargeStrict(double amount, long now) {
            clock.now = now;
            try {
                strict.record(amount);
                return -1;
            } catch (ThrottlingQuotaExceededException e) {
                return e.throttleTimeMs();
            }
        }

        void assertEqualAt(long now, String where) {
            assertEquals(kafkas.measure(config, now), ours.tokens(now), PRECISION * capacity, where);
        }

        /** Exactly, but where half a millisecond is rounded and the last bits say which way. */
        void assertWaits(long expected, long actual, long now, String where) {
            double exact = -ours.tokens(now) / quota * 1000;
            boolean isHalf = Math.abs(exact - Math.floor(exact) - 0.5) < 1e-5;
            long off = Math.abs(expected - actual);
            assertTrue(off == 0 || off == 1 && isHalf, () -> where + ": Kafka's " + expected + ", Tollgate's " + actual);
        }

        void assertTokens(double kafkasTokens, double oursTokens, long now) {
            assertEquals(kafkasTokens, kafkas.measure(config, now), PRECISION * capacity, "Kafka's at " + now);
            assertEquals(oursTokens, ours.tokens(now), PRECISION * capacity, "Tollgate's at " + now);
        }

        @Override
        public void close() {
            ours.close();
            metrics.close();
        }
    }

    @ParameterizedTest(name = "{0} a second, {1} samples of {2} ms")
    @CsvSource({"2000.3, 1, 1000", "2000.3, 11, 1000", "7.3, 100, 1000", "150000.7, 100, 10", "71.9, 5, 30000"})
    void r3_permissive_levels_and_waits_are_kafkas(double quota, int samples, long sampleMs) {
        RandomEvents events = new RandomEvents(3, samples, sampleMs);
        int throttled = 0;
        try (Pair pair = new Pair(quota, samples, sampleMs, RandomEvents.START)) {
            // Half of what may come comes, in bursts of several capacities: levels are on both sides of zero.
            double scale = quota * sampleMs / 1000 / events.amountPerSample() / 2;
            for (int i = 0; i < RandomEvents.COUNT; i++) {
                long now = events.next();
                double amount = events.amount() * scale;
                String where = "event " + i + " at " + now;
                long waitMs = pair.charge(amount, now);
                pair.assertWaits(waitMs, pair.ours.charge(amount, now), now, where);
                pair.assertEqualAt(now, where);
                pair.assertEqualAt(events.within(sampleMs / 16), where + ", read later");
                throttled += waitMs > 0 ? 1 : 0;
            }
        }
        assertTrue(throttled > RandomEvents.COUNT / 50 && throttled < RandomEvents.COUNT * 49 / 50, throttled + " throttled");
    }

    @ParameterizedTest(name = "{0} a second, {1} samples of {2} ms")
    @CsvSource({"2000.3, 1, 1000", "2000.3, 11, 1000", "7.3, 100, 1000", "150000.7, 100, 10", "71.9, 5, 30000"})
    void r3_strict_levels_refusals_and_waits_are_kafkas(double quota, int samples, long sampleMs) {
        RandomEvents events = new RandomEvents(4, samples, sampleMs);
        int refused = 0;
        try (Pair pair = new Pair(quota, samples, sampleMs, RandomEvents.START)) {
            double scale = quota * sampleMs / 1000 / events.amountPerSample();
            for (int i = 0; i < RandomEvents.COUNT; i++) {
                long now = events.next();
                double amount = events.amount() * scale;
                String where = "event " + i + " at " + now;
                long waitMs = pair.chargeStrict(amount, now);
                long oursMs = pair.ours.chargeStrict(amount, now);
                if (waitMs < 0) {
                    assertEquals(0, oursMs, where);
                } else {
                    // Less than half a millisecond is a refusal that says 0 with Kafka, and 1 here: 0 is "taken".
                    pair.assertWaits(Math.max(waitMs, 1), oursMs, now, where);
                    refused++;
                }
                pair.assertEqualAt(now, where);
            }
        }
        assertTrue(refused > RandomEvents.COUNT / 50 && refused < RandomEvents.COUNT * 49 / 50, refused + " refused");
    }

    @Test
    void c7_permissive_numbers_of_both() {
        try (Pair pair = new Pair(5, 100, 1000, RandomEvents.START)) {
            assertEquals(12_000, pair.charge(560, RandomEvents.START));
            assertEquals(12_000, pair.ours.charge(560, RandomEvents.START));
            pair.assertTokens(-60, -60, RandomEvents.START);
        }
    }

    @Test
    void c7_strict_numbers_of_both() {
        long start = RandomEvents.START;
        try (Pair pair = new Pair(10, 10, 1000, start)) {
            for (long[] step : new long[][] {{0, -1}, {0, -1}, {0, 8_000}, {5_000, 3_000}}) {
                assertEquals(step[1], pair.chargeStrict(90, start + step[0]));
                assertEquals(Math.max(step[1], 0), pair.ours.chargeStrict(90, start + step[0]));
            }
        }
    }

    /** With a clock that counts from 1970 it is full at once. */
    @Test
    void r3_difference_kafkas_bucket_is_empty_at_time_zero() {
        try (Pair pair = new Pair(10, 10, 1000, 0)) {
            pair.assertTokens(0, 100, 0);
            pair.assertTokens(100, 100, 10_000);
        }
    }

    /** Kafka's refuses at the time that it named itself, and says to wait 0 ms. */
    @Test
    void r3_difference_kafkas_rounding_adds_up() {
        long start = RandomEvents.START;
        try (Pair pair = new Pair(0.1, 10, 1000, start)) {
            assertEquals(-1, pair.chargeStrict(2, start));
            assertEquals(0, pair.ours.chargeStrict(2, start));
            assertEquals(10_000, pair.chargeStrict(2, start));
            for (long now = start; now < start + 10_000; now++) {
                pair.assertEqualAt(now, "at " + now);
            }
            assertEquals(0, pair.chargeStrict(2, start + 10_000));
            assertEquals(0, pair.ours.chargeStrict(2, start + 10_000));
            pair.assertTokens(0, -2, start + 10_000);
        }
    }

    /** Kafka's reading cuts at the capacity, and a clock set back takes from what is left. Ours writes nothing (R4). */
    @Test
    void s9_difference_a_reading_before_the_clock_goes_back_costs_kafkas_tokens() {
        long start = RandomEvents.START;
        try (Pair pair = new Pair(10, 10, 1000, start)) {
            pair.assertTokens(100, 100, start + 10_000);
            pair.assertTokens(50, 100, start + 5_000);
            pair.assertTokens(100, 100, start + 10_000);
        }
    }

    @Test
    void s9_a_charge_before_the_latest_is_the_same_with_both() {
        long start = RandomEvents.START;
        try (Pair pair = new Pair(10, 10, 1000, start)) {
            for (long after : new long[] {10_000, 5_000, 12_000}) {
                assertEquals(pair.charge(70, start + after), pair.ours.charge(70, start + after));
                pair.assertEqualAt(start + after, "at " + after);
            }
        }
    }
}
