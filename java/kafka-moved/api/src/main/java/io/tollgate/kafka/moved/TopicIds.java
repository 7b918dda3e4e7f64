package io.tollgate.kafka.moved;

import kafka.server.KafkaApis;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;

/** How a produce request names its topics. */
public interface TopicIds {
    /** The topic as the request names it: a name, or a {@link Uuid}. */
    Object topic(TopicProduceData topic);

    /** The topic's name; null: this broker knows none with that ID. */
    String name(KafkaApis apis, Uuid id);
}
