package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.Decision;
import io.tollgate.Tollgate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On the real engine with a window of an hour: as many come at once as the quota says, and no further one meanwhile. */
class LiveQuotasTest {
    private static final int WITHOUT_LIMIT = 100;

    private final Lines lines = new Lines();
    private final LiveQuotas quotas = new LiveQuotas();
    private final Map<String, String> properties = new HashMap<>();
    private Tollgate engine;
    private long lastPid;

    @BeforeEach
    void brokersRate() {
        properties.put(Setting.RATE.key, "10");
    }

    @AfterEach
    void close() {
        lines.close();
        if (engine != null) {
            quotas.detach(engine);
            engine.close();
        }
    }

    private void attach() throws Exception {
        Settings settings = Settings.read(properties);
        engine = settings.engine();
        quotas.attach(engine, settings);
    }

    /** How many new producer IDs a user gets through at once; asked for once per user. */
    private int admits(String user) {
        int handle = engine.intern(user, Clock.nowMs());
        int admitted = 0;
        while (admitted < WITHOUT_LIMIT && Decision.kind(engine.track(handle, ++lastPid, Clock.nowMs())) == Decision.ADMITTED) {
            admitted++;
        }
        return admitted;
    }

    private double perHour(String user) {
        return engine.stats(engine.intern(user, Clock.nowMs()), Clock.nowMs()).quotaPerHour();
    }

    @Test
    void a_users_own_goes_before_the_default_users_and_that_before_the_brokers() throws Exception {
        attach();
        assertEquals(10, admits("u1"));
        assertEquals(10, quotas.defaultPerHour());
        quotas.setDefault(5.0);
        quotas.set("alice", 3.0);
        assertEquals(5, admits("u2"));
        assertEquals(5, quotas.defaultPerHour());
        assertEquals(3, admits("alice"));
        quotas.set("u3", 20.0);
        assertEquals(20, admits("u3"));
        quotas.set("u4", 2.0);
        quotas.set("u4", null);
        assertEquals(5, admits("u4"));
        quotas.setDefault(null);
        assertEquals(10, admits("u5"));
        assertEquals(3, perHour("alice"));
        assertEquals(List.of(
                "Tollgate: users without a quota of their own may bring 5.0 new producer IDs per hour (producer_ids_rate of the default user)",
                "Tollgate: user alice may bring 3.0 new producer IDs per hour (producer_ids_rate)",
                "Tollgate: user u3 may bring 20.0 new producer IDs per hour (producer_ids_rate)",
                "Tollgate: user u4 may bring 2.0 new producer IDs per hour (producer_ids_rate)",
                "Tollgate: user u4 has no quota of its own any more (producer_ids_rate)",
                "Tollgate: users without a quota of their own may bring 10.0 new producer IDs per hour (producer.id.quota.default.rate)"),
                lines.soFar());
    }

    @Test
    void without_any_there_is_no_limit() throws Exception {
        properties.remove(Setting.RATE.key);
        attach();
        assertTrue(Double.isNaN(quotas.defaultPerHour()));
        assertEquals(WITHOUT_LIMIT, admits("u1"));
        quotas.setDefault(4.0);
        assertEquals(4, admits("u2"));
        quotas.setDefault(null);
        assertEquals(WITHOUT_LIMIT, admits("u3"));
        assertTrue(Double.isNaN(quotas.defaultPerHour()));
        assertEquals("Tollgate: users without a quota of their own may bring any number of new producer IDs per hour"
                + " (producer.id.quota.default.rate)", lines.soFar().get(1));
    }

    @Test
    void a_change_holds_for_a_user_that_is_at_work() throws Exception {
        attach();
        assertEquals(10, admits("alice"));
        quotas.set("alice", 3_600_000.0);
        assertEquals(3_600_000, perHour("alice"));
        quotas.set("alice", 2.0);
        assertEquals(2, perHour("alice"));
        assertTrue(engine.stats(engine.intern("alice", Clock.nowMs()), Clock.nowMs()).tokens() <= 2);
        quotas.set("alice", null);
        assertEquals(10, perHour("alice"));
        quotas.setDefault(7.0);
        assertEquals(7, perHour("alice"));
    }

