package io.tollgate.kafka;

import java.lang.instrument.Instrumentation;

/**
 * The agent's entry: {@code -javaagent:tollgate-kafka-agent.jar}. In a JVM that runs no broker it makes
 * the quota's name known to kafka-configs and does nothing else, so it may stand in {@code KAFKA_OPTS}.
 */
public final class TollgateAgent {
    private TollgateAgent() {
    }

    /** Called by the JVM before the broker's main. Throws nothing: a JVM whose agent throws does not start. */
    public static void premain(String arguments, Instrumentation instrumentation) {
        try {
            instrumentation.addTransformer(new KafkaApisTransformer(instrumentation));
            instrumentation.addTransformer(new QuotaTransformer());
        } catch (Throwable e) {
            AgentLog.error("Tollgate stays out, the broker runs unguarded: " + e, null);
        }
    }
}
