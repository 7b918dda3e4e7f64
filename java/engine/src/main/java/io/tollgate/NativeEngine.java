package io.tollgate;

/**
 * The engine's native methods, one to one with src/jni/engine.rs, quota.rs and stats.rs. Not API.
 *
 * <p>{@code handle} is what {@link #create} gave; after {@link #free} it must not be used again, which {@link Tollgate}
 * sees to. 0 is answered with a fault. Times below 0 count as 0.
 */
final class NativeEngine {
    /** Raised whenever a native signature or a packed shape changes; compared with the library's own on loading. */
    static final int ABI_VERSION = 3;

    /** Lengths and order of the arrays that {@link #stats} and {@link #totals} fill. */
    static final int STATS_COUNTS = 8;
    static final int STATS_GAUGES = 5;
    static final int TOTALS_COUNTS = STATS_COUNTS + 4;

    private NativeEngine() {
    }

    static native int abiVersion();

    /** Throws IllegalArgumentException with the engine's own words. {@code given} is TollgateConfig's bit set. */
    static native long create(int given, long windowMs, int layers, double falsePositiveRate, double defaultPerHour,
            double defaultBurst, int limiter, int maxThrottleMs, int maxPrincipals, long maxMemoryBytes, long seed);

    static native void free(long handle);

    // The hot calls: primitives only, and the native side never touches the JNI environment.

    static native long track(long handle, int principal, long pid, long nowMs);

    static native long touch(long handle, int principal, long pid, long nowMs);

    static native long remember(long handle, int principal, long pid, long nowMs);

    static native long await(long handle, int principal, int ahead, long nowMs);

    static native boolean contains(long handle, int principal, long pid, long nowMs);

    static native boolean isLive(long handle, int principal);

    // The others may allocate, and throw TollgateNativeException on a defect.

    static native int intern(long handle, String principal, long nowMs);

    static native void setQuota(long handle, String principal, double perHour, double burst, long nowMs);

    static native void setUnlimited(long handle, String principal, long nowMs);

    static native void clearQuota(long handle, String principal, long nowMs);

    static native void setDefaultQuota(long handle, double perHour, double burst, long nowMs);

    static native void clearDefaultQuota(long handle, long nowMs);

    static native int sweep(long handle, long nowMs);

    /** False, with nothing written, when the principal's handle is stale. */
    static native boolean stats(long handle, int principal, long nowMs, long[] counts, double[] gauges);

    static native void totals(long handle, long nowMs, long[] counts, double[] gauges);

    static native String[] principals(long handle);
}
