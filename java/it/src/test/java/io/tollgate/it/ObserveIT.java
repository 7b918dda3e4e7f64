package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class ObserveIT {
    /** Nothing is throttled; each producer over the quota is counted once; users are counted apart. */
    @Test
    void observing_throttles_nothing_and_counts_exactly() throws Exception {
        int rate = 10;
        // A window of an hour: while this test runs, no further token comes.
        try (BrokerProcess broker = Guarded.broker("observe").property(Guarded.MODE, "observe")
                .property(Guarded.RATE, Integer.toString(rate)).property(Guarded.RATE + "s", "7").users("alice", "bob").start()) {
            broker.createTopic("observed", 2);
            for (var entry : Map.of("alice", 40, "bob", 12).entrySet()) {
                String user = entry.getKey();
                int producers = entry.getValue();
                try (RawProducer raw = new RawProducer(broker, user, 20_000)) {
                    for (int sequence = 0; sequence < 3; sequence++) {
                        for (int i = 0; i < producers; i++) {
                            long pid = producers * 1_000L + i;
                            RawProducer.Answer answer = raw.send("observed", 0, 2, pid, (short) 0, sequence, (short) 1);
                            assertEquals(new RawProducer.Answer(Errors.NONE, 0), answer);
                        }
                    }
                }
                int over = producers - rate;
                assertEquals(rate, Guarded.of(broker, user, "Admitted"));
                assertEquals(over, Guarded.of(broker, user, "Throttled"));
                assertEquals(producers, Guarded.of(broker, user, "LivePids"));
                assertEquals(0, Guarded.of(broker, user, "GhostHits"));
                assertEquals(rate, Guarded.of(broker, user, "QuotaPerHour"));
                // Two more requests of each: with the two above, every request is counted once.
                assertEquals(2 * producers, Guarded.of(broker, user, "Known"));
                assertEquals(over, Guarded.of(broker, user, "ReRecorded"));
            }
            assertEquals(2 * rate, Guarded.total(broker, "Admitted"));
            assertEquals(40 + 12 - 2 * rate, Guarded.total(broker, "Throttled"));
            assertEquals(2, Guarded.total(broker, "Principals"));
            assertEquals(0, Guarded.total(broker, "Faults"));
            assertEquals("observe", broker.attribute(Guarded.TOTALS, "Mode"));
            assertEquals(2 * (40 + 12), broker.producerIdCount());

            List<String> throttles = Guarded.throttles(broker);
            assertEquals(List.of(), throttles.stream().filter(line -> !line.matches("\\[[^]]*] INFO Tollgate would have throttled user"
                    + " (alice|bob) .* over its quota of 10 new producer IDs per hour .*producer_ids_rate=20 --entity-type users"
                    + " --entity-name \\1 \\(producer.id.quota.mode = observe\\) .*")).toList());
            // The first of each at once; a second one only where this took longer than a minute.
            assertTrue(throttles.size() >= 2, throttles.toString());
            List<String> lines = Guarded.lines(broker);
            assertEquals(2, lines.size(), lines.toString());
            assertTrue(lines.get(0).contains("producer.id.quota.default.rates is no setting of Tollgate and has no effect; "
                    + "the nearest is producer.id.quota.default.rate"), lines.get(0));
            assertTrue(lines.get(1).contains("Tollgate guards this broker: mode observe, 10.0 new producer IDs per hour"), lines.get(1));
        }
    }
}
