package io.tollgate.bench;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** Guava's BloomFilter, one for the ids of all layers. It never forgets. */
@State(Scope.Benchmark)
public class GuavaKnown {
    @Param({"1000", "250000", "4000000"})
    public int perLayer;

    long[] newest;
    BloomFilter<Long> filter;

    @Setup
    public void fill() {
        long ids = Ids.first(Ids.LAYERS, perLayer);
        filter = BloomFilter.create(Funnels.longFunnel(), ids, Ids.FALSE_POSITIVE_RATE);
        for (long id = 0; id < ids; id++) {
            filter.put(id);
        }
        newest = Ids.shuffled(0, perLayer);
        Ids.check("Guava", newest, filter::mightContain);
    }
}
