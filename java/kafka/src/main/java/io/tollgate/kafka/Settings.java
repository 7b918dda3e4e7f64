package io.tollgate.kafka;

import io.tollgate.Limiter;
import io.tollgate.Tollgate;
import io.tollgate.TollgateConfig;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The agent's settings, read once from the broker's own properties. */
final class Settings {
    /** One or more settings were refused. The message is one line: each setting, its value and its range. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message);
        }
    }

    private final Map<Setting, Object> values;
    private final List<String> warnings;

    private Settings(Map<Setting, Object> values, List<String> warnings) {
        this.values = values;
        this.warnings = warnings;
    }

    /**
     * @param properties the broker's properties, as given; those of other names are passed over
     * @throws Refused when a value can't be read or is out of its range
     */
    static Settings read(Map<String, ?> properties) throws Refused {
        Map<Setting, Object> values = new EnumMap<>(Setting.class);
        List<String> refused = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            Object given = properties.get(setting.key);
            String text = given == null ? setting.byDefault : given.toString().strip();
            if (text == null) {
                continue;
            }
            Object value = setting.parse(text);
            if (value == null) {
                refused.add(setting.key + " = " + text + ": must be " + setting.range());
            } else {
                values.put(setting, value);
            }
        }
        if (!refused.isEmpty()) {
            throw new Refused(String.join("; ", refused));
        }
        return new Settings(values, unknown(properties));
    }

    Mode mode() {
        return (Mode) values.get(Setting.MODE);
    }

    /** The delay between two sweeps, in milliseconds. */
    long sweepMs() {
        Long given = (Long) values.get(Setting.SWEEP);
        return given != null ? given : Math.max(1, windowMs() / whole(Setting.LAYERS));
    }

    int maxThrottleMs() {
        return (int) whole(Setting.MAX_THROTTLE);
    }

    /** 0: no request waits. */
    int maxDelayMs() {
        return (int) whole(Setting.MAX_DELAY);
    }

    int maxDelayedRequests() {
        return (int) whole(Setting.MAX_DELAYED);
    }

    long maxDelayedBytes() {
        return whole(Setting.MAX_DELAYED_BYTES);
    }

    int maxUsers() {
        return (int) whole(Setting.MAX_USERS);
    }

    /** The quota of users that have no other, per hour, or null. */
    Double defaultRate() {
        return (Double) values.get(Setting.RATE);
    }

    /** The share of a window's worth of a quota that may come at once. */
    double burst() {
        return decimal(Setting.BURST);
    }

    /** Names under our prefix that are no settings, each with the nearest one; nothing is done about them. */
    List<String> warnings() {
        return warnings;
    }

    /**
     * Makes an engine with these settings.
     *
     * @throws Refused when they don't fit together: the memory can't hold so many users
     * @throws io.tollgate.TollgateNativeException if the native library can't be used
     */
    Tollgate engine() throws Refused {
        TollgateConfig.Builder builder = TollgateConfig.builder().windowMs(windowMs()).layers((int) whole(Setting.LAYERS))
                .falsePositiveRate(decimal(Setting.FALSE_POSITIVE_RATE)).maxThrottleMs(maxThrottleMs())
                .maxPrincipals(maxUsers()).maxMemoryBytes(whole(Setting.MAX_MEMORY)).limiter(limiter());
        if (defaultRate() != null) {
            builder.defaultQuota(defaultRate(), burst());
        }
        try {
            return Tollgate.create(builder.build());
        } catch (IllegalArgumentException e) {
            throw new Refused(e.getMessage().replace("max_principals", Setting.MAX_USERS.key)
                    .replace("max_memory_bytes", Setting.MAX_MEMORY.key));
        }
    }

    /** For the line that says that the broker is guarded. */
    @Override
    public String toString() {
        String rate = values.containsKey(Setting.RATE)
                ? values.get(Setting.RATE) + " new producer IDs per hour and user" : "no limit by default";
        String unusual = limiter() == Limiter.TOKEN_BUCKET ? "" : ", limiter " + Setting.word(limiter());
        unusual += maxDelayMs() == 0 ? "" : ", waits of up to " + maxDelayMs() + " ms";
        return "mode " + mode().word() + ", " + rate + unusual + ", window " + whole(Setting.WINDOW) + " s in "
                + whole(Setting.LAYERS) + " layers";
    }

    private Limiter limiter() {
        return (Limiter) values.get(Setting.LIMITER);
    }

    private long windowMs() {
        return whole(Setting.WINDOW) * 1_000;
    }

    private long whole(Setting setting) {
        return (Long) values.get(setting);
    }

    private double decimal(Setting setting) {
        return (Double) values.get(setting);
    }

    private static List<String> unknown(Map<String, ?> properties) {
        List<String> warnings = new ArrayList<>();
        for (String key : new TreeSet<>(properties.keySet())) {
            if (key.startsWith(Setting.PREFIX) && nearest(key).distance > 0) {
                warnings.add(key + " is no setting of Tollgate and has no effect; the nearest is " + nearest(key).key);
            }
        }
        return warnings;
    }

    private record Near(String key, int distance) {
    }

    private static Near nearest(String key) {
        Near best = new Near(null, Integer.MAX_VALUE);
        for (Setting setting : Setting.values()) {
            int distance = editDistance(key, setting.key);
            if (distance < best.distance) {
                best = new Near(setting.key, distance);
            }
        }
        return best;
    }

    /** Levenshtein's distance, one row at a time. */
    private static int editDistance(String a, String b) {
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[b.length()];
    }
}
