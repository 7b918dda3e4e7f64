package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;

/** examples/c/producer_ids.c, compiled by {@code make examples}, on a stock broker with real producers. */
class ProducerIdsExampleIT {
    private static final int INTERVAL_S = 2;

    /** What a line of a report says. */
    private record Line(String topic, int held, int known, int newOnes, double perHour, int over) {
        /** From "TIME TOPIC: 12 producer IDs, 7 known, 5 new (9000.0 an hour), 2 over the quota of 3 an hour". */
        static Line of(String text) {
            String[] words = text.replaceAll("[,:(]( |$)", "$1").replace("(", "").split(" ");
            if (text.endsWith(" at the start")) {
                return new Line(words[1], Integer.parseInt(words[2]), 0, 0, 0, 0);
            }
            return new Line(words[1], Integer.parseInt(words[2]), Integer.parseInt(words[5]), Integer.parseInt(words[7]),
                    Double.parseDouble(words[9]), Integer.parseInt(words[12]));
        }
    }

    /** A report of three topics; a cluster names them in no order. */
    private static Map<String, Line> report(BufferedReader lines) throws IOException {
        Map<String, Line> report = new HashMap<>();
        for (int topic = 0; topic < 3; topic++) {
            Line line = Line.of(lines.readLine());
            report.put(line.topic, line);
        }
        return report;
    }

    private static Path program() {
        Path program = BuildTree.repository().resolve("target/examples-c/producer_ids");
        assertTrue(Files.isExecutable(program), program + " is missing: make examples");
        return program;
    }

    private static Process start(Path errors, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(program().toString()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectError(errors.toFile()).start();
    }

    /** One producer that writes to all partitions: one ID. */
    private static void writeEverywhere(BrokerProcess broker, String topic, int partitions) throws Exception {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(Producers.settings(broker, "", Map.of()))) {
            for (int partition = 0; partition < partitions; partition++) {
                producer.send(new ProducerRecord<>(topic, partition, null, "all:0")).get(30, TimeUnit.SECONDS);
            }
        }
    }

    @Test
    void b17_counts_are_the_number_of_producers_made() throws Exception {
        Path errors = Files.createTempFile("producer_ids", ".err");
        try (BrokerProcess broker = BrokerProcess.builder("producer-ids").start()) {
            broker.createTopic("orders", 3);
            broker.createTopic("audit", 1);
            broker.createTopic("quiet", 1);
            Producers.run(broker, "orders", 3, 4, 1, 4, Map.of());
            writeEverywhere(broker, "orders", 3);

            Process process = start(errors, "--bootstrap", broker.bootstrap(), "--interval", "" + INTERVAL_S, "--quota", "6");
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
                Line none = new Line("quiet", 0, 0, 0, 0, 0);
                assertEquals(Map.of("audit", new Line("audit", 0, 0, 0, 0, 0), "orders", new Line("orders", 5, 0, 0, 0, 0),
                        "quiet", none), report(lines));

                Producers.run(broker, "orders", 3, 8, 2, 4, Map.of());
                writeEverywhere(broker, "orders", 3);
                Producers.run(broker, "audit", 1, 6, 1, 4, Map.of());

                int orders = 0;
                int overOrders = 0;
                int audit = 0;
                int overAudit = 0;
                long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                for (boolean settled = false; !settled && System.nanoTime() < deadline;) {
                    Map<String, Line> report = report(lines);
                    Line auditLine = report.get("audit");
                    Line ordersLine = report.get("orders");
                    assertEquals(none, report.get("quiet"));
                    for (Line line : List.of(auditLine, ordersLine)) {
                        assertEquals(line.held, line.known + line.newOnes, line.toString());
                        // The interval was at least what was asked for.
                        assertTrue(line.perHour <= line.newOnes * 3600.0 / INTERVAL_S, line.toString());
                        assertTrue(line.perHour > 0 || line.newOnes == 0, line.toString());
                    }
                    audit += auditLine.newOnes;
                    overAudit += auditLine.over;
                    orders += ordersLine.newOnes;
                    overOrders += ordersLine.over;
                    settled = ordersLine.known == 14 && auditLine.known == 6;
                }
                // Five were there at the start and are not charged. Nine came for a quota of six, and six for one of six.
                assertEquals(List.of(9, 3, 6, 0), List.of(orders, overOrders, audit, overAudit));

                process.toHandle().destroy();
                assertTrue(process.waitFor(20, TimeUnit.SECONDS), "it ends on SIGTERM");
                assertEquals(0, process.exitValue());
            } finally {
                process.destroyForcibly();
            }
            assertEquals("", Files.readString(errors));

            Process named = start(errors, "--bootstrap", broker.bootstrap(), "--topic", "audit", "--topic", "gone", "--reports", "1");
            String report = new String(named.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(named.waitFor(20, TimeUnit.SECONDS));
            assertEquals(0, named.exitValue());
            assertEquals(1, report.lines().count(), report);
            assertEquals(new Line("audit", 6, 0, 0, 0, 0), Line.of(report.strip()));
            assertEquals("producer_ids: 1 of the topics are not there\n", Files.readString(errors));
        } finally {
            Files.delete(errors);
        }
    }

    /** Nothing listens: it says so within its ten seconds, and ends. */
    @Test
    void broker_that_does_not_answer_is_named() throws Exception {
        Path errors = Files.createTempFile("producer_ids", ".err");
        try {
            Process process = start(errors, "--bootstrap", "127.0.0.1:" + Ports.free(), "--reports", "1");
            assertTrue(process.waitFor(30, TimeUnit.SECONDS));
            assertEquals(1, process.exitValue());
            assertTrue(Files.readString(errors).contains("producer_ids: 127.0.0.1:"), Files.readString(errors));
        } finally {
            Files.delete(errors);
        }
    }
}
