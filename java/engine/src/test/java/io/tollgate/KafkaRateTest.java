package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Collections;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.Quota;
import org.apache.kafka.common.metrics.QuotaViolationException;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.metrics.stats.Rate;
import org.apache.kafka.common.metrics.stats.WindowedSum;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.quota.QuotaUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Overlap (R1) beside the Rate that Kafka 4.4.0 ships, in its own Sensor and under its own quota. They are equal as long as
 * Kafka's is read when events come; where they are not, a test has both numbers. Kafka's reading writes: it empties each
 * sample whose last event is a window old and has it start at the time of the reading. Ours writes nothing (R4).
 */
class KafkaRateTest {
    /** Equal to this, relative. */
    private static final double PRECISION = 1e-9;

    /** Samples as they are inside of Kafka's. */
    private static final class Sum extends WindowedSum {
        /** Whether a reading at this time would empty a sample. */
        boolean isAnyObsolete(int count, long sampleMs, long now) {
            return samples.stream().anyMatch(sample -> now - sample.lastEventMs >= count * sampleMs);
        }
    }

    /** Both over N samples of W, and under a quota per second. */
    private static final class Pair implements AutoCloseable {
        final int samples;
        final long sampleMs;
        final double quota;
        final WindowedRate ours;
        final MetricConfig config;
        final Metrics metrics;
        final Sensor sensor;
        final Sum sum = new Sum();
        final Rate kafkas = new Rate(TimeUnit.SECONDS, sum);

        Pair(WindowedRate.Policy policy, int samples, long sampleMs, double quota) {
            this.samples = samples;
            this.sampleMs = sampleMs;
            this.quota = quota;
            ours = WindowedRate.create(policy, samples, sampleMs);
            config = new MetricConfig().samples(samples).timeWindow(sampleMs, TimeUnit.MILLISECONDS)
                    .quota(new Quota(quota, true));
            metrics = new Metrics(new MetricConfig(), Collections.emptyList(), Time.SYSTEM);
            sensor = metrics.sensor("events", config);
            sensor.add(metrics.metricName("rate", "test"), kafkas);
        }

        Pair(int samples, long sampleMs) {
            this(WindowedRate.Policy.OVERLAP, samples, sampleMs, 1);
        }

        /** Into both, and nothing is read. */
        Pair record(long amount, long now) {
            ours.record(amount, now);
            sensor.record(amount, now, false);
            return this;
        }

        /** Into both, and Kafka's throttle time as its broker gets it. */
        long recordUnderQuota(long amount, long now) {
            ours.record(amount, now);
            try {
                sensor.record(amount, now, true);
                return 0;
            } catch (QuotaViolationException e) {
                return QuotaUtils.throttleTime(e, now);
            }
        }

        void assertEqualAt(long now, String where) {
            assertClose(kafkas.measure(config, now), ours.perSecond(now), where);
            assertEquals(kafkas.windowSize(config, now), ours.windowMs(now), where);
        }

        /** Each with its own number. */
        void assertRates(double kafkasRate, double oursRate, long now) {
            assertClose(oursRate, ours.perSecond(now), "Tollgate's at " + now);
            assertClose(kafkasRate, kafkas.measure(config, now), "Kafka's at " + now);
        }

        @Override
        public void close() {
            ours.close();
            metrics.close();
        }
    }

    private static void assertClose(double expected, double actual, String where) {
        assertEquals(expected, actual, PRECISION * Math.abs(expected), where);
    }

    @ParameterizedTest(name = "{0} samples of {1} ms")
    @CsvSource({"1, 1000, 20000", "2, 1000, 10000", "11, 1000, 5000", "3, 250, 20000", "100, 10, 200000", "5, 30000, 70"})
    void r1_overlap_is_kafkas_rate_window_and_throttle_time_at_every_event(int samples, long sampleMs, double quota) {
        RandomEvents events = new RandomEvents(samples, samples, sampleMs);
        int throttled = 0;
        try (Pair pair = new Pair(WindowedRate.Policy.OVERLAP, samples, sampleMs, quota)) {
            for (int i = 0; i < RandomEvents.COUNT; i++) {
                long now = events.next();
                long throttleMs = pair.recordUnderQuota(events.amount(), now);
                String where = "event " + i + " at " + now;
                pair.assertEqualAt(now, where);
                assertEquals(throttleMs, pair.ours.throttleMs(quota, now), where);
                throttled += throttleMs > 0 ? 1 : 0;
            }
        }
        assertTrue(throttled > RandomEvents.COUNT / 20 && throttled < RandomEvents.COUNT * 19 / 20, throttled + " throttled");
    }

