package io.tollgate.kafka;

import io.tollgate.TollgateStats;
import io.tollgate.TollgateTotals;
import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
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

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final Set<ObjectName> registered = ConcurrentHashMap.newKeySet();
    private final Faults faults;

    Beans(Faults faults) {
        this.faults = faults;
    }

    /** @param stats read anew for each attribute; null when the user is gone */
    void add(String user, Supplier<TollgateStats> stats, Supplier<Long> delayed) {
        Map<String, Supplier<Object>> attributes = new LinkedHashMap<>();
        STATS.forEach((name, of) -> attributes.put(name, () -> {
            TollgateStats now = stats.get();
            return of.apply(now == null ? NOTHING : now);
        }));
        attributes.put("Delayed", delayed::get);
        register(nameOf(user), attributes);
    }

    void remove(String user) {
        unregister(nameOf(user));
    }

    void addTotals(Mode mode, Supplier<TollgateTotals> totals, LiveQuotas quotas, WaitingRoom room) {
        Map<String, Supplier<Object>> attributes = new LinkedHashMap<>();
        STATS.forEach((name, of) -> attributes.put(name, () -> of.apply(totals.get().stats())));
        attributes.put("Principals", () -> totals.get().principals());
        attributes.put("OverflowPrincipals", () -> totals.get().overflowInterns());
        attributes.put("EvictedLayers", () -> totals.get().evictedLayers());
        attributes.put("MemoryBytes", () -> totals.get().memoryBytes());
        attributes.put("DefaultQuotaPerHour", quotas::defaultPerHour);
        attributes.put("OwnQuotas", quotas::users);
        attributes.put("RefusedQuotas", quotas::refused);
        attributes.put("Delayed", room::passed);
        attributes.put("DelayedNow", room::requests);
        attributes.put("DelayedBytesNow", room::bytes);
        attributes.put("RefusedDelays", room::turnedAway);
        attributes.put("Faults", faults::count);
        attributes.put("Mode", mode::word);
        register(TOTALS, attributes);
    }

    @Override
    public void close() {
        registered.forEach(name -> unregister(name.getCanonicalName()));
    }

    static String nameOf(String user) {
        return TOTALS + ",user=" + (PLAIN.matcher(user).matches() ? user : ObjectName.quote(user));
    }

    private void register(String name, Map<String, Supplier<Object>> attributes) {
        try {
            ObjectName objectName = new ObjectName(name);
            server.registerMBean(new AttributeBean(attributes), objectName);
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
