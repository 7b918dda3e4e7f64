package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/**
 * A flood of producer IDs on a small heap. {@code make test} sends as many as take half a minute; {@code make test-flood}
 * sends ten million.
 */
class FloodIT {
    private static final long COUNT = Long.getLong("tollgate.flood", 200_000);
    private static final int HEAP_MB = 256;
    private static final int RATE = 50;
    /** Far above what the broker hands out. */
    private static final long FIRST = 1_000_000;
    /** What is refused is remembered up to a number, which these fill. */
    private static final int WARM_UP = 20_000;
    /** What may come and go with the JVM's own classes and caches; the state of the flood would be many times that. */
    private static final double SLACK_MB = 3;
    /** What KRaft may take in buffers besides ({@link Jmx.Live}). */
    private static final double BUFFERS_MB = 40;

    @Test
    void k8_a_flood_of_new_producer_ids_leaves_the_heap_of_a_small_broker_flat() throws Exception {
        try (BrokerProcess broker = Guarded.broker("flood").heapMb(HEAP_MB).property(Guarded.RATE, Integer.toString(RATE))
                // So that the flood is as fast as it can be: a refused connection rests for this time.
                .property(Guarded.MAX_THROTTLE, "1").start()) {
            broker.createTopic("flood", 1);
            broker.createTopic("calm", 1);
            try (Jmx jmx = broker.openJmx(); RawProducer calm = new RawProducer(broker, "", 60_000)) {
                assertEquals(Errors.NONE, calm.send("calm", 1, 1).error());
                try (PidFlood warmUp = new PidFlood(broker, "flood", 1, FIRST, WARM_UP)) {
                    assertTrue(warmUp.await(300_000), "after " + warmUp.totals());
                }
                Jmx.Live before = jmx.live();

                List<Jmx.Live> heap = new ArrayList<>();
                long start = System.nanoTime();
                PidFlood.Totals totals;
                try (PidFlood flood = new PidFlood(broker, "flood", 1, FIRST + WARM_UP, COUNT)) {
                    int sequence = 0;
                    while (!flood.await(heap.isEmpty() ? 1_000 : 5_000)) {
                        heap.add(jmx.live());
                        // The one that was there before the flood goes on.
                        assertEquals(Errors.NONE, calm.send("calm", 0, 1, 1, (short) 0, ++sequence, (short) 1).error());
                    }
                    totals = flood.totals();
                }
                double seconds = (System.nanoTime() - start) / 1e9;
                heap.add(jmx.live());
                double most = heap.stream().mapToDouble(Jmx.Live::mb).max().orElseThrow();
                double mostWithoutBytes = heap.stream().mapToDouble(Jmx.Live::withoutBytesMb).max().orElseThrow();
                Jmx.Live after = heap.get(heap.size() - 1);
                long admitted = Guarded.total(broker, "Admitted");
                String report = String.format(Locale.ROOT, "%,d producer IDs in %,d s, %,d a second, to a broker with %d MB of heap: "
                        + "%d admitted in all, %,d refused, %d in the broker%n"
                        + "heap after a full collection: %.1f MB before, %.1f at most, %.1f at the end; "
                        + "without byte arrays %.1f, %.1f, %.1f%n",
                        totals.sent(), Math.round(seconds), Math.round(totals.sent() / seconds), HEAP_MB, admitted, totals.refused(),
                        jmx.producerIdCount(), before.mb(), most, after.mb(), before.withoutBytesMb(), mostWithoutBytes,
                        after.withoutBytesMb());
                Files.writeString(BuildTree.itTarget().resolve("flood.txt"), report);

                assertEquals(COUNT, totals.sent());
                assertEquals(COUNT, totals.accepted() + totals.refused(), report);
                assertTrue(mostWithoutBytes <= before.withoutBytesMb() + SLACK_MB, report);
                assertTrue(most <= before.mb() + SLACK_MB + BUFFERS_MB, report);
                assertEquals(admitted, jmx.producerIdCount(), report);
                // A token comes every 72 s.
                assertTrue(admitted >= RATE && admitted <= RATE + 2 + RATE * ((System.nanoTime() - start) / 1e9 + 300) / 3_600, report);
                assertEquals(WARM_UP + COUNT + 1 - admitted, Guarded.total(broker, "Throttled"), report);
                assertSeveralInOneRequestCountOnce(broker);
                assertEquals(0, Guarded.total(broker, "Faults"));
            }
            assertEquals(Outcome.RUNNING, broker.outcome());
        }
    }

    /** No client library does it. Such a request is refused as a whole at its first producer ID over the quota. */
    private static void assertSeveralInOneRequestCountOnce(BrokerProcess broker) throws Exception {
        int each = 20;
        int requests = 1_000;
        broker.createTopic("several", each);
        long before = Guarded.total(broker, "Throttled");
        try (PidFlood several = new PidFlood(broker, "several", each, 1_000 * FIRST, (long) each * requests)) {
            assertTrue(several.await(300_000), "after " + several.totals());
            assertEquals(new PidFlood.Totals((long) each * requests, 0, (long) each * requests), several.totals());
        }
        assertEquals(before + requests, Guarded.total(broker, "Throttled"));
    }
}
