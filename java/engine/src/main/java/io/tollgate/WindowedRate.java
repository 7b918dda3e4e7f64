package io.tollgate;

import java.lang.ref.Reference;
import java.util.Objects;

/**
 * How many events come per second, measured over N samples of W each, by one of three policies. Every method may be called by
 * any number of threads at once, takes no lock, and allocates nothing.
 *
 * <pre>{@code
 * WindowedRate rate = WindowedRate.create(WindowedRate.Policy.GRID, 2, 1000);
 * rate.record(1, nowMs);
 * double perSecond = rate.perSecond(nowMs);
 * }</pre>
 *
 * <p>Times are milliseconds from any origin; one before the newest sample's start counts as that start, a negative one as 0.
 * Closing is logical, as with {@link Tollgate}.
 */
public final class WindowedRate extends NativeObject {
    /** Which time a sample stands for, and what it counts for in a reading. In the order of the native side's. */
    public enum Policy {
        /** Kafka's pull request 12045: samples follow one another without gaps, on the grid of the first event. */
        GRID,
        /** What Kafka ships since 3.8: a sample starts at its first event, and counts while its last event is in the window. */
        OVERLAP,
        /**
         * The window slides: the oldest sample counts by the share of it that is still inside. Off from the exact count by at
         * most what that sample holds.
         */
        SLIDING
    }

    private WindowedRate(long handle) {
        super(handle, WindowedRate::free);
    }

    /**
     * A rate without events, loading the native library on the first use.
     *
     * @param samples N, 1 to 1000
     * @param sampleMs W in milliseconds, 1 to 2592000000 (thirty days)
     * @throws IllegalArgumentException naming the setting, its value and its range
     * @throws TollgateNativeException if the native library can't be used
     */
    public static WindowedRate create(Policy policy, int samples, long sampleMs) {
        Objects.requireNonNull(policy, "policy");
        NativeLibrary.load(null);
        return new WindowedRate(make(policy.ordinal(), samples, sampleMs));
    }

    /**
     * Counts events.
     *
     * @param amount how many (events, bytes), from 0; a sample holds 2^40 - 1, what is more is not counted
     * @throws IllegalArgumentException for an amount below 0
     */
    public void record(long amount, long nowMs) {
        ensureNotNegative("amount", amount);
        ensureOpen();
        try {
            record(handle, amount, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** The rate: events per second over {@link #windowMs}. Changes nothing. */
    public double perSecond(long nowMs) {
        ensureOpen();
        try {
            return perSecond(handle, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** The time that {@link #perSecond} measures over, in milliseconds, at least 1. */
    public long windowMs(long nowMs) {
        ensureOpen();
        try {
            return windowMs(handle, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Kafka's throttle time, {@code (rate - limit) / limit * window}, rounded. The rate may be above the limit after it, though
     * nothing comes.
     *
     * @param perSecondLimit events per second
     * @return milliseconds; 0 at or below the limit, {@link Long#MAX_VALUE} above one of 0 or less
     */
    public long throttleMs(double perSecondLimit, long nowMs) {
        ensureOpen();
        try {
            return throttleMs(handle, perSecondLimit, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    // One to one with src/jni/windowed_rate.rs.

    private static native long make(int policy, int samples, long sampleMs);

    private static native void free(long handle);

    private static native void record(long handle, long amount, long nowMs);

    private static native double perSecond(long handle, long nowMs);

    private static native long windowMs(long handle, long nowMs);

    private static native long throttleMs(long handle, double perSecondLimit, long nowMs);
}
