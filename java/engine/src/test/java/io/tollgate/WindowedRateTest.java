package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tollgate.WindowedRate.Policy;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class WindowedRateTest {
    private static String refusal(int samples, long sampleMs) {
        return assertThrows(IllegalArgumentException.class, () -> WindowedRate.create(Policy.GRID, samples, sampleMs)).getMessage();
    }

    /** The worked example of the pull request: windows of a second, two of them. */
    @Test
    void c1_the_grid_keeps_the_time_between_samples() {
        try (WindowedRate rate = WindowedRate.create(Policy.GRID, 2, 1_000)) {
            for (long nowMs : new long[] {0, 30, 995, 1_020, 2_010}) {
                rate.record(1, nowMs);
            }
            assertEquals(1_010, rate.windowMs(2_010));
            assertEquals(2.0 / 1.01, rate.perSecond(2_010));
        }
    }

    /** Three policies, one sequence, three answers: each constant reaches its own. */
    @Test
    void r1_the_policies_are_told_apart() {
        double[] read = Arrays.stream(Policy.values()).mapToDouble(policy -> {
            try (WindowedRate rate = WindowedRate.create(policy, 2, 1_000)) {
                rate.record(10, 900);
                rate.record(10, 2_300);
                return rate.perSecond(2_700);
            }
        }).toArray();
        // The grid's samples start at 900 and 1900; those of Kafka at their first events; the sliding window begins at 700.
        assertEquals(List.of(20 / 1.8, 20 / 1.8, (10 * 0.3 + 10) / 2), Arrays.stream(read).boxed().toList());
    }

    @Test
    void r2_the_throttle_time_is_kafkas() {
        try (WindowedRate rate = WindowedRate.create(Policy.OVERLAP, 2, 1_000)) {
            rate.record(30, 0);
            assertEquals(30.0, rate.perSecond(0));
            assertEquals(500, rate.throttleMs(20, 0));
            assertEquals(0, rate.throttleMs(30, 0));
            assertEquals(Long.MAX_VALUE, rate.throttleMs(0, 0));
        }
    }

    @Test
    void settings_out_of_range_are_named_with_value_and_range() {
        assertEquals("samples = 0: must be 1 to 1000", refusal(0, 1_000));
        assertEquals("samples = -2: must be 1 to 1000", refusal(-2, 1_000));
        assertEquals("samples = 1001: must be 1 to 1000", refusal(1_001, 1_000));
        assertEquals("sample_ms = 0: must be 1 to 2592000000 (milliseconds)", refusal(1, 0));
        assertEquals("sample_ms = -7: must be 1 to 2592000000 (milliseconds)", refusal(1, -7));
        assertEquals("sample_ms = 2592000001: must be 1 to 2592000000 (milliseconds)", refusal(1, 2_592_000_001L));
        assertThrows(NullPointerException.class, () -> WindowedRate.create(null, 1, 1));
    }

    @Test
    void amounts_below_zero_are_refused_and_times_below_zero_are_zero() {
        try (WindowedRate rate = WindowedRate.create(Policy.SLIDING, 1, 1_000)) {
            var refused = assertThrows(IllegalArgumentException.class, () -> rate.record(-1, 0));
            assertEquals("amount = -1: must be 0 or more", refused.getMessage());
            assertEquals(0.0, rate.perSecond(0));
            rate.record(5, Long.MIN_VALUE);
            assertEquals(5.0, rate.perSecond(-1));
        }
    }

    @Test
    void after_close_every_call_throws() {
        WindowedRate rate = WindowedRate.create(Policy.GRID, 1, 1);
        rate.close();
        rate.close();
        var thrown = assertThrows(IllegalStateException.class, () -> rate.record(1, 0));
        assertEquals("this WindowedRate is closed", thrown.getMessage());
        assertThrows(IllegalStateException.class, () -> rate.perSecond(0));
        assertThrows(IllegalStateException.class, () -> rate.windowMs(0));
        assertThrows(IllegalStateException.class, () -> rate.throttleMs(1, 0));
    }
}
