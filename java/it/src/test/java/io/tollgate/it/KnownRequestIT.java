package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.ProduceRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The shipped agent over each version's classes, without a broker: which generation it takes, and what a call costs. */
class KnownRequestIT {
    @ParameterizedTest
    @MethodSource("io.tollgate.it.KafkaVersion#known")
    void a_request_of_a_known_producer_is_read_and_costs_no_allocation(KafkaVersion version) throws Exception {
        List<Path> classPath = new ArrayList<>(BuildTree.brokerJars(version.version()));
        classPath.add(BuildTree.agentJar());
        classPath.add(BuildTree.agentTests());
        Process process = new ProcessBuilder(version.java().resolve("bin/java").toString(), "-Xmx256m", "-cp",
                classPath.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator)),
                "io.tollgate.kafka.KnownRequestMain", HexFormat.of().formatHex(request()))
                .redirectError(ProcessBuilder.Redirect.DISCARD).start();
        List<String> printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        assertEquals(List.of("generation Kafka " + version.generation(),
                "user alice, client apache-kafka-java 4.4.0",
                "batches [Batch[topic=t, partition=0, producerId=7, sequence=0, records=1], Batch[topic=t, partition=2, producerId=7, sequence=41, records=1]]",
                "known in all calls but 1",
                "bytes allocated per 10 calls 0"), printed);
        assertEquals(0, process.waitFor());
    }

    /** Three partitions, one of them without a producer ID. */
    private static byte[] request() {
        SimpleRecord record = new SimpleRecord("value".getBytes(StandardCharsets.UTF_8));
        TopicProduceData topic = new TopicProduceData().setName("t");
        List<MemoryRecords> records = List.of(
                MemoryRecords.withIdempotentRecords(Compression.NONE, 7, (short) 0, 0, record),
                MemoryRecords.withRecords(Compression.NONE, record),
                MemoryRecords.withIdempotentRecords(Compression.NONE, 7, (short) 0, 41, record));
        for (int i = 0; i < records.size(); i++) {
            topic.partitionData().add(new PartitionProduceData().setIndex(i).setRecords(records.get(i)));
        }
        ProduceRequestData data = new ProduceRequestData().setAcks((short) -1).setTimeoutMs(1_000);
        data.topicData().add(topic);
        // Every version speaks this one.
        short version = 9;
        ByteBuffer buffer = new ProduceRequest(data, version).serializeWithHeader(new RequestHeader(ApiKeys.PRODUCE, version, "client", 1));
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