    @Test
    void what_comes_before_the_engine_is_kept_and_the_last_of_it_counts() throws Exception {
        quotas.set("alice", 1.0);
        quotas.set("alice", 3.0);
        quotas.set("bob", 1.0);
        quotas.set("bob", null);
        quotas.setDefault(1.0);
        quotas.setDefault(5.0);
        assertEquals(1, quotas.users());
        assertEquals(5, quotas.defaultPerHour());
        assertEquals(List.of(), lines.soFar());
        attach();
        assertEquals(3, admits("alice"));
        assertEquals(5, admits("bob"));
        assertEquals(2, lines.soFar().size(), lines.soFar().toString());
    }

    @Test
    void the_burst_is_the_brokers_setting() throws Exception {
        properties.put(Setting.BURST.key, "0");
        quotas.set("alice", 50.0);
        attach();
        quotas.setDefault(50.0);
        assertEquals(1, admits("alice"));
        assertEquals(1, admits("bob"));
    }

    @Test
    void what_is_told_twice_is_done_once() throws Exception {
        attach();
        for (int i = 0; i < 2; i++) {
            quotas.set("alice", 3.0);
            quotas.setDefault(5.0);
        }
        for (int i = 0; i < 2; i++) {
            quotas.set("alice", null);
            quotas.setDefault(null);
        }
        assertEquals(4, lines.soFar().size(), lines.soFar().toString());
    }

    @Test
    void beyond_the_most_users_one_line_a_count_and_the_default() throws Exception {
        properties.put(Setting.MAX_USERS.key, "3");
        attach();
        for (int i = 0; i < 6; i++) {
            quotas.set("u" + i, 2.0);
            quotas.set("u" + i, 2.0);
        }
        assertEquals(3, quotas.users());
        assertEquals(3, quotas.refused());
        assertEquals(List.of("Tollgate has no room for producer_ids_rate of user u3, which stays under the default (producer.id.quota.max.users,"
                + " producer.id.quota.max.memory.bytes); others are only counted (JMX kafka.server:type=ProducerIds, attribute RefusedQuotas)"),
                lines.soFar().stream().filter(line -> line.contains("no room")).toList());
        assertEquals(10, admits("u3"));
        assertEquals(2, admits("u0"));
        quotas.set("u0", 4.0);
        assertEquals(4, perHour("u0"), "one that has a place keeps it");
        quotas.set("u4", null);
        assertEquals(2, quotas.refused());
        quotas.set("u1", null);
        assertEquals(2, perHour("u3"), "the first that waits gets the place");
        assertEquals(3, quotas.users());
        assertEquals(1, quotas.refused());
    }

    @Test
    void more_than_the_most_users_before_the_engine() throws Exception {
        for (int i = 0; i < 50; i++) {
            quotas.set("u" + i, 2.0);
        }
        properties.put(Setting.MAX_USERS.key, "20");
        attach();
        assertEquals(20, quotas.users());
        assertEquals(30, quotas.refused());
        assertEquals(2, admits("u0"));
        assertEquals(1, lines.soFar().stream().filter(line -> line.contains("no room")).count());
    }

    @Test
    void beyond_the_memory_too() throws Exception {
        properties.put(Setting.MAX_USERS.key, "1000");
        properties.put(Setting.MAX_MEMORY.key, Integer.toString(1 << 20));
        attach();
        String prefix = "x".repeat(2_000);
        for (int i = 0; i < 1_000; i++) {
            quotas.set(prefix + i, 2.0);
        }
        long kept = quotas.users();
        assertTrue(kept > 50 && kept < 300, "kept " + kept + " in half of 1 MiB");
        assertEquals(1_000 - kept, quotas.refused());
        assertEquals(10, perHour(prefix + 999));

        // The engine gives memory back in batches, when no call can be reading it any more.
        for (int i = 0; i < kept; i++) {
            quotas.set(prefix + i, null);
        }
        for (int i = 0; i < 1_000 && quotas.users() < kept / 2; i++) {
            quotas.retry();
        }
        assertTrue(quotas.users() >= kept / 2, "now " + quotas.users() + " where there were " + kept);
        assertEquals(1_000 - kept, quotas.users() + quotas.refused());
    }

