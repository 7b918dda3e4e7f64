package io.tollgate.it;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.kafka.common.protocol.Errors;

/** The part of docs/clients.md that {@code make test-clients} measures. */
final class ClientsPage {
    private static final DocsPart PART = new DocsPart("docs/clients.md", "test-clients");

    private ClientsPage() {}

    /** Replaces what stands between the page's markers. */
    static void write(List<ClientRun> runs) throws IOException {
        PART.write(text(runs));
    }

    static String text(List<ClientRun> runs) {
        StringBuilder text = new StringBuilder();
        section(text, runs, "advised", "%,d messages of %,d idempotent producers, %d at a time:");
        section(text, runs, "defaults", "The same with the library's own settings, where these are not enough:");
        section(text, runs, "transactions", "Transactions, %2$d producers, %3$d at a time, each with two that it commits, %1$,d messages in"
                + " all, and two of as many messages that it aborts. Delivered is what a read_committed consumer gets:");
        section(text, runs, "acks0", "With `acks=0`, %,d messages of %,d producers, %d at a time. Delivered is what is in the log:");
        section(text, runs, "acks1", "With `acks=1`, the same:");
        return text.toString();
    }

    private static void section(StringBuilder text, List<ClientRun> all, String mode, String title) {
        List<ClientRun> runs = all.stream().filter(run -> run.mode().equals(mode)).toList();
        if (runs.isEmpty()) {
            return;
        }
        ClientProgram.Load load = runs.get(0).load();
        text.append(text.isEmpty() ? "" : "\n")
                .append(String.format(Locale.ROOT, title, load.all(), load.producers(), load.atOnce())).append("\n\n");
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("client", "version", "refused with", "refusals", "retried", "delivered", "given up", "over the quota", "time"));
        runs.forEach(run -> rows.add(row(run)));
        DocsPart.table(text, rows, 3);
    }

    private static List<String> row(ClientRun run) {
        ClientProgram.Result said = run.said();
        String codes = run.refused().keySet().stream().map(name -> Errors.valueOf(name).code() + " " + name)
                .collect(Collectors.joining(", "));
        long refusals = run.refused().values().stream().mapToLong(Long::longValue).sum();
        String gaveUp = run.failures().entrySet().stream().map(failure -> count(failure.getValue()) + " " + failure.getKey())
                .collect(Collectors.joining(", "));
        return List.of(said.client(), said.version(), codes.isEmpty() ? "-" : codes, count(refusals),
                said.retried() == null ? "not told" : count(said.retried()), count(run.inLog()), gaveUp.isEmpty() ? "0" : gaveUp,
                run.refused().isEmpty() ? "-" : seconds(run.overQuotaS()), seconds(said.seconds()));
    }

    private static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }

    private static String seconds(double value) {
        return String.format(Locale.ROOT, "%.0f s", value);
    }
}
