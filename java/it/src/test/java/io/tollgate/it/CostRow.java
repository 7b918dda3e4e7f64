package io.tollgate.it;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What was measured of one {@link CostShape}: a stock broker's slices, a second one's and a guarded one's, turn by turn. */
final class CostRow {
    private final CostShape shape;
    private final List<CostSide.Slice> stock = new ArrayList<>();
    private final List<CostSide.Slice> again = new ArrayList<>();
    private final List<CostSide.Slice> guarded = new ArrayList<>();

    CostRow(CostShape shape) {
        this.shape = shape;
    }

    void add(CostSide.Slice stock, CostSide.Slice again, CostSide.Slice guarded) {
        this.stock.add(stock);
        this.again.add(again);
        this.guarded.add(guarded);
    }

    CostShape shape() {
        return shape;
    }

    int turns() {
        return stock.size();
    }

    /** Records a second, or where the client sets those, the 99th percentile of the latency, ms. */
    ToDoubleFunction<CostSide.Slice> measure() {
        return shape.isPaced() ? CostSide.Slice::p99Ms : CostSide.Slice::perSecond;
    }

    double stockMedian(ToDoubleFunction<CostSide.Slice> measure) {
        return Ratio.median(stock.stream().mapToDouble(measure));
    }

    double guardedMedian(ToDoubleFunction<CostSide.Slice> measure) {
        return Ratio.median(guarded.stream().mapToDouble(measure));
    }

    Ratio guarded(ToDoubleFunction<CostSide.Slice> measure) {
        return ratio(guarded, measure);
    }

    Ratio again(ToDoubleFunction<CostSide.Slice> measure) {
        return ratio(again, measure);
    }

    private Ratio ratio(List<CostSide.Slice> side, ToDoubleFunction<CostSide.Slice> measure) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < side.size(); i++) {
            ratios.add(measure.applyAsDouble(side.get(i)) / measure.applyAsDouble(stock.get(i)));
        }
        return Ratio.of(ratios);
    }

    /** Whether all of the interval says so: on a busy machine the median alone may be off by more. */
    boolean isWorseThan(double share) {
        Ratio ratio = guarded(measure());
        return shape.isPaced() ? ratio.low() > 1 + share : ratio.high() < 1 - share;
    }

    String line() {
        if (turns() < 10) {
            return shape.name() + ": " + turns() + " turns so far";
        }
        Ratio guarded = guarded(measure());
        Ratio again = again(measure());
        Ratio cpu = guarded(CostSide.Slice::brokerMicros);
        return String.format(Locale.ROOT, "%s, %d turns: %s %.3f (%.3f to %.3f) of stock, a second stock broker %.3f (%.3f to %.3f);"
                + " broker's CPU per record %.3f (%.3f to %.3f)", shape.name(), turns(), shape.isPaced() ? "p99" : "throughput",
                guarded.median(), guarded.low(), guarded.high(), again.median(), again.low(), again.high(), cpu.median(), cpu.low(), cpu.high());
    }
}
