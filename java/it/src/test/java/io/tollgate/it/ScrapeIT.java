package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** Beans read as fast as JMX answers, while their users come and go. */
class ScrapeIT {
    private static final int USERS = 40;
    private static final int ROUNDS = 3;
    /** Every fourth user brings more than an exact set holds, so that layers are made and dropped, too. */
    private static final int FEW = 3;
    private static final int MANY = 80;
    private static final double SLACK_MB = 8;

    @Test
    void reading_all_beans_in_a_loop_disturbs_nobody_and_the_counts_are_right_at_the_end() throws Exception {
        try (BrokerProcess broker = Guarded.broker("scrape").property(Guarded.WINDOW, "1")
                .property("producer.id.quota.cache.cleanup.scheduler.interval.ms", "50")
                .users(IntStream.range(0, USERS).mapToObj(n -> "user" + n).toArray(String[]::new)).start()) {
            broker.createTopic("scraped", 1);
            Queue<Exception> errors = new ConcurrentLinkedQueue<>();
            AtomicLong scrapes = new AtomicLong();
            AtomicInteger mostUsers = new AtomicInteger();
            List<Thread> scrapers = new ArrayList<>();
            double before = objectsMb(broker);
            for (int i = 0; i < 2; i++) {
                Thread scraper = new Thread(() -> {
                    try (Jmx jmx = broker.openJmx()) {
                        while (!Thread.currentThread().isInterrupted()) {
                            mostUsers.accumulateAndGet(jmx.readAll(Guarded.TOTALS + ",*") - 1, Math::max);
                            scrapes.incrementAndGet();
                        }
                    } catch (Exception e) {
                        errors.add(e);
                    }
                }, "scraper-" + i);
                scraper.start();
                scrapers.add(scraper);
            }

            long requests = 0;
            long pid = 1_000_000;
            try {
                for (int round = 0; round < ROUNDS; round++) {
                    for (int user = 0; user < USERS; user++) {
                        try (RawProducer raw = new RawProducer(broker, "user" + user, 60_000)) {
                            for (int i = 0; i < (user % 4 == 0 ? MANY : FEW); i++) {
                                pid++;
                                for (int sequence = 0; sequence < 2; sequence++) {
                                    assertEquals(new RawProducer.Answer(Errors.NONE, 0),
                                            raw.send("scraped", 0, 1, pid, (short) 0, sequence, (short) 1));
                                    requests++;
                                }
                            }
                        }
                    }
                    // They are idle for a window, and go.
                    LiveQuotas.await(0L, () -> Guarded.total(broker, "Principals"));
                }
                long enough = scrapes.get() + 10;
                LiveQuotas.await(true, () -> !errors.isEmpty() || scrapes.get() >= enough);
            } finally {
                for (Thread scraper : scrapers) {
                    scraper.interrupt();
                }
                for (Thread scraper : scrapers) {
                    scraper.join(TimeUnit.SECONDS.toMillis(30));
                }
            }
            assertEquals(List.of(), List.copyOf(errors));
            assertTrue(mostUsers.get() >= 2, "no scrape saw users: " + mostUsers);

            try (Jmx jmx = broker.openJmx()) {
                assertEquals(1, jmx.readAll(Guarded.TOTALS + ",*"), "the sums alone are left");
            }
            // Each request is Known, Admitted, or ReRecorded alone; a known ID that goes on to a newer layer is ReRecorded besides.
            long known = Guarded.total(broker, "Known") + Guarded.total(broker, "Admitted");
            long reRecorded = Guarded.total(broker, "ReRecorded");
            assertTrue(known <= requests && requests <= known + reRecorded,
                    requests + " requests, " + known + " known or admitted, " + reRecorded + " re-recorded");
            assertEquals(0, Guarded.total(broker, "Throttled"));
            assertEquals(0, Guarded.total(broker, "LivePids"));
            assertEquals(0, Guarded.total(broker, "Layers"));
            assertEquals(0, Guarded.total(broker, "Faults"));
            assertEquals(pid - 1_000_000, broker.producerIdCount());
            double after = objectsMb(broker);
            assertTrue(after <= before + SLACK_MB, before + " MB of objects before, " + after + " after " + scrapes + " scrapes");
        }
    }

    /** Objects that are alive, without byte arrays, of which KRaft takes large ones as it needs them ({@link Jmx.Live}). */
    private static double objectsMb(BrokerProcess broker) throws Exception {
        try (Jmx jmx = broker.openJmx()) {
            return jmx.live().withoutBytesMb();
        }
    }
}
