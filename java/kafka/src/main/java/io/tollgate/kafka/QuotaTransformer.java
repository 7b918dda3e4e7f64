package io.tollgate.kafka;

import java.lang.instrument.ClassFileTransformer;
import java.security.ProtectionDomain;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.DynamicType;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;

/**
 * Hooks the classes of {@link QuotaPlace} as each is loaded, and touches no other. One that isn't as the agent knows it
 * is left alone, with one line: then there are no live quotas, and everything else stays as it is.
 *
 * <p>Unlike {@link KafkaApisTransformer} it stays: a JVM may load one of them and never the other.
 */
final class QuotaTransformer implements ClassFileTransformer {
    private static final Map<String, List<QuotaPlace>> PLACES =
            QuotaPlace.ALL.stream().collect(Collectors.groupingBy(place -> place.owner().replace('.', '/')));

    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] code) {
        List<QuotaPlace> places = name == null ? null : PLACES.get(name);
        if (places == null) {
            return null;
        }
        try {
            String owner = places.get(0).owner();
            ClassFileLocator files = new ClassFileLocator.Compound(
                    ClassFileLocator.Simple.of(owner, code), ClassFileLocator.ForClassLoader.of(loader));
            TypePool kafka = TypePool.Default.of(files);
            TypeDescription type = kafka.describe(owner).resolve();
            String misfit = misfit(places, type, kafka);
            if (misfit != null) {
                staysOut(misfit);
                return null;
            }
            return hook(type, files, places);
        } catch (Throwable e) {
            staysOut(e.toString());
            return null;
        }
    }

    /** @return null when all fit; otherwise what is missing */
    private static String misfit(List<QuotaPlace> places, TypeDescription type, TypePool kafka) {
        for (QuotaPlace place : places) {
            if (type.getDeclaredMethods().stream().noneMatch(method -> isAt(place, method))) {
                return place + " is missing";
            }
            List<String> missing = Shape.missing(List.of(place.callee()), kafka);
            if (!missing.isEmpty()) {
                return missing.get(0) + " is missing";
            }
        }
        return null;
    }

    private static boolean isAt(QuotaPlace place, MethodDescription method) {
        return method.getInternalName().equals(place.name()) && method.getDescriptor().equals(place.descriptor())
                && method.isStatic() == place.isStatic() && !method.isAbstract();
    }

    private static byte[] hook(TypeDescription type, ClassFileLocator files, List<QuotaPlace> places) {
        DynamicType.Builder<?> builder = Weaving.redefine(type, files);
        for (QuotaPlace place : places) {
            builder = builder.visit(Advice.to(place.advice()).on(ElementMatchers.<MethodDescription>named(place.name())
                    .and(ElementMatchers.hasDescriptor(place.descriptor()))));
        }
        return builder.make().getBytes();
    }

    private static void staysOut(String why) {
        AgentLog.error("Tollgate takes no quotas from the cluster's metadata (" + LiveQuotas.KEY
                + "): these classes are none that it knows (" + why + ")", null);
    }
}
