package io.tollgate.kafka.moved;

import java.util.Map;
import kafka.server.KafkaApis;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.requests.RequestContext;

/** What {@code KafkaApis.handleProduceRequest} is called with, and the channel that answers it. */
public interface Requests {
    /** Allocates nothing. */
    ProduceRequest body(Object request);

    /** Allocates nothing. */
    RequestContext context(Object request);

    /** Notes for Kafka's own metrics how long the client was told to wait. */
    void throttled(Object request, int waitMs);

    void answer(KafkaApis apis, Object request, ProduceResponse response);

    void closeConnection(KafkaApis apis, Object request, Map<Errors, Integer> errors);
}
