package io.tollgate.kafka;

import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The batches that were refused and have not come back, so that what a client sent right behind one doesn't overtake it.
 *
 * <p>Why. A client has up to five requests under way on a connection. When the first one of a new producer ID is
 * refused and the quota has room again by the time the second is read, a partition that has no state for the producer
 * ID takes that second batch with whatever sequence number it carries. The first one, sent again, is then out of order:
 * its messages are lost. So a batch passes only if no batch with a lower sequence number of the same producer ID and
 * partition was refused and is still out.
 *
 * <p>State: {@code { user: { producer ID: { until, batches: { (topic, partition): the sequence that comes next, the highest
 * refused } } } } }. What passes in its turn moves {@code next} on, and the entry goes when the highest refused one has
 * passed; when an earlier one passes (a client that gives up starts again at 0); or at {@code until}, so that a client that
 * broke off is not kept waiting for ever.
 *
 * <p>Limits: {@value #MAX_BATCHES} batches; beyond, the user with the most of them loses those that were refused longest
 * ago, which are then in Kafka's hands as after any other error. So a flood by one user costs no other its order. Sequence
 * numbers wrap after 2^31 records; a refusal right there is not seen as one to wait for.
 *
 * <p>{@link #mayHold} takes no lock and is all that a known producer ID pays; the rest takes one lock, held for a few map
 * operations, and is for requests that are refused or whose producer ID was refused.
 */
final class RefusedBatches {
    static final int MAX_BATCHES = 16_384;
    private static final int BUCKETS = 32_768;

    private record Where(Object topic, int partition) {
    }

    /** @param next the lowest refused one at first, then what comes behind those that have passed */
    private record Turn(int next, int highest) {
    }

    private static final class Out {
        private final Map<Where, Turn> turns = new HashMap<>(4);
        private long until;
    }

    private static final class OfUser {
        /** By time of refusal, oldest first. */
        private final LinkedHashMap<Long, Out> byProducerId = new LinkedHashMap<>();
        private int batches;
    }

    private final long keepMs;
    /** Guarded by this, as all below but the buckets. */
    private final Map<String, OfUser> users = new HashMap<>();
    private int batches;
    /** How many producer IDs, of whatever user, fall into each bucket. Written under the lock, read without. */
    private final AtomicIntegerArray inBucket = new AtomicIntegerArray(BUCKETS);

    /** @param keepMs how long a refused batch is waited for, at most */
    RefusedBatches(long keepMs) {
        this.keepMs = keepMs;
    }

    /** False: no batch of this producer ID is out. True: there may be one. */
    boolean mayHold(long producerId) {
        return inBucket.get(bucket(producerId)) != 0;
    }

    /** Whether one of the batches would overtake a refused one of the same user. */
    synchronized boolean wouldOvertake(String user, List<Batch> request, long nowMs) {
        OfUser ofUser = users.get(user);
        if (ofUser == null) {
            return false;
        }
        for (Batch batch : request) {
            Out out = ofUser.byProducerId.get(batch.producerId());
            if (out == null) {
                continue;
            }
            if (out.until <= nowMs) {
                forget(user, ofUser, batch.producerId());
                continue;
            }
            Turn turn = out.turns.get(where(batch));
            if (turn != null && batch.sequence() > turn.next) {
                return true;
            }
        }
        return false;
    }

    /** Notes that all batches of a request were refused. Only the refusal of the lowest one prolongs the wait for it. */
    synchronized void refused(String user, List<Batch> request, long nowMs) {
        if (request.isEmpty()) {
            return;
        }
        OfUser ofUser = users.computeIfAbsent(user, name -> new OfUser());
        for (Batch batch : request) {
            Out out = ofUser.byProducerId.remove(batch.producerId());
            if (out == null) {
                out = new Out();
                inBucket.incrementAndGet(bucket(batch.producerId()));
            }
            ofUser.byProducerId.put(batch.producerId(), out);
            Turn turn = out.turns.get(where(batch));
            int sequence = batch.sequence();
            if (turn == null) {
                ofUser.batches++;
                batches++;
                turn = new Turn(sequence, sequence);
            }
            out.turns.put(where(batch), new Turn(Math.min(turn.next, sequence), Math.max(turn.highest, sequence)));
            if (sequence <= turn.next) {
                out.until = nowMs + keepMs;
            }
        }
        while (batches > MAX_BATCHES) {
            Map.Entry<String, OfUser> most = Collections.max(users.entrySet(),
                    Comparator.comparingInt(entry -> entry.getValue().batches));
            forget(most.getKey(), most.getValue(), most.getValue().byProducerId.keySet().iterator().next());
        }
    }

    /** Notes that all batches of a request pass. */
    synchronized void passed(String user, List<Batch> request) {
        OfUser ofUser = users.get(user);
        if (ofUser == null) {
            return;
        }
        for (Batch batch : request) {
            Out out = ofUser.byProducerId.get(batch.producerId());
            Turn turn = out == null ? null : out.turns.get(where(batch));
            if (turn == null) {
                continue;
            }
            int next = batch.sequence() + batch.records();
            if (batch.sequence() == turn.next && next > turn.next && next <= turn.highest) {
                out.turns.put(where(batch), new Turn(next, turn.highest));
                continue;
            }
            out.turns.remove(where(batch));
            ofUser.batches--;
            batches--;
            if (out.turns.isEmpty()) {
                forget(user, ofUser, batch.producerId());
            }
        }
    }

    /** Drops what has been waited for long enough. */
    synchronized void sweep(long nowMs) {
        for (Map.Entry<String, OfUser> entry : List.copyOf(users.entrySet())) {
            OfUser ofUser = entry.getValue();
            for (Long producerId : List.copyOf(ofUser.byProducerId.keySet())) {
                if (ofUser.byProducerId.get(producerId).until <= nowMs) {
                    forget(entry.getKey(), ofUser, producerId);
                }
            }
        }
    }

    /** Batches that are out. */
    synchronized int size() {
        return batches;
    }

    private void forget(String user, OfUser ofUser, long producerId) {
        Out out = ofUser.byProducerId.remove(producerId);
        ofUser.batches -= out.turns.size();
        batches -= out.turns.size();
        inBucket.decrementAndGet(bucket(producerId));
        if (ofUser.byProducerId.isEmpty()) {
            users.remove(user);
        }
    }

    private static Where where(Batch batch) {
        return new Where(batch.topic(), batch.partition());
    }

    /** Producer IDs are sequential: neighbours get buckets of their own. */
    private static int bucket(long producerId) {
        return (int) producerId & (BUCKETS - 1);
    }
}
