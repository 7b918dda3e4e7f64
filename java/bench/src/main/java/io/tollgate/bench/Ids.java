package io.tollgate.bench;

import java.util.SplittableRandom;
import java.util.function.LongPredicate;

/** Which ids there are: those of layer 0, the newest, are 0 to {@code perLayer}; older layers follow on. */
final class Ids {
    static final int LAYERS = 4;
    /** Over all layers together. */
    static final double FALSE_POSITIVE_RATE = 0.001;
    /** No layer holds this id or any beyond. */
    static final long STRANGERS = 1L << 40;

    private static final int SAMPLE = 1_000;

    private Ids() {
    }

    static long first(int layer, int perLayer) {
        return (long) layer * perLayer;
    }

    /** A layer's ids in an order without pattern. */
    static long[] shuffled(int layer, int perLayer) {
        SplittableRandom random = new SplittableRandom(42);
        long[] ids = new long[perLayer];
        for (int i = 0; i < perLayer; i++) {
            int j = random.nextInt(i + 1);
            ids[i] = ids[j];
            ids[j] = first(layer, perLayer) + i;
        }
        return ids;
    }

    /**
     * Checks that {@code contains} tells the ids from strangers. A sample is enough, and more would take a minute of
     * commons-collections.
     *
     * @throws IllegalStateException if it doesn't
     */
    static void check(String peer, long[] ids, LongPredicate contains) {
        int strangers = 0;
        for (int i = 0; i < SAMPLE; i++) {
            long id = ids[i % ids.length];
            if (!contains.test(id)) {
                throw new IllegalStateException(peer + " doesn't know " + id);
            }
            if (contains.test(STRANGERS + i)) {
                strangers++;
            }
        }
        // Ten times the rate: for a filter that keeps to it, one of 1,000 is to be expected, and 11 aren't in a lifetime.
        if (strangers > SAMPLE / 100) {
            throw new IllegalStateException(peer + " knows " + strangers + " of " + SAMPLE + " strangers");
        }
    }
}
