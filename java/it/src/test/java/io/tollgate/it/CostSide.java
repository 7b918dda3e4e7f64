package io.tollgate.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SynchronizedHistogram;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** A broker under measure, with a producer for each {@link CostShape}. For one thread. */
final class CostSide implements AutoCloseable {
    private static final long LONGEST_MICROS = 60_000_000;
    /** Where the logs are kept if it is there: a disk's own load says nothing about the agent and hides it. */
    private static final Path MEMORY = Path.of("/dev/shm");

    /**
     * What came of a short while of producing.
     *
     * @param perSecond records acknowledged, until the last one was
     * @param p99Ms from when a record was due to its acknowledgement; says something of a paced one only
     * @param brokerMicros the broker's CPU time per record
     */
    record Slice(double perSecond, double p99Ms, double brokerMicros) {}

    private final BrokerProcess broker;
    private final Jmx jmx;
    private final Map<CostShape, KafkaProducer<byte[], byte[]>> producers = new HashMap<>();

    private CostSide(BrokerProcess broker) throws IOException {
        this.broker = broker;
        this.jmx = broker.openJmx();
    }

    static CostSide start(BrokerBuilder builder) throws Exception {
        if (Files.isWritable(MEMORY)) {
            builder.data(Files.createTempDirectory(MEMORY, "tollgate-cost"));
        }
        // Old segments go early, so that a run needs little room.
        BrokerProcess broker = builder.property("log.segment.bytes", "67108864").property("log.retention.bytes", "67108864")
                .property("log.retention.check.interval.ms", "5000").property("log.segment.delete.delay.ms", "1000").start();
        try {
            CostSide side = new CostSide(broker);
            for (CostShape shape : CostShape.ALL) {
                broker.createTopic(shape.name(), 1);
                side.producers.put(shape, side.producer(shape));
            }
            return side;
        } catch (Throwable e) {
            broker.close();
            throw e;
        }
    }

    private KafkaProducer<byte[], byte[]> producer(CostShape shape) {
        Properties settings = broker.clientSettings("");
        settings.put("batch.size", Integer.toString(shape.batchBytes()));
        settings.put("linger.ms", Integer.toString(shape.lingerMs()));
        // Little waits in the client: what is measured begins and ends at the broker.
        settings.put("buffer.memory", "2097152");
        settings.put("metric.reporters", "");
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    Slice run(CostShape shape, Duration duration) throws IOException, JMException {
        KafkaProducer<byte[], byte[]> producer = producers.get(shape);
        Histogram micros = new SynchronizedHistogram(LONGEST_MICROS, 3);
        AtomicReference<Exception> failed = new AtomicReference<>();
        byte[] value = new byte[shape.recordBytes()];
        long cpu = cpuNanos();
        long start = System.nanoTime();
        long end = start + duration.toNanos();
        long sent = 0;
        for (long due = start; due < end; due = shape.isPaced() ? start + sent * 1_000_000_000L / shape.perSecond() : System.nanoTime()) {
            for (long wait; (wait = due - System.nanoTime()) > 0; ) {
                LockSupport.parkNanos(wait);
            }
            long since = due;
            producer.send(new ProducerRecord<>(shape.name(), value), (metadata, error) -> {
                if (error != null) {
                    failed.set(error);
                } else if (shape.isPaced()) {
                    micros.recordValue(Math.min(LONGEST_MICROS, (System.nanoTime() - since) / 1_000));
                }
            });
            sent++;
        }
        producer.flush();
        double seconds = (System.nanoTime() - start) / 1e9;
        if (failed.get() != null) {
            throw new AssertionError(shape.name() + ": a record was not acknowledged", failed.get());
        }
        return new Slice(sent / seconds, shape.isPaced() ? micros.getValueAtPercentile(99) / 1e3 : Double.NaN,
                (cpuNanos() - cpu) / 1e3 / sent);
    }

    private long cpuNanos() throws IOException, JMException {
        return (Long) jmx.attribute("java.lang:type=OperatingSystem", "ProcessCpuTime");
    }

    BrokerProcess broker() {
        return broker;
    }

    Jmx jmx() {
        return jmx;
    }

    @Override
    public void close() {
        producers.values().forEach(producer -> producer.close(Duration.ZERO));
        jmx.close();
        broker.close();
    }
}
