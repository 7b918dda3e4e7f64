package io.tollgate;

import java.lang.ref.Reference;

/**
 * A token bucket for amounts, which may owe: KIP-599's permissive and strict quota. Every method may be called by any number
 * of threads at once, takes no lock, and allocates nothing. {@link Gcra} takes one token at a time and never owes.
 *
 * <pre>{@code
 * TokenBucket bucket = TokenBucket.full(5.0, 500.0, 0);
 * bucket.charge(560.0, 0);  // 12000: milliseconds until the level is 0 again
 * bucket.tokens(0);         // -60.0
 * }</pre>
 *
 * <p>Times are milliseconds from any origin; one before the bucket's first counts as that, a negative one as 0. Amounts below 0
 * give tokens back, up to the capacity; NaN counts as 0. Closing is logical, as with {@link Tollgate}.
 */
public final class TokenBucket extends NativeObject {
    private TokenBucket(long handle) {
        super(handle, TokenBucket::free);
    }

    /**
     * A full bucket, loading the native library on the first use.
     *
     * @param perSecond tokens that come per second, a finite number above 0
     * @param capacity tokens at most, a finite number above 0; Kafka's is N * W * Q for N samples of W under a quota of Q
     * @throws IllegalArgumentException naming the setting, its value and its range
     * @throws TollgateNativeException if the native library can't be used
     */
    public static TokenBucket full(double perSecond, double capacity, long nowMs) {
        NativeLibrary.load(null);
        return new TokenBucket(make(perSecond, capacity, nowMs));
    }

    /**
     * Takes an amount, whatever the level.
     *
     * @return milliseconds until the level is 0 again, rounded; 0 where it is not below
     */
    public long charge(double amount, long nowMs) {
        ensureOpen();
        try {
            return charge(handle, amount, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /**
     * Takes an amount unless the level is below 0, and takes nothing then. What is taken may bring the level below 0.
     *
     * @return 0: taken; else refused, and milliseconds until the level is 0 again, at least 1
     */
    public long chargeStrict(double amount, long nowMs) {
        ensureOpen();
        try {
            return chargeStrict(handle, amount, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    /** The level in tokens: at most the capacity, below 0 while the bucket owes. Changes nothing. */
    public double tokens(long nowMs) {
        ensureOpen();
        try {
            return tokens(handle, nowMs);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    // One to one with src/jni/token_bucket.rs.

    private static native long make(double perSecond, double capacity, long nowMs);

    private static native void free(long handle);

    private static native long charge(long handle, double amount, long nowMs);

    private static native long chargeStrict(long handle, double amount, long nowMs);

    private static native double tokens(long handle, long nowMs);
}
