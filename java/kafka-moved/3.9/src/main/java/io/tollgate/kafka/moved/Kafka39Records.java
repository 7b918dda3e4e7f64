package io.tollgate.kafka.moved;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.record.MemoryRecords;

/** Until 4.2. */
public final class Kafka39Records implements Records {
    @Override
    public ByteBuffer bytes(PartitionProduceData partition) {
        return partition.records() instanceof MemoryRecords memory ? memory.buffer() : null;
    }
}
