package io.tollgate.kafka;

/** Milliseconds since this class was loaded, from the monotonic clock: setting the wall clock changes no quota. */
final class Clock {
    private static final long START = System.nanoTime();

    private Clock() {
    }

    static long nowMs() {
        return (System.nanoTime() - START) / 1_000_000;
    }
}
