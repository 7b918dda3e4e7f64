package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** librdkafka, through confluent-kafka from PyPI, by the program of {@code clients/} in an environment of its own. */
class LibrdkafkaIT {
    private static final String PROGRAM = "confluent-kafka";
    private static final Quota QUOTA = new Quota(10, 2);
    private static BrokerProcess broker;

    @BeforeAll
    static void start() throws Exception {
        ClientProgram.build(PROGRAM);
        broker = QUOTA.on(Guarded.broker("librdkafka")).property(Guarded.MAX_THROTTLE, "5000").start();
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    /** A full quota again, whatever ran before. */
    private static void rest() throws InterruptedException {
        Thread.sleep(1_000L * QUOTA.atOnce() / QUOTA.perSecond());
    }

    @Test
    void k5_librdkafka_over_quota_loses_nothing_and_keeps_its_order() throws Exception {
        rest();
        ClientProgram.Load load = new ClientProgram.Load(40, 25, 40);
        long producerIds = broker.producerIdCount();
        ClientRun run;
        try (Quota.Watch watch = QUOTA.new Watch(broker)) {
            run = ClientRun.of(broker, PROGRAM, "advised", load);
            assertTrue(watch.worstExcess() <= 0, "over the quota by " + watch.worstExcess());
        }
        run.assertDelivered();
        assertEquals(load.producers(), broker.producerIdCount() - producerIds);
        assertTrue(run.overQuotaS() > 0);
        assertEquals(0, Guarded.total(broker, "Faults"));
        assertTrue(run.refused().get(Errors.REQUEST_TIMED_OUT.name()) > 0, "refused with the code that librdkafka retries");
    }

    @Test
    void transactions_over_the_quota_commit_and_abort() throws Exception {
        rest();
        ClientRun run = ClientRun.of(broker, PROGRAM, "transactions", new ClientProgram.Load(20, 4, 20));
        run.assertDelivered();
        assertTrue(run.overQuotaS() > 0);
        assertEquals(run.load().producers(), Log.producerIds(broker, PROGRAM + "-transactions"));
        assertEquals(Set.of(Errors.CONCURRENT_TRANSACTIONS.name()), run.refused().keySet(), "each waited before its transaction began");
        assertEquals(0, Guarded.total(broker, "Faults"));
    }

    @Test
    void transactions_abandoned_over_the_quota_leave_nothing_and_end_none_for_good() throws Exception {
        rest();
        long producerIds = broker.producerIdCount();
        ClientRun run = ClientRun.of(broker, PROGRAM, "abandoned", new ClientProgram.Load(40, 1, 40));
        assertEquals(Map.of(), run.failures());
        assertTrue(run.admitted() < run.load().producers(), "some were refused until they gave up");
        assertEquals(run.load().producers(), run.said().acknowledged(), "aborted");
        Log.awaitProducerIds(broker, PROGRAM + "-abandoned", count -> count >= run.admitted());
        assertEquals(run.admitted(), Log.producerIds(broker, PROGRAM + "-abandoned"));
        assertEquals(run.admitted(), broker.producerIdCount() - producerIds);
        assertEquals(0, run.inLog());
        assertEquals(0, Guarded.total(broker, "Faults"));
    }
}
