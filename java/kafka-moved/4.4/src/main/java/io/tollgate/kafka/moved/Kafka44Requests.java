package io.tollgate.kafka.moved;

import java.util.Map;
import kafka.server.KafkaApis;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.network.Request;

/** Since 4.4: requests are a class of their own, and Java's. */
public final class Kafka44Requests implements Requests {
    @Override
    public ProduceRequest body(Object request) {
        return (ProduceRequest) ((Request) request).body();
    }

    @Override
    public RequestContext context(Object request) {
        return ((Request) request).context();
    }

    @Override
    public void throttled(Object request, int waitMs) {
        ((Request) request).apiThrottleTimeMs(waitMs);
    }

    @Override
    public void answer(KafkaApis apis, Object request, ProduceResponse response) {
        apis.requestChannel().sendResponse((Request) request, response);
    }

    @Override
    public void closeConnection(KafkaApis apis, Object request, Map<Errors, Integer> errors) {
        apis.requestChannel().closeConnection((Request) request, errors);
    }
}
