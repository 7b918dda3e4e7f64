package io.tollgate.it;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A client as it should be: a few idempotent producers that live as long as it does, each sending at a steady rate.
 * It counts what it sent, what was acknowledged and what ended in an error, and how long each acknowledgement took,
 * measured from the moment the message was due: a send that starts late because the one before it was held up
 * counts its wait, too.
 */
public final class WellBehaved implements AutoCloseable {
    /** Latencies are kept up to this, to three digits. */
    private static final long LONGEST_MICROS = TimeUnit.MINUTES.toMicros(2);
    private static final int WINDOW_READINGS = 5;

    /**
     * @param sent messages handed to the producers
     * @param acknowledged messages the broker confirmed
     * @param errors messages that ended in an exception, those given up at {@link #close} included
     * @param p50Ms median time to acknowledgement over all but the warm-up, ms; NaN when there was none
     * @param p99Ms 99th percentile of the same, ms
     */
    public record Totals(long sent, long acknowledged, long errors, double p50Ms, double p99Ms) {}

    private final List<KafkaProducer<byte[], byte[]>> producers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final LongAdder sent = new LongAdder();
    private final LongAdder acknowledged = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final Recorder latencies = new Recorder(LONGEST_MICROS, 3);
    private final Histogram all = new Histogram(LONGEST_MICROS, 3);
    private final ArrayDeque<Histogram> window = new ArrayDeque<>();
    private volatile String lastError = "";
    private volatile boolean ending;

    /**
     * @param count producers
     * @param perSecond messages per second over all producers
     */
    public WellBehaved(BrokerProcess broker, String user, String topic, int count, double perSecond) {
        Properties settings = broker.clientSettings(user);
        // Shorter than the default of two minutes, so that a broker's end shows as errors while one watches.
        settings.put("delivery.timeout.ms", "20000");
        settings.put("request.timeout.ms", "10000");
        settings.put("max.block.ms", "20000");
        // Send at once: the default waits 5 ms for a batch, and that wait is not the broker's.
        settings.put("linger.ms", "0");
        settings.put("metric.reporters", "");
        for (int i = 0; i < count; i++) {
            settings.put("client.id", user + "-" + i);
            KafkaProducer<byte[], byte[]> producer =
                    new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
            producers.add(producer);
            double offset = i / perSecond;
            threads.add(new Thread(() -> send(producer, topic, count / perSecond, offset), user + "-" + i));
        }
        threads.forEach(Thread::start);
    }

    private void send(KafkaProducer<byte[], byte[]> producer, String topic, double everySeconds, double offsetSeconds) {
        long start = System.nanoTime() + (long) (offsetSeconds * 1e9);
        for (long i = 0; ; i++) {
            long due = start + (long) (i * everySeconds * 1e9);
            for (long wait; (wait = due - System.nanoTime()) > 0 && !ending; ) {
                LockSupport.parkNanos(wait);
            }
            if (ending) {
                return;
            }
            sent.increment();
            try {
                producer.send(new ProducerRecord<>(topic, new byte[100]), (metadata, error) -> done(due, error));
            } catch (RuntimeException e) {
                done(due, e);
            }
        }
    }

    private void done(long due, Exception error) {
        if (error != null) {
            errors.increment();
            lastError = error.toString();
            return;
        }
        acknowledged.increment();
        latencies.recordValue(Math.min(LONGEST_MICROS, (System.nanoTime() - due) / 1_000));
    }

    /** Forgets the latencies so far (not the counts): until here the JVMs on both sides were warming up. */
    public synchronized void warm() {
        latencies.reset();
        window.clear();
        all.reset();
    }

    /** @return the 99th percentile, ms, of what was acknowledged since the fifth-last call; NaN when nothing was */
    public synchronized double windowP99Ms() {
        Histogram newest = latencies.getIntervalHistogram();
        all.add(newest);
        window.addLast(newest);
        if (window.size() > WINDOW_READINGS) {
            window.removeFirst();
        }
        Histogram sum = new Histogram(LONGEST_MICROS, 3);
        window.forEach(sum::add);
        return percentileMs(sum, 99);
    }

    /** @return the counts and percentiles so far */
    public synchronized Totals totals() {
        all.add(latencies.getIntervalHistogram());
        // Read in this order: a message between two readings must not look acknowledged before it was sent.
        long failed = errors.sum();
        long confirmed = acknowledged.sum();
        return new Totals(sent.sum(), confirmed, failed, percentileMs(all, 50), percentileMs(all, 99));
    }

    private static double percentileMs(Histogram histogram, double percentile) {
        return histogram.getTotalCount() == 0 ? Double.NaN : histogram.getValueAtPercentile(percentile) / 1_000.0;
    }

    /** @return the newest error, empty when there was none */
    public String lastError() {
        return lastError;
    }

    /**
     * Stops sending, waits for what is on its way, gives up what is not there in time.
     *
     * @param patience how long to wait, over all producers
     */
    public void close(Duration patience) {
        ending = true;
        List<Thread> closers = new ArrayList<>();
        threads.forEach(LockSupport::unpark);
        for (KafkaProducer<byte[], byte[]> producer : producers) {
            Thread closer = new Thread(() -> producer.close(patience), "close");
            closer.start();
            closers.add(closer);
        }
        closers.addAll(threads);
        for (Thread thread : closers) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    @Override
    public void close() {
        close(Duration.ofSeconds(20));
    }
}
