package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The sequences of tests/vectors/*.json, which the tests of Rust, C and C++ read too. In a step, the event comes first. */
class VectorsTest {
    private interface Replay {
        void run(JsonNode sequence);
    }

    @TestFactory
    Stream<DynamicTest> rates() throws IOException {
        return read("rates.json", Map.of("windowed_rate", VectorsTest::windowedRate, "token_bucket", VectorsTest::tokenBucket,
                "gcra", VectorsTest::gcra, "limiter", VectorsTest::limiter));
    }

    @TestFactory
    Stream<DynamicTest> dispatch() throws IOException {
        return read("dispatch.json", Map.of("dispatch_estimator", VectorsTest::dispatchEstimator));
    }

    /** A test for each sequence, by its name; every kind in the file must have a way to replay it, and the other way round. */
    private static Stream<DynamicTest> read(String file, Map<String, Replay> kinds) throws IOException {
        JsonNode root = new ObjectMapper().readTree(Path.of("../../tests/vectors", file).toFile());
        assertEquals(kinds.keySet(), root.properties().stream().map(Map.Entry::getKey).collect(Collectors.toSet()));
        return root.properties().stream().flatMap(kind -> {
            assertTrue(kind.getValue().size() > 0, kind.getKey() + " has no sequence");
            return elements(kind.getValue()).map(sequence -> dynamicTest(kind.getKey() + " " + text(sequence, "name"),
                    () -> kinds.get(kind.getKey()).run(sequence)));
        });
    }

    private static void windowedRate(JsonNode sequence) {
        var policy = WindowedRate.Policy.valueOf(constant(sequence, "policy"));
        try (WindowedRate rate = WindowedRate.create(policy, (int) whole(sequence, "samples"), whole(sequence, "sample_ms"))) {
            steps(sequence).forEach(step -> {
                long at = whole(step, "at");
                if (step.has("record")) {
                    rate.record(whole(step, "record"), at);
                }
                assertClose(decimal(step, "per_second"), rate.perSecond(at), step);
                assertEquals(whole(step, "window_ms"), rate.windowMs(at), step::toString);
                assertEquals(whole(step, "throttle_ms"), rate.throttleMs(decimal(step, "limit"), at), step::toString);
            });
        }
    }

    private static void tokenBucket(JsonNode sequence) {
        try (TokenBucket bucket = TokenBucket.full(decimal(sequence, "per_second"), decimal(sequence, "capacity"),
                whole(sequence, "first_ms"))) {
            steps(sequence).forEach(step -> {
                long at = whole(step, "at");
                long waitMs = step.has("charge") ? bucket.charge(decimal(step, "charge"), at)
                        : bucket.chargeStrict(decimal(step, "charge_strict"), at);
                assertEquals(whole(step, "wait_ms"), waitMs, step::toString);
                assertClose(decimal(step, "tokens"), bucket.tokens(at), step);
            });
        }
    }

    private static void gcra(JsonNode sequence) {
        try (Gcra bucket = Gcra.full(decimal(sequence, "per_hour"), decimal(sequence, "capacity"), whole(sequence, "first_ms"))) {
            steps(sequence).forEach(step -> {
                long at = whole(step, "at");
                assertEquals(whole(step, "wait_ms"), bucket.charge(at), step::toString);
                assertClose(decimal(step, "tokens"), bucket.tokens(at), step);
            });
        }
    }

    private static void limiter(JsonNode sequence) {
        try (Tollgate gate = Tollgate.create(TollgateConfig.builder().limiter(Limiter.valueOf(constant(sequence, "limiter")))
                .defaultQuota(decimal(sequence, "per_hour"), decimal(sequence, "burst")).windowMs(whole(sequence, "window_ms"))
                .layers((int) whole(sequence, "layers")).seed(1).build())) {
            int principal = gate.intern("vectors", 0);
            steps(sequence).forEach(step -> {
                long decision = gate.track(principal, whole(step, "pid"), whole(step, "at"));
                int expected = switch (text(step, "decision")) {
                    case "known" -> Decision.KNOWN;
                    case "admitted" -> Decision.ADMITTED;
                    case "throttled" -> Decision.THROTTLED;
                    default -> -1;
                };
                assertEquals(expected, Decision.kind(decision), step::toString);
            });
        }
    }

    private static void dispatchEstimator(JsonNode sequence) {
        boolean precise = sequence.required("precise").booleanValue();
        boolean fromNothing = sequence.required("starting_at").isNull();
        try (DispatchEstimator estimator = fromNothing ? DispatchEstimator.create(precise)
                : DispatchEstimator.startingAt(precise, decimal(sequence, "starting_at"))) {
            assertEquals(precise, estimator.isPrecise());
            steps(sequence).forEach(step -> {
                estimator.recordPush(whole(step, "messages"), whole(step, "entries"));
                boolean unknown = step.required("average").isNull();
                assertClose(unknown ? Double.NaN : decimal(step, "average"), estimator.average(), step);
                assertEquals(whole(step, "entries_to_read"),
                        estimator.entriesToRead(whole(step, "permits"), (int) whole(step, "read_batch_size")), step::toString);
            });
        }
    }

    private static Stream<JsonNode> steps(JsonNode sequence) {
        JsonNode steps = sequence.required("steps");
        assertTrue(steps.size() > 0, "no steps");
        return elements(steps);
    }

    private static Stream<JsonNode> elements(JsonNode array) {
        return StreamSupport.stream(array.spliterator(), false);
    }

    private static String text(JsonNode node, String field) {
        JsonNode value = node.required(field);
        assertTrue(value.isTextual(), () -> field + " of " + node);
        return value.textValue();
    }

    private static String constant(JsonNode node, String field) {
        return text(node, field).toUpperCase(Locale.ROOT);
    }

    private static long whole(JsonNode node, String field) {
        JsonNode value = node.required(field);
        assertTrue(value.canConvertToLong() && value.canConvertToExactIntegral(), () -> field + " of " + node);
        return value.longValue();
    }

    private static double decimal(JsonNode node, String field) {
        JsonNode value = node.required(field);
        assertTrue(value.isNumber(), () -> field + " of " + node);
        return value.doubleValue();
    }

    /** Equal to 1e-9: of the value, or absolutely below 1. NaN, which stands for unknown, equals itself alone. */
    private static void assertClose(double expected, double actual, JsonNode step) {
        assertTrue(Double.isNaN(expected) ? Double.isNaN(actual)
                : Math.abs(actual - expected) <= 1e-9 * Math.max(1, Math.abs(expected)), () -> actual + " at " + step);
    }
}
