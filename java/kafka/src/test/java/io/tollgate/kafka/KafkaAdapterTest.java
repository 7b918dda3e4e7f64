package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import kafka.cluster.Partition;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import scala.Option;
import scala.Some;

/** What the adapter asks of a real partition. On whole brokers it is tested in java/it. */
class KafkaAdapterTest {
    private static final int BROKER = 1;

    private final Partition partition = new Partition(new TopicPartition("t", 0), 30_000, BROKER, null, null, null, null, null, null,
            null, Option.empty());

    private static Option<Object> leader(int broker) {
        return new Some<>(broker);
    }

    @Test
    void a_partition_is_led_here_or_not() {
        // A log that is there; what is in it is not looked at.
        partition.log_$eq(new Some<>(null));
        assertTrue(KafkaAdapter.ledLog(partition).isEmpty(), "no leader yet");
        partition.leaderReplicaIdOpt_$eq(leader(BROKER + 1));
        assertTrue(KafkaAdapter.ledLog(partition).isEmpty());
        partition.leaderReplicaIdOpt_$eq(leader(BROKER));
        assertTrue(KafkaAdapter.ledLog(partition).isDefined());
    }

    /** Otherwise new producer IDs pass uncharged while it becomes one: Kafka holds their requests until it is, and appends them. */
    @Test
    void k7_a_broker_that_is_becoming_the_leader_is_waited_for() throws Exception {
        partition.log_$eq(new Some<>(null));
        Field field = Partition.class.getDeclaredField("leaderIsrUpdateLock");
        field.setAccessible(true);
        ReentrantReadWriteLock lock = (ReentrantReadWriteLock) field.get(partition);
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try {
            lock.writeLock().lock();
            Future<Boolean> led;
            try {
                led = threads.submit(() -> KafkaAdapter.ledLog(partition).isDefined());
                long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                while (!lock.hasQueuedThreads() && !led.isDone() && System.nanoTime() < deadline) {
                    Thread.sleep(1);
                }
                partition.leaderReplicaIdOpt_$eq(leader(BROKER));
            } finally {
                lock.writeLock().unlock();
            }
            assertEquals(true, led.get(60, TimeUnit.SECONDS));
        } finally {
            threads.shutdownNow();
        }
    }
}
