package io.tollgate.kafka;

import io.tollgate.kafka.moved.Kafka39Logs;
import io.tollgate.kafka.moved.Kafka39Quotas;
import io.tollgate.kafka.moved.Kafka39Records;
import io.tollgate.kafka.moved.Kafka39Requests;
import io.tollgate.kafka.moved.Kafka39TopicIds;
import io.tollgate.kafka.moved.Kafka40Quotas;
import io.tollgate.kafka.moved.Kafka41Logs;
import io.tollgate.kafka.moved.Kafka41TopicIds;
import io.tollgate.kafka.moved.Kafka42Quotas;
import io.tollgate.kafka.moved.Kafka43Records;
import io.tollgate.kafka.moved.Kafka44Quotas;
import io.tollgate.kafka.moved.Kafka44Requests;
import io.tollgate.kafka.moved.Logs;
import io.tollgate.kafka.moved.Quotas;
import io.tollgate.kafka.moved.Records;
import io.tollgate.kafka.moved.Requests;
import io.tollgate.kafka.moved.TopicIds;
import java.util.List;
import kafka.server.KafkaApis;

/**
 * A generation of Kafka's classes that the agent knows: one row of {@link #ALL}. A Kafka version that moved nothing that
 * the agent calls needs no row: it is known by its classes ({@link Shape}), not by its number. One that did gets a row, and
 * in {@code kafka-moved} the calls that changed.
 *
 * <p>The classes named here are the agent's. Naming them loads no class of Kafka, which would be too early: KafkaApis
 * itself is only being loaded.
 *
 * @param name for the log
 * @param request the first parameter's type of {@code KafkaApis.handleProduceRequest}
 * @param requestLocal the second's
 */
record Generation(String name, String request, String requestLocal, Class<? extends Requests> requests,
        Class<? extends Records> records, Class<? extends TopicIds> topicIds, Class<? extends Logs> logs,
        Class<? extends Quotas> quotas) {
    private static final String CHANNEL_REQUEST = "kafka.network.RequestChannel$Request";
    private static final String REQUEST = "org.apache.kafka.network.Request";
    private static final String SCALA_LOCAL = "kafka.server.RequestLocal";
    private static final String LOCAL = "org.apache.kafka.server.common.RequestLocal";

    /** Newest first. */
    static final List<Generation> ALL = List.of(
            new Generation("Kafka 4.4", REQUEST, LOCAL,
                    Kafka44Requests.class, Kafka43Records.class, Kafka41TopicIds.class, Kafka41Logs.class, Kafka44Quotas.class),
            new Generation("Kafka 4.3", CHANNEL_REQUEST, LOCAL,
                    Kafka39Requests.class, Kafka43Records.class, Kafka41TopicIds.class, Kafka41Logs.class, Kafka42Quotas.class),
            new Generation("Kafka 4.2", CHANNEL_REQUEST, LOCAL,
                    Kafka39Requests.class, Kafka39Records.class, Kafka41TopicIds.class, Kafka41Logs.class, Kafka42Quotas.class),
            new Generation("Kafka 4.1", CHANNEL_REQUEST, LOCAL,
                    Kafka39Requests.class, Kafka39Records.class, Kafka41TopicIds.class, Kafka41Logs.class, Kafka40Quotas.class),
            new Generation("Kafka 4.0", CHANNEL_REQUEST, LOCAL,
                    Kafka39Requests.class, Kafka39Records.class, Kafka39TopicIds.class, Kafka39Logs.class, Kafka40Quotas.class),
            new Generation("Kafka 3.9", CHANNEL_REQUEST, SCALA_LOCAL,
                    Kafka39Requests.class, Kafka39Records.class, Kafka39TopicIds.class, Kafka39Logs.class, Kafka39Quotas.class));

    /** The agent's classes whose code names what a broker must have. */
    List<Class<?>> code() {
        return List.of(KafkaAdapter.class, requests, records, topicIds, logs, quotas);
    }

    /** The same for what is added to transactions. */
    List<Class<?>> transactionCode() {
        return List.of(KafkaTransactions.class);
    }

    /** @param apis a KafkaApis whose classes fit; null where nothing but requests is read */
    BrokerAdapter adapter(Object apis) throws ReflectiveOperationException {
        return new KafkaAdapter((KafkaApis) apis, make(requests), make(records), make(topicIds), make(logs), make(quotas));
    }

    private static <T> T make(Class<T> type) throws ReflectiveOperationException {
        return type.getConstructor().newInstance();
    }
}
