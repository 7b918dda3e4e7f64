package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.network.Request;
import org.apache.kafka.network.metrics.RequestChannelMetrics;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What the adapter reads out of real requests, serialised and parsed as the broker does it. */
class Kafka44RequestsTest {
    private static final RequestChannelMetrics METRICS = new RequestChannelMetrics(Set.of(ApiKeys.PRODUCE));
    private static final Uuid TOPIC_ID = new Uuid(3, 4);
    private static final SimpleRecord RECORD = new SimpleRecord("value".getBytes(java.nio.charset.StandardCharsets.UTF_8));

    @AfterAll
    static void close() {
        METRICS.close();
    }

    /** Reads requests and needs no broker for it. */
    private static final BrokerAdapter ADAPTER = adapter();

    private static BrokerAdapter adapter() {
        try {
            return Generation.ALL.get(0).adapter(null);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static MemoryRecords idempotent(long producerId, int sequence) {
        return MemoryRecords.withIdempotentRecords(Compression.NONE, producerId, (short) 0, sequence, RECORD);
    }

    private static MemoryRecords plain() {
        return MemoryRecords.withRecords(Compression.NONE, RECORD);
    }

    private static MemoryRecords old(byte magic) {
        return MemoryRecords.withRecords(magic, Compression.NONE, RECORD);
    }

    private static Request request(int version, MemoryRecords... partitions) throws Exception {
        TopicProduceData topic = version >= 13 ? new TopicProduceData().setTopicId(TOPIC_ID) : new TopicProduceData().setName("t");
        for (int i = 0; i < partitions.length; i++) {
            topic.partitionData().add(new PartitionProduceData().setIndex(i).setRecords(partitions[i]));
        }
        ProduceRequestData data = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(1_000);
        data.topicData().add(topic);
        RequestHeader header = new RequestHeader(ApiKeys.PRODUCE, (short) version, "client", 1);
        ByteBuffer buffer = new ProduceRequest(data, (short) version).serializeWithHeader(header);
        RequestHeader parsed = RequestHeader.parse(buffer);
        RequestContext context = new RequestContext(parsed, "connection", InetAddress.getLoopbackAddress(),
                new KafkaPrincipal("User", "alice"), ListenerName.normalised("CLIENT"), SecurityProtocol.SASL_PLAINTEXT,
                new ClientInformation("apache-kafka-java", "4.4.0"), false);
        return new Request(0, context, 0, MemoryPool.NONE, buffer, METRICS);
    }

    @Test
    void the_user_and_the_client_are_those_of_the_connection() throws Exception {
        Request request = request(12, idempotent(7, 0));
        assertEquals("alice", ADAPTER.user(request));
        assertEquals("apache-kafka-java", ADAPTER.clientSoftware(request));
        assertEquals("4.4.0", ADAPTER.clientVersion(request));
    }

    @Test
    void k9_what_carries_no_producer_id_is_seen_to_carry_none() throws Exception {
        for (Request request : List.of(request(12, plain()), request(12, plain(), plain()), request(12),
                request(12, old((byte) 0)), request(12, old((byte) 1)), request(12, MemoryRecords.EMPTY),
                request(12, MemoryRecords.readableRecords(ByteBuffer.allocate(40))))) {
            assertEquals(BrokerAdapter.NONE, ADAPTER.producerId(request));
            assertEquals(List.of(), ADAPTER.batches(request));
        }
    }

    @Test
    void one_producer_id_is_read_from_whichever_partition_carries_it() throws Exception {
        assertEquals(7, ADAPTER.producerId(request(12, idempotent(7, 0))));
        assertEquals(0, ADAPTER.producerId(request(12, plain(), idempotent(0, 0))));
        assertEquals(Long.MAX_VALUE, ADAPTER.producerId(request(12, idempotent(Long.MAX_VALUE, 5), plain(), idempotent(Long.MAX_VALUE, 0))));
    }

    @Test
    void several_producer_ids_in_one_request_are_noticed() throws Exception {
        assertEquals(BrokerAdapter.SEVERAL, ADAPTER.producerId(request(12, idempotent(7, 0), plain(), idempotent(8, 0))));
    }

    @Test
    void batches_are_named_by_topic_name_and_since_v13_by_topic_id() throws Exception {
        assertEquals(List.of(new Batch("t", 0, 7, 0, 1), new Batch("t", 2, 8, 41, 1)),
                ADAPTER.batches(request(12, idempotent(7, 0), plain(), idempotent(8, 41))));
        assertEquals(List.of(new Batch(TOPIC_ID, 1, 7, 3, 1)), ADAPTER.batches(request(13, plain(), idempotent(7, 3))));
        assertEquals(7, ADAPTER.producerId(request(13, plain(), idempotent(7, 3))));
    }

    @Test
    void transactional_batches_carry_a_producer_id_too() throws Exception {
        MemoryRecords records = MemoryRecords.withTransactionalRecords(Compression.NONE, 9, (short) 0, 0, RECORD);
        assertEquals(9, ADAPTER.producerId(request(12, records)));
    }
}
