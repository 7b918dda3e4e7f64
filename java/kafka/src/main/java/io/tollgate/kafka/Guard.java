package io.tollgate.kafka;

import io.tollgate.Decision;
import io.tollgate.Tollgate;
import io.tollgate.kafka.BrokerAdapter.Presence;
import io.tollgate.kafka.WaitingRoom.Waiting;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;

/**
 * Decides on each produce request of one broker: it passes, or it is refused as a whole.
 *
 * <p>The way of a request, cheapest first:
 * <ol>
 *   <li>No producer ID: pass (K9).
 *   <li>The engine knows it and nothing of it was refused lately: pass. One native call, no allocation, no lock.
 *   <li>A batch would overtake one that was refused ({@link RefusedBatches}): refuse, uncharged.
 *   <li>The partition has it already: remember it uncharged and pass (K7).
 *   <li>This broker leads none of its partitions: pass uncharged; Kafka refuses it, and it will be charged where it belongs.
 *   <li>A token comes within {@code producer.id.quota.max.delay.ms}: keep it until then, without a thread ({@link
 *       WaitingRoom}).
 *   <li>Charge it (S1). Over the quota: refuse; or, when only observing, remember it and pass, so that each producer ID
 *       over the quota is counted once.
 * </ol>
 */
final class Guard implements AutoCloseable {
    /**
     * How much longer than the longest throttle a refused batch is waited for: the time of a client to come back. With the
     * throttle's default less than Java's delivery timeout: where the partition was led elsewhere meanwhile and has the batch
     * from there, what comes after it must not be refused for as long as it lives.
     */
    private static final long COME_BACK_MS = 60_000;
    /** It waits in the {@link WaitingRoom}, which passes it on or answers it. */
    private static final int KEPT = -1;

    private final BrokerAdapter broker;
    private final Tollgate engine;
    private final LiveQuotas quotas;
    private final boolean enforce;
    private final Faults faults = new Faults();
    private final Beans beans = new Beans(faults);
    private final Users users;
    private final TransactionGuard transactions;
    private final RefusedBatches refused;
    private final ThrottleLog throttles;
    private final WaitingRoom room;
    private final boolean delays;
    /** Requests that waited, on their way to a request handler thread: decided already. */
    private final Set<Object> decided = ConcurrentHashMap.newKeySet();
    private final Sweeper sweeper;
    private volatile boolean closed;

    Guard(BrokerAdapter broker, Tollgate engine, Settings settings, LiveQuotas quotas) {
        this.broker = broker;
        this.engine = engine;
        this.quotas = quotas;
        this.enforce = settings.mode() == Mode.ENFORCE;
        this.room = new WaitingRoom(new Desk(), settings, faults);
        this.delays = room.isOpen();
        this.users = new Users(engine, beans, settings.maxUsers(), room::passed);
        this.refused = new RefusedBatches(settings.maxThrottleMs() + COME_BACK_MS);
        beans.addTotals(settings.mode(), () -> engine.totals(Clock.nowMs()), quotas, room);
        this.throttles = new ThrottleLog(enforce, quotas, new RaiseCommand(broker.properties()), faults);
        this.transactions = new TransactionGuard(this, broker, throttles);
        this.sweeper = new Sweeper(faults);
        sweeper.every(settings.sweepMs(), this::sweep);
        sweeper.every(ThrottleLog.TICK_MS, () -> throttles.tick(Clock.nowMs()));
        quotas.attach(engine, settings);
        if (delays) {
            room.start();
        }
    }

    /** @return true: the request was answered here, or will be; false: it is Kafka's. Throws nothing. */
    boolean refuses(Object request) {
        try {
            if (delays && !decided.isEmpty() && decided.remove(request)) {
                return false;
            }
            long producerId = broker.producerId(request);
            if (producerId == BrokerAdapter.NONE || closed) {
                return false;
            }
            long now = Clock.nowMs();
            String user = broker.user(request);
            if (producerId != BrokerAdapter.SEVERAL && !refused.mayHold(producerId)
                    && touch(user, producerId, now) != Decision.NEW) {
                return false;
            }
            return examine(request, user, now);
        } catch (Throwable e) {
            if (!closed) {
                faults.add(e);
            }
            return false;
        }
    }

    /** The same for a request that adds to a transaction. */
    boolean refusesToAdd(Object request) {
        return guarded(now -> transactions.refusesToAdd(request, now));
    }

    /** The same for a request that ends a transaction: true when there was nothing to end. */
    boolean answersAbort(Object request) {
        return enforce && guarded(now -> transactions.answersAbort(request, now));
    }

    private boolean guarded(LongPredicate decision) {
        try {
            return !closed && decision.test(Clock.nowMs());
        } catch (Throwable e) {
            if (!closed) {
                faults.add(e);
            }
            return false;
        }
    }

    /** Whether the engine has admitted it, or was told to remember it. */
    boolean knows(String user, long producerId, long now) {
        return touch(user, producerId, now) != Decision.NEW;
    }

    private boolean examine(Object request, String user, long now) {
        List<Batch> batches = broker.batches(request);
        if (enforce && refused.wouldOvertake(user, batches, now)) {
            refuse(request, batches, user, 0, now);
            return true;
        }
        Map<Long, List<Batch>> byProducerId = batches.stream()
                .collect(Collectors.groupingBy(Batch::producerId, LinkedHashMap::new, Collectors.toList()));
        // Of several producer IDs one could wait when another is charged already; no known client library sends them.
        boolean mayWait = delays && byProducerId.size() == 1 && broker.mayWait(request);
        for (Map.Entry<Long, List<Batch>> one : byProducerId.entrySet()) {
            int waitMs = decide(one.getValue(), one.getKey(), user, now, mayWait ? request : null);
            if (waitMs != 0) {
                if (waitMs != KEPT) {
                    refuse(request, batches, user, waitMs, now);
                }
                return true;
            }
        }
        refused.passed(user, batches);
        return false;
    }

