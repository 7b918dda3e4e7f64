package io.tollgate.it;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * The worst case: one connection that puts a producer ID never seen before into each Produce request, to all
 * partitions of a topic, at a steady rate. When the broker holds it up (a muted connection) for longer than
 * {@value #PATIENCE_MS} ms, it drops the connection and makes a new one. Bounded in rate and count.
 */
public final class RawFlood implements AutoCloseable {
    private static final int PATIENCE_MS = 1_000;
    /** A broker short of memory answers late without refusing; that must not end the flood either. */
    private static final int RECONNECT_PAUSE_MS = 100;

    /**
     * @param sent Produce requests written, each with a fresh producer ID
     * @param accepted those that the broker took
     * @param refused those that it answered with an error
     * @param connections connections made
     */
    public record Totals(long sent, long accepted, long refused, long connections) {}

    private final BrokerProcess broker;
    private final String user;
    private final String topic;
    private final int partitions;
    private final LongAdder sent = new LongAdder();
    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder connections = new LongAdder();
    private final Thread thread;
    private volatile boolean ending;

    /**
     * @param firstPid the first producer ID; the next requests count up from it
     * @param perSecond requests per second
     * @param most requests to send at most
     */
    public RawFlood(BrokerProcess broker, String user, String topic, int partitions, long firstPid, double perSecond, long most) {
        this.broker = broker;
        this.user = user;
        this.topic = topic;
        this.partitions = partitions;
        thread = new Thread(() -> run(firstPid, perSecond, most), user + "-raw");
        thread.start();
    }

    private void run(long firstPid, double perSecond, long most) {
        RawProducer connection = null;
        long due = System.nanoTime();
        while (!ending && sent.sum() < most) {
            // What was held up is not made good by a burst: the rate is an upper bound.
            due = Math.max(due + (long) (1e9 / perSecond), System.nanoTime() - 50_000_000);
            LockSupport.parkNanos(due - System.nanoTime());
            try {
                if (connection == null) {
                    connection = new RawProducer(broker, user, PATIENCE_MS);
                    connections.increment();
                }
                long pid = firstPid + sent.sum();
                sent.increment();
                if (connection.send(topic, partitions, pid).error().code() == 0) {
                    accepted.increment();
                } else {
                    refused.increment();
                }
            } catch (SocketTimeoutException e) {
                connection = drop(connection);
            } catch (IOException e) {
                connection = drop(connection);
                LockSupport.parkNanos(RECONNECT_PAUSE_MS * 1_000_000L);
            }
        }
        drop(connection);
    }

    private static RawProducer drop(RawProducer connection) {
        if (connection != null) {
            connection.close();
        }
        return null;
    }

    public Totals totals() {
        return new Totals(sent.sum(), accepted.sum(), refused.sum(), connections.sum());
    }

    @Override
    public void close() {
        ending = true;
        LockSupport.unpark(thread);
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
