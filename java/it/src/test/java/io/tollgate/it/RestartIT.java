package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class RestartIT {
    private static final int ACTIVE = 2_000;
    private static final int REAL = 20;
    private static final int RATE = 50;
    /** Far above what the broker hands out to real producers. */
    private static final long FIRST = 1_000_000;

    @Test
    void k7_restart_throttles_none_of_2000_active_producers() throws Exception {
        List<KafkaProducer<String, String>> real = new ArrayList<>();
        try (BrokerProcess broker = Guarded.broker("restart").start()) {
            broker.createTopic("active", 4);
            Properties settings = Producers.settings(broker, "", Map.of());
            for (int i = 0; i < REAL; i++) {
                real.add(new KafkaProducer<>(settings));
            }
            send(broker, 0, real);
            assertEquals(ACTIVE + REAL, broker.producerIdCount());

            broker.stop();
            Guarded.append(broker, Guarded.RATE, Integer.toString(RATE));
            broker.start();
            send(broker, 1, real);
            assertEquals(0, Guarded.total(broker, "Throttled"));
            assertEquals(0, Guarded.total(broker, "Admitted"), "none was charged");
            assertEquals(ACTIVE + REAL, broker.producerIdCount());
            // Once remembered, they cost no look-up and stay known.
            send(broker, 2, real);
            assertEquals(0, Guarded.total(broker, "Throttled"));
            assertEquals(0, Guarded.total(broker, "Faults"));

            // The guard is on all the same, and its quota untouched.
            int admitted = 0;
            try (RawProducer raw = new RawProducer(broker, "", 30_000)) {
                while (raw.send("active", 1, 2 * FIRST + admitted).error() == Errors.NONE) {
                    admitted++;
                    assertTrue(admitted < 2 * RATE, "new ones are not limited");
                }
            }
            // A token comes every 72 s.
            assertTrue(admitted >= RATE && admitted <= RATE + 2, "admitted " + admitted);

            broker.stop();
            assertEquals(Outcome.STOPPED, broker.outcome());
            List<String> lines = Guarded.lines(broker);
            assertEquals(2, lines.size(), "one line per start, none for the ends: " + lines);
            assertTrue(lines.get(0).contains("Tollgate guards this broker: mode enforce, no limit by default, window 3600 s in 4 layers"), lines.get(0));
            assertTrue(lines.get(1).contains("Tollgate guards this broker: mode enforce, 50.0 new producer IDs per hour and user"), lines.get(1));
        } finally {
            real.forEach(producer -> producer.close(java.time.Duration.ZERO));
        }
    }

    private static void send(BrokerProcess broker, int sequence, List<KafkaProducer<String, String>> real) throws Exception {
        try (RawProducer raw = new RawProducer(broker, "", 30_000)) {
            for (int i = 0; i < ACTIVE; i++) {
                RawProducer.Answer answer = raw.send("active", i % 4, 1, FIRST + i, (short) 0, sequence, (short) 1);
                assertEquals(new RawProducer.Answer(Errors.NONE, 0), answer, "producer " + i + ", batch " + sequence);
            }
        }
        for (KafkaProducer<String, String> producer : real) {
            producer.send(new ProducerRecord<>("active", 0, null, "value")).get();
        }
    }
}
