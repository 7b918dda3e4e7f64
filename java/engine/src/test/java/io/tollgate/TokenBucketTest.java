package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenBucketTest {
    @Test
    void c7_kafkas_permissive_quota() {
        try (TokenBucket bucket = TokenBucket.full(5, 500, 0)) {
            assertEquals(12_000, bucket.charge(560, 0));
            assertEquals(-60.0, bucket.tokens(0));
            assertEquals(1, bucket.charge(0, 11_999));
            assertEquals(0, bucket.charge(0, 12_000));
        }
    }

    @Test
    void c7_kafkas_strict_quota() {
        try (TokenBucket bucket = TokenBucket.full(10, 100, 0)) {
            assertEquals(0, bucket.chargeStrict(90, 0));
            assertEquals(0, bucket.chargeStrict(90, 0));
            assertEquals(8_000, bucket.chargeStrict(90, 0));
            assertEquals(3_000, bucket.chargeStrict(90, 5_000));
            assertEquals(-30.0, bucket.tokens(5_000));
        }
    }

    @Test
    void r3_amounts_that_mean_nothing_do_no_harm() {
        try (TokenBucket bucket = TokenBucket.full(1, 10, 0)) {
            assertEquals(0, bucket.charge(Double.NaN, Long.MIN_VALUE));
            assertEquals(0, bucket.charge(-5, 0));
            assertEquals(10.0, bucket.tokens(-1));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "-1, -1", "NaN, NaN", "Infinity, inf"})
    void rates_and_capacities_that_mean_nothing_are_refused(double value, String shown) {
        var rate = assertThrows(IllegalArgumentException.class, () -> TokenBucket.full(value, 1, 0));
        assertEquals("rate = " + shown + ": must be a finite number above 0 (tokens per second)", rate.getMessage());
        var capacity = assertThrows(IllegalArgumentException.class, () -> TokenBucket.full(1, value, 0));
        assertEquals("capacity = " + shown + ": must be a finite number above 0 (tokens)", capacity.getMessage());
    }

    @Test
    void after_close_every_call_throws() {
        TokenBucket bucket = TokenBucket.full(1, 1, 0);
        bucket.close();
        var thrown = assertThrows(IllegalStateException.class, () -> bucket.charge(1, 0));
        assertEquals("this TokenBucket is closed", thrown.getMessage());
        assertThrows(IllegalStateException.class, () -> bucket.chargeStrict(1, 0));
        assertThrows(IllegalStateException.class, () -> bucket.tokens(0));
    }
}
