package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.kafka.BrokerAdapter.Presence;
import io.tollgate.kafka.PartitionsInMemory.Sent;
import java.lang.management.ManagementFactory;
import java.util.List;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/**
 * The order of the guard's questions, on the real engine and a partition state that is a set in memory: what a real
 * broker does only now and then (stale handles, failures, several producer IDs in a request) can be had here at will.
 */
class GuardTest extends ProduceRig {
    @Test
    void over_the_quota_is_refused_and_known_passes() throws Exception {
        guard(2, "enforce");
        assertTrue(passes(sent(batch(0, 1, 0))));
        assertTrue(passes(sent(batch(0, 2, 0))));
        assertFalse(passes(sent(batch(0, 3, 0))));
        assertTrue(passes(sent(batch(1, 1, 0), batch(0, 1, 1))));
        assertEquals(2, total("Admitted"));
        assertEquals(1, total("Throttled"));
        assertEquals(1, total("Known"));
        assertTrue(broker.waits.get(0) >= 1 && broker.waits.get(0) <= 30_000, broker.waits.toString());
    }

    @Test
    void k7_what_the_partition_has_is_not_charged() throws Exception {
        guard(1, "enforce");
        for (long producerId = 100; producerId < 200; producerId++) {
            broker.append(sent(batch(1, producerId, 0)));
        }
        for (long producerId = 100; producerId < 200; producerId++) {
            // In one of two partitions is enough: it is the same producer.
            assertTrue(passes(sent(batch(0, producerId, 0), batch(1, producerId, 1))));
        }
        assertEquals(0, total("Admitted"));
        assertTrue(passes(sent(batch(0, 1, 0))), "the quota is untouched");
        assertFalse(passes(sent(batch(0, 2, 0))));
    }

    @Test
    void what_this_broker_does_not_lead_is_neither_charged_nor_refused() throws Exception {
        guard(1, "enforce");
        for (long producerId = 0; producerId < 10; producerId++) {
            assertFalse(guard.refuses(sent(batch(9, producerId, 0))));
        }
        assertEquals(0, total("Admitted"));
        assertEquals(0, total("LivePids"));
    }

    @Test
    void what_could_not_be_appended_here_is_not_waited_for() throws Exception {
        broker.properties.put(Setting.WINDOW.key, "1");
        guard(360_000, "enforce");
        long producerId = 1_000;
        while (passes(sent(batch(0, producerId, 0), batch(9, producerId, 0)))) {
            producerId++;
        }
        Thread.sleep(30);
        assertFalse(passes(sent(batch(0, producerId, 1))));
        assertFalse(guard.refuses(sent(batch(9, producerId, 1))));
    }

    @Test
    void k9_without_a_producer_id_nothing_is_counted() throws Exception {
        guard(1, "enforce");
        for (int i = 0; i < 10; i++) {
            assertFalse(guard.refuses(sent()));
        }
        assertEquals(0, total("Principals"));
    }

    @Test
    void a_batch_does_not_overtake_the_refused_one_it_was_sent_behind() throws Exception {
        broker.properties.put(Setting.WINDOW.key, "1");
        guard(360_000, "enforce"); // 100 at once, then one every 10 ms
        long producerId = 1_000;
        while (passes(sent(batch(0, producerId, 0)))) {
            producerId++;
        }
        Thread.sleep(30);
        // The quota has room again. The second batch must not be the one that takes it.
        assertFalse(passes(sent(batch(0, producerId, 1))));
        assertEquals(0, broker.waits.get(1), "its turn comes as soon as the first one passed");
        assertTrue(passes(sent(batch(0, producerId, 0))));
        assertTrue(passes(sent(batch(0, producerId, 1))));
    }

    @Test
    void nor_once_the_producer_was_admitted_to_another_partition() throws Exception {
        broker.properties.put(Setting.WINDOW.key, "1");
        guard(360_000, "enforce");
        long producerId = 1_000;
        while (passes(sent(batch(0, producerId, 0)))) {
            producerId++;
        }
        Thread.sleep(30);
        assertTrue(passes(sent(batch(1, producerId, 0))));
        assertFalse(passes(sent(batch(0, producerId, 1))), "known by now, but its first batch there is still out");
        assertTrue(passes(sent(batch(0, producerId, 0))));
        assertTrue(passes(sent(batch(0, producerId, 1))));
    }

    @Test
    void several_producer_ids_in_one_request_are_each_charged() throws Exception {
        guard(3, "enforce");
        assertTrue(passes(sent(batch(0, 1, 0), batch(1, 2, 0), batch(2, 3, 0))));
        assertFalse(passes(sent(batch(0, 1, 1), batch(1, 4, 0))));
        assertEquals(3, total("Admitted"));
        assertTrue(passes(sent(batch(0, 1, 1))));
    }

