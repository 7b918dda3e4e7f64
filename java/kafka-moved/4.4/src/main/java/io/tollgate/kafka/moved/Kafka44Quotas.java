package io.tollgate.kafka.moved;

import kafka.network.RequestChannel;
import kafka.server.KafkaApis;
import org.apache.kafka.network.Request;
import org.apache.kafka.server.quota.ThrottleCallback;

/** Since 4.4: requests are Java's too. */
public final class Kafka44Quotas implements Quotas {
    @Override
    public int waitForBytesMs(KafkaApis apis, Object request, long nowMs) {
        Request produce = (Request) request;
        return apis.quotas().produce().maybeRecordAndGetThrottleTimeMs(produce.session(), produce.header().clientId(),
                produce.sizeInBytes(), nowMs);
    }

    @Override
    public int waitForTimeMs(KafkaApis apis, Object request, long nowMs) {
        return apis.quotas().request().maybeRecordAndGetThrottleTimeMs((Request) request, nowMs);
    }

    @Override
    public void restForBytes(KafkaApis apis, Object request, int waitMs) {
        apis.requestHelper().throttle(apis.quotas().produce(), (Request) request, waitMs);
    }

    @Override
    public void restForTime(KafkaApis apis, Object request, int waitMs) {
        apis.requestHelper().throttle(apis.quotas().request(), (Request) request, waitMs);
    }

    @Override
    public void rest(KafkaApis apis, Object request, int waitMs) {
        Request produce = (Request) request;
        apis.quotas().produce().throttle(CLIENT_ID, produce.session(), new Mute(apis.requestChannel(), produce), waitMs);
    }

    /** Takes nothing from the connection while it is throttled, as KafkaApis itself does. */
    private record Mute(RequestChannel channel, Request request) implements ThrottleCallback {
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
