package io.tollgate.it.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.it.Outcome;
import io.tollgate.it.RawFlood;
import io.tollgate.it.RogueProducers;
import io.tollgate.it.WellBehaved;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerdictTest {
    private static final Scenario FULL = Scenario.inFull();
    private static final Scenario SHORT = Scenario.inShort();
    private static final RunResult FAILED = run(Outcome.OUT_OF_MEMORY, 600_000, 189, 0, 9_000, 8_900, 100);
    private static final RunResult FLAT = run(Outcome.RUNNING, 150, 40, 300, 9_000, 9_000, 0);

    private static RunResult run(Outcome outcome, long producerIds, double heapMb, long throttled, long sent, long acknowledged,
            long errors) {
        return new RunResult(outcome, producerIds, heapMb, 36, throttled, 100, 100, null, 50,
                new WellBehaved.Totals(sent, acknowledged, errors, 1, 2), "org.Example: why", new RogueProducers.Totals(300, 100, 200),
                new RawFlood.Totals(60, 0, 60, 60), List.of(), List.of());
    }

    private static void assertOneFailure(String expected, List<String> failures) {
        assertEquals(1, failures.size(), failures::toString);
        assertTrue(failures.get(0).contains(expected), failures::toString);
    }

    @Test
    void aFailedStockBrokerAndAFlatGuardedOneAreWhatTheDemoShows() {
        assertEquals(List.of(), Verdict.failures(FULL, FAILED, FLAT));
    }

    @Test
    void theStockBrokerMustFailInTheFullDemoButNotInTheShortOne() {
        RunResult survived = run(Outcome.RUNNING, 600_000, 150, 0, 9_000, 9_000, 0);
        assertOneFailure("did not run out of memory", Verdict.failures(FULL, survived, FLAT));
        assertEquals(List.of(), Verdict.failures(SHORT, survived, FLAT));
    }

    @Test
    void inTheShortDemoTheStockBrokersCountMustClimbBeyondTheQuota() {
        RunResult idle = run(Outcome.RUNNING, 2_000, 40, 0, 9_000, 9_000, 0);
        assertOneFailure("did not climb beyond", Verdict.failures(SHORT, idle, FLAT));
    }

    @Test
    void whatTheGuardedBrokerMustNotDo() {
        assertOneFailure("did not survive", Verdict.failures(FULL, FAILED, run(Outcome.CRASHED, 150, 40, 300, 9_000, 9_000, 0)));
        assertOneFailure("the quota permits", Verdict.failures(FULL, FAILED, run(Outcome.RUNNING, 3_000, 40, 300, 9_000, 9_000, 0)));
        assertOneFailure("throttled nothing", Verdict.failures(FULL, FAILED, run(Outcome.RUNNING, 150, 40, 0, 9_000, 9_000, 0)));
        assertOneFailure("did not stay flat", Verdict.failures(FULL, FAILED, run(Outcome.RUNNING, 150, 90, 300, 9_000, 9_000, 0)));
        assertOneFailure("acknowledged 8,999", Verdict.failures(FULL, FAILED, run(Outcome.RUNNING, 150, 40, 300, 9_000, 8_999, 0)));
    }

    @Test
    void anErrorOfItsWellBehavedClientIsQuoted() {
        List<String> failures = Verdict.failures(FULL, FAILED, run(Outcome.RUNNING, 150, 40, 300, 9_000, 8_999, 1));
        assertEquals(2, failures.size(), failures::toString);
        assertTrue(failures.get(0).contains("1 errors, the last: org.Example: why"), failures::toString);
    }

    @Test
    void theQuotaCountsEachProducerIdInEachPartition() {
        // 100 at once and one an hour's hundredth later, the one that rounding may add, three by chance: in 20 partitions;
        // and ten long-lived producers in 3.
        assertEquals((100 + 1 + 1 + 3) * 20 + 10 * 3, FULL.entriesWithinQuota(36, 0));
    }
}
