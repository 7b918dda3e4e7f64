package io.tollgate.it;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * What clients do at which time: planned in any order, then done in the order of time, as fast as it goes. Records bear the time that
 * was planned, which a client is free to set. To be planned and lived by one thread.
 */
final class Timeline implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    interface Action {
        void run(long atMs) throws Exception;
    }

    interface Work {
        void run() throws Exception;
    }

    private record Step(long atMs, Action action) {}

    private final BrokerProcess broker;
    private final List<Step> steps = new ArrayList<>();
    private final List<KafkaProducer<byte[], byte[]>> kept = new ArrayList<>();
    private final Queue<Exception> errors = new ConcurrentLinkedQueue<>();
    private final ExecutorService workers = Executors.newFixedThreadPool(4);

    Timeline(BrokerProcess broker) {
        this.broker = broker;
    }

    /** A new producer; each of its records is a batch of its own, unless {@code extra} says otherwise. */
    KafkaProducer<byte[], byte[]> producer(Map<String, String> extra) {
        Properties settings = broker.clientSettings("");
        settings.put("linger.ms", "0");
        settings.put("batch.size", "0");
        settings.put("metric.reporters", "");
        settings.putAll(extra);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    /** A producer that lives to the end of the timeline. */
    KafkaProducer<byte[], byte[]> keep(KafkaProducer<byte[], byte[]> producer) {
        kept.add(producer);
        return producer;
    }

    /** Plans one thing, at a time in milliseconds since 1970. */
    void at(long atMs, Action action) {
        steps.add(new Step(atMs, action));
    }

    /** Plans the same again and again: first at {@code fromMs}, and before {@code toMs}. */
    void every(long periodMs, long fromMs, long toMs, Action action) {
        for (long atMs = fromMs; atMs < toMs; atMs += periodMs) {
            at(atMs, action);
        }
    }

    /** Sends a small record; {@link #live} fails when it doesn't arrive. */
    void send(KafkaProducer<byte[], byte[]> producer, String topic, int partition, long atMs) {
        send(producer, topic, partition, atMs, null, new byte[20]);
    }

    void send(KafkaProducer<byte[], byte[]> producer, String topic, int partition, long atMs, byte[] key, byte[] value) {
        producer.send(new ProducerRecord<>(topic, partition, atMs, key, value), (metadata, error) -> {
            if (error != null) {
                errors.add(error);
            }
        });
    }

    /** For an action that need not be waited for: does its work beside the timeline. */
    void aside(Work work) {
        workers.submit(() -> {
            try {
                work.run();
            } catch (Exception e) {
                errors.add(e);
            }
        });
    }

    /** Does all that was planned, and returns when all was acknowledged. */
    void live() throws Exception {
        steps.sort(Comparator.comparingLong(Step::atMs));
        for (Step step : steps) {
            step.action().run(step.atMs());
        }
        workers.shutdown();
        if (!workers.awaitTermination(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            throw new AssertionError("what was done aside has not ended after " + PATIENCE.toSeconds() + " s");
        }
        kept.forEach(KafkaProducer::flush);
        if (!errors.isEmpty()) {
            throw new AssertionError("of " + errors.size() + " errors the first", errors.peek());
        }
    }

    /** Ends all that is still there, without a word to the broker: a transaction that is open stays open. */
    @Override
    public void close() {
        workers.shutdownNow();
        kept.forEach(producer -> producer.close(Duration.ZERO));
    }
}
