package io.tollgate.kafka;

import net.bytebuddy.ByteBuddy;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.dynamic.scaffold.InstrumentedType;
import net.bytebuddy.dynamic.scaffold.MethodGraph;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.implementation.Implementation;

/** How Kafka's classes are changed: advice is put into methods that are there, and nothing else. */
final class Weaving {
    private Weaving() {
    }

    /** Nothing is worked out that isn't needed: not the class's hierarchy, no frames, no checks of Kafka's own code. */
    static DynamicType.Builder<?> redefine(TypeDescription type, ClassFileLocator files) {
        return new ByteBuddy()
                .with(TypeValidation.DISABLED)
                .with(InstrumentedType.Factory.Default.FROZEN)
                .with(MethodGraph.Compiler.ForDeclaredMethods.INSTANCE)
                .with(Implementation.Context.Disabled.Factory.INSTANCE)
                .redefine(type, files);
    }
}
