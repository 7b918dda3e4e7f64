package io.tollgate.it;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** How long a change of a quota takes until every broker of a cluster has it in force, as JMX shows it. */
final class QuotaSpread implements AutoCloseable {
    private static final long PATIENCE_S = 60;
    private static final long LOOK_EVERY_MS = 2;

    private final List<Jmx> brokers = new ArrayList<>();
    private final ExecutorService watchers;

    QuotaSpread(BrokerCluster cluster) throws IOException {
        for (int id = 1; id <= cluster.size(); id++) {
            brokers.add(cluster.node(id).openJmx());
        }
        watchers = Executors.newFixedThreadPool(brokers.size());
    }

    interface Change {
        void make() throws Exception;
    }

    /**
     * @param user whose QuotaPerHour is looked at; one that has been at work on each broker
     * @param expected what it must be after the change, and was on none before
     * @return milliseconds from before the change is asked for until the last broker shows it
     */
    double measureMs(Change change, String user, double expected) throws Exception {
        for (Jmx broker : brokers) {
            if (Double.compare(quota(broker, user), expected) == 0) {
                throw new IllegalArgumentException("is " + expected + " before the change");
            }
        }
        long start = System.nanoTime();
        List<Future<Long>> seen = new ArrayList<>();
        for (Jmx broker : brokers) {
            seen.add(watchers.submit((Callable<Long>) () -> {
                double last;
                while (Double.compare(last = quota(broker, user), expected) != 0) {
                    if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(PATIENCE_S)) {
                        throw new AssertionError("quota of " + user + " is " + last + " and not " + expected + " after " + PATIENCE_S + " s");
                    }
                    Thread.sleep(LOOK_EVERY_MS);
                }
                return System.nanoTime() - start;
            }));
        }
        change.make();
        long longest = 0;
        for (Future<Long> one : seen) {
            longest = Math.max(longest, one.get());
        }
        return longest / 1e6;
    }

    private static double quota(Jmx broker, String user) throws Exception {
        return (Double) broker.attribute(Guarded.TOTALS + ",user=" + user, "QuotaPerHour");
    }

    @Override
    public void close() {
        watchers.shutdownNow();
        brokers.forEach(Jmx::close);
    }
}
