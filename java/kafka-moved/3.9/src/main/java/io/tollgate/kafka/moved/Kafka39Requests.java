package io.tollgate.kafka.moved;

import java.util.Map;
import kafka.network.RequestChannel;
import kafka.server.KafkaApis;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.memory.SimpleMemoryPool;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestContext;
import scala.Option;
import scala.reflect.ClassTag;

/** Until 4.3: requests are a class inside the request channel's. */
public final class Kafka39Requests implements Requests {
    private static final ClassTag<ProduceRequest> PRODUCE = ClassTag.apply(ProduceRequest.class);
    private static final ClassTag<AbstractRequest> ANY = ClassTag.apply(AbstractRequest.class);

    @Override
    public ProduceRequest body(Object request) {
        return ((RequestChannel.Request) request).body(PRODUCE);
    }

    @Override
    public AbstractRequest any(Object request) {
        return ((RequestChannel.Request) request).body(ANY);
    }

    @Override
    public RequestContext context(Object request) {
        return ((RequestChannel.Request) request).context();
    }

    @Override
    public void throttled(Object request, int waitMs) {
        ((RequestChannel.Request) request).apiThrottleTimeMs_$eq(waitMs);
    }

    @Override
    public void answer(KafkaApis apis, Object request, AbstractResponse response) {
        apis.requestChannel().sendResponse((RequestChannel.Request) request, response, Option.empty());
    }

    @Override
    public int bytes(Object request) {
        return ((RequestChannel.Request) request).sizeInBytes();
    }

    @Override
    public boolean outlastsItsThread(Object request) {
        RequestChannel.Request produce = (RequestChannel.Request) request;
        MemoryPool pool = produce.memoryPool();
        return !produce.isForwarded() && (pool == MemoryPool.NONE || pool instanceof SimpleMemoryPool);
    }

    @Override
    public boolean isLetGo(Object request) {
        return ((RequestChannel.Request) request).buffer() == null;
    }

    @Override
    public void again(KafkaApis apis, Object request) {
        RequestChannel.Request produce = (RequestChannel.Request) request;
        // Set once by the first thread, Kafka's metrics would take the wait for time in the broker, and count it twice.
        produce.apiLocalCompleteTimeNanos_$eq(-1);
        apis.requestChannel().sendRequest(produce);
    }

    @Override
    public void closeConnection(KafkaApis apis, Object request, Map<Errors, Integer> errors) {
        apis.requestChannel().closeConnection((RequestChannel.Request) request, errors);
    }
}
