package io.tollgate.kafka;

import java.util.List;
import java.util.Map;

/**
 * All that the agent needs from one broker, in words that no Kafka version owns. Requests are opaque: what KafkaApis
 * was called with. Every method may throw anything; the caller then lets the request pass.
 */
interface BrokerAdapter {
    /** No batch of the request carries a producer ID (K9). */
    long NONE = -1;
    /** The batches of the request carry more than one producer ID; no known client library does that. */
    long SEVERAL = -2;

    /** What a partition knows of a producer ID. */
    enum Presence {
        /** This broker does not lead the partition, or has none of that name: Kafka will refuse the batch. */
        NOT_LED,
        /** The partition would make new state for it. */
        ABSENT,
        /** The partition has state for it: letting it pass costs nothing more (K7). */
        HELD
    }

    /** The broker's properties as they were given, unknown keys included. */
    Map<String, ?> properties();

    /** The name by which Kafka's own quotas know the user. */
    String user(Object request);

    /** The producer ID that all the request's batches carry, or {@link #NONE}, or {@link #SEVERAL}. Allocates nothing. */
    long producerId(Object request);

    /** The request's batches that carry a producer ID, in its order. */
    List<Batch> batches(Object request);

    /** Looks into the partition's producer state. Takes the log's lock for the look-up: call it holding nothing. */
    Presence presence(Batch batch);

    /** The client library's name as it gives it, or {@code "unknown"}. */
    String clientSoftware(Object request);

    /** The client library's version as it gives it, or {@code "unknown"}. */
    String clientVersion(Object request);

    /** What the client sent, in bytes. */
    int bytes(Object request);

    /** Whether the request may be kept unanswered for a while and then be handled {@link #again}. */
    boolean mayWait(Object request);

    /**
     * Handles a request from the start that was kept: a request handler thread of the broker takes it as it takes any. Waits
     * until the thread that brought it has let go of it, and while the broker's queue is full.
     */
    void again(Object request) throws InterruptedException;

    /**
     * Answers the request with one error for each of its partitions, as Kafka answers a request that is over a quota:
     * tells the client to wait, and takes nothing more from its connection for that time. With acks=0 no answer is
     * expected, and the connection is closed. When this throws, the request has not been answered.
     *
     * @param waitMs 0: the client may send again at once
     */
    void refuse(Object request, short errorCode, String message, int waitMs);

    /** The broker's transaction coordinator. */
    TransactionAdapter transactions();
}
