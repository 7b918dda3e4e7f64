package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.management.JMException;
import org.apache.kafka.common.protocol.Errors;

/**
 * One program of {@code clients/} against a guarded broker, and what came of it: the program's own word, the broker's
 * counts, and the topic as a Java consumer reads it.
 *
 * @param program its name under target/clients
 * @param errors answers to requests that produce or add to a transaction with an error, by the error's name: those of a refusal, and those that
 *     would tell of batches out of order
 * @param admitted producer IDs charged
 * @param overQuotaS from the first refusal to the last one
 * @param lost acknowledged and not in the log
 * @param twice in the log more than once
 * @param disordered producers whose messages are not in the order that they were sent
 * @param unknown in the log, and neither acknowledged nor failed
 * @param inLog messages that a read_committed consumer gets
 */
record ClientRun(String program, String mode, ClientProgram.Load load, ClientProgram.Result said, Map<String, Long> errors,
        long admitted, double overQuotaS, List<String> lost, List<String> twice, List<Integer> disordered, List<String> unknown,
        int inLog) {
    private static final Duration LIMIT = Duration.ofMinutes(8);
    private static final Duration LOOK_EVERY = Duration.ofMillis(250);
    private static final int TELL_EVERY = 40;
    private static final List<Errors> WATCHED = List.of(Errors.THROTTLING_QUOTA_EXCEEDED, Errors.REQUEST_TIMED_OUT,
            Errors.OUT_OF_ORDER_SEQUENCE_NUMBER, Errors.UNKNOWN_PRODUCER_ID, Errors.INVALID_PRODUCER_EPOCH);

    static ClientRun of(BrokerProcess broker, String program, String mode, ClientProgram.Load load) throws Exception {
        String topic = program + "-" + mode;
        broker.createTopic(topic, 1);
        try (Jmx jmx = broker.openJmx()) {
            long admitted = count(jmx, "Admitted");
            long throttled = count(jmx, "Throttled");
            Map<String, Long> before = errors(jmx);
            ClientProgram.Result said;
            long first = 0;
            long last = 0;
            try (ClientProgram running = ClientProgram.start(program, mode, broker, topic, load)) {
                long start = System.nanoTime();
                long seen = throttled;
                for (int look = 1; !running.waitFor(LOOK_EVERY); look++) {
                    long now = System.nanoTime();
                    long counted = count(jmx, "Throttled");
                    if (counted > seen) {
                        seen = counted;
                        first = first == 0 ? now : first;
                        last = now;
                    }
                    if (look % TELL_EVERY == 0) {
                        tell("  %s, %s, %.0f s: %d of %d producers admitted, %,d requests refused", program, mode, (now - start) / 1e9,
                                count(jmx, "Admitted") - admitted, load.producers(), counted - throttled);
                    }
                    if (now - start > LIMIT.toNanos()) {
                        throw new AssertionError(program + ", " + mode + " has not ended after " + LIMIT.toMinutes() + " minutes");
                    }
                }
                said = running.result();
            }
            Map<String, Long> refused = errors(jmx);
            before.forEach((name, count) -> refused.merge(name, -count, Long::sum));
            refused.values().removeIf(count -> count == 0);
            return read(Log.read(broker, topic, 1), new ClientRun(program, mode, load, said, refused, count(jmx, "Admitted") - admitted,
                    (last - first) / 1e9, List.of(), List.of(), List.of(), List.of(), 0));
        }
    }

    /** Holds what the program said against what is in the log. */
    private static ClientRun read(List<String> log, ClientRun run) {
        Set<String> found = new HashSet<>();
        List<String> twice = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        Map<Integer, Integer> newest = new HashMap<>();
        Set<Integer> disordered = new HashSet<>();
        for (String value : log) {
            String[] parts = value.split(":");
            int producer = Integer.parseInt(parts[0]);
            int message = Integer.parseInt(parts[1]);
            if (!found.add(value)) {
                twice.add(value);
            }
            if (producer >= run.load.producers() || message >= run.load.messages()) {
                unknown.add(value);
            }
            Integer before = newest.put(producer, message);
            if (before != null && before > message) {
                disordered.add(producer);
            }
        }
        List<String> lost = new ArrayList<>();
        for (int producer = 0; producer < run.load.producers(); producer++) {
            if (endedEarly(run.said, producer)) {
                continue;
            }
            for (int message = 0; message < run.load.messages(); message++) {
                String value = producer + ":" + message;
                if (!found.contains(value) && !run.said.failed().containsKey(value)) {
                    lost.add(value);
                }
            }
        }
        return new ClientRun(run.program, run.mode, run.load, run.said, run.errors, run.admitted, run.overQuotaS, lost, twice,
                disordered.stream().sorted().toList(), unknown, log.size());
    }

    /** Holds for every run, also of a library that gave up on messages and said so. */
    void assertHonest() {
        assertEquals(List.of(), lost, "acknowledged, and not in the log");
        assertEquals(List.of(), twice, "in the log more than once");
        assertEquals(List.of(), disordered, "producers whose order was not kept");
        assertEquals(List.of(), unknown, "never sent, or aborted");
    }

    /** All acknowledged, and in the log once each and in order. */
    void assertDelivered() {
        assertEquals(Map.of(), failures());
        assertEquals(load.all(), said.acknowledged());
        assertHonest();
        assertEquals(load.all(), inLog);
        assertEquals(load.producers(), admitted, "producer IDs charged");
    }

    /** Whether something went wrong with the producer itself, so that it did not get to send all. */
    private static boolean endedEarly(ClientProgram.Result said, int producer) {
        return said.failed().keySet().stream().anyMatch(key -> key.matches(producer + ":\\D+"));
    }

    /** In one line. */
    String line() {
        return String.format(Locale.ROOT, "  %s, %s: %,d of %,d acknowledged, %,d in the log, errors %s, retried %s, over the quota for"
                + " %.0f s, %.0f s in all, failed %s", program, mode, said.acknowledged(), load.all(), inLog, errors,
                said.retried() == null ? "-" : said.retried(), overQuotaS, said.seconds(), failures());
    }

    /** Those of the errors that say no to a producer ID. */
    Map<String, Long> refused() {
        Map<String, Long> refused = new TreeMap<>(errors);
        refused.keySet().retainAll(Set.of(Errors.THROTTLING_QUOTA_EXCEEDED.name(), Errors.REQUEST_TIMED_OUT.name(),
                Errors.CONCURRENT_TRANSACTIONS.name()));
        return refused;
    }

    /** How often each failure, by the library's name for it. */
    Map<String, Integer> failures() {
        Map<String, Integer> byError = new TreeMap<>();
        said.failed().values().forEach(error -> byError.merge(error, 1, Integer::sum));
        return byError;
    }

    private static long count(Jmx jmx, String attribute) throws IOException, JMException {
        return ((Number) jmx.attribute(Guarded.TOTALS, attribute)).longValue();
    }

    private static Map<String, Long> errors(Jmx jmx) throws IOException, JMException {
        Map<String, Long> errors = new TreeMap<>();
        for (Errors error : WATCHED) {
            addAnswers(jmx, "Produce", error, errors);
        }
        // Kafka gives this answer itself, too, until the markers of the producer's last transaction are written.
        addAnswers(jmx, "AddPartitionsToTxn", Errors.CONCURRENT_TRANSACTIONS, errors);
        return errors;
    }

    private static void addAnswers(Jmx jmx, String request, Errors error, Map<String, Long> errors) throws IOException, JMException {
        String bean = "kafka.network:type=RequestMetrics,name=ErrorsPerSec,request=" + request + ",error=" + error;
        if (jmx.has(bean)) {
            errors.put(error.name(), ((Number) jmx.attribute(bean, "Count")).longValue());
        }
    }

    static void tell(String format, Object... arguments) {
        System.out.printf(Locale.ROOT, format + "%n", arguments);
        System.out.flush();
    }
}
