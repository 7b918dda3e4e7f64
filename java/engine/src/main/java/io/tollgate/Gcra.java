package io.tollgate;

import java.lang.ref.Reference;

/**
 * A strict token bucket, the one that a quota has: a charge takes one token, or is refused and told when to come back. Every
 * method may be called by any number of threads at once, takes no lock, and allocates nothing. {@link TokenBucket} takes
 * amounts and may owe.
 *
 * <p>Times are milliseconds from any origin; one before the bucket's first counts as that, a negative one as 0. Closing is
 * logical, as with {@link Tollgate}.
 */
public final class Gcra extends NativeObject {
    private Gcra(long handle) {
        super(handle, Gcra::free);
    }

    /**
     * A full bucket, loading the native library on the first use.
     *
     * @param perHour tokens that come per hour, a finite number above 0
     * @param capacity tokens at most, a finite number above 0; below 1 it counts as 1
     * @throws IllegalArgumentException naming the setting, its value and its range
     * @throws TollgateNativeException if the native library can't be used
     */
    public static Gcra full(double perHour, double capacity, long nowMs) {
        NativeLibrary.load(null);
        return new Gcra(make(perHour, capacity, nowMs));
    }

    /**
     * Takes one token.
     *
     * @return 0: taken; else refused, nothing taken, and milliseconds until there is a token, at least 1
     */
    public long charge(long nowMs) {
        ensureOpen();
        try {
            return charge(handle, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** Tokens, fractions included: from 0 to the capacity. Changes nothing. */
    public double tokens(long nowMs) {
        ensureOpen();
        try {
            return tokens(handle, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    // One to one with src/jni/gcra.rs.

    private static native long make(double perHour, double capacity, long nowMs);

    private static native void free(long handle);

    private static native long charge(long handle, long nowMs);

    private static native double tokens(long handle, long nowMs);
}
