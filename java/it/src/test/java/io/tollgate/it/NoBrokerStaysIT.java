package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The harness's promise: however the JVM that started a broker ends, the broker ends with it. */
@Timeout(120)
class NoBrokerStaysIT {
    /** Starts a broker, says so, and waits to be ended. */
    static final class Starter {
        public static void main(String[] arguments) throws Exception {
            BrokerProcess broker = BrokerProcess.builder("orphan").heapMb(256).start();
            System.out.println("serving " + broker.bootstrap());
            Thread.sleep(60_000);
        }
    }

    @Test
    void aKilledHarnessTakesItsBrokerAlong() throws Exception {
        Process harness = start();
        try {
            List<ProcessHandle> family = harness.descendants().toList();
            assertTrue(family.stream().anyMatch(NoBrokerStaysIT::isJava), "no broker below the harness: " + family);
            harness.destroyForcibly().waitFor();
            for (ProcessHandle process : family) {
                process.onExit().get(10, TimeUnit.SECONDS);
            }
        } finally {
            harness.destroyForcibly();
        }
    }

    @Test
    void aTerminatedHarnessTakesItsBrokerAlong() throws Exception {
        Process harness = start();
        try {
            List<ProcessHandle> family = harness.descendants().toList();
            harness.destroy();
            assertTrue(harness.waitFor(30, TimeUnit.SECONDS));
            assertEquals(128 + 15, harness.exitValue());
            for (ProcessHandle process : family) {
                process.onExit().get(10, TimeUnit.SECONDS);
            }
        } finally {
            harness.destroyForcibly();
        }
    }

    private static boolean isJava(ProcessHandle process) {
        return process.info().command().orElse("").endsWith("java");
    }

    /** @return a JVM whose broker serves */
    private static Process start() throws Exception {
        Process harness = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp", System.getProperty("java.class.path"), Starter.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        BufferedReader output = new BufferedReader(new InputStreamReader(harness.getInputStream()));
        for (String line; (line = output.readLine()) != null; ) {
            if (line.startsWith("serving")) {
                return harness;
            }
        }
        throw new AssertionError("the harness ended at start with " + harness.waitFor());
    }
}
