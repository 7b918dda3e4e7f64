package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RefusalCodeTest {
    @ParameterizedTest
    @CsvSource({
        "apache-kafka-java, 4.4.0, 89",
        "apache-kafka-java, 2.8.2, 89",
        "apache-kafka-java, 2.7.0, 89",
        "apache-kafka-java, 3.0.0-SNAPSHOT, 89",
        "apache-kafka-java, 10.0, 89",
        // Takes 89 for an unknown error, and gives up on it.
        "apache-kafka-java, 2.6.3, 7",
        "apache-kafka-java, unknown, 7",
        "apache-kafka-java, '', 7",
        "apache-kafka-java, 4, 7",
        "apache-kafka-java, 2.x, 7",
        "librdkafka, 2.16.0, 7",
        "unknown, unknown, 7",
        "confluent-kafka-python, 2.16.0-rdkafka-2.16.0, 7",
    })
    void k5_each_client_gets_a_code_that_it_retries(String software, String version, short code) {
        assertEquals(code, RefusalCode.of(software, version));
    }
}
