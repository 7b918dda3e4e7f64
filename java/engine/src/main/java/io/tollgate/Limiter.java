package io.tollgate;

/** What enforces the quotas of an engine. In the order of the native side's. */
public enum Limiter {
    /**
     * Tokens come at the rate, up to the capacity: after an idle time a burst, and at once the rate again. A window may see a
     * capacity more than its rate.
     */
    TOKEN_BUCKET,
    /**
     * At most a capacity in any stretch of time in which that many come at the rate: with a burst of 1, at most a window's worth
     * in any window. What comes evenly gets eight ninths of the rate at least.
     */
    WINDOWED
}
