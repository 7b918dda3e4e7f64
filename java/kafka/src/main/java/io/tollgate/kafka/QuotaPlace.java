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
    private static final String CONFIG = "org.apache.kafka.server.config.";

    static final List<QuotaPlace> ALL = List.of(
            // What the controller checks names against; what kafka-configs says in its help, and asks before it sends.
            list("QuotaConfig", "userAndClientQuotaConfigs"),
            list("QuotaConfig", "scramMechanismsPlusUserAndClientQuotaConfigs"),
            named("QuotaConfig", "isClientOrUserQuotaConfig"),
            // So called until Kafka 3.9.
            list("QuotaConfigs", "userAndClientQuotaConfigs"),
            list("QuotaConfigs", "scramMechanismsPlusUserAndClientQuotaConfigs"),
            named("QuotaConfigs", "isClientOrUserQuotaConfig"),
            new QuotaPlace("org.apache.kafka.controller.ClientQuotaControlManager", "validateQuotaKeyValue",
                    "(Ljava/util/Map;Ljava/lang/String;D)Lorg/apache/kafka/common/requests/ApiError;", true,
                    Advices.QuotaChecked.class, QuotaHook.class),
            new QuotaPlace("kafka.server.metadata.ClientQuotaMetadataManager", "handleUserClientQuotaChange",
                    "(Lkafka/server/metadata/QuotaEntity;Ljava/lang/String;Lscala/Option;)V", false,
                    Advices.QuotaChanged.class, KafkaQuotaChange.class));

    private static QuotaPlace list(String owner, String name) {
        return new QuotaPlace(CONFIG + owner, name, "()Lorg/apache/kafka/common/config/ConfigDef;", true,
                Advices.QuotaNames.class, KafkaQuotaNames.class);
    }

    private static QuotaPlace named(String owner, String name) {
        return new QuotaPlace(CONFIG + owner, name, "(Ljava/lang/String;)Ljava/lang/Boolean;", true,
                Advices.QuotaNamed.class, QuotaHook.class);
    }

    @Override
    public String toString() {
        return owner + "." + name + descriptor;
    }
}
