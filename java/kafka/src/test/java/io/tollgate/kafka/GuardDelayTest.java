package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.kafka.PartitionsInMemory.Sent;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the guard does with a request whose token comes soon, on the real engine and the clock of the machine. */
class GuardDelayTest extends ProduceRig {
    /** One producer ID at once, then one each {@code everyMs}; waits of up to ten seconds. */
    private void delaying(int everyMs) throws Exception {
        broker.properties.put(Setting.BURST.key, "0");
        broker.properties.put(Setting.MAX_DELAY.key, "10000");
        guard(3_600_000 / everyMs, "enforce");
        assertTrue(passes(sent(batch(0, 1, 0))));
    }

    /** The request of the first producer ID from 2 on that is over the quota; on a slow machine some have a token each. */
    private Sent kept() {
        for (long producerId = 2; producerId < 1_000; producerId++) {
            Sent sent = sent(batch(0, producerId, 0));
            if (!passes(sent)) {
                return sent;
            }
        }
        throw new AssertionError("all had a token");
    }

    private Object comesAgain() throws Exception {
        Object request = broker.again.poll(30, TimeUnit.SECONDS);
        assertTrue(request != null, "it never came back");
        return request;
    }

    private static void await(String attribute, long value) throws Exception {
        for (long end = System.nanoTime() + 30_000_000_000L; total(attribute) != value; Thread.sleep(5)) {
            assertTrue(System.nanoTime() < end, attribute + " is " + total(attribute));
        }
    }

    @Test
    void a_request_that_waited_passes_unasked_and_is_counted_once() throws Exception {
        delaying(300);
        Sent over = kept();
        assertEquals(List.of(), broker.waits, "not answered");
        Object again = comesAgain();
        assertEquals(over, again);
        assertTrue(passes((Sent) again));
        await("Delayed", 1);
        long producerId = over.batches().get(0).producerId();
        assertEquals(producerId, total("Admitted"), "all from 1 on");
        assertEquals(0, total("Throttled"));
        assertEquals(0, total("Known"), "the same request is not asked about twice");
        assertTrue(passes(sent(batch(0, producerId, 1))));
        assertEquals(1, total("Known"));
        await("DelayedNow", 0);
        assertEquals(0, total("DelayedBytesNow"));
        assertEquals(0, total("Faults"));
    }

    @Test
    void over_by_more_than_the_delay_is_refused_at_once() throws Exception {
        delaying(60_000);
        assertFalse(passes(sent(batch(0, 2, 0))));
        assertEquals(1, broker.waits.size());
        assertEquals(0, total("DelayedNow"));
        assertEquals(1, total("Throttled"));
    }

    @Test
    void what_may_not_wait_is_refused_at_once() throws Exception {
        delaying(5_000);
        broker.mayWait = false;
        assertFalse(passes(sent(batch(0, 2, 0))));
        assertEquals(1, broker.waits.size());
        broker.mayWait = true;
        assertFalse(passes(sent(batch(0, 3, 0), batch(1, 4, 0))));
        assertEquals(2, broker.waits.size(), "several producer IDs in one request");
        assertEquals(0, total("DelayedNow"));
    }

    @Test
    void what_the_partition_has_or_this_broker_does_not_lead_does_not_wait() throws Exception {
        delaying(5_000);
        broker.append(sent(batch(1, 2, 0)));
        assertTrue(passes(sent(batch(1, 2, 1))));
        assertFalse(guard.refuses(sent(batch(9, 3, 0))));
        assertEquals(0, total("DelayedNow"));
    }

    @Test
    void one_that_waited_does_not_overtake_the_refused_one_it_was_sent_behind() throws Exception {
        delaying(3_000);
        broker.mayWait = false;
        assertFalse(passes(sent(batch(0, 2, 0))));
        broker.mayWait = true;
        // Behind a refused one it is refused, and does not wait.
        assertFalse(passes(sent(batch(0, 2, 1))));
        assertEquals(List.of(0), broker.waits.subList(1, 2));
        // The refused one itself waits, and takes the hold off when it passes.
        assertTrue(guard.refuses(sent(batch(0, 2, 0))));
        assertTrue(passes((Sent) comesAgain()));
        assertTrue(passes(sent(batch(0, 2, 1))));
    }

    @Test
    void one_that_the_broker_does_not_take_back_is_answered() throws Exception {
        delaying(300);
        broker.failureToPassOn = new IllegalStateException("on purpose");
        kept();
        await("DelayedNow", 0);
        assertEquals(List.of(0), broker.waits, "its client may send it again at once");
        assertEquals(1, total("Faults"));
        assertEquals(0, total("Delayed"));
    }

    @Test
    void after_closing_those_that_wait_pass() throws Exception {
        delaying(5_000);
        assertTrue(guard.refuses(sent(batch(0, 2, 0))));
        assertEquals(1, total("DelayedNow"));
        guard.close();
        assertTrue(passes((Sent) comesAgain()));
    }
}
