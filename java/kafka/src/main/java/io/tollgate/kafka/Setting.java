package io.tollgate.kafka;

import io.tollgate.Limiter;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The table of settings: name in the broker's properties, default, range, unit. The first four names are KIP-936's. A
 * default of null means unset.
 */
enum Setting {
    /** How long a producer ID that is not seen again stays known. */
    WINDOW("producer.id.quota.window.size.seconds", "3600", Range.whole(1, 2_592_000, "seconds")),
    /** Layers that the window is cut into. */
    LAYERS("producer.id.quota.cache.layer.count", "4", Range.whole(3, 64, "layers")),
    /** Share of new producer IDs that may be taken for known ones, and so go uncharged. */
    FALSE_POSITIVE_RATE("producer.id.quota.cache.false.positive.rate", "0.001", Range.decimal(0.000001, 0.5, "share of new producer IDs")),
    /** The delay between two sweeps. Unset: one layer period. */
    SWEEP("producer.id.quota.cache.cleanup.scheduler.interval.ms", null, Range.whole(1, 2_592_000_000L, "milliseconds")),
    /** New producer IDs per hour, user and broker. Unset: no limit, everything is counted. */
    RATE("producer.id.quota.default.rate", null, Range.above(0, "new producer IDs per hour, user and broker")),
    /** 1: a window's worth of the rate may come at once; 0: evenly spaced. */
    BURST("producer.id.quota.burst", "1.0", Range.decimal(0, 1, "share of a window's worth of the rate")),
    /** What enforces the quota. */
    LIMITER("producer.id.quota.limiter", "token-bucket", Range.word(Limiter.values())),
    /** What is done about a producer ID over the quota. */
    MODE("producer.id.quota.mode", "enforce", Range.word(Mode.values())),
    /** The longest that a client is told to wait. */
    MAX_THROTTLE("producer.id.quota.max.throttle.ms", "30000", Range.whole(1, 86_400_000, "milliseconds")),
    /** What a request that is over the quota may wait for a token, instead of being refused. 0: none waits. */
    MAX_DELAY("producer.id.quota.max.delay.ms", "0", Range.whole(0, 10_000, "milliseconds")),
    /** Waiting requests beyond which further ones are refused. */
    MAX_DELAYED("producer.id.quota.max.delayed.requests", "1000", Range.whole(1, 100_000, "requests")),
    /** The same by their bytes. */
    MAX_DELAYED_BYTES("producer.id.quota.max.delayed.bytes", "67108864", Range.whole(1, 1L << 40, "bytes")),
    /** Users beyond which further ones share one quota. */
    MAX_USERS("producer.id.quota.max.users", "10000", Range.whole(1, 1_000_000, "users")),
    /** Native memory beyond which the oldest layers of the largest users go early. */
    MAX_MEMORY("producer.id.quota.max.memory.bytes", "67108864", Range.whole(1L << 20, 1L << 40, "bytes"));

    /** What all the names begin with. */
    static final String PREFIX = "producer.id.quota.";

    final String key;
    final String byDefault;
    private final Range range;

    Setting(String key, String byDefault, Range range) {
        this.key = key;
        this.byDefault = byDefault;
        this.range = range;
    }

    /** What is accepted, with its unit: {@code "3 to 64 (layers)"}. */
    String range() {
        return range.text;
    }

    /** As a constant is written in the properties file: {@code "token-bucket"}. */
    static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** @return a Long, Double, Limiter or Mode within the range, or null when the text is none */
    Object parse(String text) {
        try {
            return range.parse.apply(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** A parser that gives null or an IllegalArgumentException for what is out of range, and the range in words. */
    private record Range(String text, Function<String, Object> parse) {
        static Range whole(long least, long most, String unit) {
            return new Range(least + " to " + most + " (" + unit + ")", text -> {
                long value = Long.parseLong(text);
                return value >= least && value <= most ? value : null;
            });
        }

        // Written so that NaN is within nothing.
        static Range decimal(double least, double most, String unit) {
            return new Range(plain(least) + " to " + plain(most) + " (" + unit + ")", text -> {
                double value = Double.parseDouble(text);
                return value >= least && value <= most ? value : null;
            });
        }

        static Range above(double bound, String unit) {
            return new Range("above " + plain(bound) + " (" + unit + ")", text -> {
                double value = Double.parseDouble(text);
                return value > bound && value < Double.POSITIVE_INFINITY ? value : null;
            });
        }

        static Range word(Enum<?>... values) {
            String words = Arrays.stream(values).map(Setting::word).collect(Collectors.joining(", "));
            return new Range(words.replaceFirst(", ([^,]*)$", " or $1"), text -> Arrays.stream(values)
                    .filter(value -> Setting.word(value).equalsIgnoreCase(text)).findAny().orElse(null));
        }

        private static String plain(double value) {
            return new java.math.BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString();
        }
    }
}
