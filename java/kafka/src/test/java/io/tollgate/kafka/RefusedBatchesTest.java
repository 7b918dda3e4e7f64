package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class RefusedBatchesTest {
    private static final long KEEP_MS = 1_000;
    private static final String ALICE = "alice";
    private final RefusedBatches refused = new RefusedBatches(KEEP_MS);

    private static List<Batch> batch(long producerId, int partition, int sequence) {
        return List.of(new Batch("t", partition, producerId, sequence, 1));
    }

    private static List<Batch> batch(int sequence, int records) {
        return List.of(new Batch("t", 0, 7, sequence, records));
    }

    @Test
    void what_came_behind_a_refused_batch_waits_for_it() {
        refused.refused(ALICE, batch(7, 0, 0), 0);
        assertTrue(refused.mayHold(7));
        assertTrue(refused.wouldOvertake(ALICE, batch(7, 0, 1), 1));
        assertFalse(refused.wouldOvertake(ALICE, batch(7, 1, 1), 1), "another partition");
        assertFalse(refused.wouldOvertake(ALICE, batch(8, 0, 1), 1), "another producer");
        assertFalse(refused.wouldOvertake(ALICE, batch(7, 0, 0), 1), "the batch itself");
        refused.passed(ALICE, batch(7, 0, 0));
        assertFalse(refused.mayHold(7));
        assertFalse(refused.wouldOvertake(ALICE, batch(7, 0, 1), 2));
        assertEquals(0, refused.size());
    }

    @Test
    void what_is_new_waits_until_all_that_were_refused_have_come_in_their_turn() {
        refused.refused(ALICE, batch(0, 10), 0);
        refused.refused(ALICE, batch(10, 5), 1);
        refused.refused(ALICE, batch(15, 5), 1);
        refused.passed(ALICE, batch(0, 10));
        assertFalse(refused.wouldOvertake(ALICE, batch(10, 5), 2), "its turn has come");
        assertTrue(refused.wouldOvertake(ALICE, batch(15, 5), 2));
        assertTrue(refused.wouldOvertake(ALICE, batch(20, 1), 2), "new, and before two that were refused");
        refused.refused(ALICE, batch(20, 1), 2);
        refused.passed(ALICE, batch(10, 5));
        refused.passed(ALICE, batch(15, 5));
        assertTrue(refused.mayHold(7));
        assertFalse(refused.wouldOvertake(ALICE, batch(20, 1), 3));
        refused.passed(ALICE, batch(20, 1));
        assertFalse(refused.mayHold(7));
        assertEquals(0, refused.size());
    }

    @Test
    void a_producer_that_gives_up_in_between_is_let_in_too() {
        refused.refused(ALICE, batch(0, 10), 0);
        refused.refused(ALICE, batch(10, 5), 1);
        refused.refused(ALICE, batch(15, 5), 1);
        refused.passed(ALICE, batch(0, 10));
        // A new epoch: its numbers have nothing to do with those before.
        refused.passed(ALICE, batch(0, 3));
        assertFalse(refused.mayHold(7));
        assertFalse(refused.wouldOvertake(ALICE, batch(3, 30), 2));
    }

    @Test
    void a_count_of_records_that_is_none_holds_nothing_up() {
        refused.refused(ALICE, batch(5, 0), 0);
        refused.refused(ALICE, batch(6, 1), 0);
        refused.passed(ALICE, batch(5, 0));
        assertFalse(refused.mayHold(7));
        refused.refused(ALICE, batch(Integer.MAX_VALUE - 1, 9), 0);
        refused.refused(ALICE, batch(Integer.MAX_VALUE, 9), 0);
        refused.passed(ALICE, batch(Integer.MAX_VALUE - 1, 9));
        assertFalse(refused.mayHold(7));
    }

    @Test
    void a_producer_that_gave_up_and_starts_again_at_0_is_let_in() {
        refused.refused(ALICE, batch(7, 0, 5), 0);
        assertFalse(refused.wouldOvertake(ALICE, batch(7, 0, 0), 1));
        refused.passed(ALICE, batch(7, 0, 0));
        assertFalse(refused.wouldOvertake(ALICE, batch(7, 0, 9), 1));
    }

    @Test
    void the_wait_ends_and_only_the_refused_batch_itself_prolongs_it() {
        refused.refused(ALICE, batch(7, 0, 0), 0);
        refused.refused(ALICE, batch(7, 0, 3), 900);
        assertTrue(refused.wouldOvertake(ALICE, batch(7, 0, 3), 999));
        refused.refused(ALICE, batch(7, 0, 0), 999);
        assertTrue(refused.wouldOvertake(ALICE, batch(7, 0, 3), 1_998));
        assertFalse(refused.wouldOvertake(ALICE, batch(7, 0, 3), 1_999));
        assertEquals(0, refused.size());
    }

    @Test
    void sweeping_forgets_what_was_waited_for_long_enough() {
        refused.refused(ALICE, batch(7, 0, 0), 0);
        refused.refused(ALICE, batch(8, 0, 0), 500);
        refused.sweep(1_000);
        assertEquals(1, refused.size());
        assertFalse(refused.mayHold(7));
        assertTrue(refused.mayHold(8));
    }

    @Test
    void memory_is_bounded_and_the_oldest_go_first() {
        int all = RefusedBatches.MAX_BATCHES + 100;
        for (int producerId = 0; producerId < all; producerId++) {
            refused.refused(ALICE, batch(producerId, 0, 0), 0);
        }
        assertEquals(RefusedBatches.MAX_BATCHES, refused.size());
        assertFalse(refused.wouldOvertake(ALICE, batch(99, 0, 1), 1));
        assertTrue(refused.wouldOvertake(ALICE, batch(100, 0, 1), 1));
        assertTrue(refused.wouldOvertake(ALICE, batch(all - 1, 0, 1), 1));
    }

    @Test
    void one_request_to_more_partitions_than_there_is_room_for_is_let_go() {
        List<Batch> wide = java.util.stream.IntStream.rangeClosed(0, RefusedBatches.MAX_BATCHES)
                .mapToObj(partition -> new Batch("t", partition, 7, 0, 1)).toList();
        refused.refused(ALICE, wide, 0);
        assertEquals(0, refused.size());
        assertFalse(refused.mayHold(7));
    }

    @Test
    void a_flood_by_one_user_costs_no_other_its_order() {
        refused.refused(ALICE, batch(1, 0, 0), 0);
        for (int producerId = 0; producerId < 3 * RefusedBatches.MAX_BATCHES; producerId++) {
            refused.refused("rogue", batch(producerId, 0, 0), 1);
        }
        assertEquals(RefusedBatches.MAX_BATCHES, refused.size());
        assertTrue(refused.wouldOvertake(ALICE, batch(1, 0, 1), 2));
    }

    @Test
    void one_user_is_not_kept_waiting_for_anothers_batches() {
        refused.refused("rogue", batch(7, 0, 0), 0);
        assertTrue(refused.mayHold(7));
        assertFalse(refused.wouldOvertake(ALICE, batch(7, 0, 1), 1));
        refused.passed(ALICE, batch(7, 0, 0));
        assertTrue(refused.wouldOvertake("rogue", batch(7, 0, 1), 1));
    }
}
