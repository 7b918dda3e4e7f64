package io.tollgate.kafka;

import io.tollgate.kafka.moved.Logs;
import io.tollgate.kafka.moved.Quotas;
import io.tollgate.kafka.moved.Records;
import io.tollgate.kafka.moved.Requests;
import io.tollgate.kafka.moved.TopicIds;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import kafka.cluster.Partition;
import kafka.server.KafkaApis;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.ProduceResponse;
import scala.Option;

/**
 * A Kafka broker of any version that the agent knows. What is called here by name is the same in all of them; what
 * Kafka moved between them is behind the five that a {@link Generation} puts together.
 */
final class KafkaAdapter implements BrokerAdapter {
    // A record batch's head, message format v2.
    private static final int MAGIC_AT = 16;
    private static final int PRODUCER_ID_AT = 43;
    private static final int SEQUENCE_AT = 53;
    private static final int RECORDS_AT = 57;
    private static final int HEAD_BYTES = 61;
    private static final byte MAGIC_V2 = 2;
    private static final Optional<Integer> NO_EPOCH = Optional.of(Integer.MAX_VALUE);
    private static final int LET_GO_MS = 10_000;

    private final KafkaApis apis;
    private final Requests requests;
    private final Records records;
    private final TopicIds topicIds;
    private final Logs logs;
    private final Quotas quotas;

    KafkaAdapter(KafkaApis apis, Requests requests, Records records, TopicIds topicIds, Logs logs, Quotas quotas) {
        this.apis = apis;
        this.requests = requests;
        this.records = records;
        this.topicIds = topicIds;
        this.logs = logs;
        this.quotas = quotas;
    }

    @Override
    public Map<String, ?> properties() {
        return apis.config().originals();
    }

    @Override
    public String user(Object request) {
        return requests.context(request).principal.getName();
    }

    @Override
    public long producerId(Object request) {
        long found = NONE;
        for (TopicProduceData topic : requests.body(request).data().topicData()) {
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
        for (TopicProduceData topic : requests.body(request).data().topicData()) {
            Object name = topicIds.topic(topic);
            for (PartitionProduceData partition : topic.partitionData()) {
                ByteBuffer head = head(partition);
                if (head != null) {
                    long producerId = head.getLong(head.position() + PRODUCER_ID_AT);
                    if (producerId > NONE) {
                        int sequence = head.getInt(head.position() + SEQUENCE_AT);
                        int records = head.getInt(head.position() + RECORDS_AT);
                        batches.add(new Batch(name, partition.index(), producerId, sequence, records));
                    }
                }
            }
        }
        return batches;
    }

    @Override
    public Presence presence(Batch batch) {
        String topic = batch.topic() instanceof Uuid id ? topicIds.name(apis, id) : (String) batch.topic();
        if (topic == null) {
            return Presence.NOT_LED;
        }
        Option<Partition> partition = apis.replicaManager().onlinePartition(new TopicPartition(topic, batch.partition()));
        if (partition.isEmpty()) {
            return Presence.NOT_LED;
        }
        Option<?> log = ledLog(partition.get());
        if (log.isEmpty()) {
            return Presence.NOT_LED;
        }
        return logs.holds(log.get(), batch.producerId()) ? Presence.HELD : Presence.ABSENT;
    }

    /**
     * The partition's log if this broker leads it, or is about to: Kafka would have the request wait while that changes, and
     * then append it. So wait here, too: a look at the partition's state doesn't, and would say "not led".
     */
    static Option<?> ledLog(Partition partition) {
        Option<?> log = partition.leaderLogIfLocal();
        if (log.isEmpty()) {
            // Takes the lock under which Kafka changes a leader. An epoch that can't be: that is all it does.
            partition.lastOffsetForLeaderEpoch(NO_EPOCH, 0, true);
            log = partition.leaderLogIfLocal();
        }
        return log;
    }

    @Override
    public String clientSoftware(Object request) {
        return requests.context(request).clientInformation.softwareName();
    }

    @Override
    public String clientVersion(Object request) {
        return requests.context(request).clientInformation.softwareVersion();
    }

    @Override
    public int bytes(Object request) {
        return requests.bytes(request);
    }

    @Override
    public boolean mayWait(Object request) {
        return requests.outlastsItsThread(request);
    }

    @Override
    public void again(Object request) throws InterruptedException {
        // Two threads at the end of one request would give its memory back twice. The first is a few instructions away
        // from its end; it must be stuck for longer than anybody waits to be passed over.
        for (int ms = 0; !requests.isLetGo(request) && ms < LET_GO_MS; ms++) {
            Thread.sleep(1);
        }
        requests.again(apis, request);
    }

    @Override
    public void refuse(Object request, short errorCode, String message, int waitMs) {
        ProduceRequest body = requests.body(request);
        ApiException error = Errors.forCode(errorCode).exception(message);
        if (body.acks() == 0) {
            requests.closeConnection(apis, request, body.errorCounts(error));
            return;
        }
        // Kafka's own quotas count this request as they count any that fails; the longest wait wins.
        long nowMs = System.currentTimeMillis();
        int bytesWaitMs = quotas.waitForBytesMs(apis, request, nowMs);
        int timeWaitMs = quotas.waitForTimeMs(apis, request, nowMs);
        int longestMs = Math.max(waitMs, Math.max(bytesWaitMs, timeWaitMs));
        ProduceResponse response = body.getErrorResponse(longestMs, error);
        if (longestMs > 0) {
            requests.throttled(request, longestMs);
            if (longestMs == waitMs) {
                quotas.rest(apis, request, longestMs);
            } else if (longestMs == bytesWaitMs) {
                quotas.restForBytes(apis, request, longestMs);
            } else {
                quotas.restForTime(apis, request, longestMs);
            }
        }
        requests.answer(apis, request, response);
        try {
            // The request is held until the wait is over; its records need not be.
            body.clearPartitionRecords();
        } catch (RuntimeException ignored) {
            // It has been answered: nothing may come out of here that says otherwise.
        }
    }

    @Override
    public TransactionAdapter transactions() {
        return new KafkaTransactions(apis, requests, quotas, this);
    }

    /** The partition's batch, at its first byte, or null when it is none that can carry a producer ID (K9). */
    private ByteBuffer head(PartitionProduceData partition) {
        ByteBuffer buffer = records.bytes(partition);
        return buffer != null && buffer.remaining() >= HEAD_BYTES && buffer.get(buffer.position() + MAGIC_AT) == MAGIC_V2
                ? buffer : null;
    }
}
