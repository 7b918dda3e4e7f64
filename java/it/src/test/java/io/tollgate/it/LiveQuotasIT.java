package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.management.JMException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Quotas that are set, changed and removed through the Admin API while the broker serves. */
class LiveQuotasIT {
    private static final int WINDOW_S = 4;
    private static final double BROKERS_RATE = 36_000;
    private static BrokerProcess broker;
    private static LiveQuotas quotas;
    private static Jmx jmx;

    @BeforeAll
    static void start() throws Exception {
        broker = Guarded.broker("live").users("alice", "bob", "carol").property(Guarded.RATE, Integer.toString((int) BROKERS_RATE))
                .property(Guarded.WINDOW, Integer.toString(WINDOW_S)).property(Guarded.MAX_THROTTLE, "100").start();
        quotas = new LiveQuotas(broker);
        jmx = broker.openJmx();
        broker.createTopic("live", 1);
    }

    @AfterAll
    static void end() {
        jmx.close();
        broker.close();
    }

    private static double quotaOf(String user) throws IOException, JMException {
        return (Double) jmx.attribute(Guarded.TOTALS + ",user=" + user, "QuotaPerHour");
    }

    private static long of(String user, String attribute) throws IOException, JMException {
        return (Long) jmx.attribute(Guarded.TOTALS + ",user=" + user, attribute);
    }

    private static Object total(String attribute) throws IOException, JMException {
        return jmx.attribute(Guarded.TOTALS, attribute);
    }

    /** A quota is in force for a user whose flood runs: what it lets through from here on is within it. */
    private static final class InForce {
        private final String user;
        private final double perHour;
        private final long admitted;
        private final long throttled;
        private final long start = System.nanoTime();

        InForce(String user, double perHour) throws Exception {
            this.user = user;
            this.perHour = perHour;
            LiveQuotas.await(perHour, () -> quotaOf(user));
            admitted = of(user, "Admitted");
            throttled = of(user, "Throttled");
        }

        /** @param more waits until so many more were throttled */
        void throttles(int more) throws Exception {
            LiveQuotas.await(true, () -> of(user, "Throttled") >= throttled + more);
            isKept();
        }

        /** @param more waits until so many more were admitted */
        void admits(int more) throws Exception {
            LiveQuotas.await(true, () -> of(user, "Admitted") >= admitted + more);
            isKept();
        }

        long throttledSince() throws Exception {
            return of(user, "Throttled") - throttled;
        }

        private void isKept() throws Exception {
            long now = of(user, "Admitted") - admitted;
            double perSecond = perHour / 3_600;
            double most = Math.max(1, perSecond * WINDOW_S) + perSecond * (System.nanoTime() - start) / 1e9;
            assertTrue(now <= most, user + " got " + now + " through, at most " + most + " under " + perHour + " per hour");
        }
    }

    @Test
    void k6_the_admitted_rate_follows_the_quota_while_floods_run() throws Exception {
        int linesBefore = quotas.lines().size();
        try (RawFlood alice = new RawFlood(broker, "alice", "live", 1, 1_000_000, 100, 100_000);
                RawFlood bob = new RawFlood(broker, "bob", "live", 1, 2_000_000, 100, 100_000)) {
            new InForce("alice", BROKERS_RATE).throttles(5);

            quotas.set(LiveQuotas.user("alice"), 1);
            new InForce("alice", 1).throttles(10);
            new InForce("bob", BROKERS_RATE).admits(10);

            quotas.set(LiveQuotas.user("alice"), 180_000);
            new InForce("alice", 180_000).admits(50);

            quotas.set(LiveQuotas.DEFAULT_USER, 2);
            new InForce("bob", 2).throttles(10);
            new InForce("alice", 180_000).admits(50);
            assertEquals(2.0, total("DefaultQuotaPerHour"));

            quotas.set(LiveQuotas.DEFAULT_USER, 1e9);
            InForce open = new InForce("bob", 1e9);
            open.admits(50);
            assertTrue(open.throttledSince() <= 1, "throttled " + open.throttledSince() + " under a quota that nobody reaches");

            quotas.remove(LiveQuotas.user("alice"));
            new InForce("alice", 1e9).admits(50);

            quotas.remove(LiveQuotas.DEFAULT_USER);
            new InForce("alice", BROKERS_RATE).throttles(5);
            new InForce("bob", BROKERS_RATE).throttles(5);
            assertEquals(BROKERS_RATE, total("DefaultQuotaPerHour"));
            assertEquals(0L, total("OwnQuotas"));
            assertTrue(alice.totals().refused() > 0 && bob.totals().refused() > 0, "the clients were told");
        }
        assertEquals(0L, total("Faults"));
        assertEquals(Map.of(), quotas.stored());
        List<String> lines = quotas.lines();
        assertEquals(List.of(
                "Tollgate: user alice may bring 1.0 new producer IDs per hour (producer_ids_rate)",
                "Tollgate: user alice may bring 180000.0 new producer IDs per hour (producer_ids_rate)",
                "Tollgate: users without a quota of their own may bring 2.0 new producer IDs per hour (producer_ids_rate of the default user)",
                "Tollgate: users without a quota of their own may bring 1.0E9 new producer IDs per hour (producer_ids_rate of the default user)",
                "Tollgate: user alice has no quota of its own any more (producer_ids_rate)",
                "Tollgate: users without a quota of their own may bring 36000.0 new producer IDs per hour (producer.id.quota.default.rate)"),
                lines.subList(linesBefore, lines.size()), "each change once, though this node is broker and controller");
    }

