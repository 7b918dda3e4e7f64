package io.tollgate.kafka.moved;

import java.lang.invoke.VarHandle;
import kafka.log.UnifiedLog;

/** Until 4.0: the log is Scala's. */
@Reaches(owner = "kafka.log.UnifiedLog", field = "lock", type = "java.lang.Object")
public final class Kafka39Logs implements Logs {
    /** It guards the map behind lastEntry, a plain HashMap (K7). */
    private static final VarHandle LOCK = PrivateField.of(UnifiedLog.class, "lock", Object.class);

    @Override
    public boolean holds(Object log, long producerId) {
        UnifiedLog unified = (UnifiedLog) log;
        synchronized ((Object) LOCK.get(unified)) {
            return unified.producerStateManager().lastEntry(producerId).isPresent();
        }
    }
}
