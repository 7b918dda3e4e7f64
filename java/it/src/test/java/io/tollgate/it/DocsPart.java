package io.tollgate.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The part of a page under docs/ that a run writes from what it measured: between two markers that name the run.
 *
 * @param page from the repository's top
 * @param target of make
 */
record DocsPart(String page, String target) {
    void write(String text) throws IOException {
        Path file = BuildTree.repository().resolve(page);
        Files.writeString(file, replace(Files.readString(file), text));
        ClientRun.tell("  %s is written anew", page);
    }

    String replace(String all, String text) {
        String marker = "<!-- made by `make " + target + "`: %s -->";
        String first = marker.formatted("begin");
        int begin = all.indexOf(first);
        int end = all.indexOf(marker.formatted("end"));
        if (begin < 0 || end < begin) {
            throw new IllegalStateException(page + " has no " + first + " with its end after it");
        }
        return all.substring(0, begin) + first + "\n\n" + text + "\n" + all.substring(end);
    }

    /** @param words so many columns from the left are words, the others numbers */
    static void table(StringBuilder text, List<List<String>> rows, int words) {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int column = 0; column < columns; column++) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        for (int line = 0; line < rows.size(); line++) {
            for (int column = 0; column < columns; column++) {
                boolean word = column < words;
                text.append("| ").append(String.format("%" + (word ? "-" : "") + widths[column] + "s", rows.get(line).get(column))).append(' ');
            }
            text.append("|\n");
            if (line == 0) {
                for (int column = 0; column < columns; column++) {
                    String dashes = "-".repeat(widths[column] + 1);
                    text.append('|').append(column < words ? "-" + dashes : dashes + ":");
                }
                text.append("|\n");
            }
        }
    }
}
