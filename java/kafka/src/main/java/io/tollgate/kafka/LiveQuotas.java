package io.tollgate.kafka;

import io.tollgate.Tollgate;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The quotas that stand in the cluster's metadata under {@value #KEY}, as this broker heard of them, and their way into
 * the engine.
 *
 * <p>What a user may bring, first found first: its own quota; the default user's; {@code producer.id.quota.default.rate}
 * of the broker; without limit. The engine resolves the first step, this class the rest.
 *
 * <p>States: EARLY (no engine yet: what comes is kept) to GUARDING ({@link #attach}: what was kept is applied, and what
 * comes is applied at once) and back ({@link #detach}); or NEVER ({@link #giveUp}: the broker runs unguarded, nothing is
 * kept, and Kafka may say that it ignores the key).
 *
 * <p>A node that is broker and controller hears of each change twice; the second time nothing is done.
 *
 * <p>Called from the broker's metadata thread: nothing here waits but for the few instructions of another call. Bounded:
 * as many users as {@code producer.id.quota.max.users} says have a quota of their own. Further ones stay under the
 * default until there is room ({@link #retry}); their number is a metric, and one line says when it begins.
 */
final class LiveQuotas {
    /** The name of the quota, beside {@code producer_byte_rate} and its like. */
    static final String KEY = "producer_ids_rate";
    static final String DOC = "An upper bound on the new producer IDs per hour that a user may bring to each broker.";

    /** The most that the broker's settings may say: the bound before they are known, and that of what waits for room. */
    private static final int MOST = 1_000_000;
    /** Quotas without effect that are each told of once; beyond, none is. */
    private static final int MOST_TOLD = 1_000;

    private enum State {
        EARLY, GUARDING, NEVER
    }

    /**
     * What a user may bring.
     *
     * @param perHour NaN: without limit
     * @param from where that is set, for the log
     */
    record InForce(double perHour, String from) {
    }

    private State state = State.EARLY;
    /** By user; in the state GUARDING those that the engine has. */
    private final Map<String, Double> own = new LinkedHashMap<>();
    /** Those that found no room. */
    private final Map<String, Double> waiting = new LinkedHashMap<>();
    /** The default user's, or null. */
    private Double common;
    /** Whose quota without effect was told of. */
    private final Set<String> told = new HashSet<>();
    private Tollgate engine;
    private Settings settings;

    /** From now on the engine follows the quotas; those that came early are applied at once. */
    synchronized void attach(Tollgate engine, Settings settings) {
        this.engine = engine;
        this.settings = settings;
        state = State.GUARDING;
        Map<String, Double> early = new LinkedHashMap<>(own);
        own.clear();
        early.forEach(this::put);
        if (common != null) {
            applyDefault();
        }
    }

    /** The engine is about to be closed. */
    synchronized void detach(Tollgate engine) {
        if (this.engine == engine) {
            forget(State.EARLY);
        }
    }

    /** This broker runs unguarded. */
    synchronized void giveUp() {
        forget(State.NEVER);
    }

    private void forget(State next) {
        state = next;
        engine = null;
        settings = null;
        common = null;
        own.clear();
        waiting.clear();
        told.clear();
    }

    /** Whether the quotas have an effect here, or will have. */
    synchronized boolean taken() {
        return state != State.NEVER;
    }

    /** @param perHour null: the user has none of its own any more */
    synchronized void set(String user, Double perHour) {
        Double usable = usable(perHour, "user " + user);
        if (state == State.NEVER) {
            return;
        }
        if (usable == null) {
            remove(user);
        } else if (!usable.equals(own.get(user))) {
            put(user, usable);
        }
    }

    /** @param perHour null: the default user has none any more */
    synchronized void setDefault(Double perHour) {
        Double usable = usable(perHour, "the default user");
        if (state != State.NEVER && (usable == null ? common != null : !usable.equals(common))) {
            common = usable;
            if (engine != null) {
                applyDefault();
            }
        }
    }

    /**
     * A quota for a client ID, or for a user with one. Not ours: a client may call itself what it likes.
     *
     * @param perHour null: it was removed
     */
    synchronized void passOver(String entity, Double perHour) {
        tell(entity, perHour == null ? null : "Tollgate takes " + KEY
                + " for a user and for the default user, not with a client ID: that of " + entity + " has no effect");
    }

    /** Gives those that found no room a place while there is one, the oldest first. */
    synchronized void retry() {
        for (Iterator<Map.Entry<String, Double>> all = waiting.entrySet().iterator(); all.hasNext();) {
            Map.Entry<String, Double> next = all.next();
            if (engine == null || own.size() >= settings.maxUsers() || !applied(next.getKey(), next.getValue())) {
                return;
            }
            own.put(next.getKey(), next.getValue());
            all.remove();
        }
    }

    /** What the user may bring, wherever that is set. */
    synchronized InForce of(String user) {
        Double perHour = own.get(user);
        return perHour != null ? new InForce(perHour, KEY) : new InForce(defaultPerHour(), defaultFrom());
    }

    /** Users that have a quota of their own. */
    synchronized long users() {
        return own.size();
    }

    /** Users whose quota found no room. */
    synchronized long refused() {
        return waiting.size();
    }

    /** What users without a quota of their own may bring per hour; NaN: without limit. */
    synchronized double defaultPerHour() {
        Double now = settings == null ? common : resolvedDefault();
        return now == null ? Double.NaN : now;
    }

    private void put(String user, double perHour) {
        boolean room = own.containsKey(user) || own.size() < (settings == null ? MOST : settings.maxUsers());
        if (room && (engine == null || applied(user, perHour))) {
            own.put(user, perHour);
            waiting.remove(user);
            return;
        }
        own.remove(user);
        if (waiting.isEmpty()) {
            AgentLog.warn("Tollgate has no room for " + KEY + " of user " + user + ", which stays under the default ("
                    + Setting.MAX_USERS.key + ", " + Setting.MAX_MEMORY.key
                    + "); others are only counted (JMX kafka.server:type=ProducerIds, attribute RefusedQuotas)");
        }
        if (waiting.size() < MOST) {
            waiting.put(user, perHour);
        }
    }

    private void remove(String user) {
        waiting.remove(user);
        if (own.remove(user) != null && engine != null) {
            engine.clearQuota(user, Clock.nowMs());
            AgentLog.info("Tollgate: user " + user + " has no quota of its own any more (" + KEY + ")");
            retry();
        }
    }

    /** @return false: the engine has no room for it, and the user is under the default */
    private boolean applied(String user, double perHour) {
        try {
            engine.setQuota(user, perHour, settings.burst(), Clock.nowMs());
        } catch (IllegalStateException full) {
            // Its memory is used up. What the user had is not what was asked for either.
            engine.clearQuota(user, Clock.nowMs());
            return false;
        }
        AgentLog.info("Tollgate: user " + user + " may bring " + perHour + " new producer IDs per hour (" + KEY + ")");
        return true;
    }

    private Double resolvedDefault() {
        return common != null ? common : settings.defaultRate();
    }

    private void applyDefault() {
        Double perHour = resolvedDefault();
        if (perHour == null) {
            engine.clearDefaultQuota(Clock.nowMs());
        } else {
            engine.setDefaultQuota(perHour, settings.burst(), Clock.nowMs());
        }
        AgentLog.info("Tollgate: users without a quota of their own may bring "
                + (perHour == null ? "any number of" : perHour.toString()) + " new producer IDs per hour ("
                + defaultFrom() + ")");
    }

    private String defaultFrom() {
        return common != null ? KEY + " of the default user" : Setting.RATE.key;
    }

    /** The quota, or null when there is none. The controller refuses what is no number above 0; before Kafka 4.4 not all of it. */
    private Double usable(Double perHour, String whose) {
        boolean bad = perHour != null && !(perHour > 0 && perHour < Double.POSITIVE_INFINITY);
        tell(whose, bad ? "Tollgate: " + KEY + " = " + perHour + " of " + whose + ": must be " + Setting.RATE.range()
                + "; it is taken for unset" : null);
        return bad ? null : perHour;
    }

    /** @param line null: there is nothing to tell about it any more */
    private void tell(String whose, String line) {
        if (line == null) {
            told.remove(whose);
        } else if (told.size() < MOST_TOLD && told.add(whose)) {
            AgentLog.warn(line);
        }
    }
}
