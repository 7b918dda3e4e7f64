package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every client library over the quota, one after the other: {@code make test-clients}, which writes what it saw into
 * docs/clients.md when all went well. Not named as the tests that {@code make test} runs, as it takes a quarter of an hour.
 */
class ClientLibraries {
    private static final Quota QUOTA = new Quota(10, 2);
    private static final ClientProgram.Load LOAD = new ClientProgram.Load(80, 25, 40);
    private static final ClientProgram.Load TRANSACTIONS = new ClientProgram.Load(60, 10, 20);
    private static final ClientProgram.Load FEWER_ACKS = new ClientProgram.Load(40, 5, 20);
    private static final List<String> PROGRAMS = List.of("kafka-clients-4.4.0", "kafka-clients-2.8.2", "confluent-kafka",
            "confluent-kafka-2.0", "kafka-python", "aiokafka", "franz-go", "sarama", "kafkajs");
    /** Those that need other settings than their own. */
    private static final Set<String> ADVISED = Set.of("sarama", "kafkajs");
    private static final List<ClientRun> RUNS = new ArrayList<>();
    private static int planned;
    private static int held;
    private static BrokerProcess broker;

    @BeforeAll
    static void start() throws Exception {
        broker = QUOTA.on(Guarded.broker("clients")).start();
    }

    @AfterAll
    static void end() throws Exception {
        broker.close();
        if (chosen().count() == PROGRAMS.size() && held == planned && planned > 3 * PROGRAMS.size()) {
            ClientsPage.write(RUNS);
        }
    }

    @TestFactory
    Stream<DynamicTest> k5_over_quota_each_client_delivers_all_once_and_in_order() {
        return each(PROGRAMS, program -> {
            ClientRun run = run(program, "advised", LOAD);
            run.assertDelivered();
            assertTrue(run.overQuotaS() >= 20, "over the quota for only " + run.overQuotaS() + " s");
            boolean java = program.startsWith("kafka-clients");
            Errors code = java ? Errors.THROTTLING_QUOTA_EXCEEDED : Errors.REQUEST_TIMED_OUT;
            assertEquals(Set.of(code.name()), run.refused().keySet());
            // Java's sends a new batch right behind the first one that comes back; Kafka says that it is out of order when a
            // batch between the two was refused, too, and the client retries that.
            if (!java) {
                assertEquals(run.refused(), run.errors());
            }
        });
    }

    @TestFactory
    Stream<DynamicTest> k5_a_client_that_gives_up_by_default_says_so_for_each_message() {
        return each(ADVISED, program -> {
            ClientRun run = run(program, "defaults", LOAD);
            run.assertHonest();
            assertEquals(LOAD.all(), run.said().acknowledged() + run.said().failed().size());
        });
    }

    @TestFactory
    Stream<DynamicTest> k5_transactions_commit_and_abort_over_the_quota() {
        return each(PROGRAMS, program -> {
            ClientRun run = run(program, "transactions", TRANSACTIONS);
            run.assertDelivered();
            assertTrue(run.overQuotaS() >= 15, "over the quota for only " + run.overQuotaS() + " s");
        });
    }

    /** None lets an idempotent producer have them. */
    @TestFactory
    Stream<DynamicTest> k9_with_fewer_acks_no_client_has_a_producer_id_to_charge() {
        return Stream.of("acks0", "acks1").flatMap(mode -> each(PROGRAMS, program -> {
            ClientRun run = run(program, mode, FEWER_ACKS);
            assertEquals(Map.of(), run.failures());
            assertEquals(0, run.admitted());
            assertEquals(Map.of(), run.errors());
            // With acks=0 a library may close before all has arrived, and librdkafka does.
            if (mode.equals("acks1")) {
                run.assertHonest();
                assertEquals(FEWER_ACKS.all(), run.inLog());
            }
        }));
    }

    private interface Case {
        void run(String program) throws Exception;
    }

    private static Stream<DynamicTest> each(Collection<String> programs, Case test) {
        List<String> some = chosen().filter(programs::contains).toList();
        planned += some.size();
        return some.stream().map(program -> DynamicTest.dynamicTest(program, () -> {
            test.run(program);
            held++;
        }));
    }

    private static Stream<String> chosen() {
        String only = System.getProperty("tollgate.clients", "");
        return PROGRAMS.stream().filter(program -> only.isEmpty() || List.of(only.split(",")).contains(program));
    }

    private static ClientRun run(String program, String mode, ClientProgram.Load load) throws Exception {
        // As long as a full quota takes to fill, so that each begins alike.
        Thread.sleep(1_000L * QUOTA.atOnce() / QUOTA.perSecond());
        ClientRun run = ClientRun.of(broker, program, mode, load);
        ClientRun.tell("%s", run.line());
        RUNS.add(run);
        assertEquals(0, Guarded.total(broker, "Faults"));
        return run;
    }
}
