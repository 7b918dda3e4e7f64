package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;

/** Partitions whose producer state is a set in memory. */
final class PartitionsInMemory extends BrokerInMemory {
    /** A request. */
    record Sent(String user, List<Batch> batches) {
    }

    final Set<List<Object>> state = new HashSet<>();
    final Set<Integer> led = new HashSet<>(Set.of(0, 1, 2));
    final List<Integer> waits = new CopyOnWriteArrayList<>();
    RuntimeException failureToRefuse;
    RuntimeException failureToPassOn;
    boolean mayWait = true;
    final BlockingQueue<Object> again = new LinkedBlockingQueue<>();

    @Override
    public String user(Object request) {
        return ((Sent) request).user;
    }

    @Override
    public long producerId(Object request) {
        if (failure != null) {
            throw failure;
        }
        long[] ids = ((Sent) request).batches.stream().mapToLong(Batch::producerId).distinct().toArray();
        return ids.length == 0 ? NONE : ids.length == 1 ? ids[0] : SEVERAL;
    }

    @Override
    public List<Batch> batches(Object request) {
        return ((Sent) request).batches;
    }

    @Override
    public Presence presence(Batch batch) {
        return !led.contains(batch.partition()) ? Presence.NOT_LED
                : state.contains(List.<Object>of(batch.partition(), batch.producerId())) ? Presence.HELD : Presence.ABSENT;
    }

    @Override
    public boolean mayWait(Object request) {
        return mayWait;
    }

    @Override
    public void again(Object request) {
        if (failureToPassOn != null) {
            throw failureToPassOn;
        }
        again.add(request);
    }

    @Override
    public void refuse(Object request, short errorCode, String message, int waitMs) {
        if (failureToRefuse != null) {
            throw failureToRefuse;
        }
        assertEquals(RefusalCode.REQUEST_TIMED_OUT, errorCode);
        waits.add(waitMs);
    }

    /** As Kafka appends it. */
    void append(Sent sent) {
        sent.batches.forEach(batch -> state.add(List.<Object>of(batch.partition(), batch.producerId())));
    }
}
