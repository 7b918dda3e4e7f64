package io.tollgate.kafka.moved;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The look-up of a private field of Kafka's, which the class that asks names in {@link Reaches}. */
final class PrivateField {
    private PrivateField() {
    }

    /** For a static final field, so that compiled code reads the field as if it were its own. */
    static VarHandle of(Class<?> owner, String field, Class<?> type) {
        try {
            return MethodHandles.privateLookupIn(owner, MethodHandles.lookup()).findVarHandle(owner, field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
