package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.MemberRemoval;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.implementation.StubMethod;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the transformer does with the real KafkaApis, and with classes of that name that have another shape. */
class ShapeTest {
    private static final ClassLoader KAFKA = ShapeTest.class.getClassLoader();
    private static final Generation NEWEST = Generation.ALL.get(0);

    /** Defines one class from given bytes and leaves all others to its parent. */
    private static final class Single extends ClassLoader {
        private final byte[] code;

        Single(byte[] code) {
            super(KAFKA);
            this.code = code;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.equals(Shape.KAFKA_APIS)) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : defineClass(name, code, 0, code.length);
        }
    }

    private record Outcome(byte[] code, List<String> log, boolean removed) {
    }

    private static Outcome transform(String internalName, byte[] code) throws Exception {
        List<Object> removed = new ArrayList<>();
        Instrumentation instrumentation = (Instrumentation) Proxy.newProxyInstance(KAFKA, new Class<?>[] {Instrumentation.class},
                (proxy, method, arguments) -> {
                    assertEquals("removeTransformer", method.getName());
                    return removed.add(arguments[0]);
                });
        try (Lines lines = new Lines()) {
            KafkaApisTransformer transformer = new KafkaApisTransformer(instrumentation);
            byte[] result = transformer.transform(KAFKA, internalName, null, null, code);
            return new Outcome(result, lines.soFar(), !removed.isEmpty());
        }
    }

    private static byte[] realKafkaApis() throws Exception {
        return ClassFileLocator.ForClassLoader.of(KAFKA).locate(Shape.KAFKA_APIS).resolve();
    }

    private static byte[] otherShape(Class<?>... parameters) {
        return new ByteBuddy().subclass(Object.class).name(Shape.KAFKA_APIS)
                .defineMethod(Shape.HANDLE_PRODUCE, void.class, Modifier.PUBLIC).withParameters((java.lang.reflect.Type[]) parameters)
                .intercept(StubMethod.INSTANCE).make().getBytes();
    }

    @Test
    void the_real_kafka_fits_one_generation() {
        TypePool pool = TypePool.Default.of(ClassFileLocator.ForClassLoader.of(KAFKA));
        List<String> fitting = Generation.ALL.stream().filter(generation -> Shape.missing(generation, pool).isEmpty())
                .map(Generation::name).toList();
        assertEquals(List.of(NEWEST.name()), fitting);
    }

    @Test
    void the_real_kafka_apis_is_hooked_and_passes_the_verifier() throws Exception {
        Outcome outcome = transform("kafka/server/KafkaApis", realKafkaApis());
        assertEquals(List.of(), outcome.log);
        assertNotNull(outcome.code);
        assertTrue(outcome.removed);
        Class<?> hooked = Class.forName(Shape.KAFKA_APIS, true, new Single(outcome.code));
        assertTrue(hooked.getDeclaredMethods().length > 100);
        String text = new String(outcome.code, StandardCharsets.ISO_8859_1);
        for (String call : List.of("io/tollgate/kafka/BrokerHook", "refuses", "created", "closed", "refusesToAdd", "answersAbort")) {
            assertTrue(text.contains(call), call);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"handleAddPartitionsToTxnRequest", "handleAddOffsetsToTxnRequest", "handleEndTxnRequest"})
    void without_a_method_of_transactions_the_rest_is_hooked_with_one_line(String absent) throws Exception {
        ClassFileLocator real = ClassFileLocator.ForClassLoader.of(KAFKA);
        byte[] without = new ByteBuddy().redefine(TypePool.Default.of(real).describe(Shape.KAFKA_APIS).resolve(), real)
                .visit(new MemberRemoval().stripMethods(ElementMatchers.named(absent))).make().getBytes();
        Outcome outcome = transform("kafka/server/KafkaApis", without);
        assertEquals(List.of("Tollgate charges no producer ID where it is added to a transaction: this broker's classes for that are"
                + " none that it knows (kafka.server.KafkaApis." + absent + "(Lorg/apache/kafka/network/Request;"
                + "Lorg/apache/kafka/server/common/RequestLocal;)V is missing)"), outcome.log);
        String text = new String(outcome.code, StandardCharsets.ISO_8859_1);
        assertTrue(text.contains("refuses"));
        assertFalse(text.contains("refusesToAdd"));
        assertFalse(text.contains("answersAbort"));
    }

    @Test
    void a_transaction_coordinator_of_another_shape_is_missed() {
        String owner = "kafka.coordinator.transaction.TransactionCoordinator";
        byte[] empty = new ByteBuddy().subclass(Object.class).name(owner).make().getBytes();
        ClassFileLocator real = ClassFileLocator.ForClassLoader.of(KAFKA);
        TypePool pool = TypePool.Default.of(new ClassFileLocator.Compound(ClassFileLocator.Simple.of(owner, empty), real));
        assertEquals(List.of(), Shape.missing(NEWEST, pool));
        assertEquals(List.of(owner + ".handleDescribeTransactions(Ljava/lang/String;)"
                + "Lorg/apache/kafka/common/message/DescribeTransactionsResponseData$TransactionState;"),
                Shape.missingForTransactions(NEWEST, pool));
        assertEquals(List.of(), Shape.missingForTransactions(NEWEST, TypePool.Default.of(real)));
    }

    @Test
    void no_other_class_is_touched() throws Exception {
        Outcome outcome = transform("kafka/server/ReplicaManager", realKafkaApis());
        assertNull(outcome.code);
        assertFalse(outcome.removed);
        assertEquals(List.of(), outcome.log);
    }

    @Test
    void a_kafka_apis_of_another_shape_is_left_alone_with_one_line() throws Exception {
        for (byte[] code : List.of(otherShape(), otherShape(Object.class), otherShape(String.class, Object.class))) {
            Outcome outcome = transform("kafka/server/KafkaApis", code);
            assertNull(outcome.code);
            assertTrue(outcome.removed);
            assertEquals(1, outcome.log.size(), outcome.log.toString());
            String line = outcome.log.get(0).replaceFirst("and [1-9][0-9]* more", "and N more");
            assertEquals("Tollgate stays out: this broker's classes are none that it knows, and the broker runs unguarded"
                    + " (Kafka 4.4 is nearest, but has kafka.server.KafkaApis.handleProduceRequest(Lorg/apache/kafka/network/Request;"
                    + "Lorg/apache/kafka/server/common/RequestLocal;)V and N more that are not here)", line);
        }
    }

    @Test
    void a_damaged_class_file_is_left_alone_with_one_line() throws Exception {
        Outcome outcome = transform("kafka/server/KafkaApis", new byte[] {1, 2, 3});
        assertNull(outcome.code);
        assertEquals(1, outcome.log.size(), outcome.log.toString());
        assertTrue(outcome.log.get(0).startsWith("Tollgate stays out: "), outcome.log.get(0));
    }

    @Test
    void each_class_that_the_adapter_needs_is_missed() throws Exception {
        ClassFileLocator real = ClassFileLocator.ForClassLoader.of(KAFKA);
        Set<Shape.Member> needs = NEWEST.code().stream().flatMap(code -> Shape.needs(code.getName()).stream())
                .collect(Collectors.toSet());
        assertTrue(needs.size() > 30, needs.toString());
        for (String owner : List.of("kafka.server.ReplicaManager", "org.apache.kafka.storage.internals.log.UnifiedLog",
                "org.apache.kafka.server.quota.ThrottleCallback", "org.apache.kafka.common.record.internal.MemoryRecords")) {
            assertTrue(needs.stream().anyMatch(member -> member.owner().equals(owner)), owner);
            byte[] empty = new ByteBuddy().subclass(Object.class).name(owner).make().getBytes();
            TypePool pool = TypePool.Default.of(new ClassFileLocator.Compound(ClassFileLocator.Simple.of(owner, empty), real));
            List<String> missing = Shape.missing(NEWEST, pool);
            if (needs.stream().anyMatch(member -> member.owner().equals(owner) && member.name() != null)) {
                assertTrue(!missing.isEmpty() && missing.get(0).startsWith(owner), owner + ": " + missing);
            }
        }
    }

    @Test
    void a_log_without_its_lock_is_missed() throws Exception {
        String owner = "org.apache.kafka.storage.internals.log.UnifiedLog";
        ClassFileLocator real = ClassFileLocator.ForClassLoader.of(KAFKA);
        byte[] renamed = new ByteBuddy().redefine(TypePool.Default.of(real).describe(owner).resolve(), real)
                .visit(new MemberRemoval().stripFields(ElementMatchers.named("lock")))
                .make().getBytes();
        TypePool pool = TypePool.Default.of(new ClassFileLocator.Compound(ClassFileLocator.Simple.of(owner, renamed), real));
        assertEquals(List.of(owner + ".lock Ljava/lang/Object;"), Shape.missing(NEWEST, pool));
    }
}
