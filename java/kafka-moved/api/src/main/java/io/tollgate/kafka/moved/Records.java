package io.tollgate.kafka.moved;

import java.nio.ByteBuffer;
import org.apache.kafka.common.message.ProduceRequestData.PartitionProduceData;

/** The records of one partition in a produce request. */
public interface Records {
    /**
     * The bytes as the client sent them, from the buffer's position on; null: none. Allocates nothing: it is Kafka's own
     * buffer, whose position and limit must stay as they are.
     */
    ByteBuffer bytes(PartitionProduceData partition);
}
