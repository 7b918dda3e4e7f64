package io.tollgate.kafka.moved;

import kafka.server.KafkaApis;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;

/** Since 4.1: produce requests name topics by their IDs from version 13 on. */
public final class Kafka41TopicIds implements TopicIds {
    @Override
    public Object topic(TopicProduceData topic) {
        return topic.topicId().equals(Uuid.ZERO_UUID) ? topic.name() : topic.topicId();
    }

    @Override
    public String name(KafkaApis apis, Uuid id) {
        return apis.metadataCache().getTopicName(id).orElse(null);
    }
}
