package io.tollgate.kafka.moved;

import java.lang.invoke.VarHandle;
import org.apache.kafka.storage.internals.log.UnifiedLog;

/** Since 4.1: the log is Java's. */
@Reaches(owner = "org.apache.kafka.storage.internals.log.UnifiedLog", field = "lock", type = "java.lang.Object")
public final class Kafka41Logs implements Logs {
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
