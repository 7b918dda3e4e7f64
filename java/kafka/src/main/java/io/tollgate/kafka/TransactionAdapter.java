package io.tollgate.kafka;

import io.tollgate.kafka.BrokerAdapter.Presence;

/**
 * What the agent needs of the requests by which a client adds to its transaction (AddPartitionsToTxn, AddOffsetsToTxn) and
 * ends it (EndTxn). Requests are opaque, and every method may throw anything, as in {@link BrokerAdapter}.
 */
interface TransactionAdapter {
    /** The producer ID that adds; {@link BrokerAdapter#NONE} for what only a broker may send. */
    long adds(Object request);

    /**
     * What is known here of the producer ID that adds: HELD when its transactional ID has had something added before, or one
     * of the partitions has state for it; NOT_LED when Kafka will refuse the request, because this is not the coordinator or
     * knows the transactional ID by another producer ID. Takes locks: call it holding nothing.
     */
    Presence presence(Object request);

    /**
     * Answers a request that adds with one error for each of its partitions, and takes nothing more from its connection for
     * so long. When this throws, the request has not been answered.
     *
     * @param tells whether the client is told how long
     */
    void refuse(Object request, short errorCode, String message, int waitMs, boolean tells);

    /**
     * The producer ID whose transaction an older client aborts, although nothing was ever added to it; otherwise {@link
     * BrokerAdapter#NONE}. Takes locks: call it holding nothing.
     */
    long abortsNothing(Object request);

    /** Answers an abort: done. */
    void aborted(Object request);
}
