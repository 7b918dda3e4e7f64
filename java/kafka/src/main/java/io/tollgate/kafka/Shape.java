package io.tollgate.kafka;

import io.tollgate.kafka.moved.Reaches;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.field.FieldDescription;
import net.bytebuddy.description.type.TypeDefinition;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.jar.asm.AnnotationVisitor;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.jar.asm.Type;
import net.bytebuddy.pool.TypePool;

/**
 * Whether a broker's classes are the ones that an adapter was written against, found out from class files, before any of
 * them is loaded or changed.
 *
 * <p>What is needed is read off the code of {@link KafkaAdapter} and of what a {@link Generation} puts behind it: each
 * Kafka or Scala class, method and field that it names. So the check can't fall behind the code.
 */
final class Shape {
    static final String KAFKA_APIS = "kafka.server.KafkaApis";
    static final String HANDLE_PRODUCE = "handleProduceRequest";
    /** Where a client adds to its transaction. */
    static final List<String> HANDLE_ADDED = List.of("handleAddPartitionsToTxnRequest", "handleAddOffsetsToTxnRequest");
    static final String HANDLE_END = "handleEndTxnRequest";

    /**
     * A class (name and descriptor null), method or field, as class files name them; the owner with dots.
     *
     * @param visible whether it must be public; what is reached by reflection need not be
     */
    record Member(String owner, String name, String descriptor, boolean visible) {
        @Override
        public String toString() {
            return name == null ? owner : owner + "." + name + (descriptor.startsWith("(") ? "" : " ") + descriptor;
        }
    }

    private Shape() {
    }

    /**
     * @param broker the broker's class files
     * @return what the generation needs and the broker has not, the hooked method first; empty when all is there
     */
    static List<String> missing(Generation generation, TypePool broker) {
        List<String> missing = new ArrayList<>();
        TypePool.Resolution apis = broker.describe(KAFKA_APIS);
        if (!apis.isResolved()) {
            return List.of(KAFKA_APIS);
        }
        missing.addAll(notDeclared(apis.resolve(),
                List.of(handler(generation, HANDLE_PRODUCE), new Member(KAFKA_APIS, "close", "()V", true))));
        missing.addAll(missing(generation.code(), broker));
        return missing;
    }

    /** The same for the transactions of a broker that has all that {@link #missing(Generation, TypePool)} asks for. */
    static List<String> missingForTransactions(Generation generation, TypePool broker) {
        List<String> missing = new ArrayList<>(notDeclared(broker.describe(KAFKA_APIS).resolve(),
                Stream.concat(HANDLE_ADDED.stream(), Stream.of(HANDLE_END)).map(name -> handler(generation, name)).toList()));
        missing.addAll(missing(generation.transactionCode(), broker));
        return missing;
    }

    private static Member handler(Generation generation, String name) {
        return new Member(KAFKA_APIS, name,
                "(" + descriptor(generation.request()) + descriptor(generation.requestLocal()) + ")V", true);
    }

    /** Those of KafkaApis' methods to hook that are not there. */
    private static List<String> notDeclared(TypeDescription apis, List<Member> hooks) {
        List<String> missing = new ArrayList<>();
        for (Member hooked : hooks) {
            if (apis.getDeclaredMethods().stream().noneMatch(method -> method.getName().equals(hooked.name())
                    && method.getDescriptor().equals(hooked.descriptor()) && !method.isStatic() && !method.isAbstract())) {
                missing.add(hooked.toString());
            }
        }
        return missing;
    }

    /** What classes of the agent need of Kafka and Scala and the broker has not. */
    static List<String> missing(List<Class<?>> code, TypePool broker) {
        Set<Member> needs = new LinkedHashSet<>();
        code.forEach(one -> needs.addAll(needs(one.getName())));
        return needs.stream().filter(member -> !has(broker, member)).map(Member::toString).toList();
    }

    /** What the code of a class of the agent, and of the classes inside it, names of Kafka and Scala. */
    static Set<Member> needs(String className) {
        Set<Member> needs = new LinkedHashSet<>();
        Set<String> seen = new LinkedHashSet<>(List.of(className));
        List<String> next = List.of(className);
        while (!next.isEmpty()) {
            Set<String> inside = new LinkedHashSet<>();
            next.forEach(name -> new ClassReader(codeOf(name)).accept(new Needs(className, needs, inside),
                    ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES));
            next = inside.stream().filter(seen::add).toList();
        }
        return needs;
    }

