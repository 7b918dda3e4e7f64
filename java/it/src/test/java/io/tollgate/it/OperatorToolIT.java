package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code tollgate advise} on what real brokers wrote for many real clients: each of its counts against Kafka's own tool on the same
 * files, while the broker runs and after it. All words of both tools stay in target/operator.
 */
class OperatorToolIT {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long EXPIRATION_MS = 86_400_000;
    /** What an entry costs a broker, in bytes: after one batch, and after five or more (docs/kafka.md). */
    private static final double LEAST_ENTRY = 276;
    private static final double MOST_ENTRY = 440;
    /** Its second segment was closed and cut to what it holds; the third is the active one. */
    private static final Path PREALLOCATED = Path.of(ManyClients.PREALLOCATED + "-0/00000000000000000012.log");

    @ParameterizedTest
    @ValueSource(strings = {"3.9.1", "4.4.0"})
    void every_count_is_what_kafkas_own_tool_says_of_a_live_broker_and_of_a_stopped_one(String version) throws Exception {
        Path home = BuildTree.itTarget().resolve("operator").resolve(version);
        try (BrokerProcess broker = ManyClients.broker("operator-" + version).kafka(version).keptData(home.resolve("data")).start()) {
            ManyClients.run(broker);
            JsonNode advice = check(broker, PREALLOCATED, Files.createDirectories(home.resolve("live")));
            // The broker has forgotten what has expired, and says itself what it holds.
            assertEquals(broker.producerIdCount(), advice.get("total").get("entries").asLong());
            broker.stop();
            // Closed, and cut to what it holds.
            check(broker, null, Files.createDirectories(home.resolve("stopped")));
        }
    }

    private static JsonNode check(BrokerProcess broker, Path preallocated, Path words) throws Exception {
        Map<Path, FileStates.State> before = FileStates.of(broker.data());
        ToolRun run = ToolRun.of(words, "advise", "advise", "--json", broker.data().toString());
        assertEquals(List.of(), FileStates.differences(before, FileStates.of(broker.data())), "nothing was written");
        DumpedDirectory dumped = DumpedDirectory.of(broker, preallocated, words);
        assertEquals(List.of(), FileStates.differences(before, FileStates.of(broker.data())), "the broker was at rest all the while");
        assertEquals(0, run.status(), run.errors());
        JsonNode advice = JSON.readTree(run.output());
        assertAll(checkCounts(advice, dumped));
        assertAll(checkPrincipals(advice, dumped));
        checkRead(advice.get("read"), dumped);
        checkSeries(advice, dumped);
        checkFindings(advice, dumped, broker.data(), preallocated);
        checkAdvice(advice);
        return advice;
    }

    /** All that differs, at once. */
    private static List<Executable> checkCounts(JsonNode advice, DumpedDirectory dumped) throws Exception {
        long newest = dumped.partitions().values().stream().flatMap(partition -> partition.batches().stream())
                .mapToLong(KafkaDump.Batch::timestampMs).max().orElseThrow();
        long oldest = dumped.partitions().values().stream().flatMap(partition -> partition.batches().stream())
                .mapToLong(KafkaDump.Batch::timestampMs).min().orElseThrow();
        Map<String, IdCounts> told = new TreeMap<>();
        Map<String, Double> heap = new TreeMap<>();
        for (JsonNode partition : advice.get("partitions")) {
            String name = partition.get("topic").asText() + "-" + partition.get("partition").asInt();
            told.put(name, JSON.treeToValue(partition, IdCounts.class));
            heap.put(name, partition.get("heap_bytes").asDouble());
        }
        IdCounts total = JSON.treeToValue(advice.get("total"), IdCounts.class);
        List<Executable> checks = new ArrayList<>(List.of(
                () -> assertEquals(newest, advice.get("as_of_ms").asLong()),
                () -> assertEquals(newest, advice.get("to_ms").asLong()),
                () -> assertEquals(oldest, advice.get("from_ms").asLong()),
                () -> assertEquals(EXPIRATION_MS, advice.get("expiration_ms").asLong()),
                () -> assertEquals(1, advice.get("sampled_one_in").asLong()),
                () -> assertEquals(dumped.partitions().keySet(), told.keySet()),
                () -> assertEquals(IdCounts.of(dumped.partitions().values(), newest - EXPIRATION_MS), total),
                () -> assertEquals(heap.values().stream().mapToDouble(bytes -> bytes).sum(),
                        advice.get("total").get("heap_bytes").asDouble(), 1)));
        dumped.partitions().forEach((name, partition) -> {
            IdCounts expected = IdCounts.of(List.of(partition), newest - EXPIRATION_MS);
            checks.add(() -> assertEquals(expected, told.get(name), name));
            checks.add(() -> assertTrue(
                    heap.get(name) >= LEAST_ENTRY * expected.entries() && heap.get(name) <= MOST_ENTRY * expected.entries(),
                    () -> name + ": " + heap.get(name) + " bytes for " + expected.entries() + " entries"));
        });
        return checks;
    }

