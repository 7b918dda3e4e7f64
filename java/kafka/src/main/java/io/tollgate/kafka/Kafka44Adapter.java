package io.tollgate.kafka;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import kafka.cluster.Partition;
import kafka.network.RequestChannel;
import kafka.server.KafkaApis;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import org.apache.kafka.network.Request;
import org.apache.kafka.server.quota.ClientQuotaManager;
import org.apache.kafka.server.quota.ThrottleCallback;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import scala.Option;

/** Kafka 4.4's classes. */
final class Kafka44Adapter implements BrokerAdapter {
    /**
     * The client ID that throttling shows up under in Kafka's own metrics (throttle-time of quota type Produce). One for
     * all: Kafka keeps sensors per user and client ID for an hour, and clients that make a producer per message
     * bring a new client ID each time.
     */
    private static final String THROTTLED_CLIENT_ID = "tollgate";

    // A record batch's head, message format v2.
    private static final int MAGIC_AT = 16;
    private static final int PRODUCER_ID_AT = 43;
    private static final int SEQUENCE_AT = 53;
    private static final int HEAD_BYTES = 61;
    private static final byte MAGIC_V2 = 2;

    /** UnifiedLog's private lock: it guards the map behind lastEntry, a plain HashMap (K7). */
    private static final VarHandle LOCK;

    static {
        try {
            LOCK = MethodHandles.privateLookupIn(UnifiedLog.class, MethodHandles.lookup())
                    .findVarHandle(UnifiedLog.class, "lock", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final KafkaApis apis;

    /** @param apis a {@link KafkaApis} */
    Kafka44Adapter(Object apis) {
        this.apis = (KafkaApis) apis;
    }

    @Override
    public Map<String, ?> properties() {
        return apis.config().originals();
    }

    @Override
    public String user(Object request) {
        return ((Request) request).session().principal.getName();
    }

    @Override
    public long producerId(Object request) {
        long found = NONE;
        for (TopicProduceData topic : body(request).data().topicData()) {
            List<PartitionProduceData> partitions = topic.partitionData();
            for (int i = 0; i < partitions.size(); i++) {
                ByteBuffer head = head(partitions.get(i));
                if (head != null) {
                    long producerId = head.getLong(head.position() + PRODUCER_ID_AT);
                    if (producerId != found && producerId > NONE) {
                        if (found != NONE) {
                            return SEVERAL;
                        }
                        found = producerId;
                    }
                }
            }
        }
        return found;
    }

    @Override
    public List<Batch> batches(Object request) {
        List<Batch> batches = new ArrayList<>();
        for (TopicProduceData topic : body(request).data().topicData()) {
            Object name = topic.topicId().equals(Uuid.ZERO_UUID) ? topic.name() : topic.topicId();
            for (PartitionProduceData partition : topic.partitionData()) {
                ByteBuffer head = head(partition);
                if (head != null) {
                    long producerId = head.getLong(head.position() + PRODUCER_ID_AT);
                    if (producerId > NONE) {
                        int sequence = head.getInt(head.position() + SEQUENCE_AT);
                        batches.add(new Batch(name, partition.index(), producerId, sequence));
                    }
                }
            }
        }
        return batches;
    }

    @Override
    public Presence presence(Batch batch) {
        String topic = batch.topic() instanceof Uuid id
                ? apis.metadataCache().getTopicName(id).orElse(null) : (String) batch.topic();
        if (topic == null) {
            return Presence.NOT_LED;
        }
        Option<Partition> partition = apis.replicaManager().onlinePartition(new TopicPartition(topic, batch.partition()));
        if (partition.isEmpty()) {
            return Presence.NOT_LED;
        }
        Option<UnifiedLog> log = partition.get().leaderLogIfLocal();
        if (log.isEmpty()) {
            return Presence.NOT_LED;
        }
        UnifiedLog led = log.get();
        synchronized ((Object) LOCK.get(led)) {
            return led.producerStateManager().lastEntry(batch.producerId()).isPresent() ? Presence.HELD : Presence.ABSENT;
        }
    }

    @Override
    public String clientSoftware(Object request) {
        return ((Request) request).context().clientInformation.softwareName();
    }

    @Override
    public String clientVersion(Object request) {
        return ((Request) request).context().clientInformation.softwareVersion();
    }

    @Override
    public void refuse(Object opaque, short errorCode, String message, int waitMs) {
        Request request = (Request) opaque;
        ProduceRequest body = body(request);
        RequestChannel channel = apis.requestChannel();
        ApiException error = Errors.forCode(errorCode).exception(message);
        if (body.acks() == 0) {
            channel.closeConnection(request, body.errorCounts(error));
            return;
        }
        // Kafka's own quotas count this request as they count any that fails; the longest wait wins.
        ClientQuotaManager produce = apis.quotas().produce();
        long nowMs = System.currentTimeMillis();
        int bytesWaitMs = produce.maybeRecordAndGetThrottleTimeMs(request.session(), request.header().clientId(),
                request.sizeInBytes(), nowMs);
        int timeWaitMs = apis.quotas().request().maybeRecordAndGetThrottleTimeMs(request, nowMs);
        int longestMs = Math.max(waitMs, Math.max(bytesWaitMs, timeWaitMs));
        ProduceResponse response = body.getErrorResponse(longestMs, error);
        if (longestMs > 0) {
            request.apiThrottleTimeMs(longestMs);
            if (longestMs == waitMs) {
                produce.throttle(THROTTLED_CLIENT_ID, request.session(), new Mute(channel, request), longestMs);
            } else {
                apis.requestHelper().throttle(longestMs == bytesWaitMs ? produce : apis.quotas().request(), request,
                        longestMs);
            }
        }
        channel.sendResponse(request, response);
        try {
            // The request is held until the wait is over; its records need not be.
            body.clearPartitionRecords();
        } catch (RuntimeException ignored) {
            // It has been answered: nothing may come out of here that says otherwise.
        }
    }

    private static ProduceRequest body(Object request) {
        return (ProduceRequest) ((Request) request).body();
    }

    /** The partition's batch, at its first byte, or null when it is none that can carry a producer ID (K9). */
    private static ByteBuffer head(PartitionProduceData partition) {
        BaseRecords records = partition.records();
        if (!(records instanceof MemoryRecords memory)) {
            return null;
        }
        ByteBuffer buffer = memory.buffer();
        return buffer.remaining() >= HEAD_BYTES && buffer.get(buffer.position() + MAGIC_AT) == MAGIC_V2 ? buffer : null;
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
