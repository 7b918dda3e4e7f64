package io.tollgate.kafka.moved;

import java.util.Map;
import kafka.server.KafkaApis;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestContext;

/** What {@code KafkaApis} is called with, and the channel that answers it. */
public interface Requests {
    /** Of a produce request. Allocates nothing. */
    ProduceRequest body(Object request);

    /** Of whatever request. */
    AbstractRequest any(Object request);

    /** Allocates nothing. */
    RequestContext context(Object request);

    /** Notes for Kafka's own metrics how long the client was told to wait. */
    void throttled(Object request, int waitMs);

    void answer(KafkaApis apis, Object request, AbstractResponse response);

    /** What the client sent, in bytes. */
    int bytes(Object request);

    /**
     * Whether it can be handled again after a thread has handled it. Kafka gives a request's memory back then; that of the
     * pools it comes with is not handed out a second time, so that the records stay readable. Of another pool, or inside
     * another request, that is not known.
     */
    boolean outlastsItsThread(Object request);

    /** Whether the thread that handled it has let go of it. */
    boolean isLetGo(Object request);

    /** Hands it to a request handler thread, as if it had just come; waits while the queue before these is full. */
    void again(KafkaApis apis, Object request) throws InterruptedException;

    void closeConnection(KafkaApis apis, Object request, Map<Errors, Integer> errors);
}
