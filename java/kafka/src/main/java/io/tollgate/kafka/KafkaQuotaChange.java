package io.tollgate.kafka;

import kafka.server.metadata.DefaultUserEntity$;
import kafka.server.metadata.UserEntity;
import scala.Option;

/** Reads a change of a quota as Kafka's metadata hands it over. */
final class KafkaQuotaChange {
    private KafkaQuotaChange() {
    }

    /**
     * @param entity a kafka.server.metadata.QuotaEntity
     * @param value an Option of a Double; empty when the quota was removed
     */
    static void apply(Object entity, Object value, LiveQuotas quotas) {
        Option<?> option = (Option<?>) value;
        Double perHour = option.isEmpty() ? null : (Double) option.get();
        if (entity instanceof UserEntity user) {
            quotas.set(user.user(), perHour);
        } else if (entity == DefaultUserEntity$.MODULE$) {
            quotas.setDefault(perHour);
        } else {
            quotas.passOver(entity.toString(), perHour);
        }
    }
}
