package io.tollgate.kafka.moved;

import kafka.server.KafkaApis;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;

/** Until 4.0: produce requests name topics by their names only. */
public final class Kafka39TopicIds implements TopicIds {
    @Override
    public Object topic(TopicProduceData topic) {
        return topic.name();
    }

    @Override
    public String name(KafkaApis apis, Uuid id) {
        return null;
    }
}
