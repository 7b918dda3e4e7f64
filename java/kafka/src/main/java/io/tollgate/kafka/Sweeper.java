package io.tollgate.kafka;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs tasks again and again on one daemon thread: it never keeps the broker's JVM from ending. */
final class Sweeper implements AutoCloseable {
    private final ScheduledThreadPoolExecutor executor;
    private final Faults faults;

    Sweeper(Faults faults) {
        this.faults = faults;
        executor = new ScheduledThreadPoolExecutor(1, runnable -> {
            Thread thread = new Thread(runnable, "tollgate-sweeper");
            thread.setDaemon(true);
            return thread;
        });
    }

    /** @param delayMs from the end of one run to the start of the next */
    void every(long delayMs, Runnable task) {
        executor.scheduleWithFixedDelay(() -> {
            try {
                task.run();
            } catch (Throwable e) {
                // Thrown on, it would end the schedule.
                faults.add(e);
            }
        }, delayMs, delayMs, TimeUnit.MILLISECONDS);
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
