package io.tollgate.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import io.tollgate.Decision;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.BenchmarkListEntry;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Each benchmark once at the smallest size, set-up and all: that it measures what its name says. */
class BenchmarksTest {
    private static final int SMALLEST = 1_000;

    private final KnownNewest newest = new KnownNewest();
    private final KnownOldest oldest = new KnownOldest();
    private final Cursor at = new Cursor();

    /** Whoever reads target/bench/jmh.json finds its rows by these. */
    @Test
    void namesAndParametersStayAsTheyAre() {
        Set<String> found = new TreeSet<>();
        for (BenchmarkListEntry entry : BenchmarkList.defaultList()
                .getAll(OutputFormatFactory.createFormatInstance(System.out, VerboseMode.SILENT), List.of())) {
            StringBuilder row = new StringBuilder(entry.getUsername());
            entry.getParams().orElse(Map.of()).forEach((name, values) -> row.append(' ').append(name)
                    .append('=').append(String.join(",", values)));
            found.add(row.toString());
        }
        String every = " perLayer=1000,250000,4000000";
        assertEquals(new TreeSet<>(Set.of(
                "io.tollgate.bench.Admitted.tollgateTrack",
                "io.tollgate.bench.KnownNewest.caffeine perLayer=1000,250000",
                "io.tollgate.bench.KnownNewest.commonsHasher perLayer=1000,250000",
                "io.tollgate.bench.KnownNewest.commonsIndexExtractor perLayer=1000,250000",
                "io.tollgate.bench.KnownNewest.commonsPerLayer perLayer=1000,250000",
                "io.tollgate.bench.KnownNewest.concurrentSet perLayer=1000,250000",
                "io.tollgate.bench.KnownNewest.guava" + every,
                "io.tollgate.bench.KnownNewest.tollgateTrack" + every,
                "io.tollgate.bench.KnownNewest.tollgateTrackTwoThreads" + every,
                "io.tollgate.bench.KnownOldest.commonsHasher perLayer=1000,250000",
                "io.tollgate.bench.KnownOldest.tollgateContains" + every,
                "io.tollgate.bench.RateRecord.kafkaSensor",
                "io.tollgate.bench.Throttled.tollgateTrack perLayer=1000,250000")), found);
    }

    @Test
    void aLayersIdsAreVisitedOnceARoundInNoOrder() {
        long[] ids = Ids.shuffled(1, SMALLEST);
        assertEquals(SMALLEST, Arrays.stream(ids).distinct().count());
        assertEquals(1_000, Arrays.stream(ids).min().orElseThrow());
        assertEquals(1_999, Arrays.stream(ids).max().orElseThrow());
        long inPlace = Arrays.stream(ids).filter(id -> ids[(int) id - 1_000] == id).count();
        assertTrue(inPlace < 10, () -> inPlace + " of 1,000 stayed where they were");
        Set<Long> round = new HashSet<>();
        for (int i = 0; i < SMALLEST; i++) {
            round.add(at.next(ids));
        }
        assertEquals(SMALLEST, round.size());
        assertEquals(ids[0], at.next(ids));
    }

    @Test
    void aPeerThatAnswersWronglyIsNotMeasured() {
        long[] ids = Ids.shuffled(0, SMALLEST);
        Ids.check("right", ids, id -> id < SMALLEST);
        assertThrows(IllegalStateException.class, () -> Ids.check("forgets one", ids, id -> id < SMALLEST - 1));
        assertThrows(IllegalStateException.class, () -> Ids.check("knows all", ids, id -> true));
    }

    @Test
    void tollgateKnows() {
        TollgateKnown peer = new TollgateKnown();
        peer.perLayer = SMALLEST;
        peer.fill();
        assertEquals(Decision.KNOWN, Decision.kind(newest.tollgateTrack(peer, at)));
        assertEquals(Decision.KNOWN, Decision.kind(newest.tollgateTrackTwoThreads(peer, at)));
        assertTrue(oldest.tollgateContains(peer, at));
        peer.check();
    }

    /** S2: track would record an id of the oldest layer again, and is then no lookup. */
    @Test
    void s2_aBenchmarkThatTracksTheOldestIsRefused() {
        TollgateKnown peer = new TollgateKnown();
        peer.perLayer = SMALLEST;
        peer.fill();
        assertEquals(Decision.KNOWN, Decision.kind(peer.gate.track(peer.alice, peer.oldest[0], peer.now)));
        assertThrows(IllegalStateException.class, peer::check);
    }

    @Test
    void commonsCollectionsKnows() {
        CommonsKnown peer = new CommonsKnown();
        peer.perLayer = SMALLEST;
        peer.fill();
        assertTrue(newest.commonsHasher(peer, at));
        assertTrue(newest.commonsIndexExtractor(peer, at));
        assertTrue(newest.commonsPerLayer(peer, at));
        assertTrue(oldest.commonsHasher(peer, at));
        // That the newest ids are in the newest layer only, and the oldest in the oldest, which it looks at first.
        assertEquals(3, peer.filter.find(peer.newestIndices[0])[0]);
        assertEquals(0, peer.filter.find(CommonsKnown.hasher(peer.oldest[0]))[0]);
    }

    @Test
    void guavaKnows() {
        GuavaKnown peer = new GuavaKnown();
        peer.perLayer = SMALLEST;
        peer.fill();
        assertTrue(newest.guava(peer, at));
    }

    @Test
    void theConcurrentSetKnows() {
        SetKnown peer = new SetKnown();
        peer.perLayer = SMALLEST;
        peer.fill();
        assertEquals(4 * SMALLEST, peer.set.size());
        assertTrue(newest.concurrentSet(peer, at));
    }

    @Test
    void caffeineKnows() {
        CaffeineKnown peer = new CaffeineKnown();
        peer.perLayer = SMALLEST;
        peer.fill();
        assertEquals(4 * SMALLEST, peer.cache.estimatedSize());
        assertSame(Boolean.TRUE, newest.caffeine(peer, at));
    }

    @Test
    void tollgateThrottles() {
        Throttled benchmark = new Throttled();
        benchmark.perLayer = SMALLEST;
        benchmark.spend();
        int throttled = 0;
        for (int i = 0; i < 1_000; i++) {
            throttled += Decision.isThrottled(benchmark.tollgateTrack()) ? 1 : 0;
        }
        // All but the false positives, of which one is to be expected.
        assertTrue(throttled >= 990, throttled + " of 1,000 throttled");
        benchmark.check();
    }

    @Test
    void tollgateAdmits() {
        Admitted benchmark = new Admitted();
        benchmark.fill();
        assertThrows(IllegalStateException.class, benchmark::check, "none was admitted");
        benchmark.fill();
        long decisions = benchmark.tollgateTrack();
        assertTrue(decisions >= 0.99 * Admitted.PER_LAYER && decisions <= Admitted.PER_LAYER, () -> decisions + " admitted");
        benchmark.check();
    }

    @Test
    void kafkaRecords() {
        RateRecord benchmark = new RateRecord();
        benchmark.make();
        assertTrue(benchmark.kafkaSensor().hasMetrics());
        benchmark.close();
    }
}
