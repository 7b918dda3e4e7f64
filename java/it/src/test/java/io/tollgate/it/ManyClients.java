package io.tollgate.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * Three days of a cluster's life, written in seconds by real clients of every kind, for who reads a broker's log directory:
 * a client sets its records' times itself, and the broker rolls its segments by them. Whatever happens is ordered by time.
 */
final class ManyClients implements AutoCloseable {
    private static final long SECOND = 1_000;
    private static final long MINUTE = 60 * SECOND;
    private static final long HOUR = 60 * MINUTE;
    private static final long SPAN = 72 * HOUR;
    private static final int ROGUES = 120;
    private static final int SHORT_LIVED = 30;
    private static final int TRANSACTIONAL = 4;
    private static final long FIRST_RAW_PID = 1_000_000;
    private static final String MEBIBYTE = "1048576";
    private static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");
    /** Far above what a wait here should take, for slow machines. */
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static final String ORDERS = "orders";
    private static final String EVENTS = "events";
    private static final String PAYMENTS = "payments";
    private static final String LEDGER = "ledger";
    private static final String PLAIN = "plain";
    static final String COMPACTED = "compacted";
    static final String VERSIONS = "versions";
    private static final String APPENDED = "appended";
    static final String PREALLOCATED = "preallocated";
    private static final String PACKED = "packed";
    private static final String TRIMMED = "trimmed";
    private static final String RAW = "raw";
    private static final String DELETED = "deleted";

    private final BrokerProcess broker;
    private final long endMs = System.currentTimeMillis() - 10 * MINUTE;
    private final long startMs = endMs - SPAN;
    private final Random random = new Random(936);
    private final Timeline time;
    private final KafkaConsumer<byte[], byte[]> group;

