package io.tollgate.bench.rates;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * When the 600 events of one phase are offered, and when somebody looks.
 *
 * @param at times in order
 * @param moment of the monitor's reading, when all that a bucket holds at first is spent and before the last event passes
 */
record Offers(long[] at, long moment) {
    static final int EVENTS = 600;
    /** 40 a second. */
    static final int INTERVAL_MS = 25;
    /** The largest bucket holds 60, and loses 10 a second while 40 come and 30 are made. */
    static final int SPENT_MS = 8_000;
    private static final int UNTIL_MS = 17_500;
    private static final long START = 1_750_000_000_000L;

    /** Each somewhere within its 25 ms, the first 25 ms somewhere within a second. */
    static Offers atForty(long phase) {
        SplittableRandom random = new SplittableRandom(phase);
        long start = START + random.nextInt(1000);
        long[] at = new long[EVENTS];
        for (int i = 0; i < EVENTS; i++) {
            at[i] = start + (long) i * INTERVAL_MS + random.nextInt(INTERVAL_MS);
        }
        return new Offers(at, start + random.nextInt(SPENT_MS, UNTIL_MS));
    }

    /** All at the moment at which the phase's first would come. */
    static Offers atOnce(long phase) {
        Offers offers = atForty(phase);
        long[] at = new long[EVENTS];
        Arrays.fill(at, offers.at[0]);
        return new Offers(at, offers.moment);
    }
}
