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
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What {@code tollgate advise --json} counts of a partition, of a principal and of all, in its words; and the same counted here, in
 * the plainest way, from what Kafka's own tool says. As there, an ID's time is in whole seconds.
 */
@JsonNaming(SnakeCaseStrategy.class)
@JsonIgnoreProperties(ignoreUnknown = true)
record IdCounts(long batches, long records, long controlBatches, long batchesWithoutProducerId, long producerIds, long transactional,
        long seenOnce, long shortLived, long tooYoung, @JsonProperty("new") long isNew, long olderThanLog, PerHour newPerHour, Returns returns,
        long alive, long entries, Long firstMs, Long lastMs) {
    /** No pause, s. */
    private static final long MINUTE_S = 60;
    private static final long HOUR_S = 3_600;

    record PerHour(long hours, long median, long p95, long most) {}

    @JsonNaming(SnakeCaseStrategy.class)
    record Returns(long count, long medianS, long p95S, long mostS) {}

    /** From the first batch to the last, in seconds since 1970. */
    record Period(long fromS, long toS) {
        static Period of(Collection<Partition> partitions) {
            LongSummaryStatistics seconds = partitions.stream().flatMap(partition -> partition.batches().stream())
                    .mapToLong(batch -> batch.timestampMs() / 1_000).summaryStatistics();
            return new Period(seconds.getMin(), seconds.getMax());
        }

        /** Who is seen later may still be there. */
        private long youngAfterS() {
            return toS - Math.min(MINUTE_S, (toS - fromS) / 10);
        }
    }

    /** What one partition holds: its batches in the order of the log, and the entries of its newest snapshot. */
    record Partition(List<KafkaDump.Batch> batches, List<KafkaDump.Entry> entries) {
        Stream<KafkaDump.Batch> withId() {
            return batches.stream().filter(batch -> batch.producerId() >= 0);
        }

        Stream<KafkaDump.Batch> data() {
            return withId().filter(batch -> !batch.isControl());
        }

        /** What there is of some IDs. */
        Partition of(Predicate<Long> ids) {
            return new Partition(batches.stream().filter(batch -> ids.test(batch.producerId())).toList(),
                    entries.stream().filter(entry -> ids.test(entry.producerId())).toList());
        }

        /** The IDs whose first data here are not the first of their sequence. */
        private Set<Long> older() {
            Map<Long, KafkaDump.Batch> first = data().collect(Collectors.toMap(KafkaDump.Batch::producerId, batch -> batch,
                    (a, b) -> a.baseOffset() < b.baseOffset() ? a : b));
            return first.values().stream().filter(batch -> batch.baseSequence() != 0).map(KafkaDump.Batch::producerId)
                    .collect(Collectors.toSet());
        }

        private Set<Long> alive(long afterS) {
            Set<Long> alive = withId().filter(batch -> batch.timestampMs() / 1_000 > afterS).map(KafkaDump.Batch::producerId)
                    .collect(Collectors.toSet());
            entries.stream().filter(entry -> entry.timestampMs() / 1_000 > afterS).forEach(entry -> alive.add(entry.producerId()));
            return alive;
        }
    }

    /**
     * @param partitions one, or all
     * @param aliveAfterMs who was seen later than in that second is alive
     */
    static IdCounts of(Collection<Partition> partitions, long aliveAfterMs) {
        return of(partitions, aliveAfterMs, Period.of(partitions));
    }

    /** @param period of the log that these are a part of */
    static IdCounts of(Collection<Partition> partitions, long aliveAfterMs, Period period) {
        List<KafkaDump.Batch> all = partitions.stream().flatMap(partition -> partition.batches().stream()).toList();
        List<KafkaDump.Batch> data = partitions.stream().flatMap(Partition::data).toList();
        Map<Long, Long> dataBatches = data.stream().collect(Collectors.groupingBy(KafkaDump.Batch::producerId, Collectors.counting()));
        Map<Long, List<Long>> sights = sights(partitions);
        Set<Long> alive = new HashSet<>();
        long entries = 0;
        for (Partition partition : partitions) {
            Set<Long> here = partition.alive(aliveAfterMs / 1_000);
            alive.addAll(here);
            entries += here.size();
        }
        List<Long> hours = newByHour(partitions).values().stream().sorted().toList();
        List<Long> pauses = pauses(partitions);
        List<Long> shortLasts = fresh(partitions).stream().map(sights::get).filter(times -> last(times) - times.get(0) <= MINUTE_S)
                .map(IdCounts::last).toList();
        long tooYoung = shortLasts.stream().filter(last -> last > period.youngAfterS()).count();
        return new IdCounts(all.size(), all.stream().mapToLong(KafkaDump.Batch::records).sum(),
                all.stream().filter(KafkaDump.Batch::isControl).count(),
                all.stream().filter(batch -> batch.producerId() < 0).count(),
                sights.size(), data.stream().filter(KafkaDump.Batch::isTransactional).map(KafkaDump.Batch::producerId).distinct().count(),
                dataBatches.values().stream().filter(count -> count == 1).count(),
                shortLasts.size() - tooYoung, tooYoung,
                fresh(partitions).size(), older(partitions).size(),
                new PerHour(hours.size(), quantile(hours, 0.5), quantile(hours, 0.95), quantile(hours, 1)),
                new Returns(pauses.size(), quantile(pauses, 0.5), quantile(pauses, 0.95), quantile(pauses, 1)),
                alive.size(), entries,
                all.stream().map(KafkaDump.Batch::timestampMs).min(Comparator.naturalOrder()).orElse(null),
                all.stream().map(KafkaDump.Batch::timestampMs).max(Comparator.naturalOrder()).orElse(null));
    }

    /** What is counted by ID, and not by batch or partition. */
    IdCounts byId() {
        return new IdCounts(0, 0, 0, 0, producerIds, transactional, seenOnce, shortLived, tooYoung, isNew, olderThanLog, newPerHour, returns,
                alive, 0, null, null);
    }

    /** All batches of each ID, data or not, by second. */
    private static Map<Long, List<Long>> sights(Collection<Partition> partitions) {
        Map<Long, List<Long>> sights = new HashMap<>();
        partitions.stream().flatMap(Partition::withId).forEach(batch ->
                sights.computeIfAbsent(batch.producerId(), id -> new ArrayList<>()).add(batch.timestampMs() / 1_000));
        sights.values().forEach(seconds -> seconds.sort(null));
        return sights;
    }

    /** Where an ID's data begin tells; of one second, a partition that saw its beginning. */
    private static Set<Long> older(Collection<Partition> partitions) {
        Map<Long, Long> earliest = new HashMap<>();
        Map<Long, Boolean> isOlder = new HashMap<>();
        for (Partition partition : partitions) {
            Set<Long> olderHere = partition.older();
            Map<Long, Long> first = new HashMap<>();
            partition.data().forEach(batch -> first.merge(batch.producerId(), batch.timestampMs() / 1_000, Math::min));
            first.forEach((id, second) -> {
                long before = earliest.getOrDefault(id, Long.MAX_VALUE);
                if (second < before || second == before && !olderHere.contains(id)) {
                    earliest.put(id, second);
                    isOlder.put(id, olderHere.contains(id));
                }
            });
        }
        return isOlder.keySet().stream().filter(isOlder::get).collect(Collectors.toSet());
    }

    /** With data that begin within the log. */
    private static Set<Long> fresh(Collection<Partition> partitions) {
        Set<Long> fresh = partitions.stream().flatMap(Partition::data).map(KafkaDump.Batch::producerId).collect(Collectors.toSet());
        fresh.removeAll(older(partitions));
        return fresh;
    }

    /** First data of the new IDs by hour since 1970, from the first to the last sight of any. */
    static SortedMap<Long, Long> newByHour(Collection<Partition> partitions) {
        SortedMap<Long, Long> byHour = new TreeMap<>();
        List<Long> all = sights(partitions).values().stream().flatMap(List::stream).sorted().toList();
        if (all.isEmpty()) {
            return byHour;
        }
        for (long hour = all.get(0) / HOUR_S; hour <= last(all) / HOUR_S; hour++) {
            byHour.put(hour, 0L);
        }
        Set<Long> fresh = fresh(partitions);
        Map<Long, Long> first = new HashMap<>();
        partitions.stream().flatMap(Partition::data).filter(batch -> fresh.contains(batch.producerId()))
                .forEach(batch -> first.merge(batch.producerId(), batch.timestampMs() / 1_000 / HOUR_S, Math::min));
        first.values().forEach(hour -> byHour.merge(hour, 1L, Long::sum));
        return byHour;
    }

    /** Seconds of more than a minute between two sights of an ID, in order. */
    static List<Long> pauses(Collection<Partition> partitions) {
        List<Long> pauses = new ArrayList<>();
        for (List<Long> seconds : sights(partitions).values()) {
            for (int i = 1; i < seconds.size(); i++) {
                if (seconds.get(i) - seconds.get(i - 1) > MINUTE_S) {
                    pauses.add(seconds.get(i) - seconds.get(i - 1));
                }
            }
        }
        pauses.sort(null);
        return pauses;
    }

    private static long last(List<Long> sorted) {
        return sorted.get(sorted.size() - 1);
    }

    /** The value at rank ceil(share * n); of none, 0. */
    private static long quantile(List<Long> sorted, double share) {
        return sorted.isEmpty() ? 0 : sorted.get((int) Math.ceil(share * sorted.size()) - 1);
    }
}
