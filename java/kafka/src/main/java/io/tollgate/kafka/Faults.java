package io.tollgate.kafka;

import java.util.concurrent.atomic.AtomicLong;

/** Requests that passed because something failed in here. The first one is logged, all are counted. */
final class Faults {
    private final AtomicLong count = new AtomicLong();

    /** @param cause null when the native engine reported a fault of its own */
    void add(Throwable cause) {
        if (count.getAndIncrement() == 0) {
            AgentLog.error("Tollgate failed inside and lets the request pass; later failures are only counted"
                    + " (JMX kafka.server:type=ProducerIds, attribute Faults)"
                    + (cause == null ? ": the native engine reported a fault" : ""), cause);
        }
    }

    long count() {
        return count.get();
    }
}