    @ParameterizedTest(name = "{0} samples of {1} ms")
    @CsvSource({"1, 1000", "2, 1000", "11, 1000", "100, 10"})
    void r1_overlap_is_kafkas_rate_when_only_some_events_are_followed_by_a_reading(int samples, long sampleMs) {
        RandomEvents events = new RandomEvents(2, samples, sampleMs);
        try (Pair pair = new Pair(samples, sampleMs)) {
            for (int i = 0; i < RandomEvents.COUNT; i++) {
                long now = events.next();
                pair.record(events.amount(), now);
                if (events.oneIn(10)) {
                    pair.assertEqualAt(now, "event " + i + " at " + now);
                }
            }
        }
    }

    /** Whatever the moment, a rate of Kafka's that was never read before. */
    @ParameterizedTest(name = "{0} samples of {1} ms")
    @CsvSource({"1, 1000", "2, 1000", "11, 1000"})
    void r1_overlap_is_kafkas_rate_at_the_first_reading_at_any_moment(int samples, long sampleMs) {
        for (int seed = 0; seed < 2_000; seed++) {
            RandomEvents events = new RandomEvents(seed, samples, sampleMs);
            try (Pair pair = new Pair(samples, sampleMs)) {
                for (int i = 0; i < 50; i++) {
                    pair.record(events.amount(), events.next());
                }
                pair.assertEqualAt(events.within((samples + 1) * sampleMs), "seed " + seed);
            }
        }
    }

    /** Readings between events are harmless where they empty no sample: this is where equality ends. */
    @ParameterizedTest(name = "{0} samples of {1} ms")
    @CsvSource({"1, 1000", "2, 1000", "11, 1000", "100, 10"})
    void r4_overlap_is_kafkas_rate_between_events_until_a_reading_empties_a_sample(int samples, long sampleMs) {
        RandomEvents events = new RandomEvents(4, samples, sampleMs);
        int between = 0;
        try (Pair pair = new Pair(samples, sampleMs)) {
            for (int i = 0; i < RandomEvents.COUNT; i++) {
                long now = events.next();
                String where = "event " + i + " at " + now;
                // All that is past a window is emptied at an event, where it does no harm.
                pair.record(events.amount(), now).assertEqualAt(now, where);
                long later = events.within(sampleMs / 16);
                if (!pair.sum.isAnyObsolete(samples, sampleMs, later)) {
                    pair.assertEqualAt(later, where + ", read at " + later);
                    between++;
                }
            }
        }
        assertTrue(between > RandomEvents.COUNT / 20, between + " readings");
    }

    @Test
    void r4_difference_kafkas_reading_starts_the_sample_of_a_later_event() {
        try (Pair pair = new Pair(2, 1000)) {
            pair.record(1, 0).assertRates(0, 0, 2500);
            // Kafka's: 1 in 1.5 s, since the reading. Ours: 1 in 1 s, since the event.
            pair.record(1, 3000).assertRates(1 / 1.5, 1, 3000);
        }
    }

    @Test
    void r4_difference_kafkas_reading_leaves_an_empty_sample_that_counts_as_time() {
        try (Pair pair = new Pair(2, 1000)) {
            pair.record(1, 0).record(1, 1000).record(1, 2500).assertRates(1 / 1.6, 1 / 1.6, 3100);
            pair.record(1, 4600).assertRates(1 / 1.5, 1, 4600);
        }
    }

    @Test
    void r4_difference_kafkas_reading_before_any_event_starts_the_first_sample() {
        try (Pair pair = new Pair(2, 1000)) {
            pair.assertRates(0, 0, 0);
            pair.record(1, 500).assertRates(1 / 1.5, 1, 500);
        }
    }

    /** And one that nobody reads in between goes on as ours: what the first of these differences costs is one reading. */
    @Test
    void r4_without_the_reading_between_events_there_is_no_difference() {
        try (Pair pair = new Pair(2, 1000)) {
            pair.record(1, 0).record(1, 3000).assertRates(1, 1, 3000);
        }
    }

