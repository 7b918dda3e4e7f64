package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;

/** What stands in a topic, read back by a consumer. */
final class Log {
    private Log() {}

    /** All committed values of a topic, in the order of each partition, partition after partition. */
    static List<String> read(BrokerProcess broker, String topic, int partitions) {
        Properties properties = broker.clientSettings("admin");
        properties.put("key.deserializer", StringDeserializer.class.getName());
        properties.put("value.deserializer", StringDeserializer.class.getName());
        properties.put("isolation.level", "read_committed");
        properties.put("auto.offset.reset", "earliest");
        List<String> values = new ArrayList<>();
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(properties)) {
            for (TopicPartition partition : IntStream.range(0, partitions).mapToObj(p -> new TopicPartition(topic, p)).toList()) {
                consumer.assign(List.of(partition));
                consumer.seekToBeginning(List.of(partition));
                long end = consumer.endOffsets(List.of(partition)).get(partition);
                long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
                while (consumer.position(partition) < end) {
                    if (System.nanoTime() > deadline) {
                        throw new AssertionError(partition + " could not be read to its end");
                    }
                    for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                        values.add(record.value());
                    }
                }
            }
        }
        return values;
    }

    /** Producer IDs that partition 0 of a topic has state for. */
    static int producerIds(BrokerProcess broker, String topic) throws Exception {
        TopicPartition partition = new TopicPartition(topic, 0);
        try (Admin admin = broker.admin()) {
            return admin.describeProducers(List.of(partition)).partitionResult(partition).get().activeProducers().size();
        }
    }

    static void awaitProducerIds(BrokerProcess broker, String topic, IntPredicate enough) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!enough.test(producerIds(broker, topic))) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError(topic + " has state for only " + producerIds(broker, topic) + " producer IDs");
            }
            Thread.sleep(50);
        }
    }

    /** Asserts that the messages "n:0" to "n:(messages - 1)" of each producer n are there once each and in that order. */
    static void assertExactlyOnceInOrder(List<String> values, int producers, int messages) {
        int[] each = new int[producers];
        Arrays.fill(each, messages);
        assertExactlyOnceInOrder(values, each);
    }

    /** The same, where producer n sent {@code messages[n]}. */
    static void assertExactlyOnceInOrder(List<String> values, int[] messages) {
        Map<Integer, List<Integer>> byProducer = new HashMap<>();
        for (String value : values) {
            String[] parts = value.split(":");
            byProducer.computeIfAbsent(Integer.valueOf(parts[0]), n -> new ArrayList<>()).add(Integer.valueOf(parts[1]));
        }
        for (int n = 0; n < messages.length; n++) {
            assertEquals(IntStream.range(0, messages[n]).boxed().toList(), byProducer.get(n), "messages of producer " + n);
        }
        assertEquals(messages.length, byProducer.size());
    }
}