    @Test
    void observing_refuses_nothing_and_counts_each_producer_once() throws Exception {
        guard(5, "observe");
        for (int round = 0; round < 3; round++) {
            for (long producerId = 0; producerId < 40; producerId++) {
                assertTrue(passes(sent(batch(0, producerId, round))));
            }
        }
        assertEquals(5, total("Admitted"));
        assertEquals(35, total("Throttled"));
        assertEquals(2 * 40, total("Known"));
        assertEquals(40, total("LivePids"));
        assertEquals(List.of(), broker.waits);
    }

    @Test
    void users_do_not_share_a_quota() throws Exception {
        guard(1, "enforce");
        assertTrue(passes(new Sent("alice", List.of(batch(0, 1, 0)))));
        assertTrue(passes(new Sent("bob", List.of(batch(0, 2, 0)))));
        assertFalse(passes(new Sent("alice", List.of(batch(0, 3, 0)))));
        assertFalse(passes(new Sent("bob", List.of(batch(0, 4, 0)))));
    }

    @Test
    void a_failure_inside_is_counted_and_the_request_passes() throws Exception {
        guard(1, "enforce");
        broker.failure = new IllegalStateException("on purpose");
        for (int i = 0; i < 3; i++) {
            assertFalse(guard.refuses(sent(batch(0, i, 0))));
        }
        assertEquals(3, total("Faults"));
    }

    @Test
    void a_request_that_could_not_be_refused_passes_and_holds_up_nothing() throws Exception {
        guard(1, "enforce");
        assertTrue(passes(sent(batch(0, 1, 0))));
        broker.failureToRefuse = new IllegalStateException("on purpose");
        assertTrue(passes(sent(batch(0, 2, 0))));
        broker.failureToRefuse = null;
        assertTrue(passes(sent(batch(0, 2, 1))), "the partition has it");
        assertEquals(1, total("Faults"));
    }

    @Test
    void who_is_throttled_stands_in_the_log_and_who_passes_does_not() throws Exception {
        guard(1, "enforce");
        try (Lines lines = new Lines()) {
            assertTrue(passes(sent(batch(0, 1, 0))));
            broker.failureToRefuse = new IllegalStateException("on purpose");
            assertTrue(passes(sent(batch(0, 2, 0))));
            broker.failureToRefuse = null;
            assertEquals(List.of(), throttles(lines));
            assertFalse(passes(sent(batch(0, 3, 0))));
            assertFalse(passes(sent(batch(0, 4, 0))));
            assertEquals(List.of("Tollgate throttled user alice once, over its quota of 1 new producer IDs per hour"
                    + " (producer.id.quota.default.rate); to raise it: kafka-configs.sh --bootstrap-server localhost:9092 --alter"
                    + " --add-config producer_ids_rate=2 --entity-type users --entity-name alice"), throttles(lines));
        }
    }

    @Test
    void who_would_have_been_throttled_stands_in_the_log() throws Exception {
        guard(1, "observe");
        try (Lines lines = new Lines()) {
            for (long producerId = 0; producerId < 5; producerId++) {
                assertTrue(passes(sent(batch(0, producerId, 0))));
            }
            assertEquals(1, throttles(lines).size());
            assertTrue(throttles(lines).get(0).startsWith("Tollgate would have throttled user alice once, over its quota of 1 new"));
        }
    }

    private static List<String> throttles(Lines lines) {
        return lines.soFar().stream().filter(line -> line.contains("throttled user")).toList();
    }

    @Test
    void a_user_that_was_dropped_for_idleness_is_taken_up_again() throws Exception {
        broker.properties.put(Setting.WINDOW.key, "1");
        broker.properties.put(Setting.SWEEP.key, "20");
        guard(7_200, "enforce"); // 2 at once
        assertTrue(passes(sent(batch(0, 1, 0))));
        long deadline = System.nanoTime() + 10_000_000_000L;
        while (total("Principals") > 0) {
            assertTrue(System.nanoTime() < deadline, "swept after a window");
            Thread.sleep(20);
        }
        assertTrue(passes(sent(batch(1, 2, 0))));
        assertTrue(passes(sent(batch(1, 3, 0))));
        assertFalse(passes(sent(batch(1, 4, 0))));
        assertEquals(0, total("Faults"));
    }

    @Test
    void after_closing_all_passes_in_silence() throws Exception {
        guard(1, "enforce");
        assertTrue(passes(sent(batch(0, 1, 0))));
        guard.close();
        assertTrue(passes(sent(batch(0, 2, 0))));
        assertFalse(ManagementFactory.getPlatformMBeanServer().isRegistered(new ObjectName("kafka.server:type=ProducerIds")));
    }

    @Test
    void presence_is_asked_for_only_when_the_engine_does_not_know() throws Exception {
        guard(1, "enforce");
        assertTrue(passes(sent(batch(0, 1, 0))));
        broker.led.clear();
        assertTrue(passes(sent(batch(0, 1, 1))));
        assertEquals(Presence.NOT_LED, broker.presence(batch(0, 1, 1)));
        assertEquals(1, total("Known"));
    }
}
