package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** With no quota, or switched off, a broker with the agent does what a broker without it does. */
class StockIT {
    private static final int PRODUCERS = 30;
    private static final int MESSAGES = 10;

    private record Run(List<String> errors, long retried, double throttledMs, List<String> log, long producerIds) {}

    private static Run run(BrokerProcess broker) throws Exception {
        broker.createTopic("same", 2);
        Producers.Seen seen = Producers.run(broker, "same", 2, PRODUCERS, MESSAGES, 8, Map.of());
        List<String> log = Log.read(broker, "same", 2);
        Log.assertExactlyOnceInOrder(log, PRODUCERS, MESSAGES);
        return new Run(seen.errors(), seen.retried(), seen.throttledMs(), log.stream().sorted().toList(), broker.producerIdCount());
    }

    @Test
    void without_a_quota_or_switched_off_all_is_as_on_a_stock_broker() throws Exception {
        Run stock;
        try (BrokerProcess broker = BrokerProcess.builder("stock").start()) {
            stock = run(broker);
            assertEquals(List.of(), Guarded.lines(broker));
        }
        assertEquals(List.of(), stock.errors);
        assertEquals(0, stock.throttledMs);

        try (BrokerProcess broker = Guarded.broker("no-quota").start()) {
            assertEquals(stock, run(broker));
            assertEquals(PRODUCERS, Guarded.total(broker, "Admitted"));
            assertEquals(0, Guarded.total(broker, "Throttled"));
            assertEquals(0, Guarded.total(broker, "Faults"));
            assertTrue(Double.isNaN((Double) broker.attribute(Guarded.TOTALS + ",user=ANONYMOUS", "QuotaPerHour")));
        }

        try (BrokerProcess broker = Guarded.broker("off").property(Guarded.MODE, "off").property(Guarded.RATE, "1").start()) {
            assertEquals(stock, run(broker));
            List<String> lines = Guarded.lines(broker);
            assertEquals(1, lines.size(), lines.toString());
            assertTrue(lines.get(0).contains("Tollgate is off (producer.id.quota.mode = off)"), lines.get(0));
            try (Jmx jmx = broker.openJmx()) {
                assertFalse(jmx.has(Guarded.TOTALS));
            }
        }
    }
}
