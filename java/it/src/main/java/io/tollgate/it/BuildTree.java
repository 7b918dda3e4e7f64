package io.tollgate.it;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Where the build puts things, found from where this class was loaded; no working directory is assumed. */
public final class BuildTree {
    private BuildTree() {}

    /** @return {@code java/it/target} */
    public static Path itTarget() {
        try {
            // .../java/it/target/classes or .../java/it/target/tollgate-it-0.1.0.jar
            return Path.of(BuildTree.class.getProtectionDomain().getCodeSource().getLocation().toURI()).getParent();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    /** @return the top of the repository */
    public static Path repository() {
        return itTarget().getParent().getParent().getParent();
    }

    /**
     * The agent as an operator gets it.
     *
     * @throws IllegalStateException when it has not been built
     */
    public static Path agentJar() {
        Path jar = repository().resolve("java/kafka/target/tollgate-kafka-agent.jar");
        if (!Files.isRegularFile(jar)) {
            throw new IllegalStateException("the agent has not been built: " + jar + " is missing (mvn -f java package)");
        }
        return jar;
    }

    /** @return the compiled tests of the agent, for those of its parts that run on other Kafka versions than its own */
    static Path agentTests() {
        return repository().resolve("java/kafka/target/test-classes");
    }

    /**
     * Kafka's published jars of one version, and nothing else.
     *
     * @throws IllegalStateException when they have not been fetched
     */
    static List<Path> brokerJars(String version) {
        Path home = itTarget().resolve("broker-" + version);
        try (Stream<Path> files = Files.list(home)) {
            List<Path> jars = files.filter(f -> f.toString().endsWith(".jar")).sorted().toList();
            if (jars.isEmpty()) {
                throw new IllegalStateException("no jars in " + home);
            }
            return jars;
        } catch (IOException e) {
            throw new IllegalStateException("Kafka " + version + " has not been fetched: " + home + " is missing (scripts/broker-jars)", e);
        }
    }
}
