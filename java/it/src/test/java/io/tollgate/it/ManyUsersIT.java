package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.junit.jupiter.api.Test;

/** Twice as many users as the agent keeps apart, each logged in by SASL/PLAIN with a producer ID or two. */
class ManyUsersIT {
    private static final int USERS = 20_000;
    /** The default of producer.id.quota.max.users. */
    private static final int MOST = 10_000;
    private static final int AT_ONCE = 4;
    private static final int QUOTAS_AT_ONCE = 2_000;
    private static final long MEMORY = 64L << 20;
    /** Most of it is Kafka's own: of each producer ID, and of the quotas in the metadata. */
    private static final double SLACK_MB = 64;
    private static final long FIRST = 1_000_000;
    private static final RawProducer.Answer PASSED = new RawProducer.Answer(Errors.NONE, 0);

    /** Users with an even number bring two producer IDs, the others one. */
    private static int brings(int user) {
        return 2 - user % 2;
    }

    @Test
    void s8_of_20000_users_all_are_served_as_many_as_said_have_their_own_count_and_the_sums_are_right() throws Exception {
        try (BrokerProcess broker = Guarded.broker("many-users")
                .users(IntStream.range(0, USERS).mapToObj(ManyUsersIT::name).toArray(String[]::new)).start()) {
            broker.createTopic("many", 1);
            double before = objectsMb(broker);
            all(USERS, user -> produce(broker, user, brings(user)));

            long producerIds = IntStream.range(0, USERS).map(ManyUsersIT::brings).sum();
            assertEquals(producerIds, broker.producerIdCount());
            assertEquals(MOST, Guarded.total(broker, "Principals"));
            // Who has no gate of its own is told so at each request: once to look, once to charge.
            long overflowed = Guarded.total(broker, "OverflowPrincipals");
            assertTrue(overflowed >= USERS - MOST, "overflowed " + overflowed);
            // Those beyond share one filter, which takes one in a thousand of the new ones for a known one.
            long admitted = Guarded.total(broker, "Admitted");
            assertEquals(producerIds, admitted + Guarded.total(broker, "Known"));
            assertTrue(admitted > producerIds - producerIds / 200, "admitted " + admitted + " of " + producerIds);
            assertEquals(0, Guarded.total(broker, "Throttled"));
            assertEquals(0, Guarded.total(broker, "Faults"));
            assertTrue(Guarded.total(broker, "MemoryBytes") <= MEMORY, "bytes " + Guarded.total(broker, "MemoryBytes"));
            assertEachHasItsOwnCount(broker);

            setQuotaOfEach(broker, 3);
            LiveQuotas.await((long) (USERS - MOST), () -> Guarded.total(broker, "RefusedQuotas"));
            assertEquals(MOST, Guarded.total(broker, "OwnQuotas"));
            assertTrue(Guarded.total(broker, "MemoryBytes") <= MEMORY, "bytes " + Guarded.total(broker, "MemoryBytes"));
            // The first one's quota found room, the last one's did not.
            assertEquals(3, admits(broker, 0));
            assertEquals(6, admits(broker, USERS - 1));
            assertEquals(0, Guarded.total(broker, "Faults"));

            double after = objectsMb(broker);
            assertTrue(after <= before + SLACK_MB, before + " MB of objects before, " + after + " after");
        }
    }

    /** Objects that are alive, without byte arrays, of which KRaft takes large ones as it needs them ({@link Jmx.Live}). */
    private static double objectsMb(BrokerProcess broker) throws Exception {
        try (Jmx jmx = broker.openJmx()) {
            return jmx.live().withoutBytesMb();
        }
    }

    private static String name(int user) {
        return "user" + user;
    }

    private interface OfUser {
        void run(int user) throws Exception;
    }

    /** For each user, several side by side. */
    private static void all(int users, OfUser task) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        List<Future<Void>> parts = new ArrayList<>();
        for (int i = 0; i < AT_ONCE; i++) {
            int part = i;
            Callable<Void> run = () -> {
                for (int user = part; user < users; user += AT_ONCE) {
                    task.run(user);
                }
                return null;
            };
            parts.add(threads.submit(run));
        }
        threads.shutdown();
        for (Future<Void> part : parts) {
            part.get(900, TimeUnit.SECONDS);
        }
    }

    private static void produce(BrokerProcess broker, int user, int producerIds) throws Exception {
        try (RawProducer raw = new RawProducer(broker, name(user), 60_000)) {
            for (int i = 0; i < producerIds; i++) {
                assertEquals(PASSED, raw.send("many", 1, FIRST + 2L * user + i), name(user));
            }
        }
    }

    /** New producer IDs of a user that pass at once, at most six. */
    private static int admits(BrokerProcess broker, int user) throws Exception {
        int admitted = 0;
        try (RawProducer raw = new RawProducer(broker, name(user), 60_000)) {
            while (admitted < 6 && raw.send("many", 1, 2 * FIRST + 10L * user + admitted).equals(PASSED)) {
                admitted++;
            }
        }
        return admitted;
    }

    /** A bean for each that is kept apart, and none for the others. */
    private static void assertEachHasItsOwnCount(BrokerProcess broker) throws Exception {
        try (Jmx jmx = broker.openJmx()) {
            List<String> users = jmx.keys(Guarded.TOTALS + ",*", "user");
            assertEquals(MOST, users.size());
            for (int i = 0; i < MOST; i += 20) {
                String user = users.get(i);
                assertEquals((long) brings(Integer.parseInt(user.substring("user".length()))),
                        jmx.attribute(Guarded.TOTALS + ",user=" + user, "Admitted"), user);
            }
        }
    }

    private static void setQuotaOfEach(BrokerProcess broker, double perHour) throws Exception {
        try (Admin admin = broker.admin()) {
            for (int from = 0; from < USERS; from += QUOTAS_AT_ONCE) {
                admin.alterClientQuotas(IntStream.range(from, from + QUOTAS_AT_ONCE).mapToObj(user -> new ClientQuotaAlteration(
                        new ClientQuotaEntity(LiveQuotas.user(name(user))),
                        List.of(new ClientQuotaAlteration.Op(LiveQuotas.KEY, perHour)))).toList()).all().get(180, TimeUnit.SECONDS);
            }
        }
    }
}
