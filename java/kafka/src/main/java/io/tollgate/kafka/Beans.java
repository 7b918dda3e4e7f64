package io.tollgate.kafka;

import io.tollgate.TollgateStats;
import io.tollgate.TollgateTotals;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * The JMX beans, named as Kafka names its own: {@code kafka.server:type=ProducerIds} with the sums, and {@code
 * kafka.server:type=ProducerIds,user=...} for each user that the engine holds. Reading one reads the engine; nothing is
 * computed while nobody looks.
 *
 * <p>A bean that can't be registered or removed is a {@link Faults fault} and nothing more.
 */
final class Beans implements AutoCloseable {
    private static final String TOTALS = "kafka.server:type=ProducerIds";
    private static final TollgateStats NOTHING =
            new TollgateStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, Double.NaN, Double.NaN);
    /** What Kafka's Sanitizer lets stand in an object name without quotes. */
    private static final Pattern PLAIN = Pattern.compile("[\\w-%\\. \t]*");

    private static final Map<String, Function<TollgateStats, Object>> STATS = new LinkedHashMap<>();

    static {
        STATS.put("Known", TollgateStats::known);
        STATS.put("Admitted", TollgateStats::admitted);
        STATS.put("Throttled", TollgateStats::throttled);
        STATS.put("ReRecorded", TollgateStats::reRecorded);
        STATS.put("LivePids", TollgateStats::livePids);
        STATS.put("Rate", TollgateStats::ratePerHour);
        STATS.put("Tokens", TollgateStats::tokens);
        STATS.put("Layers", TollgateStats::layers);
        STATS.put("Bytes", TollgateStats::bytes);
        STATS.put("GhostHits", TollgateStats::ghostHits);
        STATS.put("QuotaPerHour", TollgateStats::quotaPerHour);
        STATS.put("Fill", TollgateStats::fill);
        STATS.put("FalsePositiveRate", TollgateStats::falsePositiveRate);
    }

    /** A reading of a user's. */
    private record OfUser(TollgateStats stats, long delayed) {
    }

    private static final AttributeBean.Kind<OfUser> OF_USER = new AttributeBean.Kind<>(ofUser(), new OfUser(NOTHING, 0));

    private static Map<String, Function<OfUser, Object>> ofUser() {
        Map<String, Function<OfUser, Object>> attributes = new LinkedHashMap<>();
        STATS.forEach((name, of) -> attributes.put(name, now -> of.apply(now.stats)));
        attributes.put("Delayed", OfUser::delayed);
        return attributes;
    }

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final Set<ObjectName> registered = ConcurrentHashMap.newKeySet();
    private final Faults faults;

    Beans(Faults faults) {
        this.faults = faults;
    }

    /**
     * @param stats read anew for each call; null when the user is gone
     * @param delayed requests that waited and then passed
     */
    void add(String user, Supplier<TollgateStats> stats, LongSupplier delayed) {
        register(nameOf(user), new AttributeBean<>(OF_USER, () -> {
            TollgateStats now = stats.get();
            return new OfUser(now == null ? NOTHING : now, delayed.getAsLong());
        }));
    }

    void remove(String user) {
        unregister(nameOf(user));
    }

    void addTotals(Mode mode, Supplier<TollgateTotals> totals, LiveQuotas quotas, WaitingRoom room) {
        Map<String, Function<TollgateTotals, Object>> attributes = new LinkedHashMap<>();
        STATS.forEach((name, of) -> attributes.put(name, now -> of.apply(now.stats())));
        attributes.put("Principals", TollgateTotals::principals);
        attributes.put("OverflowPrincipals", TollgateTotals::overflowInterns);
        attributes.put("EvictedLayers", TollgateTotals::evictedLayers);
        attributes.put("MemoryBytes", TollgateTotals::memoryBytes);
        attributes.put("DefaultQuotaPerHour", now -> quotas.defaultPerHour());
        attributes.put("OwnQuotas", now -> quotas.users());
        attributes.put("RefusedQuotas", now -> quotas.refused());
        attributes.put("Delayed", now -> room.passed());
        attributes.put("DelayedNow", now -> room.requests());
        attributes.put("DelayedBytesNow", now -> room.bytes());
        attributes.put("RefusedDelays", now -> room.turnedAway());
        attributes.put("Faults", now -> faults.count());
        attributes.put("Mode", now -> mode.word());
        register(TOTALS, new AttributeBean<>(new AttributeBean.Kind<>(attributes, totals.get()), totals));
    }

    @Override
    public void close() {
        registered.forEach(name -> unregister(name.getCanonicalName()));
    }

    static String nameOf(String user) {
        return TOTALS + ",user=" + (PLAIN.matcher(user).matches() ? user : ObjectName.quote(user));
    }

    private void register(String name, AttributeBean<?> bean) {
        try {
            ObjectName objectName = new ObjectName(name);
            server.registerMBean(bean, objectName);
            registered.add(objectName);
        } catch (JMException | RuntimeException e) {
            faults.add(e);
        }
    }

    private void unregister(String name) {
        try {
            ObjectName objectName = new ObjectName(name);
            if (registered.remove(objectName)) {
                server.unregisterMBean(objectName);
            }
        } catch (JMException | RuntimeException e) {
            faults.add(e);
        }
    }
}
