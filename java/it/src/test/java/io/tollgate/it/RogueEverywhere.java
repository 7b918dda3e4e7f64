package io.tollgate.it;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.protocol.Errors;

/**
 * A rogue that waits for its moment: it brings new producer IDs to every broker for every partition, led there or not, over a
 * connection for each, so that some of them arrive while a broker is becoming a partition's leader.
 */
final class RogueEverywhere implements AutoCloseable {
    private static final long PAUSE_MS = 4;

    private final BrokerCluster cluster;
    private final String user;
    private final String topic;
    private final AtomicLong nextPid;
    private final AtomicIntegerArray accepted;
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean ending;

    RogueEverywhere(BrokerCluster cluster, String user, String topic, int partitions, long firstPid) {
        this.cluster = cluster;
        this.user = user;
        this.topic = topic;
        this.nextPid = new AtomicLong(firstPid);
        this.accepted = new AtomicIntegerArray(cluster.size() + 1);
        for (int id = 1; id <= cluster.size(); id++) {
            for (int partition = 0; partition < partitions; partition++) {
                int node = id;
                int one = partition;
                threads.add(new Thread(() -> run(node, one), "rogue-" + node + "-" + one));
            }
        }
        threads.forEach(Thread::start);
    }

    private void run(int id, int partition) {
        try (RawProducer raw = new RawProducer(cluster.node(id), user, 60_000)) {
            while (!ending) {
                // With acks=1 the answer says whether it was appended here, whoever leads by then.
                if (raw.send(topic, partition, 1, nextPid.getAndIncrement(), (short) 0, 0, (short) 1).error() == Errors.NONE) {
                    accepted.incrementAndGet(id);
                }
                Thread.sleep(PAUSE_MS);
            }
        } catch (IOException | InterruptedException e) {
            failures.add(Thread.currentThread().getName() + ": " + e);
        }
    }

    /** @return producer IDs that a broker took, whatever it thought of them */
    int accepted(int id) {
        return accepted.get(id);
    }

    /** Ends it and waits for the answers under way. @return connections that broke */
    List<String> stop() throws InterruptedException {
        ending = true;
        for (Thread thread : threads) {
            thread.join();
        }
        return List.copyOf(failures);
    }

    @Override
    public void close() {
        ending = true;
    }
}