    @Test
    void the_controller_refuses_what_is_no_number_above_0_and_stores_nothing() throws Exception {
        Map<Double, String> refusals = Map.of(0.0, "Quota producer_ids_rate must be greater than 0",
                -1.0, "Quota producer_ids_rate must be greater than 0",
                Double.NaN, "Quota producer_ids_rate must be a finite number",
                Double.POSITIVE_INFINITY, "Quota producer_ids_rate must be a finite number");
        for (Map.Entry<Double, String> refused : refusals.entrySet()) {
            for (Map<String, String> entity : List.of(LiveQuotas.user("carol"), LiveQuotas.DEFAULT_USER)) {
                assertEquals(refused.getValue(), assertThrows(InvalidRequestException.class,
                        () -> quotas.set(entity, refused.getKey())).getMessage());
            }
        }
        assertEquals("Invalid configuration key producer_ids_rates", assertThrows(InvalidRequestException.class,
                () -> quotas.alter(LiveQuotas.user("carol"), "producer_ids_rates", 1.0)).getMessage());
        assertEquals("Invalid configuration key producer_ids_rate", assertThrows(InvalidRequestException.class,
                () -> quotas.set(Map.of("ip", "127.0.0.1"), 1)).getMessage());
        assertEquals(Map.of(), quotas.stored());
    }

    @Test
    void with_a_client_id_it_is_stored_and_has_no_effect_and_a_line_says_so() throws Exception {
        int linesBefore = quotas.lines().size();
        Map<String, String> everyUsers = new HashMap<>(LiveQuotas.DEFAULT_USER);
        everyUsers.put("client-id", "raw");
        List<Map<String, String>> entities = List.of(Map.of("user", "carol", "client-id", "raw"), Map.of("client-id", "raw"), everyUsers);
        for (Map<String, String> entity : entities) {
            quotas.set(entity, 1);
        }
        assertEquals(3, quotas.stored().size());
        LiveQuotas.await(List.of("ExplicitUserExplicitClientIdEntity(carol,raw)", "ClientIdEntity(raw)",
                "DefaultUserExplicitClientIdEntity(raw)").stream().map(entity -> "Tollgate takes producer_ids_rate for a user and for"
                + " the default user, not with a client ID: that of " + entity + " has no effect").toList(),
                () -> quotas.lines().subList(linesBefore, quotas.lines().size()));
        try (RawProducer raw = new RawProducer(broker, "carol", 20_000)) {
            for (long pid = 3_000_000; pid < 3_000_010; pid++) {
                assertEquals(new RawProducer.Answer(Errors.NONE, 0), raw.send("live", 1, pid));
            }
            LiveQuotas.await(BROKERS_RATE, () -> {
                // A user that rests for a window has no bean.
                raw.send("live", 1, 3_000_000);
                return quotaOf("carol");
            });
        }
        for (Map<String, String> entity : entities) {
            quotas.remove(entity);
        }
        assertEquals(Map.of(), quotas.stored());
    }
}
