package io.tollgate.it;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * One row of kafka-versions.txt on one JDK.
 *
 * @param generation the agent's name for its classes; "none": unknown to the agent
 * @param java the JDK that runs the broker
 */
record KafkaVersion(String version, String generation, Path java) {
    private static final Path OWN_JAVA = Path.of(System.getProperty("java.home"));

    /** Those that the agent must guard. */
    static List<KafkaVersion> known() {
        return rows().stream().filter(row -> !row.generation.equals("none")).toList();
    }

    /** Those that the agent must leave alone. */
    static List<KafkaVersion> unknown() {
        return rows().stream().filter(row -> row.generation.equals("none")).toList();
    }

    private static List<KafkaVersion> rows() {
        List<KafkaVersion> rows = new ArrayList<>();
        try (BufferedReader table = new BufferedReader(new InputStreamReader(
                KafkaVersion.class.getResourceAsStream("/kafka-versions.txt"), StandardCharsets.UTF_8))) {
            for (String line : table.lines().filter(row -> !row.isBlank() && !row.startsWith("#")).toList()) {
                String[] columns = line.strip().split(" +");
                rows.add(new KafkaVersion(columns[0], columns[1], OWN_JAVA));
                for (String jdk : columns[2].equals("-") ? new String[0] : columns[2].split(",")) {
                    jdk(jdk).forEach(java -> rows.add(new KafkaVersion(columns[0], columns[1], java)));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return rows;
    }

    /** One of that feature version, where Debian and its like put them, unless it is the one that runs the tests. */
    private static Stream<Path> jdk(String feature) throws IOException {
        Path all = Path.of("/usr/lib/jvm");
        if (feature.equals(Integer.toString(Runtime.version().feature())) || !Files.isDirectory(all)) {
            return Stream.empty();
        }
        try (Stream<Path> homes = Files.list(all)) {
            return homes.filter(home -> home.getFileName().toString().matches(".*-" + feature + "([-.].*)?")
                    && Files.isExecutable(home.resolve("bin/java"))).sorted().limit(1).toList().stream();
        }
    }

    BrokerBuilder guarded(String name) {
        return Guarded.broker(name + "-" + version).kafka(version).java(java);
    }

    @Override
    public String toString() {
        return "Kafka " + version + " on " + java.getFileName();
    }
}
