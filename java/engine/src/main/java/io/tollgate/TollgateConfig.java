package io.tollgate;

import java.nio.file.Path;
import java.security.SecureRandom;

/**
 * How an engine is set up. Made by {@link #builder()}; what is not set has the engine's own default.
 *
 * <p>Values are checked where the engine is made, by the same code and with the same words as in Rust: {@link
 * Tollgate#create} throws an {@link IllegalArgumentException} that names the setting, the value and the range.
 */
public final class TollgateConfig {
    // One bit per setting that was given; the native side leaves the others at the engine's defaults. Keep in step with
    // `mod given` in src/jni/engine.rs.
    static final int WINDOW_MS = 1;
    static final int LAYERS = 1 << 1;
    static final int FALSE_POSITIVE_RATE = 1 << 2;
    static final int DEFAULT_QUOTA = 1 << 3;
    static final int MAX_THROTTLE_MS = 1 << 4;
    static final int MAX_PRINCIPALS = 1 << 5;
    static final int MAX_MEMORY_BYTES = 1 << 6;
    static final int LIMITER = 1 << 7;

    final int given;
    final long windowMs;
    final int layers;
    final double falsePositiveRate;
    final double defaultQuotaPerHour;
    final double defaultBurst;
    final int limiter;
    final int maxThrottleMs;
    final int maxPrincipals;
    final long maxMemoryBytes;
    final long seed;
    final Path nativeLibrary;

    private TollgateConfig(Builder builder) {
        given = builder.given;
        windowMs = builder.windowMs;
        layers = builder.layers;
        falsePositiveRate = builder.falsePositiveRate;
        defaultQuotaPerHour = builder.defaultQuotaPerHour;
        defaultBurst = builder.defaultBurst;
        limiter = builder.limiter;
        maxThrottleMs = builder.maxThrottleMs;
        maxPrincipals = builder.maxPrincipals;
        maxMemoryBytes = builder.maxMemoryBytes;
        // Not a constant: whoever knows the seed can make PIDs that collide.
        seed = builder.seed != null ? builder.seed : new SecureRandom().nextLong();
        nativeLibrary = builder.nativeLibrary;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects settings. Not for use by several threads at once. */
    public static final class Builder {
        private int given;
        private long windowMs;
        private int layers;
        private double falsePositiveRate;
        private double defaultQuotaPerHour;
        private double defaultBurst;
        private int limiter;
        private int maxThrottleMs;
        private int maxPrincipals;
        private long maxMemoryBytes;
        private Long seed;
        private Path nativeLibrary;

        private Builder() {
        }

        /** How long a PID that is not seen again stays known, in milliseconds. Default: one hour. */
        public Builder windowMs(long milliseconds) {
            windowMs = milliseconds;
            given |= WINDOW_MS;
            return this;
        }

        /** Layers that the window is cut into, 3 to 64. Default: 4. */
        public Builder layers(int count) {
            layers = count;
            given |= LAYERS;
            return this;
        }

        /** Share of never-seen PIDs that may be called Known, over all layers together. Default: 0.001. */
        public Builder falsePositiveRate(double share) {
            falsePositiveRate = share;
            given |= FALSE_POSITIVE_RATE;
            return this;
        }

        /**
         * The quota of principals that have none of their own. Default: no limit.
         *
         * @param perHour new PIDs per hour, above 0
         * @param burst from 0 (spaced evenly) to 1 (a window's worth at once)
         */
        public Builder defaultQuota(double perHour, double burst) {
            defaultQuotaPerHour = perHour;
            defaultBurst = burst;
            given |= DEFAULT_QUOTA;
            return this;
        }

        /** What enforces the quotas, the default one and those of principals. Default: {@link Limiter#TOKEN_BUCKET}. */
        public Builder limiter(Limiter kind) {
            limiter = kind.ordinal();
            given |= LIMITER;
            return this;
        }

        /** The longest that a throttled caller is told to wait, in milliseconds. Default: 30,000. */
        public Builder maxThrottleMs(int milliseconds) {
            maxThrottleMs = milliseconds;
            given |= MAX_THROTTLE_MS;
            return this;
        }

        /** Principals beyond which further ones share one gate. Default: 10,000. */
        public Builder maxPrincipals(int count) {
            maxPrincipals = count;
            given |= MAX_PRINCIPALS;
            return this;
        }

        /** Memory beyond which the oldest layers of the largest principals go early, in bytes. Default: 64 MiB. */
        public Builder maxMemoryBytes(long bytes) {
            maxMemoryBytes = bytes;
            given |= MAX_MEMORY_BYTES;
            return this;
        }

        /** The secret hash seed. Default: from a {@link SecureRandom}. Set it only where a run must be repeatable. */
        public Builder seed(long secret) {
            seed = secret;
            return this;
        }

        /**
         * The native library's file. It is used or the engine is refused: nothing else is tried. Default: the system
         * property {@code tollgate.native.path}, or else the build inside this jar for the platform at hand.
         */
        public Builder nativeLibrary(Path file) {
            nativeLibrary = file;
            return this;
        }

        public TollgateConfig build() {
            return new TollgateConfig(this);
        }
    }
}
