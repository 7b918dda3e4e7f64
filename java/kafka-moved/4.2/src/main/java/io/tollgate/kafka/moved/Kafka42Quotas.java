package io.tollgate.kafka.moved;

import kafka.network.RequestChannel;
import kafka.server.KafkaApis;
import org.apache.kafka.server.quota.ThrottleCallback;

/** 4.2 and 4.3: the quota managers are Java's, requests still Scala's. */
public final class Kafka42Quotas implements Quotas {
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

    @Override
    public void rest(KafkaApis apis, Object request, int waitMs) {
        RequestChannel.Request produce = (RequestChannel.Request) request;
        apis.quotas().produce().throttle(CLIENT_ID, produce.session(), new Mute(apis.requestChannel(), produce), waitMs);
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
