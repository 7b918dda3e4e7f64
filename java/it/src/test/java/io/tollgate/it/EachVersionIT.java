package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.EOFException;
import java.net.SocketTimeoutException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same on every Kafka version that the agent knows: each call that Kafka moved between them is made here on a real
 * broker of it. What doesn't depend on the version is tested on the newest only.
 */
@ParameterizedClass(name = "{0}")
@MethodSource("io.tollgate.it.KafkaVersion#known")
class EachVersionIT {
    private static final Quota QUOTA = new Quota(20, 4);
    private static final int MAX_THROTTLE_MS = 400;
    private static final RawProducer.Answer PASSED = new RawProducer.Answer(Errors.NONE, 0);
    private static BrokerProcess broker;

    EachVersionIT(KafkaVersion version) {
        assertEquals(version.version(), broker.kafkaVersion());
    }

    @BeforeParameterizedClassInvocation
    static void start(KafkaVersion version) throws Exception {
        broker = QUOTA.on(version.guarded("version"))
                // The same quota over a longer window: on a busy machine seconds pass between two requests of one producer.
                .property(Guarded.WINDOW, "20").property(Guarded.BURST, "0.25")
                .property(Guarded.MAX_THROTTLE, Integer.toString(MAX_THROTTLE_MS))
                // A token comes each 250 ms: most that are over the quota are refused, and a few wait.
                .property("producer.id.quota.max.delay.ms", "60")
                // Up sooner: it lives for seconds, and each version has one.
                .jvmArgument("-XX:TieredStopAtLevel=1").start();
    }

    @AfterParameterizedClassInvocation
    static void end() {
        broker.close();
    }

    /** The first answer that is no pass, of producers that are new one after the other. */
    private static RawProducer.Answer spend(RawProducer raw, String topic, long firstPid) throws Exception {
        for (long pid = firstPid; pid < firstPid + 1_000; pid++) {
            RawProducer.Answer answer = raw.send(topic, 1, pid);
            if (answer.error() != Errors.NONE) {
                return answer;
            }
        }
        return fail("1,000 new producers and none was refused");
    }

    @Test
    void a_flood_is_throttled_and_bounded_and_the_known_pass() throws Exception {
        broker.createTopic("flood", 1);
        long admitted = Guarded.total(broker, "Admitted");
        long throttled = Guarded.total(broker, "Throttled");
        long known = Guarded.total(broker, "Known");
        int passed = 0;
        int refused = 0;
        try (Quota.Watch watch = QUOTA.new Watch(broker); RawProducer flood = new RawProducer(broker, "", 20_000);
                RawProducer one = new RawProducer(broker, "", 20_000)) {
            long pid = 1_000_000;
            while (refused < 8 || watch.readings() < Quota.Watch.ENOUGH) {
                RawProducer.Answer answer = flood.send("flood", 1, pid);
                if (answer.error() == Errors.NONE) {
                    passed++;
                } else {
                    refused++;
                    assertEquals(Errors.REQUEST_TIMED_OUT, answer.error());
                    assertTrue(answer.throttleMs() > 0 && answer.throttleMs() <= MAX_THROTTLE_MS, answer.toString());
                    assertEquals(PASSED, one.send("flood", 0, 1, 1_000_000, (short) 0, refused, (short) 1));
                }
                pid++;
                assertTrue(passed < 1_000, "none is refused");
            }
            assertTrue(watch.worstExcess() <= 0, "over the quota by " + watch.worstExcess());
        }
        assertEquals(passed, Guarded.total(broker, "Admitted") - admitted);
        assertEquals(refused, Guarded.total(broker, "Throttled") - throttled);
        assertEquals(refused, Guarded.total(broker, "Known") - known);
        assertEquals(0, Guarded.total(broker, "Faults"));
        assertEquals(3_600.0 * QUOTA.perSecond(), broker.attribute(Guarded.TOTALS + ",user=ANONYMOUS", "QuotaPerHour"));
        try (Jmx jmx = broker.openJmx()) {
            // Kafka's own metrics show it under one client ID. One for each client's would grow with the flood.
            assertTrue(jmx.has("kafka.server:type=Produce,client-id=tollgate"));
            assertFalse(jmx.has("kafka.server:type=Produce,client-id=raw"));
        }
    }

