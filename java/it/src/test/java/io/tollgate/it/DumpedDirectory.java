package io.tollgate.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A broker's log directory as it is named by its listing and read by Kafka's own tool. Paths are relative to it.
 *
 * @param partitions by the name of their directory, TOPIC-N
 * @param segments all {@code *.log}
 * @param segmentBytes their sizes added up
 * @param snapshots partitions that have one
 * @param leftovers what the broker has deleted and not removed yet, of what the tool would read: files, and whole directories
 */
record DumpedDirectory(Map<String, IdCounts.Partition> partitions, Set<Path> segments, long segmentBytes, int snapshots,
        Set<Path> leftovers) {
    /**
     * @param preallocated a segment with a tail of zeros, or null
     * @param output a directory for the tool's words
     */
    static DumpedDirectory of(BrokerProcess broker, Path preallocated, Path output) throws IOException, InterruptedException {
        Set<Path> segments = new TreeSet<>();
        Set<Path> leftovers = new TreeSet<>();
        Map<Path, Path> newestSnapshots = new TreeMap<>();
        long bytes = 0;
        for (Path directory : list(broker.data(), Files::isDirectory)) {
            if (!directory.toString().matches(".+-[0-9]+")) {
                leftovers.add(directory);
                continue;
            }
            for (Path file : list(broker.data().resolve(directory), Files::isRegularFile)) {
                Path path = directory.resolve(file);
                if (file.toString().endsWith(".log")) {
                    segments.add(path);
                    bytes += Files.size(broker.data().resolve(path));
                } else if (file.toString().endsWith(".snapshot")) {
                    newestSnapshots.merge(directory, path, (a, b) -> a.compareTo(b) > 0 ? a : b);
                } else if (file.toString().matches(".*\\.(log|snapshot)\\.deleted")) {
                    leftovers.add(path);
                }
            }
        }
        List<Path> files = new ArrayList<>(segments);
        files.addAll(newestSnapshots.values());
        files.remove(preallocated);
        List<KafkaDump> dumps = new ArrayList<>(List.of(KafkaDump.of(broker, files, output.resolve("dump"))));
        if (preallocated != null) {
            dumps.add(KafkaDump.ofPreallocated(broker, preallocated, output.resolve("dump-preallocated")));
        }
        return new DumpedDirectory(partitions(segments, dumps), segments, bytes, newestSnapshots.size(), leftovers);
    }

    private static List<Path> list(Path directory, Predicate<Path> filter) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(filter).map(Path::getFileName).sorted().toList();
        }
    }

    private static Map<String, IdCounts.Partition> partitions(Set<Path> segments, List<KafkaDump> dumps) {
        Map<String, IdCounts.Partition> partitions = new TreeMap<>();
        segments.forEach(segment -> partitions.putIfAbsent(segment.getParent().toString(),
                new IdCounts.Partition(new ArrayList<>(), new ArrayList<>())));
        for (KafkaDump dump : dumps) {
            dump.batches().forEach(batch -> partitions.get(batch.file().getParent().toString()).batches().add(batch));
            dump.entries().forEach(entry -> partitions.get(entry.file().getParent().toString()).entries().add(entry));
        }
        partitions.values().forEach(partition -> partition.batches().sort(Comparator.comparingLong(KafkaDump.Batch::baseOffset)));
        return partitions;
    }

    Set<String> topics() {
        return partitions.keySet().stream().map(DumpedDirectory::topic).collect(Collectors.toCollection(TreeSet::new));
    }

    private static String topic(String partition) {
        return partition.substring(0, partition.lastIndexOf('-'));
    }

    /**
     * The topic that stands for whose each ID is: the one with its first data, by the second and then by name. Kafka's own topics come
     * after all others, and so do those that have no data of it.
     */
    Map<Long, String> owners() {
        record Claim(boolean isInternal, long firstS, String topic) {}

        Map<Long, Claim> claims = new HashMap<>();
        BinaryOperator<Claim> first = BinaryOperator.minBy(Comparator.comparing(Claim::isInternal).thenComparing(Claim::firstS)
                .thenComparing(Claim::topic));
        partitions.forEach((name, partition) -> {
            String topic = topic(name);
            Consumer<Long> none = id -> claims.merge(id, new Claim(topic.startsWith("__"), Long.MAX_VALUE, topic), first);
            partition.withId().forEach(batch -> none.accept(batch.producerId()));
            partition.entries().forEach(entry -> none.accept(entry.producerId()));
            partition.data().forEach(batch -> claims.merge(batch.producerId(),
                    new Claim(topic.startsWith("__"), batch.timestampMs() / 1_000, topic), first));
        });
        return claims.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, claim -> claim.getValue().topic()));
    }

    /** The segments that a compaction has taken offsets from, and the byte of the first batch before or in which some are missing. */
    Map<Path, Long> compacted() {
        Map<Path, Long> compacted = new TreeMap<>();
        Map<Path, Long> expected = new TreeMap<>();
        for (IdCounts.Partition partition : partitions.values()) {
            for (KafkaDump.Batch batch : partition.batches()) {
                String name = batch.file().getFileName().toString();
                Long next = expected.put(batch.file(), batch.lastOffset() + 1);
                if (batch.baseOffset() != (next == null ? Long.parseLong(name.substring(0, name.indexOf('.'))) : next)
                        || batch.records() != batch.lastOffset() - batch.baseOffset() + 1) {
                    compacted.putIfAbsent(batch.file(), batch.position());
                }
            }
        }
        return compacted;
    }

    /** Where a segment's last batch ends. */
    long end(Path segment) {
        return partitions.get(segment.getParent().toString()).batches().stream().filter(batch -> batch.file().equals(segment))
                .mapToLong(batch -> batch.position() + batch.size()).max().orElse(0);
    }
}
