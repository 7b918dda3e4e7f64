package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

/** A controller and a broker in a process each, as large clusters have them. Part of {@code make test-cluster}. */
class ControllerNode {
    private static final String VERSION = System.getProperty("tollgate.cluster.version", ThreeBrokers.NEWEST);

    /** New producer IDs of the user until one is refused. */
    private static int admits(BrokerProcess broker, long firstPid) throws Exception {
        try (RawProducer raw = new RawProducer(broker, "", 30_000)) {
            for (int admitted = 0; admitted < 50; admitted++) {
                if (raw.send("live", 1, firstPid + admitted).error() != Errors.NONE) {
                    return admitted;
                }
            }
        }
        throw new AssertionError("50 new producers and none was refused");
    }

    @Test
    void k6_a_controller_without_a_broker_takes_the_quotas_name_and_says_nothing() throws Exception {
        String clusterId = Uuid.randomUuid().toString();
        BrokerBuilder settings = Guarded.broker("controller").kafka(VERSION).heapMb(256).roles("controller").clusterId(clusterId)
                .property("node.id", "10");
        try (BrokerProcess controller = settings.build()) {
            settings.property("controller.quorum.voters", "10@127.0.0.1:" + controller.controllerPort());
            try (BrokerProcess broker = Guarded.broker("broker").kafka(VERSION).heapMb(384).clusterId(clusterId).roles("broker")
                    .property("controller.quorum.voters", "10@127.0.0.1:" + controller.controllerPort())
                    .property(Guarded.MAX_THROTTLE, "20").build()) {
                BrokerCluster.together(List.of(controller, broker));
                broker.createTopic("live", 1);
                LiveQuotas quotas = new LiveQuotas(broker);
                quotas.set(LiveQuotas.DEFAULT_USER, 5);
                LiveQuotas.await(5.0, () -> broker.attribute(Guarded.TOTALS, "DefaultQuotaPerHour"));
                assertEquals(5, admits(broker, 1_000_000));
                assertEquals("Quota producer_ids_rate must be greater than 0", assertThrows(InvalidRequestException.class,
                        () -> quotas.set(LiveQuotas.DEFAULT_USER, 0)).getMessage());

                // Both from what the controller has stored, each without the other at first.
                broker.stop();
                controller.restart();
                broker.start();
                assertEquals(Map.of(LiveQuotas.DEFAULT_USER, 5.0), quotas.stored());
                LiveQuotas.await(5.0, () -> broker.attribute(Guarded.TOTALS, "DefaultQuotaPerHour"));
                assertEquals(5, admits(broker, 2_000_000));
                assertEquals(0, Guarded.total(broker, "Faults"));
                assertEquals(List.of(), Guarded.lines(controller), "no engine there, nothing to say");
                ClientRun.tell("  a controller of its own took, checked and kept the quota");

                // Without the agent the name is refused by the controller, whatever the broker has.
                broker.stop();
                controller.stop();
                settings.agent(null);
                BrokerCluster.together(List.of(controller, broker));
                assertEquals("Invalid configuration key producer_ids_rate", assertThrows(InvalidRequestException.class,
                        () -> quotas.set(LiveQuotas.DEFAULT_USER, 6)).getMessage());
                LiveQuotas.await(5.0, () -> broker.attribute(Guarded.TOTALS, "DefaultQuotaPerHour"));
                assertEquals(5, admits(broker, 3_000_000));
                ClientRun.tell("  without the agent it refused the name, and the broker kept what was stored");
            }
        }
    }
}