    @Test
    void an_answer_tells_the_client_what_it_knows_and_the_connection_rests() throws Exception {
        broker.createTopic("wire", 1);
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            raw.introduce("apache-kafka-java", "4.4.0");
            RawProducer.Answer answer = spend(raw, "wire", 2_000_000);
            long refused = System.nanoTime();
            assertEquals(Errors.THROTTLING_QUOTA_EXCEEDED, answer.error());
            raw.send("wire", 1, 2_000_000);
            long restedMs = (System.nanoTime() - refused) / 1_000_000;
            assertTrue(restedMs >= answer.throttleMs() - 20, "answered after " + restedMs + " ms, throttled for " + answer.throttleMs());
        }
    }

    @Test
    void without_a_producer_id_or_an_answer_to_give() throws Exception {
        broker.createTopic("acks", 1);
        long pid = 3_000_000;
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            spend(raw, "acks", pid);
        }
        long admitted = Guarded.total(broker, "Admitted");
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            for (int i = 0; i < 2 * QUOTA.atOnce(); i++) {
                assertEquals(PASSED, raw.send("acks", 0, 1, -1, (short) -1, -1, (short) 1));
            }
        }
        assertEquals(admitted, Guarded.total(broker, "Admitted"));
        // With acks=0 one over the quota is told by closing the connection; one that got a token meanwhile isn't answered.
        for (int passed = 0; passed < 20; passed++) {
            pid += 1_000;
            try (RawProducer spender = new RawProducer(broker, "", 20_000); RawProducer raw = new RawProducer(broker, "", 200)) {
                spend(spender, "acks", pid);
                raw.send("acks", 0, 1, pid + 999, (short) 0, 0, (short) 0);
                fail("acks=0 was answered");
            } catch (SocketTimeoutException e) {
                // It passed.
            } catch (EOFException e) {
                return;
            }
        }
        fail("none was refused");
    }

    @Test
    void over_by_less_than_the_delay_waits_and_passes() throws Exception {
        broker.createTopic("delay", 1);
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            spend(raw, "delay", 8_000_000);
            for (int i = 0; i < 200; i++) {
                long waited = Guarded.total(broker, "Delayed");
                RawProducer.Answer answer = raw.send("delay", 1, 8_001_000 + i);
                // Counted a moment after it was handed on: one that is not seen here is seen at none.
                if (answer.equals(PASSED) && Guarded.total(broker, "Delayed") > waited) {
                    // Its partition has it: it went all the way.
                    assertEquals(PASSED, raw.send("delay", 0, 1, 8_001_000 + i, (short) 0, 1, (short) 1));
                    assertEquals(0, Guarded.total(broker, "DelayedNow"));
                    assertEquals(0, Guarded.total(broker, "Faults"));
                    return;
                }
                // Sooner or later one comes just before a token does.
                Thread.sleep(i % 25 * 10);
            }
            fail("none waited");
        }
    }

    @Test
    void kafkas_client_over_the_quota_loses_nothing_and_keeps_its_order() throws Exception {
        int producers = 20;
        int messages = 10;
        broker.createTopic("java", 1);
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            spend(raw, "java", 5_000_000);
        }
        long throttled = Guarded.total(broker, "Throttled");
        Producers.Seen seen = Producers.run(broker, "java", 1, producers, messages, producers, Map.of());
        assertEquals(List.of(), seen.errors());
        assertTrue(seen.throttledMs() > 0, "the client was told to wait");
        assertTrue(Guarded.total(broker, "Throttled") > throttled);
        // What stands there first was the raw producer's.
        List<String> values = Log.read(broker, "java", 1).stream().filter(value -> value.contains(":")).toList();
        Log.assertExactlyOnceInOrder(values, producers, messages);
        assertEquals(0, Guarded.total(broker, "Faults"));
    }

    @Test
    void an_old_transaction_over_the_quota_that_aborts_leaves_nothing() throws Exception {
        broker.createTopic("aborted", 1);
        long before = Guarded.total(broker, "Admitted");
        int admitted = 0;
        int refused = 0;
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            for (int i = 0; refused < 8; i++) {
                OldTransaction transaction = OldTransaction.of(raw, "aborted-" + i);
                // Offsets are added as partitions are: some of these transactions have nothing else.
                RawProducer.Answer answer = i % 4 == 3 ? transaction.addOffsets("group") : transaction.add("aborted", 0);
                if (answer.equals(PASSED)) {
                    admitted += i % 4 == 3 ? 0 : 1;
                } else {
                    refused++;
                    assertEquals(Errors.CONCURRENT_TRANSACTIONS, answer.error());
                    assertTrue(answer.throttleMs() > 0 && answer.throttleMs() <= MAX_THROTTLE_MS, answer.toString());
                }
                assertEquals(Errors.NONE, transaction.abort());
                assertTrue(i < 1_000, "none is refused");
            }
        }
        assertTrue(admitted > 0 && admitted <= Guarded.total(broker, "Admitted") - before);
        // Markers are written after an abort has been answered, in the order of the aborts.
        int markers = admitted;
        Log.awaitProducerIds(broker, "aborted", count -> count >= markers);
        assertEquals(markers, Log.producerIds(broker, "aborted"));
        assertEquals(0, Guarded.total(broker, "Faults"));
    }

    @Test
    void kafkas_client_aborts_over_the_quota_then_commits() throws Exception {
        broker.createTopic("spent", 1);
        broker.createTopic("transactions", 1);
        long admitted = Guarded.total(broker, "Admitted");
        long throttled = Guarded.total(broker, "Throttled");
        int made = 0;
        while (Guarded.total(broker, "Throttled") - throttled < made + 3) {
            assertTrue(made < 100, "none is refused");
            Map<String, String> settings = Map.of("transactional.id", "transactions-" + made);
            try (KafkaProducer<String, String> producer = new KafkaProducer<>(Producers.settings(broker, "", settings));
                    RawProducer raw = new RawProducer(broker, "", 20_000)) {
                producer.initTransactions();
                producer.beginTransaction();
                // Refused once itself.
                spend(raw, "spent", 8_000_000 + 1_000L * made);
                producer.send(new ProducerRecord<>("transactions", 0, null, made + ":aborted"));
                Thread.sleep(50);
                producer.abortTransaction();
                producer.beginTransaction();
                producer.send(new ProducerRecord<>("transactions", 0, null, made + ":committed"));
                producer.commitTransaction();
            }
            made++;
        }
        assertEquals(IntStream.range(0, made).mapToObj(i -> i + ":committed").toList(), Log.read(broker, "transactions", 1));
        assertEquals(made, Log.producerIds(broker, "transactions"));
        assertEquals(made + Log.producerIds(broker, "spent"), Guarded.total(broker, "Admitted") - admitted);
        assertEquals(0, Guarded.total(broker, "Faults"));
    }

    @Test
    void a_restart_throttles_and_charges_none_that_was_active() throws Exception {
        broker.createTopic("active", 2);
        int active = QUOTA.atOnce() / 2;
        Properties settings = Producers.settings(broker, "", Map.of());
        List<KafkaProducer<String, String>> real = new ArrayList<>();
        try {
            // These name the topic by its ID where the broker does.
            for (int i = 0; i < 3; i++) {
                real.add(new KafkaProducer<>(settings));
            }
            send(0, active, real);
            OldTransaction old = transact(raw -> OldTransaction.of(raw, "active"));
            int starts = Guarded.lines(broker).size();
            broker.restart();
            send(1, active, real);
            // Its coordinator knows that it had something added.
            transact(old::on);
            assertEquals(0, Guarded.total(broker, "Throttled"));
            assertEquals(0, Guarded.total(broker, "Admitted"), "none was charged");
            // The old transaction's too, at its coordinator.
            assertEquals(active + real.size() + 1, Guarded.total(broker, "ReRecorded"));
            assertEquals(0, Guarded.total(broker, "Faults"));
            List<String> lines = Guarded.lines(broker);
            assertEquals(starts + 1, lines.size(), "one line per start, none for the ends: " + lines);
            assertTrue(lines.get(starts).contains("Tollgate guards this broker: mode enforce, 14400.0 new producer IDs"), lines.get(starts));
        } finally {
            real.forEach(producer -> producer.close(Duration.ZERO));
        }
    }

    @Test
    void k6_quotas_in_the_metadata_are_named_checked_and_followed(@TempDir Path temp) throws Exception {
        broker.createTopic("live", 1);
        LiveQuotas quotas = new LiveQuotas(broker);
        Map<String, String> user = LiveQuotas.user("ANONYMOUS");
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            Callable<Object> inForce = () -> {
                // A user that rests for a window has no bean.
                raw.send("live", 0, 1, 7_000_000, (short) 0, 0, (short) 1);
                return broker.attribute(Guarded.TOTALS + ",user=ANONYMOUS", "QuotaPerHour");
            };
            quotas.set(LiveQuotas.DEFAULT_USER, 80_000);
            LiveQuotas.await(80_000.0, inForce);
            KafkaConfigs.Said said = new KafkaConfigs(broker, temp).guarded("--alter", "--add-config", "producer_ids_rate=90000",
                    "--entity-type", "users", "--entity-name", "ANONYMOUS");
            assertTrue(said.output().endsWith("Completed updating config for user ANONYMOUS."), said.output());
            LiveQuotas.await(90_000.0, inForce);
            for (double value : new double[] {0, Double.NaN, Double.POSITIVE_INFINITY}) {
                assertThrows(InvalidRequestException.class, () -> quotas.set(user, value));
            }
            assertEquals(Map.of(user, 90_000.0, LiveQuotas.DEFAULT_USER, 80_000.0), quotas.stored());
            quotas.remove(user);
            LiveQuotas.await(80_000.0, inForce);
            quotas.remove(LiveQuotas.DEFAULT_USER);
            LiveQuotas.await(3_600.0 * QUOTA.perSecond(), inForce);
        }
        assertEquals(0, Guarded.total(broker, "Faults"));
    }

    private interface Begin {
        OldTransaction on(RawProducer connection) throws Exception;
    }

    /** Adds a partition as soon as the coordinator and the quota let it, and aborts. */
    private static OldTransaction transact(Begin begin) throws Exception {
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            OldTransaction transaction = begin.on(raw);
            RawProducer.Answer answer = transaction.add("active", 1);
            for (int i = 0; i < 200 && !answer.equals(PASSED); i++) {
                Thread.sleep(100);
                answer = transaction.add("active", 1);
            }
            assertEquals(PASSED, answer);
            assertEquals(Errors.NONE, transaction.abort());
            return transaction;
        }
    }

    /** Batch {@code sequence} of each; what is over the quota comes again, as a client does. */
    private static void send(int sequence, int active, List<KafkaProducer<String, String>> real) throws Exception {
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            for (int i = 0; i < active; i++) {
                RawProducer.Answer answer;
                do {
                    answer = raw.send("active", i % 2, 1, 6_000_000 + i, (short) 0, sequence, (short) 1);
                } while (answer.error() == Errors.REQUEST_TIMED_OUT);
                assertEquals(PASSED, answer, "producer " + i + ", batch " + sequence);
            }
        }
        for (KafkaProducer<String, String> producer : real) {
            producer.send(new ProducerRecord<>("active", 0, null, "value")).get();
        }
    }
}
