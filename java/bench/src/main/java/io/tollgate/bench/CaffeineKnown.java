package io.tollgate.bench;

import java.time.Duration;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** A Caffeine cache that forgets an hour after the write: exact, and not bounded in memory. */
@State(Scope.Benchmark)
public class CaffeineKnown {
    @Param({"1000", "250000"})
    public int perLayer;

    long[] newest;
    Cache<Long, Boolean> cache;

    @Setup
    public void fill() {
        int ids = Ids.LAYERS * perLayer;
        cache = Caffeine.newBuilder().expireAfterWrite(Duration.ofHours(1)).initialCapacity(ids).build();
        for (long id = 0; id < ids; id++) {
            cache.put(id, Boolean.TRUE);
        }
        // What the writes left to do is not the reads'.
        cache.cleanUp();
        newest = Ids.shuffled(0, perLayer);
        Ids.check("Caffeine", newest, id -> cache.getIfPresent(id) != null);
    }
}
