package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What passes a transaction coordinator, on the real engine and transactions that are a set in memory. */
class TransactionGuardTest extends GuardRig<TransactionGuardTest.Memory> {
    private record Refusal(short code, int waitMs, boolean tells) {
    }

    /** Requests are producer IDs; an abort is its ID too. Leads partition 0 and has nothing in it. */
    static final class Memory extends BrokerInMemory implements TransactionAdapter {
        /** Producer IDs that had something added. */
        private final Set<Long> begun = new HashSet<>();
        private final List<Refusal> refusals = new ArrayList<>();
        private final List<Long> aborted = new ArrayList<>();
        private boolean coordinates = true;

        @Override
        public long producerId(Object request) {
            return (Long) request;
        }

        @Override
        public List<Batch> batches(Object request) {
            return List.of(new Batch("t", 0, (Long) request, 0, 1));
        }

        @Override
        public Presence presence(Batch batch) {
            return Presence.ABSENT;
        }

        @Override
        public void refuse(Object request, short errorCode, String message, int waitMs) {
            throw new AssertionError("no produce request is refused here");
        }

        @Override
        public TransactionAdapter transactions() {
            return this;
        }

        @Override
        public long adds(Object request) {
            if (failure != null) {
                throw failure;
            }
            return (Long) request;
        }

        @Override
        public Presence presence(Object request) {
            return !coordinates ? Presence.NOT_LED : begun.contains(request) ? Presence.HELD : Presence.ABSENT;
        }

        @Override
        public void refuse(Object request, short errorCode, String message, int waitMs, boolean tells) {
            refusals.add(new Refusal(errorCode, waitMs, tells));
        }

        @Override
        public long abortsNothing(Object request) {
            return !coordinates || begun.contains(request) ? BrokerAdapter.NONE : (Long) request;
        }

        @Override
        public void aborted(Object request) {
            aborted.add((Long) request);
        }
    }

    TransactionGuardTest() {
        super(new Memory());
    }

    private boolean adds(long producerId) {
        if (guard.refusesToAdd(producerId)) {
            return false;
        }
        broker.begun.add(producerId);
        return true;
    }

    @Test
    void a_new_producer_id_is_charged_where_it_is_added_and_known_where_it_produces() throws Exception {
        guard(2, "enforce");
        assertTrue(adds(1));
        assertTrue(adds(2));
        assertFalse(adds(3));
        assertTrue(adds(1));
        assertFalse(guard.refuses(2L));
        assertEquals(2, total("Admitted"));
        assertEquals(1, total("Throttled"));
        assertEquals(2, total("Known"));
        assertEquals(Set.of(1L, 2L), broker.begun);
    }

    @Test
    void a_producer_id_charged_at_its_first_batch_is_known_where_it_is_added() throws Exception {
        guard(1, "enforce");
        assertFalse(guard.refuses(1L));
        assertTrue(adds(1));
        assertFalse(adds(2));
        assertEquals(1, total("Admitted"));
    }

    @Test
    void a_transaction_that_had_something_added_before_is_remembered_uncharged() throws Exception {
        guard(1, "enforce");
        for (long producerId = 100; producerId < 200; producerId++) {
            broker.begun.add(producerId);
            assertTrue(adds(producerId));
        }
        assertEquals(0, total("Admitted"));
        assertEquals(100, total("ReRecorded"));
        // Its client starts anew: the transaction is empty, and what tells of it is the engine alone.
        broker.begun.clear();
        assertTrue(adds(100));
        assertFalse(guard.answersAbort(101L), "what it does now is between it and Kafka");
        assertEquals(0, total("Admitted"));
        assertTrue(adds(1), "the quota is untouched");
        assertFalse(adds(2));
    }

    @Test
    void what_another_broker_coordinates_is_neither_charged_nor_refused() throws Exception {
        guard(1, "enforce");
        broker.coordinates = false;
        for (long producerId = 0; producerId < 10; producerId++) {
            assertFalse(guard.refusesToAdd(producerId));
            assertFalse(guard.answersAbort(producerId));
        }
        assertEquals(0, total("Admitted"));
    }

    @Test
    void a_client_is_told_how_long_unless_it_would_sleep_for_longer() throws Exception {
        guard(1, "enforce");
        assertTrue(adds(1));
        assertFalse(adds(2));
        broker.software = "apache-kafka-java";
        assertFalse(adds(3));
        Refusal told = broker.refusals.get(0);
        assertEquals(new Refusal((short) 51, told.waitMs, true), told);
        assertTrue(told.waitMs > 10_000 && told.waitMs <= 30_000, told.toString());
        assertEquals(new Refusal((short) 51, 10_000, false), broker.refusals.get(1));
    }

    @Test
    void the_abort_of_one_that_was_never_admitted_is_done_and_others_are_kafkas() throws Exception {
        guard(1, "enforce");
        assertTrue(adds(1));
        assertFalse(adds(2));
        assertTrue(guard.answersAbort(2L));
        assertFalse(guard.answersAbort(1L), "there is something to abort");
        broker.begun.clear();
        assertFalse(guard.answersAbort(1L), "it was admitted: what it does now is between it and Kafka");
        assertEquals(List.of(2L), broker.aborted);
    }

    @Test
    void observing_refuses_nothing_and_counts_each_producer_once() throws Exception {
        guard(5, "observe");
        for (int round = 0; round < 3; round++) {
            for (long producerId = 0; producerId < 40; producerId++) {
                assertTrue(adds(producerId));
            }
        }
        broker.begun.clear();
        assertFalse(guard.answersAbort(1_000L));
        assertEquals(5, total("Admitted"));
        assertEquals(35, total("Throttled"));
        assertEquals(List.of(), broker.refusals);
    }

    @Test
    void who_is_refused_stands_in_the_log_and_who_passes_does_not() throws Exception {
        try (Lines lines = new Lines()) {
            guard(1, "enforce");
            assertTrue(adds(1));
            assertFalse(lines.soFar().stream().anyMatch(line -> line.contains("throttled user")));
            assertFalse(adds(2));
            assertFalse(adds(3));
            assertEquals(1, lines.soFar().stream().filter(line -> line.startsWith("Tollgate throttled user alice once")).count());
        }
    }

    @Test
    void what_only_brokers_send_passes_uncounted() throws Exception {
        guard(1, "enforce");
        for (int i = 0; i < 10; i++) {
            assertFalse(guard.refusesToAdd(BrokerAdapter.NONE));
        }
        assertEquals(0, total("Principals"));
    }

    @Test
    void a_failure_inside_is_counted_and_the_request_passes() throws Exception {
        guard(1, "enforce");
        assertTrue(adds(1));
        broker.failure = new IllegalStateException("on purpose");
        assertFalse(guard.refusesToAdd(2L));
        assertEquals(1, total("Faults"));
        guard.close();
        assertFalse(guard.refusesToAdd(3L));
        assertFalse(guard.answersAbort(3L));
    }
}
