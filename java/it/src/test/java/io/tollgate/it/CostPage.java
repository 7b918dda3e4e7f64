package io.tollgate.it;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The part of docs/cost.md that {@code make test-cost} measures. */
final class CostPage {
    private static final DocsPart PART = new DocsPart("docs/cost.md", "test-cost");

    private CostPage() {}

    static void write(List<CostRow> rows, Allocations allocations) throws IOException {
        PART.write(text(rows, allocations));
    }

    private static String text(List<CostRow> rows, Allocations allocations) {
        List<List<String>> table = new ArrayList<>();
        table.add(List.of("producing", "measured", "stock", "guarded", "guarded / stock", "second stock / stock"));
        List<List<String>> cpu = new ArrayList<>();
        for (CostRow row : rows) {
            boolean paced = row.shape().isPaced();
            table.add(List.of(row.shape().says(), paced ? "p99 of the latency, ms" : "records a second",
                    number(paced, row.stockMedian(row.measure())), number(paced, row.guardedMedian(row.measure())),
                    ratio(row.guarded(row.measure())), ratio(row.again(row.measure()))));
            cpu.add(List.of(row.shape().says(), "broker's CPU per record, µs", number(true, row.stockMedian(CostSide.Slice::brokerMicros)),
                    number(true, row.guardedMedian(CostSide.Slice::brokerMicros)), ratio(row.guarded(CostSide.Slice::brokerMicros)),
                    ratio(row.again(CostSide.Slice::brokerMicros))));
        }
        table.addAll(cpu);
        StringBuilder written = new StringBuilder();
        DocsPart.table(written, table, 2);
        return String.format(Locale.ROOT, "Medians of %d turns; ratios are medians of the turns' own ratios, with the interval that holds the"
                + " true one in 95 of 100 cases:\n\n%s\nAllocation: of %,d samples that Flight Recorder took on the request handler threads"
                + " of the guarded broker, %d have a class of Tollgate's on the stack%s.\n",
                rows.get(0).turns(), written, allocations.samples(), allocations.ofOurs(),
                allocations.ours().isEmpty() ? "" : ": " + String.join(", ", allocations.ours().keySet()));
    }

    private static String number(boolean fine, double value) {
        return String.format(Locale.ROOT, fine ? "%.2f" : "%,.0f", value);
    }

    private static String ratio(Ratio ratio) {
        return String.format(Locale.ROOT, "%.3f (%.3f to %.3f)", ratio.median(), ratio.low(), ratio.high());
    }
}
