package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.Tollgate;
import io.tollgate.TollgateConfig;
import io.tollgate.TollgateStats;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.kafka.common.utils.internals.Sanitizer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsersTest {
    private static final int WINDOW_MS = 1_000;
    private static final int MOST = 50;
    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final Faults faults = new Faults();
    private final Beans beans = new Beans(faults);
    private final Tollgate engine = Tollgate.create(TollgateConfig.builder().windowMs(WINDOW_MS).maxPrincipals(MOST).build());
    private final Users users = new Users(engine, beans, MOST, user -> 4);

    @AfterEach
    void close() {
        beans.close();
        engine.close();
        assertEquals(0, faults.count());
    }

    @Test
    void s8_users_are_bounded_and_those_beyond_share_one_handle() {
        int first = users.handle("user-0", 0);
        for (int i = 0; i < 10 * MOST; i++) {
            users.handle("user-" + i, 0);
        }
        assertEquals(MOST, users.size());
        assertEquals(first, users.handle("user-0", 0));
        assertEquals(Tollgate.OVERFLOW, users.handle("user-" + MOST, 0));
        assertEquals(Tollgate.OVERFLOW, users.handle("user-" + (MOST + 1), 0));
        assertNotEquals(Tollgate.OVERFLOW, first);
    }

    @Test
    void a_dropped_user_leaves_the_map_and_jmx_and_its_room_to_others() throws Exception {
        for (int i = 0; i < MOST; i++) {
            users.handle("user-" + i, 0);
        }
        ObjectName bean = new ObjectName(Beans.nameOf("user-0"));
        assertTrue(server.isRegistered(bean));
        engine.sweep(10 * WINDOW_MS);
        users.sweep();
        assertEquals(0, users.size());
        assertFalse(server.isRegistered(bean));
        assertNotEquals(Tollgate.OVERFLOW, users.handle("another", 10 * WINDOW_MS));
    }

    @Test
    void a_users_bean_reads_the_engine() throws Exception {
        int alice = users.handle("alice", 0);
        ObjectName bean = new ObjectName("kafka.server:type=ProducerIds,user=alice");
        assertEquals(0L, server.getAttribute(bean, "Admitted"));
        engine.track(alice, 1, 0);
        engine.track(alice, 2, 0);
        engine.track(alice, 2, 0);
        assertEquals(2L, server.getAttribute(bean, "Admitted"));
        assertEquals(1L, server.getAttribute(bean, "Known"));
        assertEquals(2L, server.getAttribute(bean, "LivePids"));
        assertEquals(4L, server.getAttribute(bean, "Delayed"));
        assertEquals(14, server.getMBeanInfo(bean).getAttributes().length);
    }

    /** There may be ten thousand beans, each read every few seconds. */
    @Test
    void what_is_read_of_a_bean_in_one_call_is_of_one_moment_and_beans_share_what_they_have_in_common() throws Exception {
        AtomicLong readings = new AtomicLong();
        for (String user : List.of("ann", "ben")) {
            beans.add(user, () -> {
                long n = readings.incrementAndGet();
                return new TollgateStats(n, n, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
            }, () -> 0);
        }
        assertEquals(0, readings.get(), "nobody has looked");
        ObjectName bean = new ObjectName("kafka.server:type=ProducerIds,user=ann");
        String[] names = Stream.of(server.getMBeanInfo(bean).getAttributes()).map(MBeanAttributeInfo::getName).toArray(String[]::new);
        assertEquals(14, server.getAttributes(bean, names).size());
        assertEquals(1, readings.get());
        assertSame(server.getMBeanInfo(bean), server.getMBeanInfo(new ObjectName("kafka.server:type=ProducerIds,user=ben")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"alice", "CN=alice,OU=a b", "a*b?c", "quote\"d", "new\nline", "", "späte", "a:b=c", "tab\tbed", "50%"})
    void names_are_quoted_as_kafka_quotes_them(String user) throws Exception {
        assertEquals("kafka.server:type=ProducerIds,user=" + Sanitizer.jmxSanitize(user), Beans.nameOf(user));
        users.handle(user, 0);
        assertTrue(server.isRegistered(new ObjectName(Beans.nameOf(user))));
    }
}
