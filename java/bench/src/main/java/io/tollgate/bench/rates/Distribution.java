package io.tollgate.bench.rates;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** How often each value came, values to a tenth. */
final class Distribution {
    private final TreeMap<Long, Integer> counts = new TreeMap<>();

    void add(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(value + " is no reading");
        }
        counts.merge(Math.round(value * 10), 1, Integer::sum);
    }

    double least() {
        return counts.firstKey() / 10.0;
    }

    double most() {
        return counts.lastKey() / 10.0;
    }

    /** `[[29.9,12],[30.0,988]]`. */
    String toJson() {
        return counts.entrySet().stream().map(Distribution::pair).collect(Collectors.joining(",", "[", "]"));
    }

    private static String pair(Map.Entry<Long, Integer> entry) {
        return "[" + entry.getKey() / 10 + "." + entry.getKey() % 10 + "," + entry.getValue() + "]";
    }
}
