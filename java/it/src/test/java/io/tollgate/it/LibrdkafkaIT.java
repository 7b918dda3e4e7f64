package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** librdkafka, through confluent-kafka from PyPI, by the program of {@code clients/} in an environment of its own. */
class LibrdkafkaIT {
    private static final String PROGRAM = "confluent-kafka";
    private static final Quota QUOTA = new Quota(10, 2);

    @BeforeAll
    static void build() throws Exception {
        ClientProgram.build(PROGRAM);
    }

    @Test
    void k5_librdkafka_over_quota_loses_nothing_and_keeps_its_order() throws Exception {
        ClientProgram.Load load = new ClientProgram.Load(40, 25, 40);
        try (BrokerProcess broker = QUOTA.on(Guarded.broker("librdkafka")).property(Guarded.MAX_THROTTLE, "5000").start()) {
            ClientRun run;
            try (Quota.Watch watch = QUOTA.new Watch(broker)) {
                run = ClientRun.of(broker, PROGRAM, "advised", load);
                assertTrue(watch.worstExcess() <= 0, "over the quota by " + watch.worstExcess());
            }
            run.assertDelivered();
            assertEquals(load.producers(), broker.producerIdCount());
            assertTrue(Guarded.total(broker, "Throttled") > 0);
            assertEquals(0, Guarded.total(broker, "Faults"));
            assertTrue(run.refused().get(Errors.REQUEST_TIMED_OUT.name()) > 0, "refused with the code that librdkafka retries");
        }
    }
}
