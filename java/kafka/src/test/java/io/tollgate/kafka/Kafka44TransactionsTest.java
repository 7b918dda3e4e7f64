package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopicCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransaction;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTransactionCollection;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.requests.RequestUtils;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import org.apache.kafka.network.Request;
import org.apache.kafka.network.metrics.RequestChannelMetrics;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** What the adapter reads out of real requests that add to a transaction or end it, parsed as the broker does it. */
class Kafka44TransactionsTest {
    private static final RequestChannelMetrics METRICS = new RequestChannelMetrics(EnumSet.allOf(ApiKeys.class));

    @AfterAll
    static void close() {
        METRICS.close();
    }

    /** It has no broker: what asks the coordinator fails. */
    private static TransactionAdapter adapter() throws Exception {
        return Generation.ALL.get(0).adapter(null).transactions();
    }

    private static Request request(ApiKeys api, int version, ApiMessage body) throws Exception {
        RequestHeader header = new RequestHeader(api, (short) version, "client", 1);
        ByteBuffer buffer = RequestUtils.serialize(header.data(), header.headerVersion(), body, (short) version);
        RequestContext context = new RequestContext(RequestHeader.parse(buffer), "connection", InetAddress.getLoopbackAddress(),
                new KafkaPrincipal("User", "alice"), ListenerName.normalised("CLIENT"), SecurityProtocol.SASL_PLAINTEXT,
                new ClientInformation("librdkafka", "2.16.0"), false);
        return new Request(0, context, 0, MemoryPool.NONE, buffer, METRICS);
    }

    @Test
    void a_clients_partitions_and_offsets_are_added_under_its_producer_id() throws Exception {
        for (int version = 0; version <= 3; version++) {
            AddPartitionsToTxnTopicCollection topics = new AddPartitionsToTxnTopicCollection();
            topics.add(new AddPartitionsToTxnTopic().setName("t").setPartitions(java.util.List.of(0, 1)));
            assertEquals(7, adapter().adds(request(ApiKeys.ADD_PARTITIONS_TO_TXN, version, new AddPartitionsToTxnRequestData()
                    .setV3AndBelowTransactionalId("one").setV3AndBelowProducerId(7).setV3AndBelowTopics(topics))));
        }
        for (int version = 0; version <= ApiKeys.ADD_OFFSETS_TO_TXN.latestVersion(); version++) {
            assertEquals(8, adapter().adds(request(ApiKeys.ADD_OFFSETS_TO_TXN, version, new AddOffsetsToTxnRequestData()
                    .setTransactionalId("one").setProducerId(8).setGroupId("group"))));
        }
    }

    @Test
    void what_a_broker_adds_for_its_clients_carries_none() throws Exception {
        for (int version = 4; version <= ApiKeys.ADD_PARTITIONS_TO_TXN.latestVersion(); version++) {
            AddPartitionsToTxnTransactionCollection all = new AddPartitionsToTxnTransactionCollection();
            all.add(new AddPartitionsToTxnTransaction().setTransactionalId("one").setProducerId(7));
            assertEquals(BrokerAdapter.NONE, adapter().adds(request(ApiKeys.ADD_PARTITIONS_TO_TXN, version,
                    new AddPartitionsToTxnRequestData().setTransactions(all))));
        }
    }

    @Test
    void a_commit_and_an_abort_of_the_newer_protocol_are_kafkas() throws Exception {
        EndTxnRequestData end = new EndTxnRequestData().setTransactionalId("one").setProducerId(7);
        assertEquals(BrokerAdapter.NONE, adapter().abortsNothing(request(ApiKeys.END_TXN, 3, end.duplicate().setCommitted(true))));
        assertEquals(BrokerAdapter.NONE, adapter().abortsNothing(request(ApiKeys.END_TXN, 5, end.duplicate().setCommitted(false))));
    }
}
