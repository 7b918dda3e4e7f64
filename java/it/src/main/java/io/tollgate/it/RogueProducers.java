package io.tollgate.it;

import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The common mistake: a new {@link KafkaProducer} for each message. Bounded in rate, in how many are at work at
 * once, and in how long each waits for its message before it is thrown away.
 */
public final class RogueProducers implements AutoCloseable {
    private static final int AT_ONCE = 32;
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    /**
     * @param made producers made
     * @param delivered those whose message was acknowledged
     * @param gaveUp those that waited in vain
     */
    public record Totals(long made, long delivered, long gaveUp) {}

    private final Properties settings;
    private final String topic;
    private final LongAdder made = new LongAdder();
    private final LongAdder delivered = new LongAdder();
    private final LongAdder gaveUp = new LongAdder();
    private final Semaphore places = new Semaphore(AT_ONCE);
    private final ExecutorService workers = Executors.newFixedThreadPool(AT_ONCE);
    private final Thread pace;
    private volatile boolean ending;

    /**
     * @param perSecond producers to make per second; fewer when {@value #AT_ONCE} are still waiting
     */
    public RogueProducers(BrokerProcess broker, String user, String topic, double perSecond) {
        this.topic = topic;
        settings = broker.clientSettings(user);
        settings.put("max.block.ms", "3000");
        settings.put("request.timeout.ms", "3000");
        settings.put("delivery.timeout.ms", "5000");
        settings.put("metric.reporters", "");
        pace = new Thread(() -> run(perSecond), user);
        pace.start();
    }

    private void run(double perSecond) {
        long due = System.nanoTime();
        while (!ending) {
            due += (long) (1e9 / perSecond);
            LockSupport.parkNanos(due - System.nanoTime());
            if (places.tryAcquire()) {
                workers.execute(this::oneMessage);
            }
        }
    }

    private void oneMessage() {
        made.increment();
        KafkaProducer<byte[], byte[]> producer = null;
        try {
            producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
            producer.send(new ProducerRecord<>(topic, new byte[100])).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            delivered.increment();
        } catch (ExecutionException | TimeoutException | RuntimeException e) {
            gaveUp.increment();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            if (producer != null) {
                producer.close(Duration.ZERO);
            }
            places.release();
        }
    }

    public Totals totals() {
        return new Totals(made.sum(), delivered.sum(), gaveUp.sum());
    }

    @Override
    public void close() {
        ending = true;
        try {
            pace.join();
            // Each worker's waits are bounded, so none needs to be interrupted.
            workers.shutdown();
            workers.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
