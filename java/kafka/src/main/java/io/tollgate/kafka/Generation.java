package io.tollgate.kafka;

import java.util.List;
import java.util.function.Function;

/**
 * A generation of Kafka's classes that the agent knows: one row of {@link #ALL}.
 *
 * @param name for the log
 * @param request the first parameter's type of {@code KafkaApis.handleProduceRequest}
 * @param requestLocal the second's
 * @param adapterClass the adapter's binary name; its own code says what else it needs ({@link Shape})
 * @param reflected members that the adapter reaches by reflection, which its code doesn't show
 * @param maker makes an adapter for a KafkaApis. A lambda, so that the adapter's class, and with it Kafka's, is not
 *     loaded before there is a KafkaApis
 */
record Generation(String name, String request, String requestLocal, String adapterClass, List<Shape.Member> reflected,
        Function<Object, BrokerAdapter> maker) {
    /** Newest first. */
    static final List<Generation> ALL = List.of(
            new Generation("Kafka 4.4", "org.apache.kafka.network.Request", "org.apache.kafka.server.common.RequestLocal",
                    "io.tollgate.kafka.Kafka44Adapter",
                    List.of(new Shape.Member("org.apache.kafka.storage.internals.log.UnifiedLog", "lock",
                            "Ljava/lang/Object;")),
                    apis -> new Kafka44Adapter(apis)));

    BrokerAdapter adapter(Object apis) {
        return maker.apply(apis);
    }
}
