package io.tollgate.it;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

/**
 * Thousands of idempotent producers at work in a cluster, each with a producer ID of its own: producer n sends "n:0", "n:1"
 * and so on to partition (n modulo partitions), with acks=all, one at a time, and sends each again until it is acknowledged, as
 * every client library does. Real KafkaProducers would need a thread and some MB each; these share one connection for each
 * partition ({@link RawProducer}), so what the brokers see is the same, at a rate that leaves them room.
 *
 * <p>A round is one message of each producer.
 */
final class ActiveProducers implements AutoCloseable {
    private static final long FIRST_PID = 1_000_000;
    private static final int ANSWER_TIMEOUT_MS = 30_000;
    /** As long as a client library tries, by default. */
    private static final long DELIVERY_TIMEOUT_S = 120;
    private static final long PAUSE_MS = 50;

    private final BrokerCluster cluster;
    private final String user;
    private final String topic;
    private final int partitions;
    private final int[] acknowledged;
    private final double perSecond;
    private final Admin admin;
    private final AtomicIntegerArray rounds;
    private final LongAdder all = new LongAdder();
    private final LongAdder throttled = new LongAdder();
    private final Map<String, LongAdder> retried = new ConcurrentSkipListMap<>();
    private final ConcurrentLinkedQueue<String> failed = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ending;

    /** @param perSecond messages per second over all producers, at most */
    ActiveProducers(BrokerCluster cluster, String user, String topic, int partitions, int producers, double perSecond) {
        this.cluster = cluster;
        this.user = user;
        this.topic = topic;
        this.partitions = partitions;
        this.acknowledged = new int[producers];
        this.perSecond = perSecond / partitions;
        this.admin = cluster.admin();
        this.rounds = new AtomicIntegerArray(partitions);
        for (int partition = 0; partition < partitions; partition++) {
            int own = partition;
            Thread thread = new Thread(() -> run(own), "active-" + partition);
            threads.add(thread);
            thread.start();
        }
    }

    private void run(int partition) {
        try (Connection connection = new Connection(partition)) {
            long due = System.nanoTime();
            while (!ending) {
                for (int n = partition; n < acknowledged.length && !ending; n += partitions) {
                    // What was held up is not made good by a burst.
                    due = Math.max(due + (long) (1e9 / perSecond), System.nanoTime() - 50_000_000);
                    LockSupport.parkNanos(due - System.nanoTime());
                    if (!delivers(connection, partition, n)) {
                        return;
                    }
                    acknowledged[n]++;
                    all.increment();
                }
                rounds.incrementAndGet(partition);
            }
        } catch (RuntimeException | InterruptedException e) {
            failed.add("partition " + partition + ": " + e);
        }
    }

    /** Sends the next message of producer n until it is acknowledged. @return false: it failed */
    private boolean delivers(Connection connection, int partition, int n) throws InterruptedException {
        byte[] value = (n + ":" + acknowledged[n]).getBytes(StandardCharsets.US_ASCII);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DELIVERY_TIMEOUT_S);
        while (true) {
            String why;
            try {
                RawProducer.Answer answer = connection.open().send(topic, partition, 1, FIRST_PID + n, (short) 0, acknowledged[n],
                        (short) -1, value);
                if (answer.throttleMs() > 0) {
                    throttled.increment();
                }
                // A duplicate was appended before, and its answer did not arrive.
                if (answer.error() == Errors.NONE || answer.error() == Errors.DUPLICATE_SEQUENCE_NUMBER) {
                    return true;
                }
                why = answer.error().name();
                if (!(answer.error().exception() instanceof RetriableException)) {
                    failed.add(n + ":" + acknowledged[n] + ": " + why);
                    return false;
                }
            } catch (IOException e) {
                why = "connection";
            }
            retried.computeIfAbsent(why, name -> new LongAdder()).increment();
            if (System.nanoTime() > deadline) {
                failed.add(n + ":" + acknowledged[n] + ": " + why + " for " + DELIVERY_TIMEOUT_S + " s");
                return false;
            }
            connection.close();
            Thread.sleep(PAUSE_MS);
        }
    }

    /** To the partition's leader, of one thread. Closed after a failure, and made anew to whoever leads by then. */
    private final class Connection implements AutoCloseable {
        private final int partition;
        private RawProducer open;

        Connection(int partition) {
            this.partition = partition;
        }

        RawProducer open() throws IOException, InterruptedException {
            if (open == null) {
                open = new RawProducer(cluster.node(leader()), user, ANSWER_TIMEOUT_MS);
            }
            return open;
        }

        private int leader() throws IOException, InterruptedException {
            try {
                Node leader = cluster.partitions(admin, topic).get(partition).leader();
                if (leader != null) {
                    return leader.id();
                }
            } catch (ExecutionException | TimeoutException e) {
                throw new IOException(e);
            }
            throw new IOException("no leader");
        }

        @Override
        public void close() {
            if (open != null) {
                open.close();
                open = null;
            }
        }
    }

    /** Waits until each producer has had a message acknowledged that it sent after this call. */
    void awaitRound() throws InterruptedException {
        int[] target = new int[partitions];
        for (int partition = 0; partition < partitions; partition++) {
            // The round under way may have passed some of them already.
            target[partition] = rounds.get(partition) + 2;
        }
        for (int partition = 0; partition < partitions; partition++) {
            while (rounds.get(partition) < target[partition]) {
                if (!threads.get(partition).isAlive()) {
                    throw new AssertionError("the producers of partition " + partition + " have ended: " + failed);
                }
                Thread.sleep(50);
            }
        }
    }

    /** Messages acknowledged so far. */
    long acknowledged() {
        return all.sum();
    }

    /** Answers that told a producer to wait. */
    long throttled() {
        return throttled.sum();
    }

    /** Messages given up. */
    List<String> failed() {
        return List.copyOf(failed);
    }

    /** Why messages were sent again, and how often. */
    Map<String, Long> retried() {
        Map<String, Long> copy = new TreeMap<>();
        retried.forEach((why, count) -> copy.put(why, count.sum()));
        return copy;
    }

    /** Producers of one partition. */
    int of(int partition) {
        return (acknowledged.length - partition + partitions - 1) / partitions;
    }

    /** Ends all, each after its message under way. @return messages acknowledged, by producer */
    int[] stop() throws InterruptedException {
        ending = true;
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
            thread.join();
        }
        return acknowledged;
    }

    @Override
    public void close() {
        try {
            stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        admin.close();
    }
}
