package io.tollgate.kafka;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Catches what the agent logs: without a provider, slf4j leads nowhere and its lines go to standard error. */
final class Lines implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream caught = new ByteArrayOutputStream();

    Lines() {
        System.setErr(new PrintStream(caught, true, StandardCharsets.UTF_8));
    }

    List<String> soFar() {
        return caught.toString(StandardCharsets.UTF_8).lines().filter(line -> !line.startsWith("SLF4J")).toList();
    }

    @Override
    public void close() {
        System.setErr(before);
    }
}