    private ManyClients(BrokerProcess broker) {
        this.broker = broker;
        time = new Timeline(broker);
        Properties settings = broker.clientSettings("");
        settings.put("group.id", "clerks");
        group = new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    /** A broker that rolls small segments, keeps all, compacts and forgets soon, and writes nothing while nobody asks it to. */
    static BrokerBuilder broker(String name) {
        return BrokerProcess.builder(name).property("log.retention.ms", "-1").property("log.cleaner.backoff.ms", "100")
                .property("log.cleaner.min.cleanable.ratio", "0.01")
                .property("log.index.size.max.bytes", "65536").property("log.retention.check.interval.ms", "300")
                .property("log.initial.task.delay.ms", "300").property("metadata.max.idle.interval.ms", "0")
                // Forgets producer IDs soon after they have expired.
                .property("producer.id.expiration.check.interval.ms", "300")
                // What was deleted lies about under another name to the end.
                .property("log.segment.delete.delay.ms", "3600000")
                // Checkpoints only when something happened, or at the end.
                .property("log.flush.offset.checkpoint.interval.ms", "3600000")
                .property("log.flush.start.offset.checkpoint.interval.ms", "3600000")
                .property("replica.high.watermark.checkpoint.interval.ms", "3600000")
                .jvmArgument("-XX:TieredStopAtLevel=1");
    }

    /** Makes the topics, runs all clients, and returns when the broker has compacted and deleted what it will. */
    static void run(BrokerProcess broker) throws Exception {
        try (ManyClients clients = new ManyClients(broker)) {
            clients.createTopics();
            clients.longLived();
            clients.shortLivedAndRogue();
            clients.transactional();
            clients.withoutIdempotence();
            clients.ofCompactedTopics();
            clients.ofOddTopics();
            clients.time.live();
            clients.raw();
            clients.deleteAndCompact();
        }
    }

    private void createTopics() throws InterruptedException {
        try (Admin admin = broker.admin()) {
            String sixHours = Long.toString(6 * HOUR);
            create(admin, ORDERS, 3, Map.of("segment.ms", sixHours));
            create(admin, EVENTS, 4, Map.of("segment.ms", sixHours));
            create(admin, PAYMENTS, 2, Map.of("segment.ms", sixHours));
            create(admin, LEDGER, 1, Map.of());
            create(admin, PLAIN, 1, Map.of("segment.ms", sixHours));
            create(admin, COMPACTED, 2, Map.of("cleanup.policy", "compact", "segment.ms", sixHours));
            // By size, for the markers of transactions have the broker's time. The least that Kafka 4 takes.
            create(admin, VERSIONS, 1, Map.of("cleanup.policy", "compact", "segment.bytes", MEBIBYTE));
            create(admin, APPENDED, 2, Map.of("message.timestamp.type", "LogAppendTime"));
            create(admin, PREALLOCATED, 1, Map.of("preallocate", "true", "segment.bytes", MEBIBYTE));
            create(admin, PACKED, 1, Map.of("segment.ms", sixHours));
            create(admin, TRIMMED, 1, Map.of("segment.ms", sixHours));
            create(admin, RAW, 2, Map.of());
            create(admin, DELETED, 1, Map.of());
        }
    }

    private static void create(Admin admin, String topic, int partitions, Map<String, String> settings) throws InterruptedException {
        Topics.create(admin, new NewTopic(topic, partitions, (short) 1).configs(settings), partitions);
    }

    /** A moment of the three days, the same in each run as seen from its end; none that lies a day back when the run is over. */
    private long anyTime() {
        long atMs = startMs + (long) (random.nextDouble() * SPAN);
        return Math.abs(atMs - (endMs - 24 * HOUR)) < HOUR ? anyTime() : atMs;
    }

    /** Idempotent, as they should be: one that never rests, and some that come back after minutes, hours and more than a day. */
    private void longLived() {
        long[] periods = {45 * SECOND, 61 * SECOND, 10 * MINUTE, 2 * HOUR, 26 * HOUR};
        for (long period : periods) {
            KafkaProducer<byte[], byte[]> producer = time.keep(time.producer(Map.of()));
            int[] count = {0};
            time.every(period, period < 5 * MINUTE ? endMs - HOUR : startMs, endMs,
                    atMs -> time.send(producer, ORDERS, count[0]++ % 3, atMs));
        }
        // One whose clock is set back by three hours halfway.
        KafkaProducer<byte[], byte[]> astray = time.keep(time.producer(Map.of()));
        time.every(HOUR, startMs, startMs + SPAN / 2, atMs -> time.send(astray, ORDERS, 0, atMs));
        time.every(HOUR, startMs + SPAN / 2, endMs, atMs -> time.send(astray, ORDERS, 0, atMs - 3 * HOUR));
    }

    private void shortLivedAndRogue() {
        for (int n = 0; n < SHORT_LIVED; n++) {
            int partition = n % 4;
            time.at(anyTime(), atMs -> time.aside(() -> {
                try (KafkaProducer<byte[], byte[]> producer = time.producer(Map.of())) {
                    for (int i = 0; i < 8; i++) {
                        time.send(producer, EVENTS, partition, atMs + i * 17 * SECOND);
                    }
                }
            }));
        }
        for (int n = 0; n < ROGUES; n++) {
            int partition = n % 4;
            // Half of them within one hour.
            long atMs = n % 2 == 0 ? anyTime() : endMs - 30 * HOUR + (long) (random.nextDouble() * HOUR);
            time.at(atMs, ignored -> time.aside(() -> {
                try (KafkaProducer<byte[], byte[]> producer = time.producer(Map.of())) {
                    time.send(producer, EVENTS, partition, atMs);
                }
            }));
        }
    }

    /** Over several topics, committed and aborted, some with offsets; one comes again as another instance, and one never ends. */
    private void transactional() {
        for (int n = 0; n < TRANSACTIONAL; n++) {
            int number = n;
            Map<String, String> settings = Map.of("transactional.id", "clerk-" + n);
            List<KafkaProducer<byte[], byte[]>> instance = new ArrayList<>();
            time.at(startMs, atMs -> begin(instance, settings));
            int[] count = {0};
            time.every(3 * HOUR, startMs + n * 7 * MINUTE, endMs, atMs -> transact(instance.get(0), number, count[0]++, atMs));
            if (n == 1) {
                time.at(startMs + SPAN / 2, atMs -> begin(instance, settings));
            }
        }
        time.at(endMs - 5 * MINUTE, atMs -> {
            Map<String, String> settings = Map.of("transactional.id", "hanging", "transaction.timeout.ms", "900000");
            KafkaProducer<byte[], byte[]> hanging = time.keep(time.producer(settings));
            hanging.initTransactions();
            hanging.beginTransaction();
            time.send(hanging, LEDGER, 0, atMs);
            hanging.flush();
        });
    }

    private void begin(List<KafkaProducer<byte[], byte[]>> instance, Map<String, String> settings) {
        KafkaProducer<byte[], byte[]> producer = time.keep(time.producer(settings));
        producer.initTransactions();
        instance.clear();
        instance.add(producer);
    }

    private void transact(KafkaProducer<byte[], byte[]> producer, int number, int count, long atMs) {
        producer.beginTransaction();
        time.send(producer, PAYMENTS, number % 2, atMs);
        if (count % 2 == 0) {
            time.send(producer, PAYMENTS, 1 - number % 2, atMs + SECOND);
            time.send(producer, LEDGER, 0, atMs + 2 * SECOND);
        }
        if (count % 4 == 0) {
            producer.sendOffsetsToTransaction(Map.of(new TopicPartition(ORDERS, 0), new OffsetAndMetadata(count)),
                    group.groupMetadata());
        }
        if (count % 3 == 2) {
            producer.flush();
            producer.abortTransaction();
        } else {
            producer.commitTransaction();
        }
    }

    private void withoutIdempotence() {
        KafkaProducer<byte[], byte[]> plain = time.keep(time.producer(Map.of("enable.idempotence", "false", "acks", "1")));
        time.every(HOUR, startMs, endMs, atMs -> time.send(plain, PLAIN, 0, atMs));
        // In the same partition, one with a producer ID.
        KafkaProducer<byte[], byte[]> idempotent = time.keep(time.producer(Map.of()));
        time.every(9 * HOUR, startMs, endMs, atMs -> time.send(idempotent, PLAIN, 0, atMs));
    }

    private void ofCompactedTopics() {
        KafkaProducer<byte[], byte[]> keyed = time.keep(time.producer(Map.of()));
        // The only one of its key: it stays, and offsets are missing behind it.
        time.at(startMs, atMs -> time.send(keyed, COMPACTED, 1, atMs, "key".getBytes(StandardCharsets.UTF_8), new byte[20]));
        int[] count = {0};
        time.every(30 * MINUTE, startMs, endMs, atMs -> {
            int n = count[0]++;
            byte[] key = ("key-" + n % 5).getBytes(StandardCharsets.UTF_8);
            time.send(keyed, COMPACTED, n % 2, atMs, key, n % 11 == 10 ? null : new byte[20]);
        });
        for (int n = 0; n < 5; n++) {
            // Another record of its key comes later: what stays of it is an empty batch.
            time.at(startMs + n * HOUR, atMs -> {
                try (KafkaProducer<byte[], byte[]> once = time.producer(Map.of())) {
                    time.send(once, COMPACTED, 0, atMs, "key-0".getBytes(StandardCharsets.UTF_8), new byte[20]);
                }
            });
        }
        List<KafkaProducer<byte[], byte[]>> editor = new ArrayList<>();
        time.at(startMs, atMs -> begin(editor, Map.of("transactional.id", "editor")));
        time.every(7 * HOUR, startMs + HOUR, endMs, atMs -> {
            editor.get(0).beginTransaction();
            time.send(editor.get(0), VERSIONS, 0, atMs, "page".getBytes(StandardCharsets.UTF_8), new byte[600_000]);
            editor.get(0).commitTransaction();
        });
    }

    private void ofOddTopics() {
        for (int n = 0; n < 3; n++) {
            int partition = n % 2;
            KafkaProducer<byte[], byte[]> producer = time.keep(time.producer(Map.of()));
            time.every(8 * HOUR, startMs, endMs, atMs -> time.send(producer, APPENDED, partition, atMs));
        }

        KafkaProducer<byte[], byte[]> large = time.keep(time.producer(Map.of()));
        time.every(4 * HOUR, startMs, endMs, atMs -> time.send(large, PREALLOCATED, 0, atMs, null, new byte[150_000]));

        for (String codec : CODECS) {
            Map<String, String> settings = Map.of("compression.type", codec, "batch.size", "8192", "linger.ms", "1000");
            KafkaProducer<byte[], byte[]> packing = time.keep(time.producer(settings));
            time.every(11 * HOUR, startMs, endMs, atMs -> {
                for (int i = 0; i < 40; i++) {
                    // The newest is neither the first nor the last of its batch.
                    time.send(packing, PACKED, 0, atMs + i * 37 % 40 * SECOND, null, new byte[200]);
                }
                packing.flush();
            });
        }

        KafkaProducer<byte[], byte[]> old = time.keep(time.producer(Map.of()));
        time.every(HOUR, startMs, endMs, atMs -> time.send(old, TRIMMED, 0, atMs));
        for (int n = 0; n < 6; n++) {
            time.at(endMs - 20 * HOUR + n * MINUTE, atMs -> {
                try (KafkaProducer<byte[], byte[]> once = time.producer(Map.of())) {
                    time.send(once, TRIMMED, 0, atMs);
                }
            });
        }
        time.at(endMs - HOUR, atMs -> {
            try (KafkaProducer<byte[], byte[]> once = time.producer(Map.of())) {
                time.send(once, DELETED, 0, atMs);
            }
        });
    }

    /** A client that makes its IDs up: some in both partitions, some in the middle of their sequence, some with a new epoch. */
    private void raw() throws IOException {
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            for (int n = 0; n < 200; n++) {
                long pid = FIRST_RAW_PID + n;
                expect(raw.send(RAW, 0, n % 5 == 0 ? 2 : 1, pid, (short) 0, n % 10 == 3 ? 7 : 0, (short) 1));
                if (n % 8 == 0) {
                    expect(raw.send(RAW, 0, 1, pid, (short) 1, 0, (short) 1));
                }
            }
            expect(raw.send(RAW, 0, 2, -1, (short) -1, -1, (short) 1));
        }
    }

