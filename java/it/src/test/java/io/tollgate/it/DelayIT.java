package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import javax.management.JMException;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Requests that are over the quota by a little wait, and pass. On a broker with one request handler thread, and with a pool
 * for requests that takes their memory back when that thread has done with them. Each test has a user of its own: its
 * quota gives one producer ID at once, and then one each half second.
 */
class DelayIT {
    private static final int MAX_WAITING = 12;
    private static final long POOL_BYTES = 1 << 20;
    private static final RawProducer.Answer PASSED = new RawProducer.Answer(Errors.NONE, 0);
    private static BrokerProcess broker;

    @BeforeAll
    static void start() throws Exception {
        broker = Guarded.broker("delay").property(Guarded.RATE, "7200").property(Guarded.BURST, "0")
                .property("producer.id.quota.max.delay.ms", "10000")
                .property("producer.id.quota.max.delayed.requests", Integer.toString(MAX_WAITING))
                .property("num.io.threads", "1")
                .property("socket.request.max.bytes", Long.toString(POOL_BYTES))
                .property("queued.max.request.bytes", Long.toString(POOL_BYTES))
                // Up sooner: it is no measurement.
                .jvmArgument("-XX:TieredStopAtLevel=1")
                .users("clients", "over", "full", "other", "mute", "silent", "gone", "stopped").start();
        broker.createTopic("delay", 1);
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    /** One that has an answer within a minute, however slow the machine. */
    private static RawProducer raw(String user) throws IOException {
        return new RawProducer(broker, user, 60_000);
    }

    private static void post(RawProducer raw, long pid) throws IOException {
        raw.post("delay", 0, 1, pid, (short) 0, 0, (short) 1);
    }

    /** Gives a user another quota. */
    private static void slow(String user, double perHour, RawProducer raw, long pid) throws Exception {
        new LiveQuotas(broker).set(LiveQuotas.user(user), perHour);
        LiveQuotas.await(perHour, () -> {
            // A user that never came has no bean.
            raw.send("delay", 1, pid);
            return broker.attribute(Guarded.TOTALS + ",user=" + user, "QuotaPerHour");
        });
    }

    private static void await(String attribute, long value) throws Exception {
        LiveQuotas.await(value, () -> broker.attribute(Guarded.TOTALS, attribute));
    }

    private static long produce(String metric, String attribute) throws IOException, JMException {
        return ((Number) broker.attribute("kafka.network:type=RequestMetrics,name=" + metric + ",request=Produce", attribute))
                .longValue();
    }

    /** Where a client would see it if anything had been refused. */
    private static double metric(KafkaProducer<?, ?> producer, String name) {
        return producer.metrics().values().stream()
                .filter(metric -> metric.metricName().name().equals(name) && metric.metricName().group().equals("producer-metrics"))
                .map(Metric::metricValue).mapToDouble(value -> (Double) value).filter(value -> !Double.isNaN(value)).sum();
    }

    @Test
    void producers_over_the_quota_by_less_than_the_delay_see_nothing_of_it() throws Exception {
        int producers = MAX_WAITING;
        int messages = 20;
        broker.createTopic("clients", 1);
        long requests = produce("TotalTimeMs", "Count");
        ExecutorService threads = Executors.newFixedThreadPool(producers);
        List<Future<double[]>> runs = IntStream.range(0, producers).mapToObj(n -> threads.submit(() -> {
            try (KafkaProducer<String, String> producer = new KafkaProducer<>(Producers.settings(broker, "clients", Map.of()))) {
                List<Future<?>> sent = new ArrayList<>();
                for (int i = 0; i < messages; i++) {
                    sent.add(producer.send(new ProducerRecord<>("clients", 0, null, n + ":" + i)));
                }
                for (Future<?> one : sent) {
                    one.get();
                }
                return new double[] {metric(producer, "record-retry-total"), metric(producer, "produce-throttle-time-max"),
                        metric(producer, "record-error-total")};
            }
        })).toList();
        threads.shutdown();
        for (Future<double[]> run : runs) {
            assertEquals(List.of(0.0, 0.0, 0.0), Arrays.stream(run.get()).boxed().toList());
        }
        Log.assertExactlyOnceInOrder(Log.read(broker, "clients", 1), producers, messages);
        assertEquals(producers, Guarded.of(broker, "clients", "Admitted"));
        assertEquals(0, Guarded.of(broker, "clients", "Throttled"));
        assertTrue(Guarded.of(broker, "clients", "Delayed") > 0, "some had to wait");
        assertEquals(produce("TotalTimeMs", "Count") - requests, producers + Guarded.of(broker, "clients", "Known"),
                "each request is counted once, whether it waited or not");
        await("DelayedNow", 0);
        assertEquals(0, Guarded.total(broker, "DelayedBytesNow"));
        assertEquals(0, Guarded.total(broker, "Faults"));
        // Kafka's own metrics: the wait is time in the queue, and not also time at work.
        assertTrue(produce("RequestQueueTimeMs", "Max") >= 100, "somebody waited");
        assertTrue(produce("RemoteTimeMs", "Max") + produce("LocalTimeMs", "Max") < produce("RequestQueueTimeMs", "Max"));
        LiveQuotas.await(POOL_BYTES, () -> ((Number) broker.attribute(
                "kafka.network:type=SocketServer,name=MemoryPoolAvailable", "Value")).longValue());
    }

    @Test
    void over_by_more_than_the_delay_is_refused_at_once() throws Exception {
        try (RawProducer raw = raw("over")) {
            slow("over", 60, raw, 1_000_000);
            long waited = Guarded.total(broker, "Delayed");
            RawProducer.Answer answer = raw.send("delay", 1, 1_000_001);
            if (answer.equals(PASSED)) {
                // The quota of before had left one.
                waited = Guarded.total(broker, "Delayed");
                answer = raw.send("delay", 1, 1_000_002);
            }
            assertEquals(Errors.REQUEST_TIMED_OUT, answer.error());
            assertTrue(answer.throttleMs() > 10_000, answer.toString());
            assertEquals(waited, Guarded.total(broker, "Delayed"));
            assertEquals(1, Guarded.of(broker, "over", "Throttled"));
        }
    }

    @Test
    void beyond_the_bound_requests_are_refused_and_those_that_wait_hold_no_thread() throws Exception {
        int all = 3 * MAX_WAITING;
        long turnedAway = Guarded.total(broker, "RefusedDelays");
        List<RawProducer> full = new ArrayList<>();
        try (RawProducer other = raw("other"); Jmx jmx = broker.openJmx()) {
            assertEquals(PASSED, other.send("delay", 0, 1, 2_000_000, (short) 0, 0, (short) 1));
            for (int i = 0; i < all; i++) {
                full.add(raw("full"));
            }
            for (int i = 0; i < all; i++) {
                post(full.get(i), 2_001_000 + i);
            }
            // The only request handler thread is free for another user, known or not, while they wait.
            assertEquals(PASSED, other.send("delay", 0, 1, 2_000_000, (short) 0, 1, (short) 1));
            assertTrue((Long) jmx.attribute(Guarded.TOTALS, "DelayedNow") > 0, "they waited all the while");
            assertTrue((Long) jmx.attribute(Guarded.TOTALS, "DelayedBytesNow") > 0);
            int passed = 0;
            int refused = 0;
            for (RawProducer raw : full) {
                RawProducer.Answer answer = raw.receive();
                if (answer.equals(PASSED)) {
                    passed++;
                } else {
                    assertEquals(Errors.REQUEST_TIMED_OUT, answer.error());
                    assertTrue(answer.throttleMs() > 0);
                    refused++;
                }
            }
            // One had a token at once, and a few got one while the others were written.
            assertTrue(passed > MAX_WAITING && refused > 0, passed + " passed, " + refused + " refused");
            assertEquals(refused, Guarded.of(broker, "full", "Throttled"));
            assertEquals(passed, Guarded.of(broker, "full", "Admitted"));
            assertEquals(refused, Guarded.total(broker, "RefusedDelays") - turnedAway);
            await("DelayedNow", 0);
        } finally {
            full.forEach(RawProducer::close);
        }
    }

    @Test
    void nothing_more_is_taken_from_a_connection_whose_request_waits() throws Exception {
        try (RawProducer raw = raw("mute"); RawProducer spender = raw("mute")) {
            slow("mute", 1_800, spender, 3_000_000); // one each two seconds
            long waited = Guarded.total(broker, "Delayed");
            assertEquals(PASSED, spender.send("delay", 1, 3_000_001));
            // The last token is gone by now, at once or after a wait.
            post(raw, 3_000_002);
            // Without a producer ID, it would pass at once.
            raw.post("delay", 0, 1, -1, (short) -1, -1, (short) 1);
            assertEquals(PASSED, raw.receive(), "in the order in which they were sent");
            assertTrue(Guarded.total(broker, "Delayed") > waited, "the first had to wait");
            assertEquals(PASSED, raw.receive());
        }
    }

    @Test
    void with_acks_0_too_the_request_waits_and_what_is_behind_it() throws Exception {
        broker.createTopic("silent", 1);
        try (RawProducer raw = raw("silent"); RawProducer spender = raw("silent")) {
            assertEquals(PASSED, spender.send("silent", 1, 4_000_000));
            raw.post("silent", 0, 1, 4_000_001, (short) 0, 0, (short) 0);
            assertEquals(PASSED, raw.send("silent", 0, 1, 4_000_001, (short) 0, 1, (short) 1));
            assertEquals(3, Log.read(broker, "silent", 1).size());
            assertEquals(2, Guarded.of(broker, "silent", "Admitted"));
            assertEquals(0, Guarded.of(broker, "silent", "Throttled"));
        }
    }

    @Test
    void a_client_that_goes_leaves_nothing_behind() throws Exception {
        broker.createTopic("gone", 1);
        try (RawProducer spender = raw("gone")) {
            assertEquals(PASSED, spender.send("gone", 1, 5_000_000));
            for (int i = 1; i <= 4; i++) {
                try (RawProducer raw = raw("gone")) {
                    raw.post("gone", 0, 1, 5_000_000 + i, (short) 0, 0, (short) 1);
                }
            }
            LiveQuotas.await(5L, () -> Guarded.of(broker, "gone", "Admitted"));
            await("DelayedNow", 0);
            assertEquals(0, Guarded.total(broker, "DelayedBytesNow"));
            // As any request that was read: it is carried out whether its client is there or not.
            assertEquals(5, Log.read(broker, "gone", 1).size());
        }
    }

    @Test
    void a_broker_ends_while_requests_wait() throws Exception {
        try (RawProducer spender = raw("stopped"); RawProducer raw = new RawProducer(broker, "stopped", 3_000)) {
            slow("stopped", 400, spender, 6_000_000); // one each nine seconds
            assertEquals(PASSED, spender.send("delay", 1, 6_000_001));
            post(raw, 6_000_002);
            assertThrows(SocketTimeoutException.class, raw::receive);
            assertEquals(1, Guarded.total(broker, "DelayedNow"));
            broker.stop();
            assertEquals(128 + 15, broker.exitCode(), "SIGTERM was enough");
            assertTrue(Guarded.lines(broker).stream().noneMatch(line -> line.contains("failed inside")));
        } finally {
            broker.start();
        }
    }
}
