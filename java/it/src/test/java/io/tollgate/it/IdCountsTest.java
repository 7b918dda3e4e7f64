package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class IdCountsTest {
    private static final Path FILE = Path.of("a-0/00000000000000000000.log");
    private static final long HOUR = 3_600_000;
    private static final long T0 = 500_000 * HOUR;

    private static KafkaDump.Batch batch(long offset, long pid, int sequence, boolean control, long ms) {
        return new KafkaDump.Batch(FILE, 100 * offset, 100, offset, offset, 2, sequence, pid, control, control, ms);
    }

    private static KafkaDump.Batch data(long offset, long pid, int sequence, long ms) {
        return batch(offset, pid, sequence, false, ms);
    }

    private static IdCounts.Partition partition(KafkaDump.Batch... batches) {
        return new IdCounts.Partition(List.of(batches), List.of());
    }

    @Test
    void idsAreCountedByWhatTheyWroteAndWhen() {
        IdCounts.Partition one = partition(data(0, 7, 0, T0), data(1, 7, 2, T0 + 60_999), data(2, 7, 4, T0 + 122_000),
                data(3, 8, 3, T0 + 3 * HOUR), batch(4, 9, -1, true, T0 + 4 * HOUR), data(5, -1, -1, T0 + 9 * HOUR));
        assertEquals(new IdCounts(6, 12, 1, 1, 3, 0, 1, 0, 0, 1, 1, new IdCounts.PerHour(5, 0, 1, 1), new IdCounts.Returns(1, 62, 62, 62),
                2, 2, T0, T0 + 9 * HOUR), IdCounts.of(List.of(one), T0 + 2 * HOUR));
    }

    @Test
    void whereItsDataBeginTellsWhetherAnIdIsNew() {
        // 7 is new, whatever a compacted partition has left of it; 9 began on the second partition before its first has it; 8 is new on
        // one of two in the same second.
        IdCounts.Partition one = partition(data(0, 7, 0, T0), data(1, 8, 0, T0), data(2, 9, 0, T0 + HOUR));
        IdCounts.Partition other = partition(data(0, 7, 5, T0 + HOUR), data(1, 8, 3, T0 + 999), data(2, 9, 4, T0));
        IdCounts both = IdCounts.of(List.of(one, other), T0 - 1);
        assertEquals(List.of(3L, 2L, 1L), List.of(both.producerIds(), both.isNew(), both.olderThanLog()));
    }

    @Test
    void inAllAnIdIsCountedOnce() {
        IdCounts.Partition one = partition(data(0, 7, 0, T0), data(1, 8, 0, T0));
        IdCounts.Partition other = partition(data(0, 7, 5, T0 + HOUR), batch(1, 8, -1, true, T0 + HOUR), data(2, 9, 0, T0 + HOUR));
        IdCounts all = IdCounts.of(List.of(one, other), T0 - 1);
        assertEquals(List.of(3L, 3L, 0L, 2L), List.of(all.producerIds(), all.isNew(), all.olderThanLog(), all.seenOnce()));
        assertEquals(new IdCounts.PerHour(2, 1, 2, 2), all.newPerHour());
        assertEquals(new IdCounts.Returns(2, 3_600, 3_600, 3_600), all.returns());
        assertEquals(List.of(3L, 5L), List.of(all.alive(), all.entries()));
    }

    @Test
    void aSnapshotKeepsAliveWhatTheLogHasNot() {
        Path snapshot = Path.of("a-0/00000000000000000009.snapshot");
        IdCounts.Partition one = new IdCounts.Partition(List.of(data(0, 7, 0, T0), data(1, 8, 0, T0 - 5)),
                List.of(new KafkaDump.Entry(snapshot, 6, T0 - 1),
                        new KafkaDump.Entry(snapshot, 7, T0), new KafkaDump.Entry(snapshot, 5, T0 + 1)));
        IdCounts counts = IdCounts.of(List.of(one), T0 - 1_000);
        assertEquals(List.of(2L, 2L), List.of(counts.producerIds(), counts.alive()));
    }

    @Test
    void quantilesAreTheValuesAtTheirRanks() {
        KafkaDump.Batch[] sights = LongStream.rangeClosed(0, 40).mapToObj(n -> data(n, 7, (int) n, T0 + n * (n + 1) / 2 * 61_000))
                .toArray(KafkaDump.Batch[]::new);
        // Pauses of 61 s times 1 to 40.
        assertEquals(new IdCounts.Returns(40, 20 * 61, 38 * 61, 40 * 61), IdCounts.of(List.of(partition(sights)), 0).returns());
    }

    @Test
    void shortLivedIsWhoseDataAndMarkersLieWithinAMinute() {
        IdCounts.Partition one = partition(data(0, 7, 0, T0), data(1, 7, 1, T0 + 60_999), data(2, 8, 0, T0),
                batch(3, 8, -1, true, T0 + 61_000), batch(4, 9, -1, true, T0));
        IdCounts late = IdCounts.of(List.of(one), T0, new IdCounts.Period(T0 / 1_000 - 10_000, T0 / 1_000 + 61));
        assertEquals(List.of(0L, 1L), List.of(late.shortLived(), late.tooYoung()));
        IdCounts.Period longer = new IdCounts.Period(T0 / 1_000 - 10_000, T0 / 1_000 + 200);
        IdCounts counts = IdCounts.of(List.of(one), T0, longer);
        assertEquals(List.of(1L, 0L), List.of(counts.shortLived(), counts.tooYoung()));
    }

    @Test
    void anEmptyPartitionHasNothing() {
        assertEquals(new IdCounts(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, new IdCounts.PerHour(0, 0, 0, 0),
                new IdCounts.Returns(0, 0, 0, 0), 0, 0, null, null), IdCounts.of(List.of(partition()), 0));
    }

    @Test
    void theToolsWordsAreReadAsTheyAre() throws Exception {
        String json = """
                {"topic": "a", "partition": 0, "batches": 1, "records": 2, "control_batches": 3,
                "batches_without_producer_id": 21, "batches_without_time": 0, "producer_ids": 4, "transactional": 5,
                "seen_once": 6, "short_lived": 22, "too_young": 23, "new": 7, "older_than_log": 8,
                "new_per_hour": {"hours": 9, "median": 10, "p95": 11, "most": 12},
                "returns": {"count": 13, "median_s": 14, "p95_s": 15, "most_s": 16}, "alive": 17, "entries": 18, "heap_bytes": 19.5,
                "first_ms": 20, "last_ms": null}""";
        assertEquals(new IdCounts(1, 2, 3, 21, 4, 5, 6, 22, 23, 7, 8, new IdCounts.PerHour(9, 10, 11, 12),
                new IdCounts.Returns(13, 14, 15, 16), 17, 18, 20L, null), new ObjectMapper().readValue(json, IdCounts.class));
    }
}
