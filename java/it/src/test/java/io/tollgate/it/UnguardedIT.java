package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the agent can't guard, the broker starts and serves as if it were not there, and one line says why. */
class UnguardedIT {
    static String onlyLine(BrokerProcess broker) {
        List<String> lines = Guarded.lines(broker);
        assertEquals(1, lines.size(), lines.toString());
        return lines.get(0);
    }

    /** Many more producers than the quota that is set. */
    static void assertServesUnguarded(BrokerProcess broker) throws Exception {
        broker.createTopic("open", 1);
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            for (long pid = 1; pid <= 50; pid++) {
                assertEquals(new RawProducer.Answer(Errors.NONE, 0), raw.send("open", 1, pid));
            }
        }
        assertEquals(50, broker.producerIdCount());
        try (Jmx jmx = broker.openJmx()) {
            assertFalse(jmx.has(Guarded.TOTALS));
        }
    }

    @Test
    void with_a_broken_native_library_the_broker_serves_and_one_line_says_why(@TempDir Path temp) throws Exception {
        Path broken = Files.writeString(temp.resolve("libtollgate.so"), "no library at all");
        try (BrokerProcess broker = Guarded.broker("broken-library").property(Guarded.RATE, "1")
                .jvmArgument("-Dtollgate.native.path=" + broken).start()) {
            assertServesUnguarded(broker);
            String line = onlyLine(broker);
            assertTrue(line.contains("Tollgate does not guard this broker, which runs unguarded: "), line);
            assertTrue(line.contains(broken.toString()), line);
        }
    }

    @Test
    void with_settings_out_of_range_the_broker_serves_and_one_line_names_them() throws Exception {
        try (BrokerProcess broker = Guarded.broker("bad-settings").property(Guarded.RATE, "0")
                .property(Guarded.LAYERS, "65").property(Guarded.MODE, "on").start()) {
            assertServesUnguarded(broker);
            String line = onlyLine(broker);
            assertTrue(line.contains("Tollgate does not guard this broker, which runs unguarded: "
                    + "producer.id.quota.cache.layer.count = 65: must be 3 to 64 (layers); "
                    + "producer.id.quota.default.rate = 0: must be above 0 (new producer IDs per hour, user and broker); "
                    + "producer.id.quota.mode = on: must be enforce, observe or off"), line);
        }
    }
}
