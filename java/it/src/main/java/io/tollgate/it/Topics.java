package io.tollgate.it;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;

/** Makes topics that can be written to at once: a new one is in the broker's metadata before, or after, its leader serves. */
final class Topics {
    private static final long TIMEOUT_S = 60;

    private Topics() {}

    static void create(Admin admin, String topic, int partitions) throws InterruptedException {
        create(admin, new NewTopic(topic, partitions, (short) 1), partitions);
    }

    /**
     * @param replicas of each partition, the preferred leader first
     * @param inSync how many must be in sync for a write with acks=all
     */
    static void create(Admin admin, String topic, Map<Integer, List<Integer>> replicas, int inSync) throws InterruptedException {
        create(admin, new NewTopic(topic, replicas).configs(Map.of("min.insync.replicas", Integer.toString(inSync))), replicas.size());
    }

    static void create(Admin admin, NewTopic wanted, int partitions) throws InterruptedException {
        try {
            admin.createTopics(List.of(wanted)).all().get(TIMEOUT_S, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("topic " + wanted.name() + " could not be made", e);
        }
        awaitLeaders(admin, wanted.name(), partitions);
    }

    /** Waits until each partition has a leader that serves it, which takes a moment after a broker has started again, too. */
    static void awaitLeaders(Admin admin, String topic, int partitions) throws InterruptedException {
        Map<TopicPartition, OffsetSpec> all = new HashMap<>();
        for (int partition = 0; partition < partitions; partition++) {
            all.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        try {
            awaitLeaders(admin, all);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("topic " + topic + " has no leader", e);
        }
    }

    /** Only the leader itself can answer for offsets. */
    private static void awaitLeaders(Admin admin, Map<TopicPartition, OffsetSpec> partitions)
            throws InterruptedException, ExecutionException, TimeoutException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TIMEOUT_S);
        while (true) {
            try {
                admin.listOffsets(partitions).all().get(TIMEOUT_S, TimeUnit.SECONDS);
                return;
            } catch (ExecutionException e) {
                if (!(e.getCause() instanceof RetriableException) || System.nanoTime() > deadline) {
                    throw e;
                }
                Thread.sleep(20);
            }
        }
    }
}
