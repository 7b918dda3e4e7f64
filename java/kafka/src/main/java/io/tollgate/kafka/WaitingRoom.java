package io.tollgate.kafka;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;

/**
 * Requests that are over their user's quota by less than {@code producer.id.quota.max.delay.ms}: each waits here for its
 * token, without a thread, and then goes on into the broker. Kafka takes nothing more from a connection until the request
 * at hand is answered, so a client can't overtake itself.
 *
 * <p>Contract:
 * <ol>
 *   <li>A request is let in only if its token, behind those of the same user that wait already, comes within the longest
 *       delay. Where that was foretold too early, it is refused when the delay is over, and not before.
 *   <li>First come, first served, per user: a newcomer waits behind those that wait, or is refused.
 *   <li>Each request that was let in leaves once, passed on or refused; whatever fails in between, it is passed on.
 *   <li>Never more requests, nor more bytes, than the settings say. The user's quota bounds its own line: what comes in
 *       the longest delay.
 * </ol>
 *
 * <p>State: {@code { user: line of requests, due when its first one should be looked at }, leaving: [ request ] }, guarded by
 * this. What leaves is counted until it has been handed on. One daemon thread looks at the lines that are due and hands on
 * what leaves: the broker's own queue may make it wait, and then the broker is busier than any quota. A request handler
 * thread, which empties that queue, hands nothing on and waits for nothing but the few instructions of another call.
 */
final class WaitingRoom implements AutoCloseable {
    /**
     * @param batches those of the request that carry its producer ID
     * @param until when it is refused at the latest
     */
    record Waiting(Object request, String user, long producerId, List<Batch> batches, int bytes, long until) {
    }

    /** What the room asks of the guard. */
    interface Desk {
        /** How long until a token of the user's that {@code ahead} others leave, in milliseconds; 0: there is one. Waits for nothing. */
        int awaitMs(String user, int ahead, long nowMs);

        /** Charges the request. 0: it passes; otherwise how long to wait, in milliseconds. Waits for nothing. */
        int charge(Waiting one, long nowMs);

        /** Passes the request on into the broker; false: it had to be answered instead. Throws nothing. */
        boolean pass(Waiting one);

        /** Answers it, or passes it on where that fails. Throws nothing. */
        void refuse(Waiting one, int waitMs);
    }

    private static final class Line {
        private final String user;
        private final long number;
        private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
        private long due;

        Line(String user, long number) {
            this.user = user;
            this.number = number;
        }
    }

    /** @param waitMs 0: it passes */
    private record Leaving(Waiting one, int waitMs) {
    }

    private final Desk desk;
    private final int maxDelayMs;
    private final int maxRequests;
    private final long maxBytes;
    private final Faults faults;
    private final Map<String, Line> lines = new HashMap<>();
    private final TreeSet<Line> byDue = new TreeSet<>(
            Comparator.comparingLong((Line line) -> line.due).thenComparingLong(line -> line.number));
    private final ArrayDeque<Leaving> leaving = new ArrayDeque<>();
    private final Map<String, LongAdder> passedOf = new ConcurrentHashMap<>();
    private final int maxUsers;
    private long made;
    private boolean closed;
    // Written under the lock, and read by JMX without.
    private volatile int requests;
    private volatile long bytes;
    private volatile long passed;
    private volatile long turnedAway;

    WaitingRoom(Desk desk, Settings settings, Faults faults) {
        this.desk = desk;
        this.maxDelayMs = settings.mode() == Mode.ENFORCE ? settings.maxDelayMs() : 0;
        this.maxRequests = settings.maxDelayedRequests();
        this.maxBytes = settings.maxDelayedBytes();
        this.maxUsers = settings.maxUsers();
        this.faults = faults;
    }

    /** Whether any request may wait. */
    boolean isOpen() {
        return maxDelayMs > 0;
    }

