package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** What becomes of the quotas in the metadata, and of who is producing, over restarts with the agent and without it. */
class StoredQuotasIT {
    private static long lastPid = 1_000_000;

    /** New producer IDs that a user gets through at once, at most 20; no token comes while this runs. */
    private static int admits(BrokerProcess broker, String user) throws Exception {
        try (RawProducer raw = new RawProducer(broker, user, 20_000)) {
            int admitted = 0;
            while (admitted < 20 && raw.send("stored", 1, ++lastPid).error() == Errors.NONE) {
                admitted++;
            }
            return admitted;
        }
    }

    /** Three producers of one user, who stay over all restarts. */
    private static final class Carol implements AutoCloseable {
        private static final int PRODUCERS = 3;
        private final BrokerProcess broker;
        private final List<KafkaProducer<String, String>> producers = new ArrayList<>();
        private int sent;

        Carol(BrokerProcess broker) {
            this.broker = broker;
            for (int i = 0; i < PRODUCERS; i++) {
                producers.add(new KafkaProducer<>(Producers.settings(broker, "carol", Map.of())));
            }
        }

        void send() throws Exception {
            for (int n = 0; n < PRODUCERS; n++) {
                producers.get(n).send(new ProducerRecord<>("carols", 0, null, n + ":" + sent)).get(60, TimeUnit.SECONDS);
            }
            sent++;
        }

        /** After a restart: served, and neither charged nor refused. */
        void assertGoesOnUncharged() throws Exception {
            send();
            assertEquals(0, Guarded.of(broker, "carol", "Admitted"));
            assertEquals(0, Guarded.of(broker, "carol", "Throttled"));
            assertEquals(PRODUCERS, Guarded.of(broker, "carol", "LivePids"));
        }

        void assertAllIsThereOnce() {
            Log.assertExactlyOnceInOrder(Log.read(broker, "carols", 1), PRODUCERS, sent);
        }

        @Override
        public void close() {
            producers.forEach(producer -> producer.close(Duration.ZERO));
        }
    }

    private static Object total(BrokerProcess broker, String attribute) throws Exception {
        return broker.attribute(Guarded.TOTALS, attribute);
    }

    @Test
    void k6_quotas_outlive_a_restart_and_a_stock_broker_serves_with_them_stored() throws Exception {
        BrokerBuilder settings = Guarded.broker("stored").property(Guarded.RATE, "3").property(Guarded.MAX_USERS, "3")
                .property(Guarded.MAX_THROTTLE, "1").users("alice", "bob", "carol")
                // Up sooner: it is started four times.
                .jvmArgument("-XX:TieredStopAtLevel=1");
        try (BrokerProcess broker = settings.start(); Carol carol = new Carol(broker)) {
            LiveQuotas quotas = new LiveQuotas(broker);
            broker.createTopic("stored", 1);
            broker.createTopic("carols", 1);
            carol.send();
            quotas.set(LiveQuotas.user("alice"), 5);
            quotas.set(LiveQuotas.DEFAULT_USER, 4);
            Map<Map<String, String>, Double> both = Map.of(LiveQuotas.user("alice"), 5.0, LiveQuotas.DEFAULT_USER, 4.0);
            assertEquals(both, quotas.stored());

            broker.restart();
            LiveQuotas.await(1L, () -> total(broker, "OwnQuotas"));
            assertEquals(4.0, total(broker, "DefaultQuotaPerHour"));
            assertEquals(5, admits(broker, "alice"));
            assertEquals(4, admits(broker, "bob"));
            carol.assertGoesOnUncharged();
            assertEquals(0L, total(broker, "Faults"));

            // Without the agent.
            broker.stop();
            settings.agent(null);
            String before = broker.log();
            broker.start();
            assertEquals(20, admits(broker, "alice"));
            carol.send();
            assertEquals(both, quotas.stored());
            List<String> said = broker.log().substring(before.length()).lines().filter(line -> line.contains("unexpected quota key"))
                    .map(line -> line.replaceFirst("^\\[[^]]*] ", "")).distinct().sorted().toList();
            assertEquals(List.of(
                    "WARN Ignoring unexpected quota key producer_ids_rate for entity DefaultUserEntity (kafka.server.metadata.ClientQuotaMetadataManager)",
                    "WARN Ignoring unexpected quota key producer_ids_rate for entity UserEntity(alice) (kafka.server.metadata.ClientQuotaMetadataManager)"),
                    said);
            assertEquals("Invalid configuration key producer_ids_rate", assertThrows(InvalidRequestException.class,
                    () -> quotas.set(LiveQuotas.user("alice"), 6)).getMessage());
            quotas.alter(LiveQuotas.user("alice"), "producer_byte_rate", 1e9);
            quotas.remove(LiveQuotas.DEFAULT_USER);
            assertEquals(Map.of(LiveQuotas.user("alice"), 5.0), quotas.stored());

            // And with it again.
            broker.stop();
            settings.agent(BuildTree.agentJar());
            broker.start();
            LiveQuotas.await(1L, () -> total(broker, "OwnQuotas"));
            assertEquals(3.0, total(broker, "DefaultQuotaPerHour"), "the broker's own");
            assertEquals(5, admits(broker, "alice"));
            assertEquals(3, admits(broker, "bob"));
            carol.assertGoesOnUncharged();
            carol.assertAllIsThereOnce();

            // The broker's most users are three.
            for (String user : List.of("u1", "u2", "u3")) {
                quotas.set(LiveQuotas.user(user), 7);
            }
            LiveQuotas.await(1L, () -> total(broker, "RefusedQuotas"));
            assertEquals(3L, total(broker, "OwnQuotas"));
            assertEquals(1, quotas.lines().stream().filter(line -> line.startsWith("Tollgate has no room for producer_ids_rate of user u3,"
                    + " which stays under the default (producer.id.quota.max.users, producer.id.quota.max.memory.bytes)")).count());
            quotas.remove(LiveQuotas.user("u1"));
            LiveQuotas.await(0L, () -> total(broker, "RefusedQuotas"));
            assertEquals(3L, total(broker, "OwnQuotas"));
            assertEquals(0L, total(broker, "Faults"));
        }
    }
}