    private static void expect(RawProducer.Answer answer) {
        if (answer.error() != Errors.NONE) {
            throw new AssertionError(answer.toString());
        }
    }

    private void deleteAndCompact() throws Exception {
        TopicPartition trimmed = new TopicPartition(TRIMMED, 0);
        try (Admin admin = broker.admin()) {
            admin.deleteTopics(Set.of(DELETED)).all().get(60, TimeUnit.SECONDS);
            // Into its ninth segment: the six that sent a day ago are gone from the log, but the broker remembers them.
            admin.deleteRecords(Map.of(trimmed, RecordsToDelete.beforeOffset(65))).all().get(60, TimeUnit.SECONDS);
        }
        for (String partition : List.of(COMPACTED + "-0", COMPACTED + "-1", VERSIONS + "-0")) {
            await(partition + " to be compacted", () -> isCompacted(partition));
        }
        await("the oldest segments to go", () -> !Files.exists(broker.data().resolve(TRIMMED + "-0/00000000000000000049.log")));
        await("the deleted topic to go", () -> !Files.exists(broker.data().resolve(DELETED + "-0")));
        // The cleaner comes again while there is anything to clean.
        await("the broker to come to rest", this::isAtRest);
    }

    private boolean isAtRest() throws IOException, InterruptedException {
        try {
            Map<Path, FileStates.State> before = FileStates.of(broker.data());
            Thread.sleep(1_000);
            return before.equals(FileStates.of(broker.data()));
        } catch (NoSuchFileException | UncheckedIOException e) {
            // A file went between being listed and being read.
            return false;
        }
    }

    private boolean isCompacted(String partition) throws IOException {
        Path checkpoint = broker.data().resolve("cleaner-offset-checkpoint");
        String start = partition.replace('-', ' ') + " ";
        return Files.exists(checkpoint) && Files.readAllLines(checkpoint).stream().anyMatch(line -> line.startsWith(start));
    }

    private static void await(String what, Callable<Boolean> reached) throws Exception {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!reached.call()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("waited " + PATIENCE.toSeconds() + " s in vain for " + what);
            }
            Thread.sleep(100);
        }
    }

    @Override
    public void close() {
        time.close();
        group.close();
    }
}
