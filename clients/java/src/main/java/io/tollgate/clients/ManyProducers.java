package io.tollgate.clients;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Metric;
import org.apache.kafka.common.serialization.StringSerializer;

/** Many producers of kafka-clients, as clients/README.md asks of each program. */
public final class ManyProducers {
    private final String bootstrap;
    private final String topic;
    private final int messages;
    private final String mode;
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final AtomicLong retried = new AtomicLong();
    private final Map<String, String> failed = new ConcurrentSkipListMap<>();
    private volatile Object version;

    private ManyProducers(String bootstrap, String topic, int messages, String mode) {
        this.bootstrap = bootstrap;
        this.topic = topic;
        this.messages = messages;
        this.mode = mode;
    }

    public static void main(String[] arguments) throws Exception {
        int producers = Integer.parseInt(arguments[2]);
        ManyProducers all = new ManyProducers(arguments[0], arguments[1], Integer.parseInt(arguments[3]), arguments[5]);
        long start = System.nanoTime();
        ExecutorService threads = Executors.newFixedThreadPool(Integer.parseInt(arguments[4]));
        List<Future<?>> runs = new ArrayList<>();
        for (int n = 0; n < producers; n++) {
            int number = n;
            runs.add(threads.submit(() -> all.run(number)));
        }
        threads.shutdown();
        for (Future<?> run : runs) {
            run.get();
        }
        all.report((System.nanoTime() - start) / 1e9);
    }

    private void run(int number) {
        Properties settings = settings(number);
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(settings)) {
            if (mode.equals("transactions")) {
                transact(producer, number);
            } else {
                for (int i = 0; i < messages; i++) {
                    send(producer, number + ":" + i, true);
                }
                producer.flush();
            }
            retried.addAndGet(((Double) metric(producer, "producer-metrics", "record-retry-total")).longValue());
            version = metric(producer, "app-info", "version");
        }
    }

    private Properties settings(int number) {
        Properties settings = new Properties();
        settings.put("bootstrap.servers", bootstrap);
        settings.put("key.serializer", StringSerializer.class.getName());
        settings.put("value.serializer", StringSerializer.class.getName());
        // Each message a batch of its own and several under way at once, as with a busy producer.
        settings.put("linger.ms", "0");
        settings.put("batch.size", "0");
        settings.put("buffer.memory", "1048576");
        switch (mode) {
            case "transactions" -> settings.put("transactional.id", topic + "-" + number);
            case "acks0" -> settings.put("acks", "0");
            case "acks1" -> settings.put("acks", "1");
            // The default since 3.0, not yet in 2.8.
            default -> settings.put("enable.idempotence", "true");
        }
        return settings;
    }

    /** The even transactions are aborted, the odd ones committed; each has half of the messages. */
    private void transact(KafkaProducer<String, String> producer, int number) {
        try {
            producer.initTransactions();
            for (int transaction = 0; transaction < 4; transaction++) {
                boolean commits = transaction % 2 == 1;
                int from = transaction / 2 * (messages / 2);
                int to = transaction / 2 == 0 ? messages / 2 : messages;
                producer.beginTransaction();
                for (int i = from; i < to; i++) {
                    send(producer, number + ":" + (commits ? i : messages + i), commits);
                }
                if (commits) {
                    producer.commitTransaction();
                } else {
                    producer.flush();
                    producer.abortTransaction();
                }
            }
        } catch (KafkaException e) {
            failed.put(number + ":transaction", e.getClass().getSimpleName());
        }
    }

    private void send(KafkaProducer<String, String> producer, String message, boolean counts) {
        Callback callback = (metadata, error) -> {
            if (error != null) {
                failed.put(message, error.getClass().getSimpleName());
            } else if (counts) {
                acknowledged.incrementAndGet();
            }
        };
        producer.send(new ProducerRecord<>(topic, 0, null, message), callback);
    }

    private static Object metric(KafkaProducer<?, ?> producer, String group, String name) {
        for (Metric metric : producer.metrics().values()) {
            if (metric.metricName().name().equals(name) && metric.metricName().group().equals(group)) {
                return metric.metricValue();
            }
        }
        throw new IllegalStateException("no metric " + name);
    }

    private void report(double seconds) {
        StringJoiner failures = new StringJoiner(", ", "{", "}");
        failed.forEach((message, error) -> failures.add('"' + message + "\": \"" + error + '"'));
        System.out.printf(Locale.ROOT,
                "{\"client\": \"kafka-clients\", \"version\": \"%s\", \"acknowledged\": %d, \"failed\": %s, \"retried\": %d, \"seconds\": %.1f}%n",
                version, acknowledged.get(), failures, retried.get(), seconds);
    }
}
