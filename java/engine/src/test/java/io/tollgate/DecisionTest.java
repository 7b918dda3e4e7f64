package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The packed word of design 6: bits 0 to 7 the kind, bits 32 to 63 the wait. */
class DecisionTest {
    @Test
    void each_kind_reads_as_itself_alone() {
        int[] kinds = {Decision.KNOWN, Decision.ADMITTED, Decision.THROTTLED, Decision.STALE, Decision.NEW, Decision.FAULT};
        for (int kind : kinds) {
            assertEquals(kind, Decision.kind(kind));
            assertEquals(kind == Decision.KNOWN, Decision.isKnown(kind));
            assertEquals(kind == Decision.ADMITTED, Decision.isAdmitted(kind));
            assertEquals(kind == Decision.THROTTLED, Decision.isThrottled(kind));
            assertEquals(kind == Decision.STALE, Decision.isStale(kind));
            assertEquals(kind == Decision.NEW, Decision.isNew(kind));
            assertEquals(kind == Decision.FAULT, Decision.isFault(kind));
        }
    }

    @Test
    void a_kind_of_a_later_version_reads_as_a_fault() {
        assertTrue(Decision.isFault(5));
        assertTrue(Decision.isFault(254));
        assertFalse(Decision.isFault(4));
    }

    @Test
    void the_wait_is_read_for_throttled_only_and_never_negative() {
        assertEquals(30_000, Decision.retryAfterMs(30_000L << 32 | Decision.THROTTLED));
        assertEquals(Integer.MAX_VALUE, Decision.retryAfterMs(0xffff_ffffL << 32 | Decision.THROTTLED));
        assertEquals(0, Decision.retryAfterMs(30_000L << 32 | Decision.ADMITTED));
    }

    @Test
    void words_for_logs() {
        assertEquals("known", Decision.toString(Decision.KNOWN));
        assertEquals("admitted", Decision.toString(Decision.ADMITTED));
        assertEquals("throttled for 120 ms", Decision.toString(120L << 32 | Decision.THROTTLED));
        assertEquals("stale", Decision.toString(Decision.STALE));
        assertEquals("new", Decision.toString(Decision.NEW));
        assertEquals("fault", Decision.toString(Decision.FAULT));
    }
}