    private static byte[] codeOf(String className) {
        try {
            return ClassFileLocator.ForClassLoader.of(Shape.class.getClassLoader()).locate(className).resolve();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static boolean has(TypePool broker, Member member) {
        TypePool.Resolution owner = broker.describe(member.owner());
        if (!owner.isResolved()) {
            return false;
        }
        return member.name() == null || has(owner.resolve(), member);
    }

    private static boolean has(TypeDefinition type, Member member) {
        if (member.descriptor().startsWith("(")) {
            for (MethodDescription method : type.getDeclaredMethods()) {
                if (method.getInternalName().equals(member.name()) && method.getDescriptor().equals(member.descriptor())) {
                    return !member.visible() || method.isPublic();
                }
            }
        } else {
            for (FieldDescription field : type.getDeclaredFields()) {
                if (field.getName().equals(member.name()) && field.getDescriptor().equals(member.descriptor())) {
                    return !member.visible() || field.isPublic();
                }
            }
        }
        TypeDefinition above = type.getSuperClass();
        if (above != null && has(above, member)) {
            return true;
        }
        for (TypeDescription.Generic face : type.getInterfaces()) {
            if (has(face, member)) {
                return true;
            }
        }
        return false;
    }

    private static String descriptor(String className) {
        return "L" + className.replace('.', '/') + ";";
    }

    /** Collects what a class names. */
    private static final class Needs extends ClassVisitor {
        private static final String REACHES = Type.getDescriptor(Reaches.class);

        private final String top;
        private final Set<Member> needs;
        private final Set<String> inside;

        Needs(String top, Set<Member> needs, Set<String> inside) {
            super(Opcodes.ASM9);
            this.top = top;
            this.needs = needs;
            this.inside = inside;
        }

        @Override
        public void visit(int version, int access, String name, String signature, String above, String[] interfaces) {
            type(above);
            for (String face : interfaces) {
                type(face);
            }
        }

        @Override
        public AnnotationVisitor visitAnnotation(String annotation, boolean atRunTime) {
            if (!annotation.equals(REACHES)) {
                return null;
            }
            Map<String, String> values = new HashMap<>();
            return new AnnotationVisitor(Opcodes.ASM9) {
                @Override
                public void visit(String name, Object value) {
                    values.put(name, (String) value);
                }

                @Override
                public void visitEnd() {
                    needs.add(new Member(values.get("owner"), values.get("field"), descriptor(values.get("type")), false));
                }
            };
        }

        @Override
        public MethodVisitor visitMethod(int access, String name, String descriptor, String signature, String[] thrown) {
            return new MethodVisitor(Opcodes.ASM9) {
                @Override
                public void visitTypeInsn(int opcode, String type) {
                    type(type);
                }

                @Override
                public void visitFieldInsn(int opcode, String owner, String field, String fieldDescriptor) {
                    member(owner, field, fieldDescriptor);
                }

                @Override
                public void visitMethodInsn(int opcode, String owner, String method, String methodDescriptor, boolean face) {
                    member(owner, method, methodDescriptor);
                }

                @Override
                public void visitInvokeDynamicInsn(String call, String callDescriptor, Handle bootstrap, Object... arguments) {
                    for (Object argument : arguments) {
                        if (argument instanceof Handle handle) {
                            member(handle.getOwner(), handle.getName(), handle.getDesc());
                        }
                    }
                }

                @Override
                public void visitLdcInsn(Object value) {
                    if (value instanceof Type type && type.getSort() == Type.OBJECT) {
                        type(type.getInternalName());
                    }
                }
            };
        }

        private void type(String internalName) {
            String name = internalName.replace('/', '.');
            if (name.startsWith(top)) {
                inside.add(name);
            } else if (isForeign(name)) {
                needs.add(new Member(name, null, null, true));
            }
        }

        private void member(String owner, String name, String descriptor) {
            type(owner);
            String dotted = owner.replace('/', '.');
            if (isForeign(dotted)) {
                needs.add(new Member(dotted, name, descriptor, true));
            }
        }

        private static boolean isForeign(String name) {
            return name.startsWith("kafka.") || name.startsWith("org.apache.kafka.") || name.startsWith("scala.");
        }
    }
}
