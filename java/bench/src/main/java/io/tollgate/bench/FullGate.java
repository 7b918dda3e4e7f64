package io.tollgate.bench;

import io.tollgate.Decision;
import io.tollgate.Tollgate;
import io.tollgate.TollgateConfig;
import io.tollgate.TollgateStats;

/** A Tollgate with one principal and a moment in the period of its newest layer. */
record FullGate(Tollgate gate, int alice, long now) {
    static final String NAME = "alice";

    private static final long HOUR = 3_600_000;

    /** All four layers full. */
    static FullGate of(int perLayer) {
        return filled(perLayer, 0);
    }

    /** The three older layers full, and the newest about to come. */
    static FullGate butTheNewest(int perLayer) {
        return filled(perLayer, 1);
    }

    private static FullGate filled(int perLayer, int newest) {
        // The quota is what layers are sized by (S5), and never in the way: `remember` charges nothing.
        Tollgate gate = Tollgate.create(TollgateConfig.builder().seed(42).layers(Ids.LAYERS)
                .falsePositiveRate(Ids.FALSE_POSITIVE_RATE).maxMemoryBytes(1L << 33)
                .defaultQuota((double) perLayer * Ids.LAYERS, 1.0).build());
        int alice = gate.intern(NAME, 0);
        for (int layer = Ids.LAYERS - 1; layer >= newest; layer--) {
            long first = Ids.first(layer, perLayer);
            for (long id = first; id < first + perLayer; id++) {
                if (!Decision.isKnown(gate.remember(alice, id, startOf(layer)))) {
                    throw new IllegalStateException("Tollgate didn't record " + id);
                }
            }
        }
        return new FullGate(gate, alice, startOf(0));
    }

    private static long startOf(int layer) {
        return (Ids.LAYERS - 1 - layer) * HOUR / Ids.LAYERS;
    }

    TollgateStats stats() {
        return gate.stats(alice, now);
    }

    /** @throws IllegalStateException unless there are as many layers as there should be, no fewer and no more */
    FullGate checkLayers() {
        long layers = stats().layers();
        if (layers != Ids.LAYERS) {
            throw new IllegalStateException("Tollgate has " + layers + " layers");
        }
        return this;
    }
}