    /**
     * @param batches those of the producer ID
     * @param mayWait the request, where it may be kept; otherwise null
     * @return 0: it passes; {@link #KEPT}; otherwise how long to wait, in milliseconds
     */
    private int decide(List<Batch> batches, long producerId, String user, long now, Object mayWait) {
        if (touch(user, producerId, now) != Decision.NEW) {
            return 0;
        }
        switch (presence(batches)) {
            case NOT_LED:
                return 0;
            case HELD:
                remember(user, producerId, now);
                return 0;
            default:
        }
        if (mayWait != null && room.takes(mayWait, user, producerId, batches, broker.bytes(mayWait), now)) {
            return KEPT;
        }
        return charge(user, producerId, now);
    }

    /** @return 0: it was admitted, or is only observed; otherwise how long to wait, in milliseconds */
    int charge(String user, long producerId, long now) {
        long decision = engine.track(users.handle(user, now), producerId, now);
        if (Decision.isStale(decision)) {
            decision = engine.track(users.intern(user, now), producerId, now);
        }
        if (Decision.isFault(decision)) {
            faults.add(null);
        }
        if (Decision.isThrottled(decision) && !enforce) {
            remember(user, producerId, now);
            throttles.add(user, now);
            return 0;
        }
        return Decision.retryAfterMs(decision);
    }

    private int touch(String user, long producerId, long now) {
        long decision = engine.touch(users.handle(user, now), producerId, now);
        if (Decision.isStale(decision)) {
            decision = engine.touch(users.intern(user, now), producerId, now);
        }
        if (Decision.isFault(decision)) {
            faults.add(null);
        }
        return Decision.kind(decision);
    }

    void remember(String user, long producerId, long now) {
        if (Decision.isStale(engine.remember(users.handle(user, now), producerId, now))) {
            engine.remember(users.intern(user, now), producerId, now);
        }
    }

    /** Of the partitions that one producer ID writes to in a request, what the best one says. */
    private Presence presence(List<Batch> batches) {
        Presence best = Presence.NOT_LED;
        for (Batch batch : batches) {
            Presence presence = broker.presence(batch);
            if (presence == Presence.HELD) {
                return presence;
            }
            best = presence == Presence.ABSENT ? presence : best;
        }
        return best;
    }

    private void refuse(Object request, List<Batch> batches, String user, int waitMs, long now) {
        short code = RefusalCode.of(broker.clientSoftware(request), broker.clientVersion(request));
        String message = waitMs > 0
                ? overQuota(user, waitMs)
                : "An earlier batch of this producer ID was throttled and comes first";
        // Only what this broker could append may be waited for. Noted first: when the answer fails, the request goes to
        // Kafka and nothing waits.
        List<Batch> out = batches.stream().filter(batch -> broker.presence(batch) != Presence.NOT_LED).toList();
        refused.refused(user, out, now);
        try {
            broker.refuse(request, code, message, waitMs);
        } catch (Throwable e) {
            refused.passed(user, out);
            throw e;
        }
        if (waitMs > 0) {
            throttles.add(user, now);
        }
    }

    static String overQuota(String user, int waitMs) {
        return "User '" + user + "' has brought too many new producer IDs to this broker (" + LiveQuotas.KEY
                + ", " + Setting.RATE.key + "); this one may come again in " + waitMs + " ms";
    }

    /** What becomes of requests that waited. Nothing here throws but what the room asks before it decides. */
    private final class Desk implements WaitingRoom.Desk {
        @Override
        public int awaitMs(String user, int ahead, long now) {
            long decision = engine.await(users.handle(user, now), ahead, now);
            if (Decision.isStale(decision)) {
                decision = engine.await(users.intern(user, now), ahead, now);
            }
            return Decision.retryAfterMs(decision);
        }

        @Override
        public int charge(Waiting one, long now) {
            return Guard.this.charge(one.user(), one.producerId(), now);
        }

        @Override
        public boolean pass(Waiting one) {
            try {
                // It can come from another connection only: its own has been waiting with it.
                if (refused.mayHold(one.producerId()) && refused.wouldOvertake(one.user(), one.batches(), Clock.nowMs())) {
                    Guard.this.refuse(one.request(), one.batches(), one.user(), 0, Clock.nowMs());
                    return false;
                }
                refused.passed(one.user(), one.batches());
            } catch (Throwable e) {
                faults.add(e);
            }
            return passOn(one);
        }

        @Override
        public void refuse(Waiting one, int waitMs) {
            try {
                Guard.this.refuse(one.request(), one.batches(), one.user(), waitMs, Clock.nowMs());
            } catch (Throwable e) {
                faults.add(e);
                passOn(one);
            }
        }

        private boolean passOn(Waiting one) {
            decided.add(one.request());
            try {
                broker.again(one.request());
                return true;
            } catch (Throwable e) {
                decided.remove(one.request());
                faults.add(e);
            }
            try {
                // The broker does not take it: its client sends it again.
                Guard.this.refuse(one.request(), one.batches(), one.user(), 0, Clock.nowMs());
            } catch (Throwable e) {
                faults.add(e);
            }
            return false;
        }
    }

    private void sweep() {
        long now = Clock.nowMs();
        engine.sweep(now);
        users.sweep();
        room.sweep(users::holds);
        refused.sweep(now);
        quotas.retry();
    }

    @Override
    public void close() {
        closed = true;
        quotas.detach(engine);
        sweeper.close();
        room.close();
        beans.close();
        engine.close();
    }
}