    /** Nobody named principals: each topic is one, and has the IDs whose first data stand in it. */
    private static List<Executable> checkPrincipals(JsonNode advice, DumpedDirectory dumped) throws Exception {
        long after = advice.get("as_of_ms").asLong() - EXPIRATION_MS;
        Map<String, IdCounts> told = new TreeMap<>();
        for (JsonNode principal : advice.get("principals")) {
            told.put(principal.get("name").asText(), JSON.treeToValue(principal, IdCounts.class).byId());
        }
        Map<Long, String> owners = dumped.owners();
        IdCounts.Period period = IdCounts.Period.of(dumped.partitions().values());
        Map<String, IdCounts> expected = new TreeMap<>();
        for (String topic : dumped.topics()) {
            IdCounts counts = IdCounts.of(dumped.partitions().values().stream()
                    .map(partition -> partition.of(id -> topic.equals(owners.get(id)))).toList(), after, period).byId();
            // Kafka's own topics mostly have no producer of their own.
            if (counts.producerIds() + counts.alive() > 0) {
                expected.put(topic, counts);
            }
        }
        List<Executable> checks = new ArrayList<>(List.of(() -> assertEquals(expected.keySet(), told.keySet())));
        expected.forEach((topic, counts) -> checks.add(() -> assertEquals(counts, told.get(topic), topic)));
        return checks;
    }

    private static void checkRead(JsonNode read, DumpedDirectory dumped) {
        assertAll(
                () -> assertEquals(dumped.segments().size(), read.get("segments").asLong()),
                () -> assertEquals(dumped.segmentBytes(), read.get("bytes").asLong()),
                () -> assertEquals(dumped.snapshots(), read.get("snapshots").asLong()));
    }

    /** What the plots are drawn from. */
    private static void checkSeries(JsonNode advice, DumpedDirectory dumped) {
        SortedMap<Long, Long> byHour = IdCounts.newByHour(dumped.partitions().values());
        assertEquals(byHour.firstKey() * 3_600_000, advice.get("new_by_hour").get("first_hour_ms").asLong());
        List<Long> told = new ArrayList<>();
        advice.get("new_by_hour").get("new").forEach(count -> told.add(count.asLong()));
        assertEquals(List.copyOf(byHour.values()), told);

        List<Long> pauses = IdCounts.pauses(dumped.partitions().values());
        long before = 0;
        for (JsonNode bin : advice.get("return_histogram")) {
            long upTo = bin.hasNonNull("up_to_s") ? bin.get("up_to_s").asLong() : Long.MAX_VALUE;
            long from = before;
            long expected = pauses.stream().filter(pause -> pause > from && pause <= upTo).count();
            assertEquals(expected, bin.get("count").asLong(), bin.toString());
            before = upTo;
        }
        assertEquals(Long.MAX_VALUE, before, "the last bin is open");
    }

    /** Nothing was skipped, and each note is where it belongs. */
    private static void checkFindings(JsonNode advice, DumpedDirectory dumped, Path data, Path preallocated) {
        Map<Path, Long> compacted = new TreeMap<>();
        Map<Path, Long> zeros = new TreeMap<>();
        Set<Path> leftovers = new TreeSet<>();
        for (JsonNode finding : advice.get("findings")) {
            Path file = data.relativize(Path.of(finding.get("file").asText()));
            assertFalse(finding.get("skipped").asBoolean(), finding.toString());
            assertFalse(finding.get("text").asText().isBlank(), finding.toString());
            switch (finding.get("kind").asText()) {
                case "compacted" -> compacted.put(file, finding.get("offset").asLong());
                case "preallocated" -> zeros.put(file, finding.get("offset").asLong());
                case "leftover" -> leftovers.add(file);
                default -> throw new AssertionError(finding.toString());
            }
        }
        Set<String> compactedPartitions = new TreeSet<>();
        dumped.compacted().keySet().forEach(file -> compactedPartitions.add(file.getParent().toString()));
        assertAll(
                () -> assertEquals(0, advice.get("skipped").asLong()),
                () -> assertEquals(Set.of(ManyClients.COMPACTED + "-0", ManyClients.COMPACTED + "-1", ManyClients.VERSIONS + "-0"),
                        compactedPartitions),
                () -> assertEquals(dumped.compacted(), compacted),
                () -> assertEquals(preallocated == null ? Map.of() : Map.of(preallocated, dumped.end(preallocated)), zeros),
                () -> assertTrue(dumped.leftovers().size() > 10, dumped.leftovers().toString()),
                () -> assertEquals(dumped.leftovers(), leftovers));
    }

    private static void checkAdvice(JsonNode advice) {
        assertFalse(advice.get("candidates").isEmpty());
        for (JsonNode candidate : advice.get("candidates")) {
            assertTrue(candidate.get("rate_per_hour").asDouble() > 0, candidate.toString());
            double share = candidate.get("throttled_share").asDouble();
            assertTrue(share >= 0 && share <= 1, candidate.toString());
        }
        JsonNode recommendation = advice.get("recommendation");
        assertTrue(recommendation.get("producer_ids_rate").asDouble() > 0, recommendation.toString());
        assertFalse(recommendation.get("reasons").isEmpty());
    }
}
