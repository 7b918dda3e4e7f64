package io.tollgate.kafka;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.List;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;

/**
 * Hooks {@code kafka.server.KafkaApis} when it is loaded, and touches no other class. If the broker's classes are not as
 * the agent knows them, it says so in one line and hooks nothing.
 */
final class KafkaApisTransformer implements ClassFileTransformer {
    private static final String INTERNAL_NAME = Shape.KAFKA_APIS.replace('.', '/');

    private final Instrumentation instrumentation;

    KafkaApisTransformer(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
    }

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] code) {
        if (!INTERNAL_NAME.equals(name)) {
            return null;
        }
        try {
            Generation generation = fitting(loader, code);
            if (generation == null) {
                return null;
            }
            ClassFileLocator files = files(loader, code);
            TypePool broker = TypePool.Default.of(files);
            byte[] hooked = hook(broker.describe(Shape.KAFKA_APIS).resolve(), files, generation,
                    hasTransactions(generation, broker));
            BrokerHook.use(generation);
            return hooked;
        } catch (Throwable e) {
            staysOut(e.toString());
            return null;
        } finally {
            instrumentation.removeTransformer(this);
        }
    }

    private static ClassFileLocator files(ClassLoader loader, byte[] kafkaApis) {
        return new ClassFileLocator.Compound(
                ClassFileLocator.Simple.of(Shape.KAFKA_APIS, kafkaApis), ClassFileLocator.ForClassLoader.of(loader));
    }

    /** The generation whose classes and methods are all there; null, and one line in the log, when there is none. */
    static Generation fitting(ClassLoader loader, byte[] kafkaApis) {
        TypePool broker = TypePool.Default.of(files(loader, kafkaApis));
        Generation nearest = null;
        List<String> missing = null;
        for (Generation generation : Generation.ALL) {
            List<String> ofThis = Shape.missing(generation, broker);
            if (ofThis.isEmpty()) {
                return generation;
            }
            if (missing == null || ofThis.size() < missing.size()) {
                nearest = generation;
                missing = ofThis;
            }
        }
        staysOut(nearest.name() + " is nearest, but has " + missing.get(0)
                + (missing.size() > 1 ? " and " + (missing.size() - 1) + " more that are not here" : ", which is not here"));
        return null;
    }

    private static void staysOut(String why) {
        QuotaHook.QUOTAS.giveUp();
        AgentLog.error("Tollgate stays out: this broker's classes are none that it knows, and the broker runs unguarded ("
                + why + ")", null);
    }

    /** Whether transactions can be hooked too; otherwise one line in the log says why not, and the rest is guarded. */
    private static boolean hasTransactions(Generation generation, TypePool broker) {
        List<String> missing = Shape.missingForTransactions(generation, broker);
        if (!missing.isEmpty()) {
            AgentLog.error("Tollgate charges no producer ID where it is added to a transaction: this broker's classes for that are"
                    + " none that it knows (" + missing.get(0) + " is missing)", null);
        }
        return missing.isEmpty();
    }

    private static byte[] hook(TypeDescription apis, ClassFileLocator files, Generation generation, boolean transactions) {
        DynamicType.Builder<?> hooked = Weaving.redefine(apis, files)
                .visit(at(Advices.Produce.class, handler(generation, ElementMatchers.named(Shape.HANDLE_PRODUCE))))
                .visit(at(Advices.Created.class, ElementMatchers.isConstructor()))
                .visit(at(Advices.Closed.class,
                        ElementMatchers.<MethodDescription>named("close").and(ElementMatchers.takesNoArguments())));
        if (transactions) {
            hooked = hooked.visit(at(Advices.Added.class,
                    handler(generation, ElementMatchers.namedOneOf(Shape.HANDLE_ADDED.toArray(String[]::new)))))
                    .visit(at(Advices.Ended.class, handler(generation, ElementMatchers.named(Shape.HANDLE_END))));
        }
        return hooked.make().getBytes();
    }

    private static ElementMatcher<MethodDescription> handler(Generation generation, ElementMatcher.Junction<MethodDescription> name) {
        return name.and(ElementMatchers.takesArgument(0, ElementMatchers.named(generation.request())));
    }

    private static AsmVisitorWrapper at(Class<?> advice, ElementMatcher<? super MethodDescription> where) {
        return Advice.to(advice).on(where);
    }
}
