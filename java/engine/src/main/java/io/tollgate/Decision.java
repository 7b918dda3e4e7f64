package io.tollgate;

/**
 * Reads the packed decision that {@link Tollgate#track}, {@link Tollgate#touch}, {@link Tollgate#remember} and {@link
 * Tollgate#await} return.
 *
 * <p>Shape of the word: bits 0 to 7 the kind, bits 32 to 63 the milliseconds until the next try. A word costs no
 * allocation, and nothing here throws.
 */
public final class Decision {
    /** The PID was seen within the window. Let it pass. */
    public static final int KNOWN = 0;
    /** The PID is new, the quota was charged, and it is remembered from now on. Let it pass. */
    public static final int ADMITTED = 1;
    /** The PID is new and the quota is spent. Nothing was charged or remembered. Refuse it for {@link #retryAfterMs}. */
    public static final int THROTTLED = 2;
    /** The principal's handle was reclaimed after long idleness: {@link Tollgate#intern} again and repeat the call. */
    public static final int STALE = 3;
    /** The PID is new, and nothing was changed. Only from {@link Tollgate#touch}; from {@link Tollgate#await}: it would be admitted. */
    public static final int NEW = 4;
    /** The native side failed inside, which is a defect. Let the call pass and count it. */
    public static final int FAULT = 255;

    private Decision() {
    }

    /** One of the constants above. A word that this version does not know reads as {@link #FAULT}. */
    public static int kind(long decision) {
        int kind = (int) decision & 0xff;
        return kind <= NEW ? kind : FAULT;
    }

    public static boolean isKnown(long decision) {
        return kind(decision) == KNOWN;
    }

    public static boolean isAdmitted(long decision) {
        return kind(decision) == ADMITTED;
    }

    public static boolean isThrottled(long decision) {
        return kind(decision) == THROTTLED;
    }

    public static boolean isStale(long decision) {
        return kind(decision) == STALE;
    }

    public static boolean isNew(long decision) {
        return kind(decision) == NEW;
    }

    public static boolean isFault(long decision) {
        return kind(decision) == FAULT;
    }

    /**
     * Milliseconds until a throttled caller may try again, from 1 to the configured most; 0 for every other kind.
     */
    public static int retryAfterMs(long decision) {
        return isThrottled(decision) ? (int) Math.min(decision >>> 32, Integer.MAX_VALUE) : 0;
    }

    /** For logs: {@code "known"}, {@code "throttled for 120 ms"} and so on. */
    public static String toString(long decision) {
        return switch (kind(decision)) {
            case KNOWN -> "known";
            case ADMITTED -> "admitted";
            case THROTTLED -> "throttled for " + retryAfterMs(decision) + " ms";
            case STALE -> "stale";
            case NEW -> "new";
            default -> "fault";
        };
    }
}
