package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.function.Function;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Bad settings are refused with the words that src/config.rs and src/quota.rs test for in Rust. */
class TollgateConfigTest {
    static Stream<Arguments> refused() {
        return Stream.of(
                refused(b -> b.windowMs(5), "window_ms = 5: must be 1000 to 2592000000 (milliseconds)"),
                refused(b -> b.windowMs(-5), "window_ms = -5: must be 1000 to 2592000000 (milliseconds)"),
                refused(b -> b.windowMs(Long.MAX_VALUE),
                        "window_ms = 9223372036854775807: must be 1000 to 2592000000 (milliseconds)"),
                refused(b -> b.layers(2), "layers = 2: must be 3 to 64"),
                refused(b -> b.layers(65), "layers = 65: must be 3 to 64"),
                refused(b -> b.layers(-1), "layers = -1: must be 3 to 64"),
                refused(b -> b.falsePositiveRate(2.0), "false_positive_rate = 2: must be 0.000001 to 0.5"),
                refused(b -> b.falsePositiveRate(0.0), "false_positive_rate = 0: must be 0.000001 to 0.5"),
                refused(b -> b.falsePositiveRate(Double.NaN), "false_positive_rate = NaN: must be 0.000001 to 0.5"),
                refused(b -> b.maxThrottleMs(0), "max_throttle_ms = 0: must be 1 to 86400000 (milliseconds)"),
                refused(b -> b.maxThrottleMs(-7), "max_throttle_ms = -7: must be 1 to 86400000 (milliseconds)"),
                refused(b -> b.maxPrincipals(0),
                        "max_principals = 0: must be 1 to 104857 (under max_memory_bytes = 67108864)"),
                refused(b -> b.maxPrincipals(-3),
                        "max_principals = -3: must be 1 to 104857 (under max_memory_bytes = 67108864)"),
                refused(b -> b.maxMemoryBytes(1), "max_memory_bytes = 1: must be 1048576 to 1099511627776 (bytes)"),
                refused(b -> b.maxMemoryBytes(Long.MIN_VALUE),
                        "max_memory_bytes = -9223372036854775808: must be 1048576 to 1099511627776 (bytes)"),
                refused(b -> b.defaultQuota(0.0, 1.0), "quota = 0: must be a finite number above 0 (new ids per hour)"),
                refused(b -> b.defaultQuota(-1.5, 1.0), "quota = -1.5: must be a finite number above 0 (new ids per hour)"),
                refused(b -> b.defaultQuota(Double.POSITIVE_INFINITY, 1.0),
                        "quota = inf: must be a finite number above 0 (new ids per hour)"),
                refused(b -> b.defaultQuota(1.0, 1.5), "burst = 1.5: must be 0 to 1 (share of a window's worth)"));
    }

    private static Arguments refused(Function<TollgateConfig.Builder, TollgateConfig.Builder> setting, String message) {
        return Arguments.of(message, setting);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void b8_each_bad_setting_is_named_with_value_and_range(String message,
            Function<TollgateConfig.Builder, TollgateConfig.Builder> setting) {
        TollgateConfig config = setting.apply(TollgateConfig.builder()).build();
        assertEquals(message, assertThrows(IllegalArgumentException.class, () -> Tollgate.create(config)).getMessage());
    }

    @Test
    void a_live_quota_change_is_refused_with_the_same_words() {
        try (Tollgate gate = Tollgate.create(TollgateConfig.builder().build())) {
            String message = "quota = NaN: must be a finite number above 0 (new ids per hour)";
            assertEquals(message, assertThrows(IllegalArgumentException.class,
                    () -> gate.setQuota("alice", Double.NaN, 1.0, 0)).getMessage());
            assertEquals(message, assertThrows(IllegalArgumentException.class,
                    () -> gate.setDefaultQuota(Double.NaN, 1.0, 0)).getMessage());
        }
    }

    @Test
    void every_setting_reaches_the_engine() {
        TollgateConfig config = TollgateConfig.builder().windowMs(60_000).layers(3).falsePositiveRate(0.01).defaultQuota(60, 1.0)
                .maxThrottleMs(7).maxPrincipals(1).maxMemoryBytes(1 << 20).seed(1).build();
        try (Tollgate gate = Tollgate.create(config)) {
            int alice = gate.intern("alice", 0);
            assertEquals(Decision.ADMITTED, Decision.kind(gate.track(alice, 1, 0)));
            long decision = gate.track(alice, 2, 0);
            assertEquals(Decision.THROTTLED, Decision.kind(decision), "60 per hour are one per window of a minute");
            assertEquals(true, Decision.retryAfterMs(decision) <= 7, () -> Decision.toString(decision));
            gate.intern("bob", 0);
            assertEquals(1, gate.totals(0).overflowInterns(), "one principal fits");
            assertEquals(true, gate.contains(alice, 1, 39_999), "known for a window less a layer");
            assertEquals(false, gate.contains(alice, 1, 60_001), "forgotten after a window");
        }
    }
}
