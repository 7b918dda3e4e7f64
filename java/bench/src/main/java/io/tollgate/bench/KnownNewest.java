package io.tollgate.bench;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Threads;

/** A hit in the newest layer: what every request of a long-lived client costs. */
public class KnownNewest extends Measured {
    @Benchmark
    public long tollgateTrack(TollgateKnown peer, Cursor at) {
        return peer.gate.track(peer.alice, at.next(peer.newest), peer.now);
    }

    @Benchmark
    @Threads(2)
    public long tollgateTrackTwoThreads(TollgateKnown peer, Cursor at) {
        return peer.gate.track(peer.alice, at.next(peer.newest), peer.now);
    }

    @Benchmark
    public boolean commonsHasher(CommonsKnown peer, Cursor at) {
        return peer.contains(at.next(peer.newest));
    }

    @Benchmark
    public boolean commonsIndexExtractor(CommonsKnown peer, Cursor at) {
        return peer.filter.contains(at.next(peer.newestIndices));
    }

    @Benchmark
    public boolean commonsPerLayer(CommonsKnown peer, Cursor at) {
        return peer.containsPerLayer(at.next(peer.newest));
    }

    @Benchmark
    public boolean guava(GuavaKnown peer, Cursor at) {
        return peer.filter.mightContain(at.next(peer.newest));
    }

    @Benchmark
    public boolean concurrentSet(SetKnown peer, Cursor at) {
        return peer.set.contains(at.next(peer.newest));
    }

    @Benchmark
    public Boolean caffeine(CaffeineKnown peer, Cursor at) {
        return peer.cache.getIfPresent(at.next(peer.newest));
    }
}
