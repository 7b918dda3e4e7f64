package io.tollgate.it.demo;

import io.tollgate.it.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a demo has to have shown. */
final class Verdict {
    /** A guarded heap may wander by this much between two full collections, MiB: caches, buffers, compiled classes' data. */
    private static final double FLAT_MB = 40;

    private Verdict() {}

    /** @return one sentence for each thing that did not hold; empty when all did */
    static List<String> failures(Scenario scenario, RunResult stock, RunResult guarded) {
        List<String> failures = new ArrayList<>();
        long attempts = guarded.rogueProducers().made() + guarded.raw().sent();
        long permitted = scenario.entriesWithinQuota(guarded.seconds(), attempts);
        if (scenario.quick()) {
            if (stock.producerIds() <= permitted) {
                failures.add(String.format(Locale.ROOT, "the stock broker's producer IDs did not climb beyond the quota's %,d: %,d",
                        permitted, stock.producerIds()));
            }
        } else if (stock.outcome() != Outcome.OUT_OF_MEMORY) {
            failures.add("the stock broker did not run out of memory within " + scenario.rawS() + " s of the raw flood: " + stock.outcome());
        }
        if (guarded.outcome() != Outcome.RUNNING) {
            failures.add("the guarded broker did not survive: " + guarded.outcome());
        }
        if (guarded.producerIds() > permitted) {
            failures.add(String.format(Locale.ROOT, "the guarded broker has %,d producer IDs, the quota permits %,d",
                    guarded.producerIds(), permitted));
        }
        if (guarded.throttled() == 0) {
            failures.add("the guarded broker throttled nothing");
        }
        if (guarded.heapAfterGcMb() > guarded.heapAtStartMb() + FLAT_MB) {
            failures.add(String.format(Locale.ROOT, "the guarded broker's heap did not stay flat: %.0f MB before the load, %.0f MB after it",
                    guarded.heapAtStartMb(), guarded.heapAfterGcMb()));
        }
        if (guarded.wellBehaved().errors() > 0) {
            failures.add(String.format(Locale.ROOT, "the guarded broker's well-behaved client saw %,d errors, the last: %s",
                    guarded.wellBehaved().errors(), guarded.lastError()));
        }
        if (guarded.wellBehaved().acknowledged() != guarded.wellBehaved().sent()) {
            failures.add(String.format(Locale.ROOT, "the guarded broker acknowledged %,d of its well-behaved client's %,d messages",
                    guarded.wellBehaved().acknowledged(), guarded.wellBehaved().sent()));
        }
        return failures;
    }
}
