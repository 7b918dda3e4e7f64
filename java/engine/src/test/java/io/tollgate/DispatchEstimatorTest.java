package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DispatchEstimatorTest {
    private static String refusal(Runnable call) {
        return assertThrows(IllegalArgumentException.class, call::run).getMessage();
    }

    @Test
    void d1_the_first_push_sets_the_average_and_later_ones_count_a_tenth() {
        try (DispatchEstimator estimator = DispatchEstimator.create(true)) {
            assertTrue(Double.isNaN(estimator.average()));
            estimator.recordPush(10, 1);
            estimator.recordPush(40, 2);
            assertEquals(11.0, estimator.average());
            estimator.recordPush(5, 0);
            assertEquals(11.0, estimator.average());
        }
    }

    @Test
    void d2_entries_are_within_one_and_the_read_batch() {
        try (DispatchEstimator estimator = DispatchEstimator.startingAt(true, 1_000)) {
            assertEquals(1, estimator.entriesToRead(1_000, 500));
            assertEquals(2, estimator.entriesToRead(1_001, 500));
            assertEquals(1, estimator.entriesToRead(1, 0));
            assertEquals(Integer.MAX_VALUE, estimator.entriesToRead(Long.MAX_VALUE, Integer.MAX_VALUE));
        }
    }

    @Test
    void d3_only_where_precise() {
        try (DispatchEstimator on = DispatchEstimator.startingAt(true, 10); DispatchEstimator off = DispatchEstimator.create(false)) {
            off.recordPush(10, 1);
            assertTrue(on.isPrecise());
            assertFalse(off.isPrecise());
            assertEquals(3, on.entriesToRead(30, 500));
            assertEquals(30, off.entriesToRead(30, 500));
        }
    }

    @Test
    void d4_statistics_are_one_json_object() {
        try (DispatchEstimator estimator = DispatchEstimator.create(true)) {
            assertEquals("{\"avgMessagesPerEntry\":null,\"precise\":true}", estimator.toJson());
            estimator.recordPush(25, 2);
            assertEquals("{\"avgMessagesPerEntry\":12.5,\"precise\":true}", estimator.toJson());
        }
    }

    @Test
    void d5_permits_below_zero_read_nothing() {
        try (DispatchEstimator estimator = DispatchEstimator.create(true)) {
            assertEquals(0, estimator.entriesToRead(-43, 500));
            assertEquals(0, estimator.entriesToRead(Long.MIN_VALUE, 500));
            assertEquals(0, estimator.entriesToRead(0, 500));
        }
    }

    @ParameterizedTest
    @CsvSource({"0.999, 0.999", "-1, -1", "NaN, NaN", "Infinity, inf"})
    void d1_an_average_to_start_from_is_checked(double value, String shown) {
        assertEquals("messages_per_entry = " + shown + ": must be a finite number from 1",
                refusal(() -> DispatchEstimator.startingAt(true, value)));
    }

    @Test
    void numbers_below_zero_are_refused_by_name() {
        try (DispatchEstimator estimator = DispatchEstimator.create(true)) {
            assertEquals("messages = -1: must be 0 or more", refusal(() -> estimator.recordPush(-1, 1)));
            assertEquals("entries = -9: must be 0 or more", refusal(() -> estimator.recordPush(1, -9)));
            assertEquals("read_batch_size = -5: must be 0 or more", refusal(() -> estimator.entriesToRead(1, -5)));
            assertTrue(Double.isNaN(estimator.average()));
        }
    }

    @Test
    void after_close_every_call_throws() {
        DispatchEstimator estimator = DispatchEstimator.create(true);
        estimator.close();
        var thrown = assertThrows(IllegalStateException.class, () -> estimator.recordPush(1, 1));
        assertEquals("this DispatchEstimator is closed", thrown.getMessage());
        assertThrows(IllegalStateException.class, estimator::average);
        assertThrows(IllegalStateException.class, estimator::toJson);
        assertThrows(IllegalStateException.class, estimator::isPrecise);
        assertThrows(IllegalStateException.class, () -> estimator.entriesToRead(1, 1));
    }
}
