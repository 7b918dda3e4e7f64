package io.tollgate.kafka;

/**
 * Decides on requests at a transaction coordinator, for the sake of partitions: whatever is added to a transaction gets a
 * marker when that ends, which leaves the producer ID in the partition without any produce request. So a new producer ID is
 * charged where it is added, on the quota of the coordinator's broker.
 *
 * <p>Of clients alone. Those of the newer protocol (KIP-890) add nothing themselves: their leader does, after {@link Guard} has let
 * the produce request pass.
 *
 * <p>The way of a request that adds:
 * <ol>
 *   <li>The engine knows the producer ID: pass.
 *   <li>This is not its coordinator: pass; Kafka refuses it.
 *   <li>Something was added to a transaction of it before, or its partition has it: remember it uncharged and pass
 *       (K7). So a coordinator that has just started, or has moved here, charges none that was active.
 *   <li>Charge it. Over the quota: refuse.
 * </ol>
 *
 * <p>A client that gives up then aborts. Kafka has nothing to abort, and says so with an error by which librdkafka loses its producer
 * for good. So such an abort is answered here, as done.
 */
final class TransactionGuard {
    /**
     * kafka-clients that is told to wait sleeps until its request timeout (30 s by default) before it adds again. It is not told;
     * then its next request waits at the broker, for so long at most, to be well within that timeout.
     */
    private static final int MOST_UNTOLD_MS = 10_000;

    private final Guard guard;
    private final BrokerAdapter broker;
    private final ThrottleLog throttles;
    private final TransactionAdapter transactions;

    TransactionGuard(Guard guard, BrokerAdapter broker, ThrottleLog throttles) {
        this.guard = guard;
        this.broker = broker;
        this.throttles = throttles;
        this.transactions = broker.transactions();
    }

    boolean refusesToAdd(Object request, long now) {
        long producerId = transactions.adds(request);
        if (producerId == BrokerAdapter.NONE) {
            return false;
        }
        String user = broker.user(request);
        if (guard.knows(user, producerId, now)) {
            return false;
        }
        switch (transactions.presence(request)) {
            case NOT_LED:
                return false;
            case HELD:
                // When its client starts anew the transaction is empty again, and nothing else here tells of it.
                guard.remember(user, producerId, now);
                return false;
            default:
        }
        int waitMs = guard.charge(user, producerId, now);
        if (waitMs == 0) {
            return false;
        }
        boolean tells = !RefusalCode.isKafkasOwn(broker.clientSoftware(request));
        transactions.refuse(request, RefusalCode.CONCURRENT_TRANSACTIONS, Guard.overQuota(user, waitMs),
                tells ? waitMs : Math.min(waitMs, MOST_UNTOLD_MS), tells);
        throttles.add(user, now);
        return true;
    }

    /** @return true: it was answered. Only for a producer ID that was never admitted here. */
    boolean answersAbort(Object request, long now) {
        long producerId = transactions.abortsNothing(request);
        if (producerId == BrokerAdapter.NONE || guard.knows(broker.user(request), producerId, now)) {
            return false;
        }
        transactions.aborted(request);
        return true;
    }
}
