package io.tollgate.it;

import java.io.IOException;
import java.util.List;
import org.apache.kafka.common.message.AddOffsetsToTxnRequestData;
import org.apache.kafka.common.message.AddOffsetsToTxnResponseData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopicCollection;
import org.apache.kafka.common.message.AddPartitionsToTxnResponseData;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.FindCoordinatorRequestData;
import org.apache.kafka.common.message.InitProducerIdRequestData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FindCoordinatorRequest.CoordinatorType;

/** A transaction in the older protocol, in which the client itself tells the coordinator what it will write to. */
record OldTransaction(RawProducer connection, String id, long producerId, short epoch) {
    private static final short FIND_COORDINATOR_VERSION = 2;
    private static final short INIT_VERSION = 4;
    private static final short ADD_VERSION = 3;
    private static final short END_VERSION = 3;
    private static final int TRIES = 200;

    /** One with a transactional ID and a producer ID of its own; waits for the coordinator. */
    static OldTransaction of(RawProducer connection, String id) throws IOException, InterruptedException {
        InitProducerIdRequestData request = new InitProducerIdRequestData().setTransactionalId(id).setTransactionTimeoutMs(60_000);
        Errors error = Errors.NONE;
        for (int i = 0; i < TRIES; i++) {
            InitProducerIdResponseData answer = new InitProducerIdResponseData(
                    new ByteBufferAccessor(connection.call(ApiKeys.INIT_PRODUCER_ID, INIT_VERSION, request)), INIT_VERSION);
            error = Errors.forCode(answer.errorCode());
            if (error == Errors.NONE) {
                return new OldTransaction(connection, id, answer.producerId(), answer.producerEpoch());
            }
            // Asking for the coordinator makes the topic that it needs.
            connection.call(ApiKeys.FIND_COORDINATOR, FIND_COORDINATOR_VERSION,
                    new FindCoordinatorRequestData().setKey(id).setKeyType(CoordinatorType.TRANSACTION.id()));
            Thread.sleep(100);
        }
        throw new AssertionError("no producer ID for " + id + ": " + error);
    }

    /** The same over another connection. */
    OldTransaction on(RawProducer other) {
        return new OldTransaction(other, id, producerId, epoch);
    }

    RawProducer.Answer add(String topic, int partition) throws IOException {
        AddPartitionsToTxnTopicCollection topics = new AddPartitionsToTxnTopicCollection();
        topics.add(new AddPartitionsToTxnTopic().setName(topic).setPartitions(List.of(partition)));
        AddPartitionsToTxnResponseData answer = new AddPartitionsToTxnResponseData(new ByteBufferAccessor(connection.call(
                ApiKeys.ADD_PARTITIONS_TO_TXN, ADD_VERSION, new AddPartitionsToTxnRequestData().setV3AndBelowTransactionalId(id)
                        .setV3AndBelowProducerId(producerId).setV3AndBelowProducerEpoch(epoch).setV3AndBelowTopics(topics))), ADD_VERSION);
        short error = answer.resultsByTopicV3AndBelow().find(topic).resultsByPartition().find(partition).partitionErrorCode();
        return new RawProducer.Answer(Errors.forCode(error), answer.throttleTimeMs());
    }

    RawProducer.Answer addOffsets(String group) throws IOException {
        AddOffsetsToTxnResponseData answer = new AddOffsetsToTxnResponseData(new ByteBufferAccessor(connection.call(
                ApiKeys.ADD_OFFSETS_TO_TXN, ADD_VERSION, new AddOffsetsToTxnRequestData().setTransactionalId(id)
                        .setProducerId(producerId).setProducerEpoch(epoch).setGroupId(group))), ADD_VERSION);
        return new RawProducer.Answer(Errors.forCode(answer.errorCode()), answer.throttleTimeMs());
    }

    Errors abort() throws IOException {
        EndTxnResponseData answer = new EndTxnResponseData(new ByteBufferAccessor(connection.call(ApiKeys.END_TXN, END_VERSION,
                new EndTxnRequestData().setTransactionalId(id).setProducerId(producerId).setProducerEpoch(epoch)
                        .setCommitted(false))), END_VERSION);
        return Errors.forCode(answer.errorCode());
    }
}
