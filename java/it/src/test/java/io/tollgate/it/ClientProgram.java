package io.tollgate.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A program of {@code clients/}, built into {@code target/clients}, on its way through many producers. */
final class ClientProgram implements AutoCloseable {
    private static final Path HOME = BuildTree.repository().resolve("target/clients");

    /** The producers that a program is to make, and how many messages each sends. */
    record Load(int producers, int messages, int atOnce) {
        int all() {
            return producers * messages;
        }
    }

    /**
     * What the program printed.
     *
     * @param failed the library's error, by message
     * @param retried messages sent again; null where the library does not tell
     */
    record Result(String client, String version, int acknowledged, Map<String, String> failed, Integer retried, double seconds) {}

    private final String name;
    private final Path output;
    private final Path errors;
    private final ChildProcess process;

    private ClientProgram(String name, Path output, Path errors, ChildProcess process) {
        this.name = name;
        this.output = output;
        this.errors = errors;
        this.process = process;
    }

    /** Builds one program, where that has not been done, with what its lock file names. */
    static void build(String name) throws IOException, InterruptedException {
        Path log = Files.createTempFile("tollgate-it", ".log");
        try {
            ChildProcess build = ChildProcess.start(
                    List.of(BuildTree.repository().resolve("scripts/build-clients").toString(), name), BuildTree.repository(), log);
            if (!build.waitFor(Duration.ofMinutes(5))) {
                build.signal("KILL");
                throw new AssertionError(name + " is not built after five minutes: " + Files.readString(log));
            }
            if (build.exitCode() != 0) {
                throw new AssertionError(name + " could not be built: " + Files.readString(log));
            }
        } finally {
            Files.delete(log);
        }
    }

    /** @param mode one of those in clients/README.md */
    static ClientProgram start(String name, String mode, BrokerProcess broker, String topic, Load load) throws IOException {
        Path program = HOME.resolve(name);
        if (!Files.isExecutable(program)) {
            throw new IllegalStateException(program + " has not been built (scripts/build-clients " + name + ")");
        }
        Path logs = Files.createDirectories(BuildTree.itTarget().resolve("clients"));
        Path output = logs.resolve(name + "-" + mode + ".out");
        Path errors = logs.resolve(name + "-" + mode + ".err");
        Files.deleteIfExists(output);
        Files.deleteIfExists(errors);
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "exec \"$@\" 2> \"$0\"", errors.toString(),
                program.toString(), broker.bootstrap(), topic, Integer.toString(load.producers()),
                Integer.toString(load.messages()), Integer.toString(load.atOnce()), mode));
        return new ClientProgram(name, output, errors, ChildProcess.start(command, logs, output));
    }

    /** @return whether it has ended */
    boolean waitFor(Duration time) throws InterruptedException {
        return process.waitFor(time);
    }

    /** What it printed; it has ended. */
    Result result() throws IOException {
        if (process.exitCode() != 0) {
            throw new AssertionError(name + " ended with code " + process.exitCode() + ", see " + errors);
        }
        List<String> lines = Files.readAllLines(output);
        if (lines.isEmpty()) {
            throw new AssertionError(name + " printed nothing, see " + errors);
        }
        JsonNode line = new ObjectMapper().readTree(lines.get(lines.size() - 1));
        Map<String, String> failed = new TreeMap<>();
        for (Map.Entry<String, JsonNode> field : line.get("failed").properties()) {
            failed.put(field.getKey(), field.getValue().asText());
        }
        return new Result(line.get("client").asText(), line.get("version").asText(), line.get("acknowledged").asInt(), failed,
                line.hasNonNull("retried") ? line.get("retried").asInt() : null, line.get("seconds").asDouble());
    }

    @Override
    public void close() {
        process.signal("KILL");
        try {
            process.waitFor(Duration.ofSeconds(10));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
