package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class WindowedIT {
    private static final long WINDOW_MS = 4_000;
    private static final int A_WINDOWS_WORTH = 20;

    /** A bucket would admit the last one a fifth of a second after a window's worth at once. */
    @Test
    void s12_no_window_admits_more_than_its_worth_and_the_known_pass() throws Exception {
        Quota quota = new Quota(A_WINDOWS_WORTH, (int) (A_WINDOWS_WORTH * 1_000 / WINDOW_MS));
        try (BrokerProcess broker = quota.on(Guarded.broker("windowed")).property(Guarded.LIMITER, "windowed")
                .property(Guarded.MAX_THROTTLE, "300").start()) {
            broker.createTopic("windowed", 1);
            List<Long> sent = new ArrayList<>();
            List<Long> answered = new ArrayList<>();
            int refused = 0;
            try (RawProducer flood = new RawProducer(broker, "", 20_000); RawProducer known = new RawProducer(broker, "", 20_000)) {
                for (long pid = 1; answered.size() <= 2 * A_WINDOWS_WORTH; pid++) {
                    long before = System.nanoTime();
                    if (flood.send("windowed", 1, pid).error() == Errors.NONE) {
                        sent.add(before);
                        answered.add(System.nanoTime());
                    } else {
                        // The first producer goes on, on a connection of its own.
                        refused++;
                        assertEquals(new RawProducer.Answer(Errors.NONE, 0),
                                known.send("windowed", 0, 1, 1, (short) 0, refused, (short) 1));
                    }
                }
            }
            for (int first = 0; first + A_WINDOWS_WORTH < answered.size(); first++) {
                int last = first + A_WINDOWS_WORTH;
                // The broker decided between the two moments, on a clock of whole milliseconds.
                long apartMs = (answered.get(last) - sent.get(first)) / 1_000_000;
                assertTrue(apartMs >= WINDOW_MS - 1, "admissions " + first + " and " + last + " are " + apartMs + " ms apart");
            }
            assertEquals(answered.size(), Guarded.total(broker, "Admitted"));
            assertEquals(refused, Guarded.total(broker, "Throttled"));
            assertEquals(refused, Guarded.total(broker, "Known"));
            assertEquals(0, Guarded.total(broker, "Faults"));
            List<String> lines = Guarded.lines(broker);
            assertEquals(1, lines.size(), lines.toString());
            assertTrue(lines.get(0).contains("18000.0 new producer IDs per hour and user, limiter windowed, window 4 s"), lines.get(0));
        }
    }
}
