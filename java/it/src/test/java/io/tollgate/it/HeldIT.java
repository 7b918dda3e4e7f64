package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import javax.management.JMException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** What a broker holds for producer IDs: the two halves of the bound in docs/kafka.md. */
class HeldIT {
    private static final int PARTITIONS = 20;

    @Test
    void k8_an_entry_of_a_producer_id_costs_a_broker_what_the_page_says() throws Exception {
        int producers = 2_500;
        try (BrokerProcess broker = BrokerProcess.builder("held-bytes").start(); Jmx jmx = broker.openJmx();
                RawProducer raw = new RawProducer(broker, "", 30_000)) {
            broker.createTopic("held", PARTITIONS);
            // Everything of the way is loaded and compiled before the heap is read.
            send(raw, 0, producers / 4, 0);
            send(raw, 0, producers / 4, 1);
            double before = heapBytes(jmx);
            long entries = jmx.producerIdCount();
            send(raw, 1_000_000, producers, 0);
            entries = jmx.producerIdCount() - entries;
            assertEquals((long) PARTITIONS * producers, entries);
            double one = (heapBytes(jmx) - before) / entries;
            for (int sequence = 1; sequence < 5; sequence++) {
                send(raw, 1_000_000, producers, sequence);
            }
            double five = (heapBytes(jmx) - before) / entries;
            ClientRun.tell("  a producer ID in a partition: %.0f bytes of heap after one batch, %.0f after five", one, five);
            assertTrue(one > 150 && one < 300, "bytes after one batch: " + one);
            assertTrue(five > one + 4 * 30 && five < 500, "bytes after five batches: " + five);
        }
    }

    @Test
    void k8_what_a_broker_holds_is_bounded_by_quota_and_expiration() throws Exception {
        int atOnce = 100;
        int perSecond = 10;
        int expirationS = 5;
        int partitions = 4;
        // Between two looks of Kafka's for what has expired, and of this test.
        int lateS = 6;
        try (BrokerProcess broker = new Quota(atOnce, perSecond).on(Guarded.broker("held-bound")).property(Guarded.MAX_THROTTLE, "200")
                .property("producer.id.expiration.ms", Integer.toString(1_000 * expirationS))
                .property("producer.id.expiration.check.interval.ms", "1000").start(); Jmx jmx = broker.openJmx()) {
            broker.createTopic("held", partitions);
            try (RawFlood flood = new RawFlood(broker, "", "held", partitions, 1_000_000, 500, 20_000)) {
                long start = System.nanoTime();
                long most = 0;
                long late = 0;
                double seconds;
                while ((seconds = (System.nanoTime() - start) / 1e9) < 20) {
                    long held = jmx.producerIdCount();
                    most = Math.max(most, held);
                    late = seconds > 12 ? Math.max(late, held) : 0;
                    Thread.sleep(100);
                }
                long steady = (long) partitions * perSecond * (expirationS + lateS);
                ClientRun.tell("  held at most %d entries, later %d; quota x expiration x partitions: %d", most, late,
                        partitions * perSecond * expirationS);
                assertTrue(most <= partitions * atOnce + steady, "at most " + most);
                assertTrue(late <= steady, "in the long run " + late);
                assertTrue(late >= partitions * perSecond * expirationS / 2, "the quota was hardly used: " + late);
                assertTrue(flood.totals().refused() > 0, "nothing was refused: " + flood.totals());
            }
        }
    }

    /** One batch of each producer to each partition. */
    private static void send(RawProducer raw, long first, int producers, int sequence) throws IOException {
        for (int i = 0; i < producers; i++) {
            assertEquals(Errors.NONE, raw.send("held", 0, PARTITIONS, first + i, (short) 0, sequence, (short) 1).error());
        }
    }

    /** An entry has no byte array, and Kafka has some that come and go. */
    private static double heapBytes(Jmx jmx) throws IOException, JMException {
        return jmx.live().withoutBytesMb() * 1024 * 1024;
    }
}
