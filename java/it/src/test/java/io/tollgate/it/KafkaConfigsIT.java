package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Quotas through kafka-configs, with the agent in its KAFKA_OPTS, as docs/kafka.md shows it. */
class KafkaConfigsIT {
    private static final String[] ALICE = {"--entity-type", "users", "--entity-name", "alice"};
    private static final String[] DEFAULT = {"--entity-type", "users", "--entity-default"};

    private static void assertSaid(String output, KafkaConfigs.Said said) {
        assertEquals(new KafkaConfigs.Said(0, output), said);
    }

    @Test
    void k6_kafka_configs_sets_shows_changes_and_removes(@TempDir Path temp) throws Exception {
        try (BrokerProcess broker = Guarded.broker("kafka-configs").jvmArgument("-XX:TieredStopAtLevel=1")
                .property(Guarded.RATE, "30").users("alice").start()) {
            broker.createTopic("t", 1);
            KafkaConfigs configs = new KafkaConfigs(broker, temp);
            LiveQuotas quotas = new LiveQuotas(broker);
            try (RawProducer raw = new RawProducer(broker, "alice", 20_000)) {
                raw.send("t", 1, 1);
            }
            assertSaid("Completed updating config for user alice.",
                    configs.guarded(with(ALICE, "--alter", "--add-config", "producer_ids_rate=50")));
            LiveQuotas.await(50.0, () -> broker.attribute(Guarded.TOTALS + ",user=alice", "QuotaPerHour"));

            assertSaid("Completed updating default config for users in the cluster.",
                    configs.guarded(with(DEFAULT, "--alter", "--add-config", "producer_ids_rate=60")));
            assertSaid("Quota configs for the default user-principal are producer_ids_rate=60.0\n"
                    + "Quota configs for user-principal 'alice' are producer_ids_rate=50.0", configs.guarded("--describe", "--entity-type", "users"));
            LiveQuotas.await(60.0, () -> broker.attribute(Guarded.TOTALS, "DefaultQuotaPerHour"));

            assertSaid("Completed updating config for user alice.",
                    configs.guarded(with(ALICE, "--alter", "--delete-config", "producer_ids_rate")));
            LiveQuotas.await(60.0, () -> broker.attribute(Guarded.TOTALS + ",user=alice", "QuotaPerHour"));
            assertEquals(Map.of(LiveQuotas.DEFAULT_USER, 60.0), quotas.stored());

            KafkaConfigs.Said refused = configs.guarded(with(ALICE, "--alter", "--add-config", "producer_ids_rate=-50"));
            assertEquals(1, refused.exitCode());
            assertTrue(refused.output().contains("InvalidRequestException: Quota producer_ids_rate must be greater than 0"), refused.output());
            assertEquals(new KafkaConfigs.Said(1, "Cannot parse quota configuration value for producer_ids_rate: many"),
                    configs.guarded(with(ALICE, "--alter", "--add-config", "producer_ids_rate=many")));
            assertEquals(new KafkaConfigs.Said(1, "Only quota and SCRAM credential configs can be added for 'users' using"
                    + " --bootstrap-server. Unexpected config names: producer_ids_rate"),
                    configs.stock(with(ALICE, "--alter", "--add-config", "producer_ids_rate=50")));
            assertEquals(Map.of(LiveQuotas.DEFAULT_USER, 60.0), quotas.stored());
            assertEquals(0, Guarded.total(broker, "Faults"));
        }
    }

    private static String[] with(String[] entity, String... action) {
        return Stream.concat(Stream.of(action), Stream.of(entity)).toArray(String[]::new);
    }
}
