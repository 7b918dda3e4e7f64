package io.tollgate.kafka;

/**
 * What the hooked quota classes of Kafka call ({@link QuotaPlace}). Public because it is called from Kafka's packages; not
 * for anyone else. Nothing here throws. In a JVM without a broker, such as that of kafka-configs, only names are asked for,
 * and no engine is made.
 */
public final class QuotaHook {
    /** Those of this JVM's broker. */
    static final LiveQuotas QUOTAS = new LiveQuotas();

    private QuotaHook() {
    }

    /** Kafka has built the list of quotas that it knows. */
    public static void define(Object names) {
        try {
            KafkaQuotaNames.add(names);
        } catch (Throwable e) {
            AgentLog.error("Tollgate could not make " + LiveQuotas.KEY + " known to Kafka", e);
        }
    }

    /** Whether a quota of this name is Tollgate's. */
    public static boolean isOurs(String name) {
        return LiveQuotas.KEY.equals(name);
    }

    /** A quota in the cluster's metadata was set or removed. @return true: it is ours, and Kafka must not handle it */
    public static boolean takes(Object entity, String key, Object value) {
        if (!isOurs(key)) {
            return false;
        }
        try {
            if (!QUOTAS.taken()) {
                return false;
            }
            KafkaQuotaChange.apply(entity, value, QUOTAS);
        } catch (Throwable e) {
            AgentLog.error("Tollgate could not take " + LiveQuotas.KEY + " of " + entity + ", which has no effect", e);
        }
        return true;
    }
}
