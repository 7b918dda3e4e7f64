package io.tollgate.it.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What is going on, in the terminal: one block redrawn in place when it is live, else a line every few seconds. For
 * one thread.
 */
final class Progress {
    private static final long LINE_EVERY_NANOS = 5_000_000_000L;
    private static final int BAR = 30;

    /** @param seconds into the phase, of {@code limit} */
    record Status(String title, String phase, double seconds, int limit, int heapMb, Sample sample, String rogue) {}

    private final PrintStream out;
    private final boolean live;
    private int drawn;
    private long lastLine;
    private String lastPhase = "";

    Progress(PrintStream out, boolean live) {
        this.out = out;
        this.live = live;
    }

    /** Leaves what was drawn as it stands and prints a line below it. */
    void say(String line) {
        drawn = 0;
        out.println(line);
        out.flush();
    }

    void show(Status status) {
        if (live) {
            draw(status);
        } else if (System.nanoTime() - lastLine >= LINE_EVERY_NANOS || !status.phase().equals(lastPhase)) {
            lastLine = System.nanoTime();
            lastPhase = status.phase();
            out.println(line(status));
            out.flush();
        }
    }

    private static String line(Status status) {
        Sample sample = status.sample();
        return String.format(Locale.ROOT, "  %s, %s %3.0f s: producer IDs %s, heap %s, throttled %s; alice %,d sent, %,d acked, %,d errors, p99 %s",
                status.title(), status.phase(), status.seconds(), count(sample.producerIds()), megabytes(sample.heapAfterGcMb()),
                count(sample.throttled()), sample.sent(), sample.acknowledged(), sample.errors(), milliseconds(sample.p99Ms()));
    }

    private void draw(Status status) {
        Sample sample = status.sample();
        List<String> block = new ArrayList<>();
        block.add(String.format(Locale.ROOT, "  %s: %s, %.0f of at most %d s", status.title(), status.phase(), status.seconds(), status.limit()));
        block.add("    producer IDs    " + count(sample.producerIds()));
        block.add("    heap after GC   " + megabytes(sample.heapAfterGcMb()) + " of " + status.heapMb() + " MB  "
                + bar(sample.heapAfterGcMb(), status.heapMb()));
        block.add("    throttled       " + count(sample.throttled()));
        block.add("    rogue           " + status.rogue());
        block.add(String.format(Locale.ROOT, "    well-behaved    %,d sent, %,d acknowledged, %,d errors, p99 %s", sample.sent(),
                sample.acknowledged(), sample.errors(), milliseconds(sample.p99Ms())));
        StringBuilder text = new StringBuilder();
        if (drawn > 0) {
            text.append("\033[").append(drawn).append('A');
        }
        // Each line is cleared to its end: the one before may have been longer.
        block.forEach(line -> text.append('\r').append(line).append("\033[K\n"));
        out.print(text);
        out.flush();
        drawn = block.size();
    }

    private static String bar(Double heapMb, int ofMb) {
        int full = heapMb == null ? 0 : (int) Math.min(BAR, Math.round(BAR * heapMb / ofMb));
        return "#".repeat(full) + ".".repeat(BAR - full);
    }

    private static String count(Long value) {
        return value == null ? "no answer" : String.format(Locale.ROOT, "%,d", value);
    }

    private static String megabytes(Double value) {
        return value == null ? "no answer" : String.format(Locale.ROOT, "%.0f MB", value);
    }

    private static String milliseconds(Double value) {
        return value == null ? "none" : String.format(Locale.ROOT, "%.1f ms", value);
    }
}
