package io.tollgate.it;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What Kafka's own {@code kafka.tools.DumpLogSegments} says of a broker's files.
 *
 * @param batches of segments, file after file
 * @param entries of producer snapshots, file after file
 */
record KafkaDump(List<Batch> batches, List<Entry> entries) {
    private static final Duration TIMEOUT = Duration.ofSeconds(120);

    /**
     * One batch of a segment.
     *
     * @param file as it was named to the tool
     * @param size in bytes, with the header
     * @param records as the header has it
     * @param baseSequence -1 for none
     * @param producerId -1 for none
     * @param timestampMs the header's largest timestamp
     */
    record Batch(Path file, long position, int size, long baseOffset, long lastOffset, int records, int baseSequence, long producerId,
            boolean isTransactional, boolean isControl, long timestampMs) {}

    /** One producer of a snapshot. */
    record Entry(Path file, long producerId, long timestampMs) {}

    /**
     * Runs the tool of the broker's own version on some of its files.
     *
     * @param files relative to its log directory: segments and snapshots
     * @param output a file to leave the tool's words in
     */
    static KafkaDump of(BrokerProcess broker, List<Path> files, Path output) throws IOException, InterruptedException {
        int code = run(broker, files, output);
        if (code != 0) {
            throw new AssertionError("DumpLogSegments ended with " + code + ", see " + output + " and " + errors(output));
        }
        return read(output);
    }

    /**
     * The same of one segment that was allocated ahead and ends in zeros: the tool says all that stands before them, and gives up
     * on them.
     */
    static KafkaDump ofPreallocated(BrokerProcess broker, Path segment, Path output) throws IOException, InterruptedException {
        int code = run(broker, List.of(segment), output);
        if (code != 1 || !Files.readString(errors(output)).contains("Found record size 0")) {
            throw new AssertionError("DumpLogSegments did not stumble over zeros but ended with " + code + ", see " + output + " and "
                    + errors(output));
        }
        return read(output);
    }

    private static Path errors(Path output) {
        return output.resolveSibling(output.getFileName() + ".err");
    }

    private static KafkaDump read(Path output) throws IOException {
        try (Stream<String> lines = Files.lines(output)) {
            return parse(lines);
        }
    }

    private static int run(BrokerProcess broker, List<Path> files, Path output) throws IOException, InterruptedException {
        List<Path> jars = BuildTree.brokerJars(broker.kafkaVersion());
        // It moved in 4.3, out of Scala.
        String tool = broker.kafkaVersion().matches("3\\..*|4\\.[0-2]\\..*") ? "kafka.tools.DumpLogSegments"
                : "org.apache.kafka.tools.DumpLogSegments";
        Files.deleteIfExists(output);
        List<String> command = List.of("/bin/sh", "-c", "exec \"$@\" 2> \"$0\"", errors(output).toString(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp",
                jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)), tool,
                "--files", files.stream().map(Path::toString).collect(Collectors.joining(",")));
        ChildProcess process = ChildProcess.start(command, broker.data(), output);
        if (!process.waitFor(TIMEOUT)) {
            process.signal("KILL");
            throw new AssertionError("DumpLogSegments has not ended after " + TIMEOUT.toSeconds() + " s, see " + output);
        }
        return process.exitCode();
    }

    /** Reads the tool's words; a line that it was not seen to write is an error, as is a batch that it calls not valid. */
    static KafkaDump parse(Stream<String> lines) {
        KafkaDump dump = new KafkaDump(new ArrayList<>(), new ArrayList<>());
        Path[] file = {null};
        lines.forEach(line -> {
            if (line.startsWith("Dumping ")) {
                file[0] = Path.of(line.substring("Dumping ".length()));
            } else if (line.startsWith("baseOffset: ")) {
                dump.batches.add(batch(file[0], line));
            } else if (line.startsWith("producerId: ")) {
                Map<String, String> fields = fields(line);
                dump.entries.add(new Entry(file[0], number(fields, "producerId"), number(fields, "lastTimestamp")));
            } else if (!line.startsWith("Log starting offset: ")) {
                throw new IllegalArgumentException("DumpLogSegments wrote what is not known here: " + line);
            }
        });
        return dump;
    }

    private static Batch batch(Path file, String line) {
        Map<String, String> fields = fields(line);
        if (!fields.get("isvalid").equals("true") || number(fields, "magic") != 2) {
            throw new IllegalArgumentException("not a valid batch of today's format: " + line);
        }
        return new Batch(file, number(fields, "position"), (int) number(fields, "size"), number(fields, "baseOffset"),
                number(fields, "lastOffset"), (int) number(fields, "count"), (int) number(fields, "baseSequence"),
                number(fields, "producerId"), Boolean.parseBoolean(fields.get("isTransactional")),
                Boolean.parseBoolean(fields.get("isControl")),
                number(fields, fields.containsKey("LogAppendTime") ? "LogAppendTime" : "CreateTime"));
    }

    /** {@code name: value name: value}, where no value has a space. */
    private static Map<String, String> fields(String line) {
        String[] words = line.strip().split(" +");
        Map<String, String> fields = new HashMap<>();
        for (int i = 0; i + 1 < words.length; i += 2) {
            if (!words[i].endsWith(":")) {
                throw new IllegalArgumentException(words[i] + " is no name of a field: " + line);
            }
            fields.put(words[i].substring(0, words[i].length() - 1), words[i + 1]);
        }
        return fields;
    }

    private static long number(Map<String, String> fields, String name) {
        String value = fields.get(name);
        if (value == null) {
            throw new IllegalArgumentException("there is no " + name + ": " + fields);
        }
        return Long.parseLong(value);
    }
}
