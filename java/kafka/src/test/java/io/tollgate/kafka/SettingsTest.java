package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tollgate.Tollgate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SettingsTest {
    private static String refusal(String key, String value) {
        return assertThrows(Settings.Refused.class, () -> Settings.read(Map.of(key, value))).getMessage();
    }

    @Test
    void defaults_are_the_kips() throws Exception {
        Settings settings = Settings.read(Map.of());
        assertEquals("mode enforce, no limit by default, window 3600 s in 4 layers", settings.toString());
        assertEquals(900_000, settings.sweepMs(), "one layer period");
        assertEquals(30_000, settings.maxThrottleMs());
        assertEquals(10_000, settings.maxUsers());
        assertEquals(0, settings.maxDelayMs(), "none waits");
        assertEquals(1_000, settings.maxDelayedRequests());
        assertEquals(64 << 20, settings.maxDelayedBytes());
        assertEquals(List.of(), settings.warnings());
    }

    @Test
    void sweeps_follow_the_layer_period_unless_set() throws Exception {
        assertEquals(1_250, Settings.read(Map.of(Setting.WINDOW.key, "10", Setting.LAYERS.key, "8")).sweepMs());
        assertEquals(7, Settings.read(Map.of(Setting.SWEEP.key, "7")).sweepMs());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "producer.id.quota.window.size.seconds | 0 | 1 to 2592000 (seconds)",
        "producer.id.quota.window.size.seconds | 2592001 | 1 to 2592000 (seconds)",
        "producer.id.quota.window.size.seconds | 1.5 | 1 to 2592000 (seconds)",
        "producer.id.quota.window.size.seconds | 99999999999999999999 | 1 to 2592000 (seconds)",
        "producer.id.quota.window.size.seconds | an hour | 1 to 2592000 (seconds)",
        "producer.id.quota.cache.layer.count | 2 | 3 to 64 (layers)",
        "producer.id.quota.cache.layer.count | 65 | 3 to 64 (layers)",
        "producer.id.quota.cache.layer.count | '' | 3 to 64 (layers)",
        "producer.id.quota.cache.false.positive.rate | 0 | 0.000001 to 0.5 (share of new producer IDs)",
        "producer.id.quota.cache.false.positive.rate | 0.51 | 0.000001 to 0.5 (share of new producer IDs)",
        "producer.id.quota.cache.false.positive.rate | NaN | 0.000001 to 0.5 (share of new producer IDs)",
        "producer.id.quota.cache.cleanup.scheduler.interval.ms | 0 | 1 to 2592000000 (milliseconds)",
        "producer.id.quota.cache.cleanup.scheduler.interval.ms | -1 | 1 to 2592000000 (milliseconds)",
        "producer.id.quota.default.rate | 0 | above 0 (new producer IDs per hour, user and broker)",
        "producer.id.quota.default.rate | -3 | above 0 (new producer IDs per hour, user and broker)",
        "producer.id.quota.default.rate | NaN | above 0 (new producer IDs per hour, user and broker)",
        "producer.id.quota.default.rate | Infinity | above 0 (new producer IDs per hour, user and broker)",
        "producer.id.quota.default.rate | unlimited | above 0 (new producer IDs per hour, user and broker)",
        "producer.id.quota.burst | 1.01 | 0 to 1 (share of a window's worth of the rate)",
        "producer.id.quota.burst | -0.1 | 0 to 1 (share of a window's worth of the rate)",
        "producer.id.quota.limiter | token_bucket | token-bucket or windowed",
        "producer.id.quota.limiter | sliding | token-bucket or windowed",
        "producer.id.quota.mode | on | enforce, observe or off",
        "producer.id.quota.max.throttle.ms | 0 | 1 to 86400000 (milliseconds)",
        "producer.id.quota.max.throttle.ms | 86400001 | 1 to 86400000 (milliseconds)",
        "producer.id.quota.max.delay.ms | -1 | 0 to 10000 (milliseconds)",
        "producer.id.quota.max.delay.ms | 10001 | 0 to 10000 (milliseconds)",
        "producer.id.quota.max.delayed.requests | 0 | 1 to 100000 (requests)",
        "producer.id.quota.max.delayed.requests | 100001 | 1 to 100000 (requests)",
        "producer.id.quota.max.delayed.bytes | 0 | 1 to 1099511627776 (bytes)",
        "producer.id.quota.max.delayed.bytes | 1099511627777 | 1 to 1099511627776 (bytes)",
        "producer.id.quota.max.users | 0 | 1 to 1000000 (users)",
        "producer.id.quota.max.users | 1000001 | 1 to 1000000 (users)",
        "producer.id.quota.max.memory.bytes | 1048575 | 1048576 to 1099511627776 (bytes)",
        "producer.id.quota.max.memory.bytes | 1099511627777 | 1048576 to 1099511627776 (bytes)",
    })
    void each_setting_out_of_range_is_named_with_value_and_range(String key, String value, String range) {
        assertEquals(key + " = " + value + ": must be " + range, refusal(key, value));
    }

    @Test
    void all_refused_settings_stand_in_one_line() {
        Map<String, String> both = new TreeMap<>(Map.of(Setting.LAYERS.key, "65", Setting.MODE.key, "on"));
        String message = assertThrows(Settings.Refused.class, () -> Settings.read(both)).getMessage();
        assertEquals("producer.id.quota.cache.layer.count = 65: must be 3 to 64 (layers); "
                + "producer.id.quota.mode = on: must be enforce, observe or off", message);
    }

    @Test
    void values_are_read_as_kafka_hands_them_over() throws Exception {
        Settings settings = Settings.read(Map.of(Setting.RATE.key, " 0.5 ", Setting.MODE.key, "Observe",
                Setting.WINDOW.key, 60, "log.dirs", "/somewhere"));
        assertEquals("mode observe, 0.5 new producer IDs per hour and user, window 60 s in 4 layers", settings.toString());
        assertEquals(Mode.OBSERVE, settings.mode());
    }

    @Test
    void the_line_that_says_it_guards_names_the_waits() throws Exception {
        assertEquals("mode enforce, no limit by default, waits of up to 250 ms, window 3600 s in 4 layers",
                Settings.read(Map.of(Setting.MAX_DELAY.key, "250")).toString());
    }

    /** Four in four seconds, all at once: two seconds later a bucket has two tokens again, a window has room for none. */
    @Test
    void s12_the_limiter_is_the_engines() throws Exception {
        Map<String, String> properties = new HashMap<>(Map.of(Setting.RATE.key, "3600", Setting.WINDOW.key, "4"));
        assertEquals(2, admittedAgain(Settings.read(properties)));
        properties.put(Setting.LIMITER.key, "Token-Bucket");
        assertEquals("mode enforce, 3600.0 new producer IDs per hour and user, window 4 s in 4 layers",
                Settings.read(properties).toString());
        properties.put(Setting.LIMITER.key, "windowed");
        assertEquals("mode enforce, 3600.0 new producer IDs per hour and user, limiter windowed, window 4 s in 4 layers",
                Settings.read(properties).toString());
        assertEquals(0, admittedAgain(Settings.read(properties)));
    }

    private static long admittedAgain(Settings settings) throws Settings.Refused {
        try (Tollgate engine = settings.engine()) {
            int alice = engine.intern("alice", 0);
            for (long pid = 0; pid < 10; pid++) {
                engine.track(alice, pid, 0);
            }
            assertEquals(4, engine.totals(0).stats().admitted());
            for (long pid = 10; pid < 20; pid++) {
                engine.track(alice, pid, 2_000);
            }
            return engine.totals(2_000).stats().admitted() - 4;
        }
    }

    @Test
    void unknown_names_under_the_prefix_are_warned_about_with_the_nearest_one() throws Exception {
        Settings settings = Settings.read(Map.of("producer.id.quota.default.rates", "5", "producer.id.expiration.ms", "9",
                "producer.id.quota.window.size.second", "7"));
        assertEquals(List.of(
                "producer.id.quota.default.rates is no setting of Tollgate and has no effect; the nearest is producer.id.quota.default.rate",
                "producer.id.quota.window.size.second is no setting of Tollgate and has no effect; the nearest is producer.id.quota.window.size.seconds"),
                settings.warnings());
    }

    /** The table's ranges are the engine's: the ends of each are taken by it too. */
    @ParameterizedTest
    @CsvSource({
        "WINDOW,1", "WINDOW,2592000", "LAYERS,3", "LAYERS,64", "FALSE_POSITIVE_RATE,0.000001", "FALSE_POSITIVE_RATE,0.5",
        "RATE,1e-9", "RATE,1e12", "BURST,0", "BURST,1", "MAX_THROTTLE,1", "MAX_THROTTLE,86400000", "MAX_USERS,1",
        "MAX_MEMORY,1099511627776",
    })
    void the_engine_takes_the_ends_of_each_range(Setting setting, String value) throws Exception {
        Map<String, String> properties = new HashMap<>(Map.of(Setting.RATE.key, "10"));
        properties.put(setting.key, value);
        try (Tollgate engine = Settings.read(properties).engine()) {
            assertNotNull(engine.totals(0));
        }
    }

    /** The one limit that depends on two settings is the engine's to check. */
    @Test
    void the_engine_refuses_more_users_than_the_memory_holds() throws Exception {
        Settings settings = Settings.read(Map.of(Setting.MAX_USERS.key, "1000000", Setting.MAX_MEMORY.key, "1048576"));
        String message = assertThrows(Settings.Refused.class, settings::engine).getMessage();
        assertEquals("producer.id.quota.max.users = 1000000: must be 1 to 1638 (under producer.id.quota.max.memory.bytes = 1048576)",
                message);
    }

    @Test
    void no_text_is_taken_for_a_value_by_accident() {
        for (Setting setting : Setting.values()) {
            assertNull(setting.parse("x"), setting.key);
            assertNull(setting.parse(""), setting.key);
        }
    }
}
