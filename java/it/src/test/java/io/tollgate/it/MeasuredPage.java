package io.tollgate.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A page of docs/ a part of which one command measures: what stands between its two markers. */
final class MeasuredPage {
    private MeasuredPage() {}

    /**
     * Replaces that part.
     *
     * @param page from the top of the repository
     * @param command as the markers name it
     */
    static void write(String page, String command, String text) throws IOException {
        Path file = BuildTree.repository().resolve(page);
        Files.writeString(file, replace(page, Files.readString(file), command, text));
        ClientRun.tell("  %s is written anew", page);
    }

    private static String replace(String name, String page, String command, String text) {
        String first = "<!-- made by `" + command + "`: begin -->";
        String last = "<!-- made by `" + command + "`: end -->";
        int begin = page.indexOf(first);
        int end = page.indexOf(last);
        if (begin < 0 || end < begin) {
            throw new IllegalStateException(name + " has no " + first + " with " + last + " after it");
        }
        return page.substring(0, begin) + first + "\n\n" + text + "\n" + page.substring(end);
    }

    /**
     * @param rows the first one has the titles
     * @param words so many columns from the left are words, the others numbers
     */
    static String table(List<List<String>> rows, int words) {
        StringBuilder text = new StringBuilder();
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
        return text.toString();
    }
}
