package org.apache.pulsar.broker.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Collections;
import java.util.List;

import org.apache.bookkeeper.mledger.Entry;

/**
 * Pulsar's own {@link Consumer}, pushed to as its dispatchers do it. It is made by the constructor that Pulsar keeps for its
 * own tests, which is why this class is in Pulsar's package.
 *
 * <p>Such a consumer has no connection. {@code sendMessages} first counts, taking the permits right after the average, and
 * only then looks for the connection, or, without messages, before it counts anything. So each push ends in a
 * {@link NullPointerException}, and the permits tell how far it came.
 */
public final class PushedConsumer {
    private static final Entry ENTRY = new Entry() { };

    private final Consumer consumer = new Consumer("pushed", 0);

    /** Sends {@code entries} with {@code messages} in all. */
    public void push(int messages, int entries) {
        send(messages, Collections.nCopies(entries, ENTRY));
    }

    /**
     * Sends messages whose entries are all refused. A consumer of a Key_Shared subscription refuses those whose keys are being
     * handed over: it makes them null in the list, counts them no longer, and takes their messages for sent all the same.
     */
    public void pushRefused(int messages, int entries) {
        send(messages, Collections.nCopies(entries, null));
    }

    private void send(int messages, List<Entry> entries) {
        int before = consumer.getAvailablePermits();
        EntryBatchSizes batchSizes = EntryBatchSizes.get(entries.size());
        assertThrows(NullPointerException.class,
                () -> consumer.sendMessages(entries, batchSizes, null, messages, 0, 0, null));
        // Permits wrap on both sides where a test sends more than an int holds.
        assertEquals(before - messages, consumer.getAvailablePermits(), "permits after the push");
    }

    /** What the broker's statistics and its dispatchers read: rounded, 0 before the first push. */
    public int averageMessagesPerEntry() {
        return consumer.getAvgMessagesPerEntry();
    }
}
