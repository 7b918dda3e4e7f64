package io.tollgate.pulsar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;

import io.tollgate.DispatchEstimator;
import org.apache.pulsar.broker.service.PushedConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The same pushes to {@link DispatchEstimator} and to the class that keeps the average in Pulsar's broker 4.0.4,
 * {@code org.apache.pulsar.broker.service.Consumer}: the same average, and where not, by how much and why.
 *
 * <p>Why not a whole broker: of the jars that one needs, managed-ledger, pulsar-broker-common and eight more of 4.0.4 could
 * not be had from the registry that this was built with. Consumer's arithmetic needs none of them: it is the published class,
 * unchanged, from pulsar-broker's jar. Four types that it links against are stood in for by empty ones, under their names in
 * this module.
 *
 * <p>Pulsar tells its average only rounded to a whole number. It is compared at each step, and once more with entries so
 * large that a whole number is a billionth of them. No private field is read.
 *
 * <p>Where the two differ:
 * <ul>
 * <li>D1: Pulsar takes an average below 1 for one that was never set, and replaces it by the next push; here it is an average
 *     like any other. A push has at least as many messages as entries unless a producer lies about its batches.
 * <li>D1: messages without entries make Pulsar's average infinite, for good; here such a push changes nothing.
 * <li>D1: Pulsar multiplies by 0.1 before it divides by the entries, this engine after: a last place.
 * <li>D1: Pulsar reads the average, then writes it: of two pushes at once one can get lost. Here none does. One dispatcher
 *     sends to a consumer at a time, so this is not shown here.
 * <li>D2: Pulsar reads by the rounded average, this engine by the average itself. At 1.4 messages an entry Pulsar reads as if
 *     it were 1 and sends 14 for 10 permits; at 1.6 as if it were 2, and has to read again.
 * <li>D2: without permits Pulsar does not come to calculate, and its calculation never gives less than 1; here it is 0. For a
 *     shared subscription it takes the permits of all consumers and the average of one at random; here both are of one
 *     consumer.
 * </ul>
 * D3 is the same: Pulsar's {@code preciseDispatcherFlowControl} is off until it is set, and off it reads an entry a permit.
 */
class PulsarAverageTest {
    private static final int READ_BATCH = 100;

    private final DispatchEstimator ours = DispatchEstimator.create(true);
    private final PushedConsumer pulsar = new PushedConsumer();

    @AfterEach
    void close() {
        ours.close();
    }

    private void push(int messages, int entries) {
        ours.recordPush(messages, entries);
        pulsar.push(messages, entries);
    }

    /** Java rounds the average that is not there to Pulsar's 0. */
    private void assertSameAverage(String when) {
        assertEquals(pulsar.averageMessagesPerEntry(), Math.round(ours.average()), when);
    }

    /**
     * The entries that Pulsar's dispatchers read for permits under precise flow control, shared or with a single active
     * consumer. Said again here: the dispatchers themselves can't be loaded without the jars that are not to be had.
     */
    private int pulsarReads(int permits) {
        int each = Math.max(1, pulsar.averageMessagesPerEntry());
        return Math.max(1, Math.min(READ_BATCH, (int) Math.ceil((double) permits / each)));
    }

    @Test
    void d1_unknown_before_the_first_push_which_sets_it() {
        assertEquals(0, pulsar.averageMessagesPerEntry());
        assertSameAverage("before the first push");
        push(3000, 3);
        assertEquals(1000, pulsar.averageMessagesPerEntry());
        assertSameAverage("after the first push");
    }

    @Test
    void d1_the_average_is_pulsars_at_each_of_many_pushes() {
        Random random = new Random(6719);
        int[] messagesPerEntry = {1, 10, 1000};
        int lowest = Integer.MAX_VALUE;
        int highest = 0;
        for (int i = 0; i < 100_000; i++) {
            // A producer's batches are alike for a while, and not all are full.
            int full = messagesPerEntry[i / 50 % 3];
            int entries = 1 + random.nextInt(READ_BATCH);
            int messages = 0;
            for (int entry = 0; entry < entries; entry++) {
                messages += 1 + random.nextInt(full);
            }
            push(messages, entries);
            assertSameAverage("push " + i);
            lowest = Math.min(lowest, pulsar.averageMessagesPerEntry());
            highest = Math.max(highest, pulsar.averageMessagesPerEntry());
        }
        assertTrue(lowest <= 2 && highest >= 450, "too little was seen: " + lowest + " to " + highest);
    }

    @Test
    void d1_the_average_is_pulsars_to_a_billionth() {
        Random random = new Random(936);
        for (int i = 0; i < 100_000; i++) {
            int messages = Integer.MAX_VALUE / 2 + random.nextInt(Integer.MAX_VALUE / 2);
            push(messages, 1);
            assertSameAverage("push " + i + " of " + messages);
        }
    }

    @Test
    void d1_no_messages_change_nothing() {
        push(25, 2);
        push(0, 2);
        push(0, 0);
        assertEquals(13, pulsar.averageMessagesPerEntry());
        assertSameAverage("after two pushes of no messages");
    }

    @Test
    void d1_messages_without_entries_change_nothing_here_and_ruin_pulsars_average() {
        push(10, 1);
        ours.recordPush(5, 0);
        pulsar.pushRefused(5, 1);
        // Infinity, as a long and then as an int: the largest long's lower half.
        assertEquals(-1, pulsar.averageMessagesPerEntry());
        assertEquals(10.0, ours.average());

        // It stays: what was meant to be one entry is ten from now on.
        push(10, 1);
        assertEquals(10, pulsarReads(10));
        assertEquals(1, ours.entriesToRead(10, READ_BATCH));
    }

    @Test
    void d1_below_one_is_an_average_here_and_none_in_pulsar() {
        push(1, 4);
        push(40, 4);
        assertEquals(10, pulsar.averageMessagesPerEntry());
        assertEquals(0.9 * 0.25 + 0.1 * 10, ours.average(), 1e-9);
    }

    @Test
    void d2_comes_down_to_one_in_step_with_pulsar() {
        push(1000, 1);
        int pushes = 0;
        for (; pulsar.averageMessagesPerEntry() > 1; pushes++) {
            push(1, 1);
            assertSameAverage("push " + pushes);
        }
        // 1 + 999 x 0.9^n is below 1.5 from n = 73.
        assertEquals(73, pushes);
    }

    @Test
    void d2_as_many_entries_as_pulsar_where_the_average_is_whole() {
        push(70, 10);
        for (int permits = 1; permits <= 1000; permits++) {
            assertEquals(pulsarReads(permits), ours.entriesToRead(permits, READ_BATCH), permits + " permits");
        }
        assertEquals(15, ours.entriesToRead(99, READ_BATCH));
    }

    @Test
    void d2_between_whole_numbers_pulsar_reads_by_the_nearest() {
        push(14, 10);
        assertEquals(10, pulsarReads(10));
        assertEquals(8, ours.entriesToRead(10, READ_BATCH));
        // 1.4 becomes 1.6.
        push(34, 10);
        assertEquals(5, pulsarReads(10));
        assertEquals(7, ours.entriesToRead(10, READ_BATCH));
    }

    @Test
    void d2_while_unknown_both_read_an_entry_a_permit() {
        assertEquals(30, pulsarReads(30));
        assertEquals(30, ours.entriesToRead(30, READ_BATCH));
        assertEquals(READ_BATCH, pulsarReads(1000));
        assertEquals(READ_BATCH, ours.entriesToRead(1000, READ_BATCH));
    }
}
