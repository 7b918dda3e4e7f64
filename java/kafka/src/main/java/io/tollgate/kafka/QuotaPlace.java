package io.tollgate.kafka;

import java.util.List;

/**
 * A method of Kafka that has to do with quotas and is hooked: one row of {@link #ALL}. A row whose class a Kafka version
 * hasn't got is never used there.
 *
 * @param owner its class
 * @param name the method
 * @param descriptor the method's, as class files have it
 * @param isStatic whether it is
 * @param advice what is put into it
 * @param callee the agent's class that the advice ends up in; what its own code names of Kafka must be there ({@link Shape})
 */
record QuotaPlace(String owner, String name, String descriptor, boolean isStatic, Class<?> advice, Class<?> callee) {
    private static final String CONFIG = "org.apache.kafka.server.config.QuotaConfig";
    private static final String LIST = "()Lorg/apache/kafka/common/config/ConfigDef;";

    static final List<QuotaPlace> ALL = List.of(
            // What the controller checks against.
            names(CONFIG, "userAndClientQuotaConfigs", LIST, Advices.QuotaNames.class),
            // What kafka-configs names in its help.
            names(CONFIG, "scramMechanismsPlusUserAndClientQuotaConfigs", LIST, Advices.QuotaNames.class),
            // What it asks before it sends a change.
            names(CONFIG, "isClientOrUserQuotaConfig", "(Ljava/lang/String;)Ljava/lang/Boolean;", Advices.QuotaNamed.class),
            new QuotaPlace("kafka.server.metadata.ClientQuotaMetadataManager", "handleUserClientQuotaChange",
                    "(Lkafka/server/metadata/QuotaEntity;Ljava/lang/String;Lscala/Option;)V", false,
                    Advices.QuotaChanged.class, KafkaQuotaChange.class));

    private static QuotaPlace names(String owner, String name, String descriptor, Class<?> advice) {
        return new QuotaPlace(owner, name, descriptor, true, advice, KafkaQuotaNames.class);
    }

    @Override
    public String toString() {
        return owner + "." + name + descriptor;
    }
}
