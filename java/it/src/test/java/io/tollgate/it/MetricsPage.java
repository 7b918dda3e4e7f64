package io.tollgate.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The tables of attributes in docs/metrics.md. */
record MetricsPage(Map<String, Row> ofBoth, Map<String, Row> ofSums) {
    /** @param metric its name in Prometheus; without what stands before it, in the table of both */
    record Row(String type, String metric, boolean usersOnly) {
    }

    private static final Pattern ROW = Pattern.compile("\\| `(\\w+)` \\| ([\\w.]+)(?:, [^|]+)? \\| `(\\w+)`([^|]*) \\| [^|]+ \\| [^|]+ \\|");

    static MetricsPage read() throws IOException {
        Path page = BuildTree.repository().resolve("docs/metrics.md");
        String attributes = Files.readString(page).split("\n## ")[1];
        String[] tables = attributes.split("\nIn the sums,");
        return new MetricsPage(rows(tables[0]), rows(tables[1]));
    }

    private static Map<String, Row> rows(String table) {
        Map<String, Row> rows = new LinkedHashMap<>();
        table.lines().filter(line -> line.startsWith("| `")).forEach(line -> {
            Matcher row = ROW.matcher(line);
            if (!row.matches() || rows.put(row.group(1), new Row(row.group(2), row.group(3), row.group(4).contains("users only"))) != null) {
                throw new IllegalStateException("docs/metrics.md: no row, or a second one: " + line);
            }
        });
        return rows;
    }
}
