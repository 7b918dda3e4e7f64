package io.tollgate;

import java.lang.ref.Reference;
import java.util.Objects;

/**
 * An admission engine. Every method may be called by any number of threads at once.
 *
 * <p>A caller interns each principal once and keeps the {@code int}; {@link #track} then takes integers only:
 *
 * <pre>{@code
 * try (Tollgate gate = Tollgate.create(TollgateConfig.builder().defaultQuota(100, 1.0).build())) {
 *     int alice = gate.intern("alice", nowMs);
 *     long decision = gate.track(alice, producerId, nowMs);
 *     if (Decision.isThrottled(decision)) {
 *         refuseFor(Decision.retryAfterMs(decision));
 *     }
 * }
 * }</pre>
 *
 * <p>Closing is logical: later calls throw {@link IllegalStateException}, calls under way end as usual, and the native
 * memory goes once this object is unreachable. No call writes to memory that threads share on the Java side.
 */
public final class Tollgate extends NativeObject {
    /**
     * The handle of the gate that all principals beyond {@code maxPrincipals} share, under the default quota. Never stale, but
     * not to be kept: intern the name again, there may be room by then.
     */
    public static final int OVERFLOW = -1;

    private Tollgate(long handle) {
        super(handle, NativeEngine::free);
    }

    /**
     * Makes an engine, loading the native library on the first use.
     *
     * @throws IllegalArgumentException naming the setting, its value and its range
     * @throws TollgateNativeException if the native library can't be used
     */
    public static Tollgate create(TollgateConfig config) {
        NativeLibrary.load(config.nativeLibrary);
        return new Tollgate(NativeEngine.create(config.given, config.windowMs, config.layers, config.falsePositiveRate,
                config.defaultQuotaPerHour, config.defaultBurst, config.limiter, config.maxThrottleMs, config.maxPrincipals,
                config.maxMemoryBytes, config.seed));
    }

    /**
     * The handle of a principal, made if need be. Never fails: beyond {@code maxPrincipals} it is {@link #OVERFLOW}. The same
     * name gives the same handle until the principal was idle for a window and was swept.
     */
    public int intern(String principal, long nowMs) {
        Objects.requireNonNull(principal, "principal");
        ensureOpen();
        try {
            return NativeEngine.intern(handle, principal, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Decides on one PID: Known, Admitted, Throttled, Stale, or Fault. Allocates nothing, takes no lock, throws nothing
     * but IllegalStateException after {@link #close}.
     *
     * @return a packed {@link Decision}
     */
    public long track(int principal, long pid, long nowMs) {
        ensureOpen();
        try {
            return NativeEngine.track(handle, principal, pid, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * The first half of a {@link #track}: Known (and recorded again if that is due), New (and nothing changed), Stale, or
     * Fault. For callers that can tell in another way whether a New PID should be charged.
     *
     * @return a packed {@link Decision}
     */
    public long touch(int principal, long pid, long nowMs) {
        ensureOpen();
        try {
            return NativeEngine.touch(handle, principal, pid, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Records a PID without charging for it: Known, Stale, or Fault.
     *
     * @return a packed {@link Decision}
     */
    public long remember(int principal, long pid, long nowMs) {
        ensureOpen();
        try {
            return NativeEngine.remember(handle, principal, pid, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * How long a PID that is new would wait to be admitted, if {@code ahead} others are before it and nobody else comes:
     * New when it would be at once, Throttled with exactly so long in {@link Decision#retryAfterMs} when not, Stale, or
     * Fault. Charges and counts nothing. For callers that let a PID wait instead of refusing it.
     *
     * @param ahead 0 or more
     * @return a packed {@link Decision}
     */
    public long await(int principal, int ahead, long nowMs) {
        ensureOpen();
        try {
            return NativeEngine.await(handle, principal, ahead, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Whether the PID is known; changes nothing. False for a stale handle. */
    public boolean contains(int principal, long pid, long nowMs) {
        ensureOpen();
        try {
            return NativeEngine.contains(handle, principal, pid, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Whether the handle still stands for its principal. */
    public boolean isLive(int principal) {
        ensureOpen();
        try {
            return NativeEngine.isLive(handle, principal);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Gives a principal a quota of its own, from the next call on. Tokens above the new capacity go, others stay.
     *
     * @param perHour new PIDs per hour, above 0
     * @param burst from 0 (spaced evenly) to 1 (a window's worth at once)
     * @throws IllegalArgumentException naming the setting, its value and its range
     */
    public void setQuota(String principal, double perHour, double burst, long nowMs) {
        Objects.requireNonNull(principal, "principal");
        ensureOpen();
        try {
            NativeEngine.setQuota(handle, principal, perHour, burst, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Exempts a principal from every quota, the default one included. It is still counted. */
    public void setUnlimited(String principal, long nowMs) {
        Objects.requireNonNull(principal, "principal");
        ensureOpen();
        try {
            NativeEngine.setUnlimited(handle, principal, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Puts a principal back under the default quota. */
    public void clearQuota(String principal, long nowMs) {
        Objects.requireNonNull(principal, "principal");
        ensureOpen();
        try {
            NativeEngine.clearQuota(handle, principal, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Sets the quota of all principals that have none of their own, from the next call on.
     *
     * @throws IllegalArgumentException naming the setting, its value and its range
     */
    public void setDefaultQuota(double perHour, double burst, long nowMs) {
        ensureOpen();
        try {
            NativeEngine.setDefaultQuota(handle, perHour, burst, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Takes the default quota away: principals without one of their own are not limited. */
    public void clearDefaultQuota(long nowMs) {
        ensureOpen();
        try {
            NativeEngine.clearDefaultQuota(handle, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Drops expired layers, and principals that were idle for a window. Once per layer period is enough.
     *
     * @return principals dropped
     */
    public int sweep(long nowMs) {
        ensureOpen();
        try {
            return NativeEngine.sweep(handle, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** What was counted for one principal; null when its handle is stale. */
    public TollgateStats stats(int principal, long nowMs) {
        ensureOpen();
        long[] counts = new long[NativeEngine.STATS_COUNTS];
        double[] gauges = new double[NativeEngine.STATS_GAUGES];
        try {
            return NativeEngine.stats(handle, principal, nowMs, counts, gauges) ? stats(counts, gauges) : null;
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** What was counted in all. */
    public TollgateTotals totals(long nowMs) {
        ensureOpen();
        long[] counts = new long[NativeEngine.TOTALS_COUNTS];
        double[] gauges = new double[NativeEngine.STATS_GAUGES];
        try {
            NativeEngine.totals(handle, nowMs, counts, gauges);
        } finally {
            Reference.reachabilityFence(this);
        }
        return new TollgateTotals(stats(counts, gauges), counts[8], counts[9], counts[10], counts[11]);
    }

    /** The names of the principals now live, in no order. */
    public String[] principals() {
        ensureOpen();
        try {
            return NativeEngine.principals(handle);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    private static TollgateStats stats(long[] counts, double[] gauges) {
        return new TollgateStats(counts[0], counts[1], counts[2], counts[3], counts[4], counts[5], counts[6], counts[7],
                gauges[0], gauges[1], gauges[2], gauges[3], gauges[4]);
    }
}
