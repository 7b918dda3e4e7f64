package io.tollgate.bench.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the experiment has to show, and that docs/rates.json is what it saw. */
class ExperimentTest {
    private static Map<String, Experiment.Result> results;

    @BeforeAll
    static void run() {
        results = Experiment.run();
    }

    @Test
    void theCommittedNumbersAreWhatItSees() throws IOException {
        // Surefire runs in the module's directory.
        String committed = Files.readString(Path.of("../../docs/rates.json"));
        assertTrue(committed.equals(Experiment.toJson(results)), "docs/rates.json is old: make rates writes it anew");
    }

    @Test
    void s12_evenlySpacedNoSecondExceedsTheLimit() {
        for (String name : List.of("gcra_even", "windowed_even", "windowed_burst")) {
            Experiment.Result result = results.get(name);
            assertTrue(result.mostInASecond.most() <= Contender.LIMIT, name);
            assertTrue(result.mostInASecondAtOnce.most() <= Contender.LIMIT, name);
        }
    }

    /** In a second come the capacity and what is made in it; a bucket that may owe lets one more pass. */
    @Test
    void r3_aBurstIsBoundedByItsCapacity() {
        Experiment.Result strict = results.get("gcra_burst");
        assertTrue(strict.mostInASecondAtOnce.most() <= Contender.LIMIT + Contender.LIMIT);
        Experiment.Result permissive = results.get("token_bucket");
        assertTrue(permissive.mostInASecondAtOnce.most() <= Bucket.CAPACITY + Contender.LIMIT + 1);
        for (Experiment.Result result : List.of(strict, permissive)) {
            assertEquals(Contender.LIMIT, result.mostInASecondLater.most(), "after the burst");
        }
    }

    @Test
    void r3_aBucketNeedsNoToleranceOfSeven() {
        for (String name : List.of("token_bucket", "gcra_burst", "gcra_even")) {
            Experiment.Result result = results.get(name);
            for (Distribution readings : List.of(result.measuredAtEnd, result.measuredOnce)) {
                assertEquals(Contender.LIMIT, readings.least(), 2, name);
                assertEquals(Contender.LIMIT, readings.most(), 2, name);
            }
            // What it held at first, and the limit.
            assertEquals(Contender.LIMIT, result.perSecond.most(), 3.5, name);
            assertEquals(Contender.LIMIT, result.perSecond.least(), 3.5, name);
        }
    }

    @Test
    void r1_overlapLimitsAsKafkasRateDoesAndTokenBucketAsKafkas() {
        assertEquals(results.get("kafka_rate").measuredOnce.toJson(), results.get("overlap").measuredOnce.toJson());
        for (List<String> pair : List.of(List.of("kafka_rate", "overlap"), List.of("kafka_token_bucket", "token_bucket"))) {
            Experiment.Result kafkas = results.get(pair.get(0));
            Experiment.Result ours = results.get(pair.get(1));
            assertEquals(kafkas.mostInASecond.toJson(), ours.mostInASecond.toJson());
            assertEquals(kafkas.mostInASecondLater.toJson(), ours.mostInASecondLater.toJson());
            assertEquals(kafkas.seconds.toJson(), ours.seconds.toJson());
        }
    }

    @Test
    void theFullestSecondHoldsItsFirstMillisecondAndNotTheOneAfterItsLast() {
        assertEquals(2, Trial.mostInASecond(new long[] {0, 999, 1000}, 0));
        assertEquals(3, Trial.mostInASecond(new long[] {0, 1, 1000, 1000}, 1));
        assertEquals(1, Trial.mostInASecond(new long[] {0, 0, 1000}, 1));
    }
}