    @ParameterizedTest
    @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY})
    void no_number_above_0_is_said_once_and_taken_for_unset(double perHour) throws Exception {
        attach();
        quotas.set("alice", 3.0);
        quotas.setDefault(5.0);
        int before = lines.soFar().size();
        for (int i = 0; i < 2; i++) {
            quotas.set("alice", perHour);
            quotas.setDefault(perHour);
        }
        List<String> said = lines.soFar().subList(before, lines.soFar().size());
        assertEquals("Tollgate: producer_ids_rate = " + perHour + " of user alice: must be above 0 (new producer IDs per hour,"
                + " user and broker); it is taken for unset", said.get(0));
        assertEquals("Tollgate: producer_ids_rate = " + perHour + " of the default user: must be above 0 (new producer IDs per hour,"
                + " user and broker); it is taken for unset", said.get(2));
        assertEquals(4, said.size(), said.toString());
        assertEquals(10, perHour("alice"));
        quotas.set("alice", 3.0);
        assertEquals(3, perHour("alice"));
    }

    /** What the controller takes, the engine takes. */
    @ParameterizedTest
    @ValueSource(doubles = {Double.MIN_VALUE, 0.5, 1e12, Double.MAX_VALUE})
    void each_number_above_0_holds(double perHour) throws Exception {
        attach();
        quotas.set("alice", perHour);
        quotas.setDefault(perHour);
        assertEquals(perHour, perHour("alice"));
        assertEquals(perHour >= 1 ? WITHOUT_LIMIT : 1, admits("alice"));
        assertEquals(perHour >= 1 ? WITHOUT_LIMIT : 1, admits("bob"));
    }

    @Test
    void with_a_client_id_it_has_no_effect_and_one_line_says_so() throws Exception {
        attach();
        for (int i = 0; i < 2; i++) {
            quotas.passOver("ClientIdEntity(app)", 3.0);
        }
        assertEquals(List.of("Tollgate takes producer_ids_rate for a user and for the default user, not with a client ID:"
                + " that of ClientIdEntity(app) has no effect"), lines.soFar());
        quotas.passOver("ClientIdEntity(app)", null);
        quotas.passOver("ClientIdEntity(app)", 3.0);
        assertEquals(2, lines.soFar().size());
        assertEquals(10, admits("app"));
    }

    @Test
    void an_unguarded_broker_keeps_nothing() throws Exception {
        quotas.set("alice", 3.0);
        assertTrue(quotas.taken());
        quotas.giveUp();
        assertFalse(quotas.taken());
        quotas.set("alice", 3.0);
        quotas.setDefault(3.0);
        assertEquals(0, quotas.users());
        assertTrue(Double.isNaN(quotas.defaultPerHour()));
    }

    @Test
    void a_closed_engine_is_left_alone_and_the_next_starts_anew() throws Exception {
        attach();
        quotas.set("alice", 3.0);
        quotas.detach(engine);
        engine.close();
        quotas.set("bob", 4.0);
        attach();
        assertEquals(10, admits("alice"));
        assertEquals(4, admits("bob"));
    }

    @Test
    void none_is_lost_that_comes_while_the_engine_is_made() throws Exception {
        int users = 2_000;
        Thread metadata = new Thread(() -> {
            for (int i = 0; i < users; i++) {
                quotas.set("u" + i, 1.0 + i);
            }
        });
        metadata.start();
        attach();
        metadata.join();
        assertEquals(users, quotas.users());
        for (int i = 0; i < users; i++) {
            assertEquals(1.0 + i, perHour("u" + i));
        }
    }
}
