package io.tollgate.kafka.moved;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.record.internal.MemoryRecords;

/** Since 4.3. */
public final class Kafka43Records implements Records {
    @Override
    public ByteBuffer bytes(PartitionProduceData partition) {
        return partition.records() instanceof MemoryRecords memory ? memory.buffer() : null;
    }
}