    @Test
    void s9_difference_a_time_that_goes_back_ages_kafkas_sample() {
        try (Pair pair = new Pair(2, 1000)) {
            pair.record(1, 0).record(1, 900).record(1, 100);
            pair.assertRates(3 / 2.0, 3 / 2.0, 2000);
            // Kafka's: the last event was at 100. Ours: at 900.
            pair.assertRates(0, 3 / 2.5, 2500);
        }
    }

    @Test
    void s9_difference_a_reading_before_the_newest_sample_shortens_kafkas_window() {
        try (Pair pair = new Pair(2, 1000)) {
            pair.record(1, 5000).assertRates(1 / 0.4, 1, 4400);
        }
    }

    /** Kafka takes a connection back that it refuses by IP. A rate of ours counts what came. */
    @Test
    void r2_difference_kafka_takes_events_back() {
        try (Pair pair = new Pair(2, 1000)) {
            pair.record(2, 0);
            pair.sensor.record(-1.0, 0, false);
            pair.assertRates(1, 2, 0);
        }
    }

    @Test
    void c1_grid_gives_the_pull_requests_numbers_and_kafka_those_of_overlap() {
        double[] grid = {1, 2 / 1.03, 3 / 1.995, 4 / 1.02, 2 / 1.01};
        double[] kafkas = {1, 2 / 1.03, 3 / 1.995, 4 / 1.02, 5 / 2.01};
        long[] times = {0, 30, 995, 1020, 2010};
        try (Pair pair = new Pair(WindowedRate.Policy.GRID, 2, 1000, 1);
                WindowedRate overlap = WindowedRate.create(WindowedRate.Policy.OVERLAP, 2, 1000)) {
            for (int i = 0; i < times.length; i++) {
                pair.record(1, times[i]).assertRates(kafkas[i], grid[i], times[i]);
                overlap.record(1, times[i]);
                assertClose(kafkas[i], overlap.perSecond(times[i]), "event " + i);
            }
        }
    }

    @Test
    void c1_two_seconds_later_grid_has_990_and_kafka_1000() {
        try (Pair pair = new Pair(WindowedRate.Policy.GRID, 2, 1000, 1)) {
            for (long now : new long[] {0, 30, 995, 1020, 2010, 4010}) {
                pair.record(1000, now);
            }
            pair.assertRates(1000, 2000 / 2.02, 4010);
        }
    }

    @Test
    void c2_a_window_of_no_time_is_a_millisecond_for_both() {
        try (Pair pair = new Pair(1, 1000)) {
            pair.record(50, 0).assertRates(50_000, 50_000, 0);
            pair.assertRates(50 / 0.999, 50 / 0.999, 999);
        }
    }

    @Test
    void c3_ten_a_second_are_10_4812_for_both() {
        try (Pair pair = new Pair(2, 1000)) {
            for (long start : new long[] {0, 1100}) {
                pair.record(1, start);
                for (int i = 1; i <= 10; i++) {
                    pair.record(1, start + i * 100L - 1);
                }
            }
            assertEquals(10.4812, pair.ours.perSecond(2099), 0.00005);
            pair.assertEqualAt(2099, "at 2099");
        }
    }

    @Test
    void c4_kafkas_throttle_time_brings_the_rate_to_the_quota() {
        try (Pair pair = new Pair(WindowedRate.Policy.OVERLAP, 11, 1000, 500)) {
            for (int second = 0; second < 10; second++) {
                assertEquals(0, pair.recordUnderQuota(400, second * 1000L));
            }
            assertEquals(2_100, pair.recordUnderQuota(2300, 10_500));
            assertEquals(2_100, pair.ours.throttleMs(500, 10_500));
            pair.assertRates(600, 600, 10_500);
        }
    }

    @Test
    void c5_throttle_times_are_kafkas_and_never_negative() {
        for (long[] row : new long[][] {{200, 2_000}, {100, 0}, {3, 0}}) {
            try (Pair pair = new Pair(WindowedRate.Policy.OVERLAP, 2, 1000, 50)) {
                // So that the window is two seconds: the first sample's last event is younger than that.
                pair.record(1, 0).record(1, 500);
                assertEquals(row[1], pair.recordUnderQuota(row[0] - 2, 2000), row[0] + " events");
                assertEquals(row[1], pair.ours.throttleMs(50, 2000), row[0] + " events");
                assertEquals(2000, pair.ours.windowMs(2000));
            }
        }
    }
}
