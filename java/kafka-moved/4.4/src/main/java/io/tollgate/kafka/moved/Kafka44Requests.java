package io.tollgate.kafka.moved;

import java.util.Map;
import kafka.server.KafkaApis;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.memory.SimpleMemoryPool;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.network.Request;

/** Since 4.4: requests are a class of their own, and Java's. */
public final class Kafka44Requests implements Requests {
    @Override
    public ProduceRequest body(Object request) {
        return (ProduceRequest) ((Request) request).body();
    }

    @Override
    public AbstractRequest any(Object request) {
        return ((Request) request).body();
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
    public void answer(KafkaApis apis, Object request, AbstractResponse response) {
        apis.requestChannel().sendResponse((Request) request, response);
    }

    @Override
    public int bytes(Object request) {
        return ((Request) request).sizeInBytes();
    }

    @Override
    public boolean outlastsItsThread(Object request) {
        Request produce = (Request) request;
        MemoryPool pool = produce.memoryPool();
        return !produce.isForwarded() && (pool == MemoryPool.NONE || pool instanceof SimpleMemoryPool);
    }

    @Override
    public boolean isLetGo(Object request) {
        return ((Request) request).buffer() == null;
    }

    @Override
    public void again(KafkaApis apis, Object request) {
        Request produce = (Request) request;
        // Set once by the first thread, Kafka's metrics would take the wait for time in the broker, and count it twice.
        produce.apiLocalCompleteTimeNanos(-1);
        apis.requestChannel().sendRequest(produce);
    }

    @Override
    public void closeConnection(KafkaApis apis, Object request, Map<Errors, Integer> errors) {
        apis.requestChannel().closeConnection((Request) request, errors);
    }
}
