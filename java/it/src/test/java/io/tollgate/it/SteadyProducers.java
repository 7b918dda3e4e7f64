package io.tollgate.it;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleBinaryOperator;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A few real KafkaProducers that go on as long as this lives, with acks=all: producer n sends "n:0", "n:1" and so on to
 * partition (n modulo partitions), {@value #EVERY_MS} ms apart, and waits for no answer before the next one.
 */
final class SteadyProducers implements AutoCloseable {
    private static final long EVERY_MS = 100;

    private final String topic;
    private final int partitions;
    private final int first;
    private final List<KafkaProducer<String, String>> producers = new ArrayList<>();
    private final int[] sent;
    private final LongAdder acknowledged = new LongAdder();
    private final ConcurrentLinkedQueue<String> failed = new ConcurrentLinkedQueue<>();
    private final Thread thread = new Thread(this::run, "steady");
    private volatile int rounds;
    private volatile boolean ending;

    /** @param first the number of the first one */
    SteadyProducers(BrokerCluster cluster, String user, String topic, int partitions, int first, int count) {
        this.topic = topic;
        this.partitions = partitions;
        this.first = first;
        this.sent = new int[count];
        Properties settings = Producers.settings(cluster.node(1), user, Map.of("acks", "all"));
        settings.putAll(cluster.clientSettings(user));
        for (int i = 0; i < count; i++) {
            producers.add(new KafkaProducer<>(settings));
        }
        thread.start();
    }

    private void run() {
        try {
            while (!ending) {
                for (int i = 0; i < sent.length; i++) {
                    int number = first + i;
                    String message = number + ":" + sent[i]++;
                    producers.get(i).send(new ProducerRecord<>(topic, number % partitions, null, message), (metadata, error) -> {
                        if (error == null) {
                            acknowledged.increment();
                        } else {
                            failed.add(message + ": " + error);
                        }
                    });
                }
                rounds = rounds + 1;
                Thread.sleep(EVERY_MS);
            }
        } catch (RuntimeException | InterruptedException e) {
            failed.add("sending: " + e);
        }
    }

    /** Waits until each producer has had a message acknowledged that it sent after this call. */
    void awaitRound() throws InterruptedException {
        int target = rounds + 2;
        while (rounds < target) {
            if (!thread.isAlive()) {
                throw new AssertionError("the producers have ended: " + failed);
            }
            Thread.sleep(50);
        }
        producers.forEach(KafkaProducer::flush);
    }

    long acknowledged() {
        return acknowledged.sum();
    }

    /** Messages given up. */
    List<String> failed() {
        return List.copyOf(failed);
    }

    /** The longest throttle time that any was told within the last minute, in milliseconds. */
    double throttledMs() {
        return metric("produce-throttle-time-max", Math::max);
    }

    /** Records sent again. */
    double retried() {
        return metric("record-retry-total", Double::sum);
    }

    private double metric(String name, DoubleBinaryOperator merge) {
        return producers.stream().mapToDouble(producer -> Producers.metric(producer, name)).reduce(0, merge);
    }

    /** Ends all when their messages have been answered. @return messages sent, by producer */
    int[] stop() throws InterruptedException {
        ending = true;
        thread.join();
        producers.forEach(KafkaProducer::flush);
        return sent;
    }

    @Override
    public void close() {
        ending = true;
        producers.forEach(producer -> producer.close(Duration.ZERO));
    }
}
