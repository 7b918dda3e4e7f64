package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class GcraTest {
    @Test
    void r3_full_at_start_then_one_per_interval_and_never_below_zero() {
        try (Gcra bucket = Gcra.full(3_600, 2, 0)) {
            assertEquals(0, bucket.charge(0));
            assertEquals(0, bucket.charge(0));
            assertEquals(600, bucket.charge(400));
            assertEquals(0.4, bucket.tokens(400), 1e-9);
            assertEquals(0, bucket.charge(1_000));
            assertEquals(0.0, bucket.tokens(1_000));
        }
    }

    @Test
    void rates_and_capacities_that_mean_nothing_are_refused() {
        var rate = assertThrows(IllegalArgumentException.class, () -> Gcra.full(-3, 1, 0));
        assertEquals("rate = -3: must be a finite number above 0 (tokens per hour)", rate.getMessage());
        var capacity = assertThrows(IllegalArgumentException.class, () -> Gcra.full(1, Double.NaN, 0));
        assertEquals("capacity = NaN: must be a finite number above 0 (tokens)", capacity.getMessage());
    }

    @Test
    void after_close_every_call_throws() {
        Gcra bucket = Gcra.full(1, 1, 0);
        bucket.close();
        var thrown = assertThrows(IllegalStateException.class, () -> bucket.charge(0));
        assertEquals("this Gcra is closed", thrown.getMessage());
        assertThrows(IllegalStateException.class, () -> bucket.tokens(0));
    }
}
