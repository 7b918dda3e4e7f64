package io.tollgate.kafka;

import io.tollgate.kafka.BrokerAdapter.Presence;
import io.tollgate.kafka.moved.Quotas;
import io.tollgate.kafka.moved.Requests;
import java.util.function.IntFunction;
import kafka.server.KafkaApis;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData;
import org.apache.kafka.common.message.AddPartitionsToTxnRequestData.AddPartitionsToTxnTopic;
import org.apache.kafka.common.message.DescribeTransactionsResponseData.TransactionState;
import org.apache.kafka.common.message.EndTxnRequestData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.AddOffsetsToTxnRequest;
import org.apache.kafka.common.requests.AddPartitionsToTxnRequest;
import org.apache.kafka.common.requests.EndTxnRequest;
import org.apache.kafka.common.requests.EndTxnResponse;

/**
 * The transaction coordinator of a Kafka broker of any version that the agent knows. Apart from {@link KafkaAdapter}, so
 * that a broker whose coordinator has another shape is still guarded where it is produced to.
 */
final class KafkaTransactions implements TransactionAdapter {
    /** From this version on AddPartitionsToTxn is for brokers, who send it for what they were produced to. */
    private static final short ADDED_BY_BROKERS = 4;
    /** From this version on EndTxn takes an abort of nothing as done. */
    private static final short ENDS_NOTHING = 5;
    /** A transactional ID's state until something is added to its first transaction, and again when its client starts anew. */
    private static final String EMPTY = "Empty";

    private final KafkaApis apis;
    private final Requests requests;
    private final Quotas quotas;
    private final BrokerAdapter broker;

    /** @param broker the same one */
    KafkaTransactions(KafkaApis apis, Requests requests, Quotas quotas, BrokerAdapter broker) {
        this.apis = apis;
        this.requests = requests;
        this.quotas = quotas;
        this.broker = broker;
    }

    @Override
    public long adds(Object request) {
        AbstractRequest body = requests.any(request);
        if (body instanceof AddOffsetsToTxnRequest offsets) {
            return offsets.data().producerId();
        }
        return body.version() < ADDED_BY_BROKERS ? ((AddPartitionsToTxnRequest) body).data().v3AndBelowProducerId()
                : BrokerAdapter.NONE;
    }

    @Override
    public Presence presence(Object request) {
        AbstractRequest body = requests.any(request);
        if (body instanceof AddOffsetsToTxnRequest offsets) {
            return ofTransaction(offsets.data().transactionalId(), offsets.data().producerId());
        }
        AddPartitionsToTxnRequestData data = ((AddPartitionsToTxnRequest) body).data();
        long producerId = data.v3AndBelowProducerId();
        Presence presence = ofTransaction(data.v3AndBelowTransactionalId(), producerId);
        if (presence == Presence.ABSENT) {
            for (AddPartitionsToTxnTopic topic : data.v3AndBelowTopics()) {
                for (int partition : topic.partitions()) {
                    if (broker.presence(new Batch(topic.name(), partition, producerId, 0, 0)) == Presence.HELD) {
                        return Presence.HELD;
                    }
                }
            }
        }
        return presence;
    }

    private Presence ofTransaction(String transactionalId, long producerId) {
        TransactionState known = apis.txnCoordinator().handleDescribeTransactions(transactionalId);
        if (known.errorCode() != Errors.NONE.code() || known.producerId() != producerId) {
            return Presence.NOT_LED;
        }
        return known.transactionState().equals(EMPTY) ? Presence.ABSENT : Presence.HELD;
    }

    @Override
    public void refuse(Object request, short errorCode, String message, int waitMs, boolean tells) {
        ApiException error = Errors.forCode(errorCode).exception(message);
        AbstractRequest body = requests.any(request);
        answer(request, waitMs, tells, toldMs -> body.getErrorResponse(toldMs, error));
    }

    @Override
    public long abortsNothing(Object request) {
        EndTxnRequest body = (EndTxnRequest) requests.any(request);
        EndTxnRequestData data = body.data();
        if (data.committed() || body.version() >= ENDS_NOTHING) {
            return BrokerAdapter.NONE;
        }
        TransactionState known = apis.txnCoordinator().handleDescribeTransactions(data.transactionalId());
        return known.errorCode() == Errors.NONE.code() && known.transactionState().equals(EMPTY)
                && known.producerId() == data.producerId() && known.producerEpoch() == data.producerEpoch()
                ? data.producerId() : BrokerAdapter.NONE;
    }

    @Override
    public void aborted(Object request) {
        answer(request, 0, false, toldMs -> new EndTxnResponse(new EndTxnResponseData().setThrottleTimeMs(toldMs)));
    }

    /** Kafka's own quota counts the request as it counts any other; the longest wait wins. */
    private void answer(Object request, int waitMs, boolean tells, IntFunction<AbstractResponse> response) {
        int timeWaitMs = quotas.waitForTimeMs(apis, request, System.currentTimeMillis());
        AbstractResponse answer = response.apply(Math.max(timeWaitMs, tells ? waitMs : 0));
        if (timeWaitMs > waitMs) {
            requests.throttled(request, timeWaitMs);
            quotas.restForTime(apis, request, timeWaitMs);
        } else if (waitMs > 0) {
            requests.throttled(request, waitMs);
            quotas.rest(apis, request, waitMs);
        }
        requests.answer(apis, request, answer);
    }
}
