package io.tollgate.bench;

import org.apache.commons.codec.digest.MurmurHash3;
import org.apache.commons.collections4.bloomfilter.EnhancedDoubleHasher;
import org.apache.commons.collections4.bloomfilter.Hasher;
import org.apache.commons.collections4.bloomfilter.IndexExtractor;
import org.apache.commons.collections4.bloomfilter.LayerManager;
import org.apache.commons.collections4.bloomfilter.LayeredBloomFilter;
import org.apache.commons.collections4.bloomfilter.Shape;
import org.apache.commons.collections4.bloomfilter.SimpleBloomFilter;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The LayeredBloomFilter of commons-collections with four full layers. */
@State(Scope.Benchmark)
public class CommonsKnown {
    // No 4,000,000: a call makes and compares filters of nine megabytes then.
    @Param({"1000", "250000"})
    public int perLayer;

    long[] newest;
    long[] oldest;
    /** The indices of {@code newest}, hashed in advance. */
    IndexExtractor[] newestIndices;
    LayeredBloomFilter<SimpleBloomFilter> filter;

    private Shape shape;

    @Setup
    public void fill() {
        // A layer's share of what all may have together.
        double share = 1 - Math.pow(1 - Ids.FALSE_POSITIVE_RATE, 1.0 / Ids.LAYERS);
        shape = Shape.fromNP(perLayer, share);
        LayerManager.Builder<SimpleBloomFilter> layers = LayerManager.builder();
        filter = new LayeredBloomFilter<>(shape, layers.setSupplier(() -> new SimpleBloomFilter(shape))
                .setCleanup(LayerManager.Cleanup.onMaxSize(Ids.LAYERS)).get());
        for (int layer = Ids.LAYERS - 1; layer >= 0; layer--) {
            long first = Ids.first(layer, perLayer);
            for (long id = first; id < first + perLayer; id++) {
                filter.merge(hasher(id));
            }
            if (layer > 0) {
                filter.next();
            }
        }
        if (filter.getDepth() != Ids.LAYERS) {
            throw new IllegalStateException("commons-collections has " + filter.getDepth() + " layers");
        }
        newest = Ids.shuffled(0, perLayer);
        oldest = Ids.shuffled(Ids.LAYERS - 1, perLayer);
        newestIndices = new IndexExtractor[perLayer];
        for (int i = 0; i < perLayer; i++) {
            newestIndices[i] = hasher(newest[i]).indices(shape);
        }
        Ids.check("commons-collections", newest, this::contains);
        Ids.check("commons-collections", oldest, this::contains);
        Ids.check("commons-collections, layer by layer,", newest, this::containsPerLayer);
    }

    boolean contains(long id) {
        return filter.contains(hasher(id));
    }

    /** What {@code contains} says, without a filter of full size made for the call. */
    boolean containsPerLayer(long id) {
        IndexExtractor indices = hasher(id).indices(shape);
        return !filter.processBloomFilters(layer -> !layer.contains(indices));
    }

    /** 128 bits, as EnhancedDoubleHasher takes them. */
    static Hasher hasher(long id) {
        byte[] bytes = new byte[Long.BYTES];
        for (int i = 0; i < Long.BYTES; i++) {
            bytes[i] = (byte) (id >>> (8 * i));
        }
        long[] hash = MurmurHash3.hash128x64(bytes);
        return new EnhancedDoubleHasher(hash[0], hash[1]);
    }
}
