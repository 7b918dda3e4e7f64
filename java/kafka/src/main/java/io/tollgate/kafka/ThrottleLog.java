package io.tollgate.kafka;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Who is throttled, in the broker's log: the first time at once, and then at most one line per user and minute, with the
 * number of requests since the last one, the quota, and the command that raises it.
 *
 * <p>Bounded, whatever comes: at most {@value #LINES} users by name in a minute, and once it is over one line for all
 * others; when there are more, those with the most requests have the names. {@value #USERS} users are noted at a time;
 * further ones are only counted.
 *
 * <p>State per user: {@code { requests not told of yet, or GONE; from when on it may have a line }}. A user that has
 * nothing to tell of and may have a line is forgotten; {@code GONE} makes a thread that had just found it look again, so
 * that no request is lost and none is told of twice.
 *
 * <p>{@link #add} is for any number of threads and takes no lock; it allocates for a user's first time in a minute, and
 * for the line. {@link #tick} is for one thread. Neither throws: a request that was answered must stay answered.
 */
final class ThrottleLog {
    static final int LINES = 20;
    static final int USERS = 1_000;
    static final long MINUTE_MS = 60_000;
    /** Between two calls of {@link #tick}: how much later than a minute a line may come. */
    static final long TICK_MS = 5_000;

    private static final class OfUser {
        private static final long GONE = Long.MIN_VALUE;

        private final AtomicLong untold = new AtomicLong(1);
        private final AtomicLong mayTellMs;
        /** From when on the untold were counted. */
        private volatile long sinceMs;

        OfUser(long nowMs) {
            mayTellMs = new AtomicLong(nowMs);
            sinceMs = nowMs;
        }

        /** @return false: it was forgotten, and the request is not counted here */
        boolean count() {
            return untold.incrementAndGet() > 0;
        }

        boolean isDue(long nowMs) {
            return mayTellMs.get() <= nowMs;
        }

        /** @return true to one caller in a minute */
        boolean claimLine(long nowMs) {
            long from = mayTellMs.get();
            return from <= nowMs && mayTellMs.compareAndSet(from, nowMs + MINUTE_MS);
        }

        /** @return the requests not told of, which now are */
        long take(long nowMs) {
            sinceMs = nowMs;
            return untold.getAndSet(0);
        }

        boolean forget() {
            return untold.compareAndSet(0, GONE);
        }
    }

    private final boolean enforce;
    private final LiveQuotas quotas;
    private final RaiseCommand raise;
    private final Faults faults;
    private final Map<String, OfUser> users = new ConcurrentHashMap<>();
    /** Requests of users that found no room. */
    private final AtomicLong beyond = new AtomicLong();
    private final AtomicInteger linesLeft = new AtomicInteger(LINES);
    private long minuteEndsMs = MINUTE_MS;

    /** @param enforce false: who is over the quota is not throttled, and the lines say so */
    ThrottleLog(boolean enforce, LiveQuotas quotas, RaiseCommand raise, Faults faults) {
        this.enforce = enforce;
        this.quotas = quotas;
        this.raise = raise;
        this.faults = faults;
    }

    /** A request of the user was throttled; or would have been, when only observing. */
    void add(String user, long nowMs) {
        try {
            OfUser known = users.get(user);
            if (known == null || !known.count()) {
                addFirst(user, nowMs);
            }
        } catch (Throwable e) {
            faults.add(e);
        }
    }

    private void addFirst(String user, long nowMs) {
        if (users.size() >= USERS) {
            beyond.incrementAndGet();
            return;
        }
        OfUser mine = new OfUser(nowMs);
        OfUser other;
        while ((other = users.putIfAbsent(user, mine)) != null) {
            if (other.count()) {
                return;
            }
            // Forgotten, and about to leave the map.
            users.remove(user, other);
        }
        if (takeLine() && mine.claimLine(nowMs)) {
            tell(user, mine, nowMs);
        }
    }

    /** Writes the lines that are due, and forgets users that are not throttled any more. */
    void tick(long nowMs) {
        try {
            boolean minuteOver = nowMs >= minuteEndsMs;
            if (minuteOver) {
                minuteEndsMs = nowMs + MINUTE_MS;
                linesLeft.set(LINES);
            }
            long others = 0;
            long othersRequests = beyond.getAndSet(0);
            boolean more = othersRequests > 0;
            for (Map.Entry<String, OfUser> entry : due(nowMs)) {
                OfUser user = entry.getValue();
                if (user.forget()) {
                    users.remove(entry.getKey(), user);
                } else if (takeLine()) {
                    if (user.claimLine(nowMs)) {
                        tell(entry.getKey(), user, nowMs);
                    }
                } else if (minuteOver) {
                    others++;
                    othersRequests += user.take(nowMs);
                }
            }
            if (minuteOver) {
                tellOfOthers(others, more, othersRequests);
            } else {
                beyond.addAndGet(othersRequests);
            }
        } catch (Throwable e) {
            faults.add(e);
        }
    }

    /** Users noted now. */
    int size() {
        return users.size();
    }

    /** Those that may have a line, the most requests first. */
    private List<Map.Entry<String, OfUser>> due(long nowMs) {
        record Due(Map.Entry<String, OfUser> entry, long untold) {
        }
        List<Due> due = new ArrayList<>();
        users.entrySet().forEach(entry -> {
            if (entry.getValue().isDue(nowMs)) {
                // Read once: it goes up while this is sorted.
                due.add(new Due(entry, entry.getValue().untold.get()));
            }
        });
        due.sort(Comparator.comparingLong(Due::untold).reversed());
        return due.stream().map(Due::entry).toList();
    }

    private boolean takeLine() {
        return linesLeft.get() > 0 && linesLeft.getAndDecrement() > 0;
    }

    private void tell(String user, OfUser ofUser, long nowMs) {
        long overMs = nowMs - ofUser.sinceMs;
        long requests = ofUser.take(nowMs);
        if (requests == 0) {
            // Between the look and this, the other caller told of them.
            return;
        }
        LiveQuotas.InForce quota = quotas.of(user);
        String times = requests == 1 ? "once" : requests + " times in " + (overMs + 999) / 1_000 + " s";
        String over = Double.isNaN(quota.perHour()) ? "; it has no quota any more"
                : ", over its quota of " + RaiseCommand.plain(quota.perHour()) + " new producer IDs per hour (" + quota.from()
                        + "); to raise it: " + raise.of(user, quota.perHour());
        write("user " + user + " " + times + over);
    }

    private void tellOfOthers(long users, boolean more, long requests) {
        if (requests > 0) {
            String whom = more ? "at least " + (users + 1) + " further users" : users == 1 ? "1 further user" : users + " further users";
            write(whom + ", " + requests + " times in the last minute");
        }
    }

    /** Observing changes nothing for anybody, so it is no warning. */
    private void write(String whom) {
        if (enforce) {
            AgentLog.warn("Tollgate throttled " + whom);
        } else {
            AgentLog.info("Tollgate would have throttled " + whom + " (" + Setting.MODE.key + " = observe)");
        }
    }
}
