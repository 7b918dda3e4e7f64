package io.tollgate.kafka.moved;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;
import org.apache.kafka.common.record.MemoryRecords;

/** Until 4.2. */
@Reaches(owner = "org.apache.kafka.common.record.MemoryRecords", field = "buffer", type = "java.nio.ByteBuffer")
public final class Kafka39Records implements Records {
    /** Behind buffer(), which makes a duplicate at each call; JDK 25's compiler does not always take that out again. */
    private static final VarHandle BUFFER = PrivateField.of(MemoryRecords.class, "buffer", ByteBuffer.class);

    @Override
    public ByteBuffer bytes(PartitionProduceData partition) {
        return partition.records() instanceof MemoryRecords memory ? (ByteBuffer) BUFFER.get(memory) : null;
    }
}
