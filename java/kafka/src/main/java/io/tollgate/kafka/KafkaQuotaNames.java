package io.tollgate.kafka;

import org.apache.kafka.common.config.ConfigDef;

/** Makes the quota's name known to a list of those that Kafka knows; the controller and kafka-configs check against it. */
final class KafkaQuotaNames {
    private KafkaQuotaNames() {
    }

    /** @param names a {@link ConfigDef}, built anew for each call */
    static void add(Object names) {
        ConfigDef quotas = (ConfigDef) names;
        if (!quotas.names().contains(LiveQuotas.KEY)) {
            quotas.define(LiveQuotas.KEY, ConfigDef.Type.DOUBLE, Double.MAX_VALUE, ConfigDef.Importance.MEDIUM, LiveQuotas.DOC);
        }
    }
}
