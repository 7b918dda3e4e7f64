package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** librdkafka, through confluent-kafka from PyPI, in a virtual environment that this test makes. */
class LibrdkafkaIT {
    private static final String PACKAGE = "confluent-kafka==2.16.1";
    private static final Quota QUOTA = new Quota(10, 2);
    private static final Path HOME = BuildTree.itTarget().resolve("venv-librdkafka");
    private static final Path PYTHON = HOME.resolve("bin/python");

    @BeforeAll
    static void environment() throws Exception {
        Path made = HOME.resolve("made");
        if (Files.isRegularFile(made) && Files.readString(made).equals(PACKAGE)) {
            return;
        }
        run(120, "python3", "-m", "venv", "--clear", HOME.toString());
        run(240, PYTHON.toString(), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE);
        Files.writeString(made, PACKAGE);
    }

    @Test
    void k5_librdkafka_over_quota_loses_nothing_and_keeps_its_order() throws Exception {
        int producers = 40;
        int messages = 25;
        try (BrokerProcess broker = QUOTA.on(Guarded.broker("librdkafka")).property(Guarded.MAX_THROTTLE, "5000").start()) {
            broker.createTopic("librdkafka", 1);
            JsonNode seen;
            try (Quota.Watch watch = QUOTA.new Watch(broker)) {
                Path script = Path.of(LibrdkafkaIT.class.getResource("/librdkafka_producers.py").toURI());
                String output = run(150, PYTHON.toString(), script.toString(), broker.bootstrap(), "librdkafka",
                        Integer.toString(producers), Integer.toString(messages));
                seen = new ObjectMapper().readTree(output);
                assertTrue(watch.worstExcess() <= 0, "over the quota by " + watch.worstExcess());
            }
            assertEquals("[]", seen.get("errors").toString());
            assertEquals(producers * messages, seen.get("delivered").asInt());
            Log.assertExactlyOnceInOrder(Log.read(broker, "librdkafka", 1), producers, messages);
            assertEquals(producers, broker.producerIdCount());
            assertEquals(producers, Guarded.total(broker, "Admitted"));
            assertTrue(Guarded.total(broker, "Throttled") > 0);
            assertEquals(0, Guarded.total(broker, "Faults"));
            Object refused = broker.attribute("kafka.network:type=RequestMetrics,name=ErrorsPerSec,request=Produce,error="
                    + Errors.REQUEST_TIMED_OUT, "Count");
            assertTrue((Long) refused > 0, "refused with the code that librdkafka retries");
        }
    }

    /** Runs a command and returns what it wrote to standard output. */
    private static String run(int seconds, String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile("tollgate-it", ".out");
        Path errors = Files.createTempFile("tollgate-it", ".err");
        try {
            Process process = new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile()).start();
            boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
            if (!ended) {
                process.destroyForcibly().waitFor();
            }
            if (!ended || process.exitValue() != 0) {
                throw new AssertionError(List.of(command) + (ended ? " failed: " : " took too long: ")
                        + Files.readString(errors, StandardCharsets.UTF_8));
            }
            return Files.readString(output);
        } finally {
            Files.delete(output);
            Files.delete(errors);
        }
    }
}
