package io.tollgate.it;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Collectors;

/** Kafka's own command kafka-configs, from the published jars, in a JVM of its own with the agent in it or without. */
final class KafkaConfigs {
    /** @param output what it wrote to standard output and error, its own lines only */
    record Said(int exitCode, String output) {
    }

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final BrokerProcess broker;
    private final Path home;

    /** @param home a directory for its files */
    KafkaConfigs(BrokerProcess broker, Path home) {
        this.broker = broker;
        this.home = home;
    }

    /** As an operator runs it, with the agent in KAFKA_OPTS. The agent's native library can't be loaded there, nor is it needed. */
    Said guarded(String... arguments) throws IOException, InterruptedException {
        return run(List.of("-javaagent:" + BuildTree.agentJar(), "-Dtollgate.native.path=/nowhere"), arguments);
    }

    Said stock(String... arguments) throws IOException, InterruptedException {
        return run(List.of(), arguments);
    }

    private Said run(List<String> options, String... arguments) throws IOException, InterruptedException {
        Path output = Files.createTempFile(home, "kafka-configs", ".txt");
        Path settings = home.resolve("command.properties");
        try (Writer writer = Files.newBufferedWriter(settings)) {
            broker.clientSettings(Users.ADMIN).store(writer, null);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        List<Path> jars = BuildTree.brokerJars(broker.kafkaVersion());
        String classPath = jars.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        List<String> command = new ArrayList<>(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m", "-XX:TieredStopAtLevel=1", "-Dlog4j2.level=ERROR"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, mainClass(jars), "--bootstrap-server",
                broker.bootstrap(), "--command-config", settings.toString()));
        command.addAll(List.of(arguments));
        ChildProcess process = ChildProcess.start(command, home, output);
        if (!process.waitFor(PATIENCE)) {
            process.signal("KILL");
            throw new IOException("kafka-configs does not end: " + Files.readString(output));
        }
        return new Said(process.exitCode(), Files.readString(output).strip());
    }

    /** What kafka-configs.sh of that version runs: it moved with 4.4. */
    private static String mainClass(List<Path> jars) throws IOException {
        for (Path jar : jars) {
            if (jar.getFileName().toString().startsWith("kafka-tools-")) {
                try (JarFile tools = new JarFile(jar.toFile())) {
                    if (tools.getEntry("org/apache/kafka/tools/ConfigCommand.class") != null) {
                        return "org.apache.kafka.tools.ConfigCommand";
                    }
                }
            }
        }
        return "kafka.admin.ConfigCommand";
    }
}
