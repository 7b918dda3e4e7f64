package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import java.io.EOFException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Kafka's own client over the quota, and what an answer over the quota looks like on the wire. */
class JavaClientIT {
    private static final Quota QUOTA = new Quota(10, 2);
    private static BrokerProcess broker;

    @BeforeAll
    static void start() throws Exception {
        broker = QUOTA.on(Guarded.broker("java-client")).property(Guarded.MAX_THROTTLE, "5000").start();
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    @Test
    void k5_java_client_over_quota_loses_nothing_and_keeps_its_order() throws Exception {
        int producers = 40;
        int messages = 25;
        broker.createTopic("java", 1);
        long admitted = Guarded.total(broker, "Admitted");
        long producerIds = broker.producerIdCount();
        try (Quota.Watch watch = QUOTA.new Watch(broker)) {
            Producers.Seen seen = Producers.run(broker, "java", 1, producers, messages, producers, Map.of());
            assertEquals(List.of(), seen.errors());
            assertTrue(seen.throttledMs() > 0, "the client was told to wait");
            assertTrue(seen.retried() > 0);
            assertTrue(watch.worstExcess() <= 0, "over the quota by " + watch.worstExcess());
        }
        Log.assertExactlyOnceInOrder(Log.read(broker, "java", 1), producers, messages);
        assertEquals(producers, broker.producerIdCount() - producerIds);
        assertEquals(producers, Guarded.total(broker, "Admitted") - admitted);
        assertTrue(Guarded.total(broker, "Throttled") > 0);
        assertEquals(0, Guarded.total(broker, "Faults"));
        Object refused = broker.attribute(
                "kafka.network:type=RequestMetrics,name=ErrorsPerSec,request=Produce,error=THROTTLING_QUOTA_EXCEEDED", "Count");
        assertTrue((Long) refused > 0, "Kafka's own metrics show the error");
        try (Jmx jmx = broker.openJmx()) {
            assertFalse(jmx.has("kafka.network:type=RequestMetrics,name=ErrorsPerSec,request=Produce,error=OUT_OF_ORDER_SEQUENCE_NUMBER"),
                    "none came out of its turn");
        }
    }

    @Test
    void k4_an_answer_names_each_partition_and_the_connection_rests() throws Exception {
        broker.createTopic("wire", 3);
        try (RawProducer raw = new RawProducer(broker, "", 20_000); RawProducer java = new RawProducer(broker, "", 20_000)) {
            java.introduce("apache-kafka-java", "4.4.0");
            long pid = 1_000_000;
            RawProducer.Answer answer = raw.send("wire", 3, pid);
            while (answer.error() == Errors.NONE) {
                answer = raw.send("wire", 3, ++pid);
            }
            long refused = System.nanoTime();
            assertEquals(Errors.REQUEST_TIMED_OUT, answer.error());
            assertTrue(answer.throttleMs() > 0 && answer.throttleMs() <= 5_000, answer.toString());
            raw.send("wire", 3, 1_000_000);
            long restedMs = (System.nanoTime() - refused) / 1_000_000;
            assertTrue(restedMs >= answer.throttleMs() - 20, "answered after " + restedMs + " ms, throttled for " + answer.throttleMs());

            answer = java.send("wire", 3, ++pid);
            while (answer.error() == Errors.NONE) {
                answer = java.send("wire", 3, ++pid);
            }
            assertEquals(Errors.THROTTLING_QUOTA_EXCEEDED, answer.error());
        }
    }

    @Test
    void k5_with_acks_0_over_quota_the_connection_is_closed() throws Exception {
        broker.createTopic("acks0", 1);
        long pid = 2_000_000;
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            while (raw.send("acks0", 1, ++pid).error() == Errors.NONE) {
                // Spend the quota.
            }
        }
        int passed = 0;
        boolean closed = false;
        while (!closed) {
            try (RawProducer raw = new RawProducer(broker, "", 200)) {
                raw.send("acks0", 0, 1, ++pid, (short) 0, 0, (short) 0);
                fail("acks=0 was answered");
            } catch (SocketTimeoutException e) {
                // No answer, and the connection stands: a token had come meanwhile, and it passed.
                assertTrue(++passed < 50, "none was refused");
            } catch (EOFException e) {
                closed = true;
            }
        }
    }
}
