package io.tollgate.kafka.moved;

import kafka.server.KafkaApis;

/** Kafka's own quotas of produced bytes and of request time, and its way to let a connection rest. */
public interface Quotas {
    /**
     * The client ID that the agent's throttling shows up under in Kafka's own metrics (throttle-time of quota type
     * Produce). One for all: Kafka keeps sensors per user and client ID for an hour, and clients that make a producer per
     * message bring a new client ID each time.
     */
    String CLIENT_ID = "tollgate";

    /** Counts the request's bytes. How long its client must wait for them, in milliseconds. */
    int waitForBytesMs(KafkaApis apis, Object request, long nowMs);

    /** Counts the request's time. How long its client must wait for it, in milliseconds. */
    int waitForTimeMs(KafkaApis apis, Object request, long nowMs);

    /** Takes nothing from the request's connection for so long, as over Kafka's quota of bytes. */
    void restForBytes(KafkaApis apis, Object request, int waitMs);

    /** The same as over Kafka's quota of request time. */
    void restForTime(KafkaApis apis, Object request, int waitMs);

    /** The same on the agent's behalf: shows up under {@link #CLIENT_ID}. */
    void rest(KafkaApis apis, Object request, int waitMs);
}
