package io.tollgate.kafka;

/**
 * What the hooked {@code kafka.server.KafkaApis} calls. Public because it is called from Kafka's package; not for anyone
 * else. Nothing here throws.
 */
public final class BrokerHook {
    private record Guarded(Object apis, Guard guard) {
    }

    private static volatile Generation generation;
    /** The broker that was made last. A JVM that holds several (Kafka's own tests do) has that one guarded. */
    private static volatile Guarded guarded;

    private BrokerHook() {
    }

    static void use(Generation generation) {
        BrokerHook.generation = generation;
    }

    /** A broker has made its KafkaApis, and serves no client yet. */
    public static void created(Object apis) {
        try {
            Guarded before = guarded;
            if (before != null && before.apis == apis) {
                return;
            }
            if (before != null) {
                closed(before.apis);
            }
            Guard guard = guard(generation.adapter(apis));
            guarded = guard == null ? null : new Guarded(apis, guard);
        } catch (Throwable e) {
            unguarded(reason(e));
        }
    }

    /** The broker has stopped serving. */
    public static void closed(Object apis) {
        try {
            Guarded now = guarded;
            if (now != null && now.apis == apis) {
                guarded = null;
                now.guard.close();
            }
        } catch (Throwable e) {
            AgentLog.error("Tollgate could not be closed", e);
        }
    }

    /** @return true: the request was answered, and KafkaApis must not handle it */
    public static boolean refuses(Object apis, Object request) {
        Guarded now = guarded;
        return now != null && now.apis == apis && now.guard.refuses(request);
    }

    /** The same for a request that adds to a transaction. */
    public static boolean refusesToAdd(Object apis, Object request) {
        Guarded now = guarded;
        return now != null && now.apis == apis && now.guard.refusesToAdd(request);
    }

    /** The same for a request that ends one. */
    public static boolean answersAbort(Object apis, Object request) {
        Guarded now = guarded;
        return now != null && now.apis == apis && now.guard.answersAbort(request);
    }

    private static Guard guard(BrokerAdapter broker) {
        try {
            Settings settings = Settings.read(broker.properties());
            settings.warnings().forEach(AgentLog::warn);
            if (settings.mode() == Mode.OFF) {
                QuotaHook.QUOTAS.giveUp();
                AgentLog.info("Tollgate is off (" + Setting.MODE.key + " = off)");
                return null;
            }
            Guard guard = new Guard(broker, settings.engine(), settings, QuotaHook.QUOTAS);
            AgentLog.info("Tollgate guards this broker: " + settings);
            return guard;
        } catch (Settings.Refused e) {
            unguarded(e.getMessage());
            return null;
        }
    }

    private static void unguarded(String why) {
        QuotaHook.QUOTAS.giveUp();
        AgentLog.error("Tollgate does not guard this broker, which runs unguarded: " + why, null);
    }

    private static String reason(Throwable e) {
        return e instanceof RuntimeException && e.getMessage() != null ? e.getMessage() : e.toString();
    }
}
