package io.tollgate.it;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Many real KafkaProducers, each with a producer ID of its own. Producer n sends "n:0", "n:1" and so on to partition
 * (n modulo partitions), each message as a batch of its own and several under way at once, as a busy producer does.
 */
final class Producers {
    /**
     * What the producers saw.
     *
     * @param errors of messages that were given up on
     * @param retried records sent again
     * @param throttledMs the longest throttle time that any producer was told
     */
    record Seen(List<String> errors, long retried, double throttledMs) {}

    private Producers() {}

    static Properties settings(BrokerProcess broker, String user, Map<String, String> extra) {
        Properties properties = broker.clientSettings(user);
        properties.put("key.serializer", StringSerializer.class.getName());
        properties.put("value.serializer", StringSerializer.class.getName());
        properties.put("linger.ms", "0");
        properties.put("batch.size", "0");
        properties.put("buffer.memory", "1048576");
        properties.putAll(extra);
        return properties;
    }

    /** Runs all of them, {@code atOnce} at a time, and returns when each has closed. */
    static Seen run(BrokerProcess broker, String topic, int partitions, int producers, int messages, int atOnce,
            Map<String, String> extra) throws Exception {
        Queue<String> errors = new ConcurrentLinkedQueue<>();
        ExecutorService threads = Executors.newFixedThreadPool(atOnce);
        List<Future<double[]>> runs = new ArrayList<>();
        for (int n = 0; n < producers; n++) {
            int number = n;
            runs.add(threads.submit(() -> {
                try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings(broker, "", extra))) {
                    for (int i = 0; i < messages; i++) {
                        String message = number + ":" + i;
                        producer.send(new ProducerRecord<>(topic, number % partitions, null, message), (metadata, error) -> {
                            if (error != null) {
                                errors.add(message + ": " + error);
                            }
                        });
                    }
                    producer.flush();
                    return new double[] {metric(producer, "record-retry-total"), metric(producer, "produce-throttle-time-max")};
                }
            }));
        }
        threads.shutdown();
        if (!threads.awaitTermination(150, TimeUnit.SECONDS)) {
            threads.shutdownNow();
            throw new AssertionError("the producers did not end");
        }
        double retried = 0;
        double throttled = 0;
        for (Future<double[]> run : runs) {
            retried += run.get()[0];
            throttled = Math.max(throttled, run.get()[1]);
        }
        return new Seen(List.copyOf(errors), (long) retried, throttled);
    }

    /** The sum over all metrics of that name in the producer's own group; NaN counts as nothing. */
    static double metric(KafkaProducer<?, ?> producer, String name) {
        double sum = 0;
        for (Metric metric : producer.metrics().values()) {
            if (metric.metricName().name().equals(name) && metric.metricName().group().equals("producer-metrics")
                    && metric.metricValue() instanceof Double value && !value.isNaN()) {
                sum += value;
            }
        }
        return sum;
    }
}
