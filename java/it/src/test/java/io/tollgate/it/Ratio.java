package io.tollgate.it;

import java.util.List;
import java.util.stream.DoubleStream;

/**
 * The median of ratios that were measured in pairs, with the interval that holds the true one in 95 of 100 cases: the
 * two ranks of the binomial distribution around it, whatever the ratios' own distribution.
 */
record Ratio(double low, double median, double high) {
    /** @throws IllegalArgumentException with fewer than ten: the interval would say nothing */
    static Ratio of(List<Double> ratios) {
        int count = ratios.size();
        if (count < 10) {
            throw new IllegalArgumentException("ratios: " + count + ", must be 10 or more");
        }
        List<Double> sorted = ratios.stream().sorted().toList();
        int out = (int) Math.floor((count - 1.96 * Math.sqrt(count)) / 2);
        return new Ratio(sorted.get(Math.max(0, out - 1)), median(sorted), sorted.get(Math.min(count - 1, count - out)));
    }

    /** @param values sorted, one at least */
    private static double median(List<Double> values) {
        int middle = values.size() / 2;
        return values.size() % 2 == 1 ? values.get(middle) : (values.get(middle - 1) + values.get(middle)) / 2;
    }

    static double median(DoubleStream values) {
        return median(values.sorted().boxed().toList());
    }
}
