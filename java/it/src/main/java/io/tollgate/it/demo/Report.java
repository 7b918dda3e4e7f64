package io.tollgate.it.demo;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.tollgate.it.RawFlood;
import io.tollgate.it.RogueProducers;
import io.tollgate.it.WellBehaved;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The demo's files, and its table. Keys are written in snake case. */
final class Report {
    private static final ObjectMapper JSON = new ObjectMapper()
            .setPropertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(SerializationFeature.INDENT_OUTPUT);

    /** {@code report.json}. */
    record Results(String kafkaVersion, Stock stock, Guarded guarded, Client stockWellBehaved) {}

    record Stock(String outcome, long producerIds, double heapAfterGcMb) {}

    record Guarded(String outcome, long producerIds, double heapAfterGcMb, long throttled, Client wellBehaved) {}

    record Client(long sent, long acknowledged, long errors, Double p50Ms, Double p99Ms) {}

    /** {@code samples.json}: how it was measured, and all readings. */
    record Series(String kafkaVersion, String javaVersion, int processors, Scenario load, Broker stock, Broker guarded) {}

    record Broker(double heapAtStartMb, Double endedAtS, double rawS, long admitted, RogueProducers.Totals rogueProducers,
            RawFlood.Totals raw, List<RunResult.Phase> phases, List<Sample> samples) {}

    private Report() {}

    /** Hands a run's result to the process that judges both. */
    static void writeRun(Path file, RunResult result) throws IOException {
        JSON.writeValue(file.toFile(), result);
    }

    static RunResult readRun(Path file) throws IOException {
        return JSON.readValue(file.toFile(), RunResult.class);
    }

    static void write(Path directory, String kafkaVersion, Scenario load, RunResult stock, RunResult guarded) throws IOException {
        JSON.writeValue(directory.resolve("report.json").toFile(), new Results(kafkaVersion,
                new Stock(stock.outcome().toString(), stock.producerIds(), stock.heapAfterGcMb()),
                new Guarded(guarded.outcome().toString(), guarded.producerIds(), guarded.heapAfterGcMb(), guarded.throttled(),
                        client(guarded.wellBehaved())),
                client(stock.wellBehaved())));
        JSON.writeValue(directory.resolve("samples.json").toFile(), new Series(kafkaVersion,
                System.getProperty("java.version"), Runtime.getRuntime().availableProcessors(), load, broker(stock), broker(guarded)));
    }

    private static Client client(WellBehaved.Totals totals) {
        return new Client(totals.sent(), totals.acknowledged(), totals.errors(), number(totals.p50Ms()), number(totals.p99Ms()));
    }

    private static Double number(double value) {
        return Double.isNaN(value) ? null : (Double) (Math.round(value * 1_000) / 1_000.0);
    }

    private static Broker broker(RunResult run) {
        return new Broker(run.heapAtStartMb(), run.endedAtS(), run.rawS(), run.admitted(), run.rogueProducers(), run.raw(),
                run.phases(), run.samples());
    }

    static String table(RunResult stock, RunResult guarded) {
        StringBuilder table = new StringBuilder();
        row(table, "", "stock", "with Tollgate");
        row(table, "broker", outcome(stock), outcome(guarded));
        row(table, "producer IDs held (all partitions)", count(stock.producerIds()), count(guarded.producerIds()));
        row(table, "heap after GC, before the load", megabytes(stock.heapAtStartMb()), megabytes(guarded.heapAtStartMb()));
        row(table, "heap after GC, at the end", megabytes(stock.heapAfterGcMb()), megabytes(guarded.heapAfterGcMb()));
        row(table, "raw flood lasted", seconds(stock.rawS()), seconds(guarded.rawS()));
        row(table, "rogue requests throttled", "-", count(guarded.throttled()));
        row(table, "well-behaved: sent", count(stock.wellBehaved().sent()), count(guarded.wellBehaved().sent()));
        row(table, "well-behaved: acknowledged", count(stock.wellBehaved().acknowledged()), count(guarded.wellBehaved().acknowledged()));
        row(table, "well-behaved: errors", count(stock.wellBehaved().errors()), count(guarded.wellBehaved().errors()));
        row(table, "well-behaved: p50", milliseconds(stock.wellBehaved().p50Ms()), milliseconds(guarded.wellBehaved().p50Ms()));
        row(table, "well-behaved: p99", milliseconds(stock.wellBehaved().p99Ms()), milliseconds(guarded.wellBehaved().p99Ms()));
        return table.toString();
    }

    private static void row(StringBuilder table, String what, String stock, String guarded) {
        table.append(String.format("  %-36s %22s %16s%n", what, stock, guarded));
    }

    private static String outcome(RunResult run) {
        return run.endedAtS() == null ? run.outcome().toString()
                : String.format(Locale.ROOT, "%s at %.0f s", run.outcome(), run.endedAtS());
    }

    private static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String megabytes(double value) {
        return String.format(Locale.ROOT, "%.1f MB", value);
    }

    private static String seconds(double value) {
        return String.format(Locale.ROOT, "%.0f s", value);
    }

    private static String milliseconds(double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, "%.2f ms", value);
    }
}
