package io.tollgate.kafka.moved;

import java.lang.invoke.VarHandle;
import java.util.concurrent.DelayQueue;
import kafka.network.RequestChannel;
import kafka.server.ClientQuotaManager;
import kafka.server.KafkaApis;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.quota.ThrottleCallback;
import org.apache.kafka.server.quota.ThrottledChannel;

/** 4.0 and 4.1: the quota managers are Scala's, and what they call back is Java's. */
@Reaches(owner = "kafka.server.ClientQuotaManager", field = "delayQueue", type = "java.util.concurrent.DelayQueue")
public final class Kafka40Quotas implements Quotas {
    /** Where connections rest. Until 4.1 Kafka's throttle() has no parameter for the client ID. */
    private static final VarHandle RESTING = PrivateField.of(ClientQuotaManager.class, "delayQueue", DelayQueue.class);

    @Override
    public int waitForBytesMs(KafkaApis apis, Object request, long nowMs) {
        RequestChannel.Request produce = (RequestChannel.Request) request;
        return apis.quotas().produce().maybeRecordAndGetThrottleTimeMs(produce.session(), produce.header().clientId(),
                produce.sizeInBytes(), nowMs);
    }

    @Override
    public int waitForTimeMs(KafkaApis apis, Object request, long nowMs) {
        return apis.quotas().request().maybeRecordAndGetThrottleTimeMs((RequestChannel.Request) request, nowMs);
    }

    @Override
    public void restForBytes(KafkaApis apis, Object request, int waitMs) {
        apis.requestHelper().throttle(apis.quotas().produce(), (RequestChannel.Request) request, waitMs);
    }

    @Override
    public void restForTime(KafkaApis apis, Object request, int waitMs) {
        apis.requestHelper().throttle(apis.quotas().request(), (RequestChannel.Request) request, waitMs);
    }

    /** What throttle() does, under a client ID of our own. */
    @Override
    public void rest(KafkaApis apis, Object request, int waitMs) {
        RequestChannel.Request produce = (RequestChannel.Request) request;
        ClientQuotaManager quotas = apis.quotas().produce();
        quotas.getOrCreateQuotaSensors(produce.session(), CLIENT_ID).throttleTimeSensor().record(waitMs);
        @SuppressWarnings("unchecked")
        DelayQueue<ThrottledChannel> resting = (DelayQueue<ThrottledChannel>) RESTING.get(quotas);
        resting.add(new ThrottledChannel(Time.SYSTEM, waitMs, new Mute(apis.requestChannel(), produce)));
        quotas.kafka$server$ClientQuotaManager$$delayQueueSensor().record();
    }

    /** Takes nothing from the connection while it is throttled, as KafkaApis itself does. */
    private record Mute(RequestChannel channel, RequestChannel.Request request) implements ThrottleCallback {
        @Override
        public void startThrottling() {
            channel.startThrottling(request);
        }

        @Override
        public void endThrottling() {
            channel.endThrottling(request);
        }
    }
}