    void start() {
        Thread thread = new Thread(this::run, "tollgate-waiting-room");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Lets a request in whose producer ID is new. When this throws, it has not been let in.
     *
     * @return false: it need not wait, or may not; the caller charges it
     */
    synchronized boolean takes(Object request, String user, long producerId, List<Batch> batches, int size, long nowMs) {
        if (closed) {
            return false;
        }
        Line line = lines.get(user);
        if (line != null) {
            // A token may have come that is theirs.
            serve(line, nowMs);
            line = lines.get(user);
        }
        int waitMs = desk.awaitMs(user, line == null ? 0 : line.waiting.size(), nowMs);
        if (waitMs == 0 || waitMs > maxDelayMs) {
            return false;
        }
        if (requests >= maxRequests || bytes + size > maxBytes) {
            turnedAway++;
            return false;
        }
        Waiting one = new Waiting(request, user, producerId, batches, size, nowMs + maxDelayMs);
        if (line == null) {
            line = new Line(user, made++);
            line.due = nowMs + waitMs;
            line.waiting.add(one);
            lines.put(user, line);
            try {
                byDue.add(line);
            } catch (Throwable e) {
                lines.remove(user);
                throw e;
            }
        } else {
            line.waiting.add(one);
        }
        requests++;
        bytes += size;
        notifyAll();
        return true;
    }

    /** Lets go those at the head of a line whose time has come. */
    private void serve(Line line, long nowMs) {
        byDue.remove(line);
        try {
            while (!line.waiting.isEmpty()) {
                Waiting first = line.waiting.peek();
                int waitMs = 0;
                try {
                    waitMs = desk.awaitMs(line.user, 0, nowMs);
                    if (waitMs == 0 || nowMs >= first.until) {
                        waitMs = desk.charge(first, nowMs);
                    }
                } catch (Throwable e) {
                    faults.add(e);
                    waitMs = 0;
                }
                if (waitMs > 0 && nowMs < first.until) {
                    line.due = Math.min(nowMs + waitMs, first.until);
                    return;
                }
                leaving.add(new Leaving(first, waitMs));
                line.waiting.remove();
                notifyAll();
            }
            lines.remove(line.user);
        } finally {
            // Also when memory runs out here: whoever waits has to be looked at again.
            if (!line.waiting.isEmpty()) {
                byDue.add(line);
            }
        }
    }

    private void serveDue(long nowMs) {
        while (!byDue.isEmpty() && byDue.first().due <= nowMs) {
            serve(byDue.first(), nowMs);
        }
    }

    /** Hands on all whose time has come by {@code nowMs}. */
    void step(long nowMs) {
        synchronized (this) {
            serveDue(nowMs);
        }
        for (Leaving next = poll(); next != null; next = poll()) {
            handOn(next);
        }
    }

    private synchronized Leaving poll() {
        return leaving.poll();
    }

    private void run() {
        while (true) {
            try {
                Leaving next = take();
                if (next == null) {
                    return;
                }
                handOn(next);
            } catch (Throwable e) {
                faults.add(e);
            }
        }
    }

    /** Waits for the next one that leaves; null when the room is closed and empty. */
    private synchronized Leaving take() throws InterruptedException {
        while (leaving.isEmpty()) {
            if (closed) {
                return null;
            }
            long nowMs = Clock.nowMs();
            serveDue(nowMs);
            if (leaving.isEmpty()) {
                // 0 would be for ever, and is right where nobody waits.
                wait(byDue.isEmpty() ? 0 : byDue.first().due - nowMs);
            }
        }
        return leaving.poll();
    }

    private void handOn(Leaving next) {
        Waiting one = next.one;
        boolean passes = false;
        try {
            if (next.waitMs == 0) {
                passes = desk.pass(one);
            } else {
                desk.refuse(one, next.waitMs);
            }
        } finally {
            synchronized (this) {
                requests--;
                bytes -= one.bytes;
                passed += passes ? 1 : 0;
            }
        }
        if (passes && (passedOf.containsKey(one.user) || passedOf.size() < maxUsers)) {
            passedOf.computeIfAbsent(one.user, user -> new LongAdder()).increment();
        }
    }

    /** Forgets what was counted for users that are gone. */
    void sweep(Predicate<String> isHeld) {
        passedOf.keySet().removeIf(isHeld.negate());
    }

    /** Lets all go that wait, uncharged: nothing decides on them any more. */
    @Override
    public synchronized void close() {
        closed = true;
        for (Line line : lines.values()) {
            line.waiting.forEach(one -> leaving.add(new Leaving(one, 0)));
        }
        lines.clear();
        byDue.clear();
        notifyAll();
    }

    /** Requests that wait now. */
    long requests() {
        return requests;
    }

    /** Their bytes. */
    long bytes() {
        return bytes;
    }

    /** Requests that waited and then passed. */
    long passed() {
        return passed;
    }

    long passed(String user) {
        LongAdder count = passedOf.get(user);
        return count == null ? 0 : count.sum();
    }

    /** Requests that would have waited and were refused, because there was no room. */
    long turnedAway() {
        return turnedAway;
    }
}
