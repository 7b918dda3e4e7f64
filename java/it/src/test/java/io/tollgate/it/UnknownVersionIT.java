package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A Kafka version whose classes the agent doesn't know. */
class UnknownVersionIT {
    @ParameterizedTest
    @MethodSource("io.tollgate.it.KafkaVersion#unknown")
    void it_serves_as_if_the_agent_were_not_there_and_one_line_says_why(KafkaVersion version) throws Exception {
        try (BrokerProcess broker = version.guarded("unknown").property(Guarded.RATE, "1").start()) {
            UnguardedIT.assertServesUnguarded(broker);
            String line = UnguardedIT.onlyLine(broker);
            assertTrue(line.contains("ERROR Tollgate stays out: this broker's classes are none that it knows, and the broker runs"
                    + " unguarded (Kafka 3.9 is nearest, but has kafka."), line);
            assertTrue(line.contains(" more that are not here)"), line);
        }
    }
}
