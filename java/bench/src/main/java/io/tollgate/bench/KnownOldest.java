package io.tollgate.bench;

import org.openjdk.jmh.annotations.Benchmark;

/** A hit in the oldest live layer. For Tollgate by {@code contains}: {@code track} would record the id anew (S2). */
public class KnownOldest extends Measured {
    @Benchmark
    public boolean tollgateContains(TollgateKnown peer, Cursor at) {
        return peer.gate.contains(peer.alice, at.next(peer.oldest), peer.now);
    }

    @Benchmark
    public boolean commonsHasher(CommonsKnown peer, Cursor at) {
        return peer.contains(at.next(peer.oldest));
    }
}
