package io.tollgate;

import java.lang.ref.Reference;

/**
 * How much to read: messages per entry of one consumer, so that a dispatcher reads no more than the consumer's permits allow.
 * Every method may be called by any number of threads at once, and none but {@link #toJson} allocates.
 *
 * <p>A broker reads entries, each a batch of messages, but permits count messages: who reads as many entries as there are
 * permits sends a thousand times too much where an entry holds a thousand messages (Pulsar's pull request 6719).
 *
 * <pre>{@code
 * DispatchEstimator estimator = DispatchEstimator.create(true);
 * estimator.entriesToRead(1000, 500);  // 500: nothing is known yet
 * estimator.recordPush(1000, 1);
 * estimator.entriesToRead(1000, 500);  // 1
 * }</pre>
 *
 * <p>Closing is logical, as with {@link Tollgate}.
 */
public final class DispatchEstimator extends NativeObject {
    private DispatchEstimator(long handle) {
        super(handle, DispatchEstimator::free);
    }

    /**
     * Knows nothing yet, and loads the native library on the first use.
     *
     * @param precise whether the average decides how much is read; Pulsar's default is no
     * @throws TollgateNativeException if the native library can't be used
     */
    public static DispatchEstimator create(boolean precise) {
        NativeLibrary.load(null);
        return new DispatchEstimator(make(precise));
    }

    /**
     * Starts from an average, as the pull request did from 1000: cautious before anything was pushed.
     *
     * @param precise whether the average decides how much is read
     * @param messagesPerEntry a finite number from 1
     * @throws IllegalArgumentException naming the setting, its value and its range
     * @throws TollgateNativeException if the native library can't be used
     */
    public static DispatchEstimator startingAt(boolean precise, double messagesPerEntry) {
        NativeLibrary.load(null);
        return new DispatchEstimator(makeStartingAt(precise, messagesPerEntry));
    }

    /**
     * Notes that entries were sent to the consumer: the average becomes 0.9 of itself and 0.1 of {@code messages / entries}. A
     * push without messages or entries changes nothing.
     *
     * @param messages in all those entries, from 0
     * @param entries from 0
     * @throws IllegalArgumentException for a number below 0, which it names
     */
    public void recordPush(long messages, long entries) {
        ensureNotNegative("messages", messages);
        ensureNotNegative("entries", entries);
        ensureOpen();
        try {
            recordPush(handle, messages, entries);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Messages per entry; NaN while it is unknown. */
    public double average() {
        ensureOpen();
        try {
            return average(handle);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Whether the average decides how much is read. */
    public boolean isPrecise() {
        ensureOpen();
        try {
            return isPrecise(handle);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Entries to read: {@code permits / max(average, 1)}, rounded up; as many as permits where not precise, or while the
     * average is unknown. At most the read batch, at least 1; 0 without permits.
     *
     * @param permits messages that the consumer may be sent; 0 and below: none
     * @param readBatchSize entries read at once, from 0; 0 counts as 1
     * @throws IllegalArgumentException for a read batch below 0
     */
    public int entriesToRead(long permits, int readBatchSize) {
        ensureNotNegative("read_batch_size", readBatchSize);
        ensureOpen();
        try {
            return entriesToRead(handle, permits, readBatchSize);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * What a consumer's statistics say of it, as a JSON object: {@code {"avgMessagesPerEntry":12.5,"precise":true}}, null while
     * the average is unknown. Allocates.
     */
    public String toJson() {
        ensureOpen();
        try {
            return toJson(handle);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    // One to one with src/jni/dispatch.rs.

    private static native long make(boolean precise);

    private static native long makeStartingAt(boolean precise, double messagesPerEntry);

    private static native void free(long handle);

    private static native void recordPush(long handle, long messages, long entries);

    private static native double average(long handle);

    private static native boolean isPrecise(long handle);

    private static native String toJson(long handle);

    private static native int entriesToRead(long handle, long permits, int readBatchSize);
}
