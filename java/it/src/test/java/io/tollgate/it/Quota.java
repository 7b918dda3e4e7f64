package io.tollgate.it;

import java.io.IOException;
import javax.management.JMException;

/**
 * A quota that a test can wait for: so many producer IDs at once, then so many per second. Also watches that the
 * broker keeps it.
 */
record Quota(int atOnce, int perSecond) {
    BrokerBuilder on(BrokerBuilder builder) {
        // Capacity is rate x window.
        return builder.property(Guarded.WINDOW, Integer.toString(atOnce / perSecond))
                .property(Guarded.RATE, Integer.toString(3_600 * perSecond));
    }

    /** Reads the broker's own count again and again, until interrupted, and keeps the worst excess over the quota. */
    final class Watch implements AutoCloseable {
        /** Readings that say something. */
        static final int ENOUGH = 10;

        private final BrokerProcess broker;
        private final long before;
        private final long start = System.nanoTime();
        private final Thread thread = new Thread(this::run, "quota-watch");
        private volatile double worst = Double.NEGATIVE_INFINITY;
        private volatile int readings;
        private volatile Exception failure;

        /** Call it before the first producer: the quota is full then. */
        Watch(BrokerProcess broker) throws IOException, JMException {
            this.broker = broker;
            this.before = broker.producerIdCount();
            thread.setDaemon(true);
            thread.start();
        }

        private void run() {
            try (Jmx jmx = broker.openJmx()) {
                while (!Thread.interrupted()) {
                    long count = jmx.producerIdCount() - before;
                    double allowed = atOnce + perSecond * (System.nanoTime() - start) / 1e9;
                    worst = Math.max(worst, count - allowed);
                    readings++;
                    Thread.sleep(100);
                }
            } catch (InterruptedException e) {
                // The end of the watch.
            } catch (Exception e) {
                failure = e;
            }
        }

        int readings() {
            return readings;
        }

        /** How far the count was above what the quota allowed by then, at the worst reading; at most 0 when it was kept. */
        double worstExcess() throws Exception {
            if (failure != null) {
                throw failure;
            }
            if (readings < ENOUGH) {
                throw new AssertionError("only " + readings + " readings");
            }
            return worst;
        }

        @Override
        public void close() {
            thread.interrupt();
        }
    }
}
