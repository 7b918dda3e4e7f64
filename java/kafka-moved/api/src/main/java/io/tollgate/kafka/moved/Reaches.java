package io.tollgate.kafka.moved;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A private field of Kafka's that a class reaches by reflection, so that its code doesn't show the need of it. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.CLASS)
public @interface Reaches {
    /** The binary name of the class that declares it. */
    String owner();

    String field();

    /** The binary name of the field's type. */
    String type();
}
