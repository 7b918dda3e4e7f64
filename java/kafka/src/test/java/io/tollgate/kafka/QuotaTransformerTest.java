package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.Tollgate;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import kafka.server.metadata.ClientIdEntity;
import kafka.server.metadata.DefaultUserEntity$;
import kafka.server.metadata.ExplicitUserExplicitClientIdEntity;
import kafka.server.metadata.QuotaEntity;
import kafka.server.metadata.UserEntity;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.dynamic.ClassFileLocator;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.requests.ApiError;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import scala.Option;

/** What becomes of Kafka's own quota classes once they are hooked, and of classes of another shape. */
class QuotaTransformerTest {
    private static final ClassLoader KAFKA = QuotaTransformerTest.class.getClassLoader();
    private static final String CONFIG = "org.apache.kafka.server.config.QuotaConfig";
    private static final String CONTROLLER = "org.apache.kafka.controller.ClientQuotaControlManager";
    private static final String MANAGER = "kafka.server.metadata.ClientQuotaMetadataManager";

    /** Defines one class from given bytes, those inside it as they are, and leaves all others to its parent. */
    private static final class Single extends ClassLoader {
        private final String name;
        private final byte[] code;

        Single(String name, byte[] code) {
            super(KAFKA);
            this.name = name;
            this.code = code;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean itself = name.equals(this.name);
            if (!itself && !name.startsWith(this.name + "$")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try {
                byte[] defined = itself ? code : codeOf(name);
                return defineClass(name, defined, 0, defined.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    private final Lines lines = new Lines();

    /** As in a JVM that has just started, whatever other tests did. */
    @BeforeEach
    void early() throws Exception {
        Settings settings = Settings.read(Map.of());
        try (Tollgate engine = settings.engine()) {
            QuotaHook.QUOTAS.attach(engine, settings);
            QuotaHook.QUOTAS.detach(engine);
        }
    }

    @AfterEach
    void close() {
        lines.close();
    }

    private static byte[] codeOf(String name) throws IOException {
        return ClassFileLocator.ForClassLoader.of(KAFKA).locate(name).resolve();
    }

    private static byte[] transform(String name, byte[] code) {
        return new QuotaTransformer().transform(KAFKA, name.replace('.', '/'), null, null, code);
    }

    private static Class<?> hooked(String name) throws Exception {
        byte[] code = transform(name, codeOf(name));
        assertNotNull(code);
        return Class.forName(name, true, new Single(name, code));
    }

    @Test
    void k6_the_lists_of_quotas_have_ours_and_lose_none() throws Exception {
        Class<?> config = hooked(CONFIG);
        for (String list : List.of("userAndClientQuotaConfigs", "scramMechanismsPlusUserAndClientQuotaConfigs")) {
            ConfigDef stock = (ConfigDef) Class.forName(CONFIG).getMethod(list).invoke(null);
            ConfigDef ours = (ConfigDef) config.getMethod(list).invoke(null);
            assertFalse(stock.names().contains("producer_ids_rate"));
            assertEquals(stock.names().size() + 1, ours.names().size());
            assertTrue(ours.names().containsAll(stock.names()));
            assertEquals(ConfigDef.Type.DOUBLE, ours.configKeys().get("producer_ids_rate").type);
        }
        ConfigDef ip = (ConfigDef) config.getMethod("ipConfigs").invoke(null);
        assertFalse(ip.names().contains("producer_ids_rate"), "an address has none");
        Method asked = config.getMethod("isClientOrUserQuotaConfig", String.class);
        assertEquals(true, asked.invoke(null, "producer_ids_rate"));
        assertEquals(true, asked.invoke(null, "producer_byte_rate"));
        assertEquals(false, asked.invoke(null, "producer_ids_rates"));
        assertEquals(List.of(), lines.soFar());
    }

    @Test
    void the_controllers_check_refuses_what_is_not_finite_and_says_so_itself() throws Exception {
        Method check = hooked(CONTROLLER).getDeclaredMethod("validateQuotaKeyValue", Map.class, String.class, double.class);
        check.setAccessible(true);
        Map<String, ConfigDef.ConfigKey> keys = ((ConfigDef) hooked(CONFIG).getMethod("userAndClientQuotaConfigs").invoke(null)).configKeys();
        assertEquals(ApiError.NONE, check.invoke(null, keys, "producer_ids_rate", 0.5));
        for (double value : new double[] {Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY}) {
            assertEquals("Quota producer_ids_rate must be a finite number", ((ApiError) check.invoke(null, keys, "producer_ids_rate", value)).message());
        }
        assertEquals("Quota producer_ids_rate must be greater than 0", ((ApiError) check.invoke(null, keys, "producer_ids_rate", 0.0)).message());
        assertEquals(ApiError.NONE, check.invoke(null, keys, "request_percentage", 0.5));
    }

    @Test
    void k6_changes_of_ours_come_here_and_others_go_to_kafka() throws Exception {
        Class<?> type = hooked(MANAGER);
        Object manager = type.getConstructors()[0].newInstance(null, null);
        Method change = type.getDeclaredMethod("handleUserClientQuotaChange", QuotaEntity.class, String.class, Option.class);
        change.setAccessible(true);
        change.invoke(manager, new UserEntity("alice"), "producer_ids_rate", Option.apply((Object) 3.0));
        change.invoke(manager, DefaultUserEntity$.MODULE$, "producer_ids_rate", Option.apply((Object) 5.0));
        assertEquals(1, QuotaHook.QUOTAS.users());
        assertEquals(5, QuotaHook.QUOTAS.defaultPerHour());
        change.invoke(manager, new ExplicitUserExplicitClientIdEntity("alice", "app"), "producer_ids_rate", Option.apply((Object) 3.0));
        change.invoke(manager, new ClientIdEntity("app"), "producer_ids_rate", Option.empty());
        assertEquals(List.of("Tollgate takes producer_ids_rate for a user and for the default user, not with a client ID:"
                + " that of ExplicitUserExplicitClientIdEntity(alice,app) has no effect"), lines.soFar());
        change.invoke(manager, new UserEntity("alice"), "producer_ids_rate", Option.empty());
        assertEquals(0, QuotaHook.QUOTAS.users());

        // This manager was made of nothing, so whatever reaches Kafka's code fails there.
        Exception reached = assertThrows(InvocationTargetException.class,
                () -> change.invoke(manager, new UserEntity("alice"), "producer_byte_rate", Option.apply((Object) 3.0)));
        assertEquals(NullPointerException.class, reached.getCause().getClass());
    }

    @Test
    void a_change_that_cannot_be_read_stays_here_with_one_line() {
        assertTrue(QuotaHook.takes(new UserEntity("alice"), "producer_ids_rate", "no option"));
        assertTrue(QuotaHook.takes(new UserEntity("alice"), "producer_ids_rate", Option.apply("no number")));
        assertEquals(2, lines.soFar().stream().filter(line -> line.equals(
                "Tollgate could not take producer_ids_rate of UserEntity(alice), which has no effect")).count());
        assertEquals(0, QuotaHook.QUOTAS.users());
    }

    @Test
    void on_an_unguarded_broker_kafka_says_itself_that_it_ignores_the_key() {
        QuotaHook.QUOTAS.giveUp();
        assertFalse(QuotaHook.takes(new UserEntity("alice"), "producer_ids_rate", Option.apply((Object) 3.0)));
        assertFalse(QuotaHook.takes(new UserEntity("alice"), "producer_byte_rate", Option.apply((Object) 3.0)));
    }

    @Test
    void no_other_class_is_touched() throws Exception {
        assertNull(transform("kafka.server.metadata.UserEntity", codeOf("kafka.server.metadata.UserEntity")));
        assertNull(new QuotaTransformer().transform(KAFKA, null, null, null, codeOf(CONFIG)));
        assertEquals(List.of(), lines.soFar());
    }

    @ParameterizedTest
    @ValueSource(strings = {CONFIG, CONTROLLER, MANAGER})
    void a_class_of_another_shape_is_left_alone_with_one_line(String name) {
        assertNull(transform(name, new ByteBuddy().subclass(Object.class).name(name).make().getBytes()));
        assertEquals(1, lines.soFar().size(), lines.soFar().toString());
        String line = lines.soFar().get(0);
        assertTrue(line.startsWith("Tollgate takes no quotas from the cluster's metadata (producer_ids_rate): these classes are none"
                + " that it knows (" + name + "."), line);
        assertTrue(line.endsWith(" is missing)"), line);
    }

    @ParameterizedTest
    @ValueSource(strings = {CONFIG, CONTROLLER, MANAGER})
    void a_damaged_class_file_is_left_alone_with_one_line(String name) {
        assertNull(transform(name, new byte[] {1, 2, 3}));
        assertEquals(1, lines.soFar().size(), lines.soFar().toString());
    }

    @Test
    void what_the_hooks_call_of_kafka_is_checked_first() throws Exception {
        String user = "kafka.server.metadata.UserEntity";
        ClassLoader other = new ClassLoader(KAFKA) {
            @Override
            public java.io.InputStream getResourceAsStream(String resource) {
                return resource.equals(user.replace('.', '/') + ".class")
                        ? new java.io.ByteArrayInputStream(new ByteBuddy().subclass(Object.class).name(user).make().getBytes())
                        : super.getResourceAsStream(resource);
            }
        };
        assertNull(new QuotaTransformer().transform(other, MANAGER.replace('.', '/'), null, null, codeOf(MANAGER)));
        assertEquals(List.of("Tollgate takes no quotas from the cluster's metadata (producer_ids_rate): these classes are none that it"
                + " knows (kafka.server.metadata.UserEntity.user()Ljava/lang/String; is missing)"), lines.soFar());
    }
}
