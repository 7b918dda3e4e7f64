package io.tollgate.kafka;

/**
 * One record batch of a produce request that carries a producer ID. A request holds at most one batch per partition
 * (Kafka refuses more since message format v2).
 *
 * @param topic the topic as the request names it: a name, or a topic ID since Produce v13
 * @param producerId 0 or more
 * @param sequence the sequence number of its first record
 * @param records how many it holds: the next batch's sequence number is as many higher
 */
record Batch(Object topic, int partition, long producerId, int sequence, int records) {
}
