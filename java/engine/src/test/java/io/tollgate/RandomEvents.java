package io.tollgate;

import java.util.SplittableRandom;

/**
 * Times and amounts as they come, from a seed: steady runs, bursts within a millisecond, gaps of samples and of whole windows,
 * and steps that end right before, at or after a sample's edge.
 */
final class RandomEvents {
    static final int COUNT = 100_000;
    /** Kafka's clock counts from 1970. */
    static final long START = 1_750_000_000_000L;

    private final SplittableRandom random;
    private final long sampleMs;
    private final int samples;
    private long at = START;

    RandomEvents(long seed, int samples, long sampleMs) {
        this.random = new SplittableRandom(seed);
        this.samples = samples;
        this.sampleMs = sampleMs;
    }

    /** When the next comes. */
    long next() {
        at += step();
        return at;
    }

    private long step() {
        int kind = random.nextInt(100);
        if (kind < 25) {
            return 0;
        }
        if (kind < 75) {
            return random.nextLong(sampleMs / 8 + 2);
        }
        if (kind < 90) {
            return random.nextLong(2 * sampleMs + 1);
        }
        if (kind < 99) {
            return Math.max(0, random.nextLong(samples + 2) * sampleMs + random.nextInt(-1, 2));
        }
        return random.nextLong(3 * samples * sampleMs + 1);
    }

    /** Mostly some, now and then a thousand times as many. */
    long amount() {
        return 1 + random.nextLong(random.nextInt(50) == 0 ? 1_000_000 : 1_000);
    }

    boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    /** A moment after the last event, up to `ms` later; what comes next comes after that. */
    long within(long ms) {
        at += random.nextLong(ms + 1);
        return at;
    }

    /** What comes in a sample's time on the mean, about. */
    double amountPerSample() {
        return 10_500 / (0.225 + 0.06 * samples);
    }
}
