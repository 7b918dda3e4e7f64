package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What goes without a charge, and transactions under the quota. */
class PassingIT {
    private static final Quota QUOTA = new Quota(6, 2);
    private static BrokerProcess broker;

    @BeforeAll
    static void start() throws Exception {
        broker = QUOTA.on(Guarded.broker("passing")).property(Guarded.MAX_THROTTLE, "3000").start();
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    @Test
    void k9_without_a_producer_id_nothing_is_charged() throws Exception {
        broker.createTopic("plain", 1);
        long admitted = Guarded.total(broker, "Admitted");
        long throttled = Guarded.total(broker, "Throttled");
        Producers.Seen seen = Producers.run(broker, "plain", 1, 30, 5, 8,
                Map.of("enable.idempotence", "false", "max.in.flight.requests.per.connection", "1"));
        assertEquals(List.of(), seen.errors());
        assertEquals(0, seen.throttledMs());
        Log.assertExactlyOnceInOrder(Log.read(broker, "plain", 1), 30, 5);
        assertEquals(admitted, Guarded.total(broker, "Admitted"));
        assertEquals(throttled, Guarded.total(broker, "Throttled"));
    }

    @Test
    void transactions_commit_and_abort_under_the_quota() throws Exception {
        int producers = 16;
        int messages = 10;
        broker.createTopic("transactions", 1);
        long throttled = Guarded.total(broker, "Throttled");
        ExecutorService threads = Executors.newFixedThreadPool(producers);
        List<Future<?>> runs = IntStream.range(0, producers).<Future<?>>mapToObj(n -> threads.submit(() -> {
            transact(n, messages);
            return null;
        })).toList();
        threads.shutdown();
        for (Future<?> run : runs) {
            run.get();
        }
        Log.assertExactlyOnceInOrder(Log.read(broker, "transactions", 1), producers, messages);
        assertTrue(Guarded.total(broker, "Throttled") > throttled, "some were over the quota");
        assertEquals(0, Guarded.total(broker, "Faults"));
    }

    /** Two transactions, the first one aborted. */
    private static void transact(int n, int messages) throws ExecutionException, InterruptedException {
        Properties settings = Producers.settings(broker, "", Map.of("transactional.id", "transaction-" + n));
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings)) {
            producer.initTransactions();
            producer.beginTransaction();
            producer.send(new ProducerRecord<>("transactions", 0, null, n + ":999")).get();
            producer.abortTransaction();
            producer.beginTransaction();
            for (int i = 0; i < messages; i++) {
                producer.send(new ProducerRecord<>("transactions", 0, null, n + ":" + i));
            }
            producer.commitTransaction();
        }
    }

    @Test
    void what_kafka_refuses_anyway_is_not_charged() throws Exception {
        long admitted = Guarded.total(broker, "Admitted");
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            for (int i = 0; i < 30; i++) {
                assertEquals(Errors.UNKNOWN_TOPIC_OR_PARTITION, raw.send("no-such-topic", 1, 3_000_000 + i).error());
            }
        }
        assertEquals(admitted, Guarded.total(broker, "Admitted"));
    }

    @Test
    void an_unknown_attribute_is_refused_as_jmx_asks() {
        assertThrows(javax.management.AttributeNotFoundException.class, () -> broker.attribute(Guarded.TOTALS, "NoSuch"));
    }
}
