package io.tollgate.it;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * What {@code tollgate advise --json} counts of a partition and of all of them, in its words; and the same counted here, in the plainest
 * way, from what Kafka's own tool says.
 */
@JsonNaming(SnakeCaseStrategy.class)
@JsonIgnoreProperties(ignoreUnknown = true)
record IdCounts(long batches, long records, long controlBatches, long producerIds, long transactional, long seenOnce,
        @JsonProperty("new") long isNew, long olderThanLog, PerHour newPerHour, Returns returns, long alive, long entries,
        Long firstMs, Long lastMs) {
    private static final long PAUSE_S = 60;
    private static final long HOUR_MS = 3_600_000;

    record PerHour(long hours, long median, long p95, long most) {}

    @JsonNaming(SnakeCaseStrategy.class)
    record Returns(long count, long medianS, long p95S, long mostS) {}

    /** What one partition holds: its batches in the order of the log, and the entries of its newest snapshot. */
    record Partition(List<KafkaDump.Batch> batches, List<KafkaDump.Entry> entries) {
        private Stream<KafkaDump.Batch> withId() {
            return batches.stream().filter(batch -> batch.producerId() >= 0);
        }

        private Stream<KafkaDump.Batch> data() {
            return withId().filter(batch -> !batch.isControl());
        }

        /** The IDs whose first data here are not the first of their sequence. */
        private Set<Long> older() {
            Map<Long, KafkaDump.Batch> first = data().collect(Collectors.toMap(KafkaDump.Batch::producerId, batch -> batch,
                    (a, b) -> a.baseOffset() < b.baseOffset() ? a : b));
            return first.values().stream().filter(batch -> batch.baseSequence() != 0).map(KafkaDump.Batch::producerId)
                    .collect(Collectors.toSet());
        }

        private Set<Long> alive(long afterMs) {
            Set<Long> alive = withId().filter(batch -> batch.timestampMs() > afterMs).map(KafkaDump.Batch::producerId)
                    .collect(Collectors.toSet());
            entries.stream().filter(entry -> entry.timestampMs() > afterMs).forEach(entry -> alive.add(entry.producerId()));
            return alive;
        }
    }

    /**
     * @param partitions one, or all
     * @param aliveAfterMs who was seen later than that is alive
     */
    static IdCounts of(Collection<Partition> partitions, long aliveAfterMs) {
        List<KafkaDump.Batch> all = partitions.stream().flatMap(partition -> partition.batches().stream()).toList();
        List<KafkaDump.Batch> withId = partitions.stream().flatMap(Partition::withId).toList();
        List<KafkaDump.Batch> data = partitions.stream().flatMap(Partition::data).toList();
        Map<Long, Long> dataBatches = data.stream().collect(Collectors.groupingBy(KafkaDump.Batch::producerId, Collectors.counting()));
        Set<Long> older = new HashSet<>();
        Set<Long> alive = new HashSet<>();
        long entries = 0;
        for (Partition partition : partitions) {
            older.addAll(partition.older());
            Set<Long> here = partition.alive(aliveAfterMs);
            alive.addAll(here);
            entries += here.size();
        }
        Set<Long> fresh = new HashSet<>(dataBatches.keySet());
        fresh.removeAll(older);
        return new IdCounts(all.size(), all.stream().mapToLong(KafkaDump.Batch::records).sum(),
                all.stream().filter(KafkaDump.Batch::isControl).count(), ids(withId.stream()),
                ids(data.stream().filter(KafkaDump.Batch::isTransactional)),
                dataBatches.values().stream().filter(count -> count == 1).count(), fresh.size(), older.size(),
                perHour(withId, data, fresh), returns(withId), alive.size(), entries,
                all.stream().map(KafkaDump.Batch::timestampMs).min(Comparator.naturalOrder()).orElse(null),
                all.stream().map(KafkaDump.Batch::timestampMs).max(Comparator.naturalOrder()).orElse(null));
    }

    private static long ids(Stream<KafkaDump.Batch> batches) {
        return batches.map(KafkaDump.Batch::producerId).distinct().count();
    }

    /** First sights of the new IDs by the clock's hours, from the first to the last sight of any. */
    private static PerHour perHour(List<KafkaDump.Batch> withId, List<KafkaDump.Batch> data, Set<Long> fresh) {
        if (withId.isEmpty()) {
            return new PerHour(0, 0, 0, 0);
        }
        Map<Long, Long> firstHours = new HashMap<>();
        data.stream().filter(batch -> fresh.contains(batch.producerId()))
                .forEach(batch -> firstHours.merge(batch.producerId(), batch.timestampMs() / HOUR_MS, Math::min));
        Map<Long, Long> byHour = new TreeMap<>();
        hours(withId).forEach(hour -> byHour.put(hour, 0L));
        firstHours.values().forEach(hour -> byHour.merge(hour, 1L, Long::sum));
        List<Long> sorted = byHour.values().stream().sorted().toList();
        return new PerHour(sorted.size(), quantile(sorted, 0.5), quantile(sorted, 0.95), quantile(sorted, 1));
    }

    private static LongStream hours(List<KafkaDump.Batch> batches) {
        long first = batches.stream().mapToLong(KafkaDump.Batch::timestampMs).min().orElseThrow();
        long last = batches.stream().mapToLong(KafkaDump.Batch::timestampMs).max().orElseThrow();
        return LongStream.rangeClosed(first / HOUR_MS, last / HOUR_MS);
    }

    private static Returns returns(List<KafkaDump.Batch> withId) {
        Map<Long, List<Long>> seconds = new HashMap<>();
        withId.forEach(batch -> seconds.computeIfAbsent(batch.producerId(), id -> new ArrayList<>()).add(batch.timestampMs() / 1_000));
        List<Long> pauses = new ArrayList<>();
        for (List<Long> sights : seconds.values()) {
            sights.sort(null);
            for (int i = 1; i < sights.size(); i++) {
                if (sights.get(i) - sights.get(i - 1) > PAUSE_S) {
                    pauses.add(sights.get(i) - sights.get(i - 1));
                }
            }
        }
        pauses.sort(null);
        return new Returns(pauses.size(), quantile(pauses, 0.5), quantile(pauses, 0.95), quantile(pauses, 1));
    }

    /** The value at rank ceil(share * n); of none, 0. */
    private static long quantile(List<Long> sorted, double share) {
        return sorted.isEmpty() ? 0 : sorted.get((int) Math.ceil(share * sorted.size()) - 1);
    }
}
