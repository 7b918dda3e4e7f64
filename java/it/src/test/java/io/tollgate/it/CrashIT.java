package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker killed by SIGKILL under load, and started again on what is there. */
class CrashIT {
    private static final int PRODUCERS = 20;
    private static final int PARTITIONS = 2;
    /** Messages that each producer gets acknowledged before the kill, and again after it. */
    private static final int ENOUGH = 30;
    private static final long FIRST_RAW_PID = 1_000_000;

    /** Real producers that send without a pause, each "n:0", "n:1" and so on, until told to end. */
    private static final class Load implements AutoCloseable {
        private final List<KafkaProducer<String, String>> producers = new ArrayList<>();
        private final List<Thread> threads = new ArrayList<>();
        private final int[] sent = new int[PRODUCERS];
        private final AtomicInteger[] acknowledged = new AtomicInteger[PRODUCERS];
        private final Queue<String> errors = new ConcurrentLinkedQueue<>();
        private volatile boolean ending;

        Load(BrokerProcess broker) {
            for (int n = 0; n < PRODUCERS; n++) {
                int number = n;
                acknowledged[n] = new AtomicInteger();
                // A slow machine's recovery may take its time.
                KafkaProducer<String, String> producer =
                        new KafkaProducer<>(Producers.settings(broker, "", Map.of("delivery.timeout.ms", "300000")));
                producers.add(producer);
                threads.add(new Thread(() -> {
                    for (int i = 0; !ending; i++) {
                        String message = number + ":" + i;
                        sent[number]++;
                        producer.send(new ProducerRecord<>("crash", number % PARTITIONS, null, message), (metadata, error) -> {
                            if (error == null) {
                                acknowledged[number].incrementAndGet();
                            } else {
                                errors.add(message + ": " + error);
                            }
                        });
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
                    }
                    producer.flush();
                }, "load-" + n));
            }
            threads.forEach(Thread::start);
        }

        /** Until each producer has got so many more acknowledged. */
        void awaitMore(int count) throws InterruptedException {
            int[] from = Stream.of(acknowledged).mapToInt(AtomicInteger::get).toArray();
            long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
            for (int n = 0; n < PRODUCERS; n++) {
                while (acknowledged[n].get() < from[n] + count) {
                    assertTrue(System.nanoTime() < deadline, "producer " + n + " is stuck at " + acknowledged[n] + ", errors " + errors);
                    Thread.sleep(10);
                }
            }
        }

        /** What each producer sent, all of it answered. */
        int[] end() throws InterruptedException {
            ending = true;
            for (Thread thread : threads) {
                thread.join();
            }
            return sent;
        }

        @Override
        public void close() {
            ending = true;
            producers.forEach(producer -> producer.close(Duration.ZERO));
        }
    }

    @Test
    void k7_killed_under_load_none_is_charged_again_and_all_acknowledged_is_there_once(@TempDir Path temp) throws Exception {
        try (BrokerProcess broker = Guarded.broker("crash").property(Guarded.RATE, Integer.toString(PRODUCERS))
                .jvmArgument("-Djava.io.tmpdir=" + temp).jvmArgument("-XX:TieredStopAtLevel=1").start()) {
            broker.createTopic("crash", PARTITIONS);
            int[] sent;
            try (Load load = new Load(broker)) {
                load.awaitMore(ENOUGH);
                // The quota is used up: from here on, whoever were charged again would be refused.
                assertEquals(PRODUCERS, Guarded.total(broker, "Admitted"));
                broker.kill();
                assertEquals(List.of(), ours(temp));

                broker.start();
                load.awaitMore(ENOUGH);
                sent = load.end();
                assertEquals(List.of(), List.copyOf(load.errors));
            }
            assertEquals(0, Guarded.total(broker, "Admitted"));
            assertEquals(0, Guarded.total(broker, "Throttled"));
            assertEquals(0, Guarded.total(broker, "Faults"));
            assertEquals(PRODUCERS, broker.producerIdCount());
            Log.assertExactlyOnceInOrder(Log.read(broker, "crash", PARTITIONS), sent);

            // The quota of the new run is whole, and it is one.
            int admitted = 0;
            try (RawProducer raw = new RawProducer(broker, "", 30_000)) {
                while (raw.send("crash", 1, FIRST_RAW_PID + admitted).error() == Errors.NONE) {
                    admitted++;
                    assertTrue(admitted < 2 * PRODUCERS, "new ones are not limited");
                }
            }
            // A token comes every three minutes.
            assertTrue(admitted >= PRODUCERS && admitted <= PRODUCERS + 2, "admitted " + admitted);
            assertEquals(List.of(), ours(temp));
        }
    }

    /** What the agent has left in the temp directory; Kafka's own compressors leave theirs. */
    private static List<Path> ours(Path temp) throws Exception {
        try (Stream<Path> files = Files.list(temp)) {
            return files.filter(file -> file.getFileName().toString().contains("tollgate")).toList();
        }
    }
}
