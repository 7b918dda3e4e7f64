package io.tollgate.it.demo;

import io.tollgate.it.Outcome;
import io.tollgate.it.RawFlood;
import io.tollgate.it.RogueProducers;
import io.tollgate.it.WellBehaved;
import java.util.List;

/**
 * What one broker's run gave.
 *
 * @param producerIds the newest reading
 * @param heapAfterGcMb after a full collection at the end; of a broker that failed, the newest reading
 * @param heapAtStartMb after a full collection before the load
 * @param seconds from the first message to the last reading
 * @param endedAtS when the broker ended by itself, on the samples' time axis; null when it did not
 * @param rawS how long the raw client ran
 * @param lastError the well-behaved client's newest error, empty when there was none
 */
record RunResult(Outcome outcome, long producerIds, double heapAfterGcMb, double heapAtStartMb, long throttled, long admitted,
        double seconds, Double endedAtS, double rawS, WellBehaved.Totals wellBehaved, String lastError,
        RogueProducers.Totals rogueProducers, RawFlood.Totals raw, List<Phase> phases, List<Sample> samples) {
    record Phase(String name, double fromS, double toS) {}
}
