package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.tollgate.Decision;
import io.tollgate.Tollgate;
import io.tollgate.kafka.WaitingRoom.Waiting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who waits, for how long, and how it ends: on the real engine, at times that the test gives. A token comes each 100 ms. */
class WaitingRoomTest {
    private static final int SIZE = 1_000;

    /** The guard's part, without a broker. */
    private final class Counter implements WaitingRoom.Desk {
        private RuntimeException failure;

        @Override
        public int awaitMs(String user, int ahead, long nowMs) {
            return Decision.retryAfterMs(engine.await(engine.intern(user, nowMs), ahead, nowMs));
        }

        @Override
        public int charge(Waiting one, long nowMs) {
            if (failure != null) {
                throw failure;
            }
            return Decision.retryAfterMs(engine.track(engine.intern(one.user(), nowMs), one.producerId(), nowMs));
        }

        @Override
        public boolean pass(Waiting one) {
            passed.add(one.request());
            return true;
        }

        @Override
        public void refuse(Waiting one, int waitMs) {
            assertTrue(waitMs > 0);
            refused.add(one.request());
        }
    }

    private final Map<String, String> properties = new HashMap<>(Map.of(Setting.RATE.key, "36000", Setting.BURST.key, "0",
            Setting.MAX_DELAY.key, "350"));
    private final Counter counter = new Counter();
    private final BlockingQueue<Object> passed = new LinkedBlockingQueue<>();
    private final List<Object> refused = new ArrayList<>();
    private final Faults faults = new Faults();
    private Tollgate engine;
    private WaitingRoom room;
    private long nextId = 1_000;

    private void open() throws Exception {
        Settings settings = Settings.read(properties);
        engine = settings.engine();
        room = new WaitingRoom(counter, settings, faults);
        spend("alice", 0);
    }

    @AfterEach
    void close() {
        room.close();
        engine.close();
    }

    private void spend(String user, long nowMs) {
        assertTrue(Decision.isAdmitted(engine.track(engine.intern(user, nowMs), nextId++, nowMs)));
    }

    private boolean takes(String request, String user, long nowMs) {
        return room.takes(request, user, nextId++, List.of(), SIZE, nowMs);
    }

    private List<Object> stepped(long nowMs) {
        passed.clear();
        room.step(nowMs);
        return List.copyOf(passed);
    }

    private long throttled(String user) {
        return engine.stats(engine.intern(user, 0), 0).throttled();
    }

    @Test
    void who_is_over_by_less_than_the_delay_passes_when_its_token_comes_and_is_counted_once() throws Exception {
        open();
        assertTrue(takes("first", "alice", 10));
        assertEquals(1, room.requests());
        assertEquals(SIZE, room.bytes());
        assertEquals(List.of(), stepped(99));
        assertEquals(List.of("first"), stepped(100));
        assertEquals(0, room.requests());
        assertEquals(0, room.bytes());
        assertEquals(1, room.passed());
        assertEquals(1, room.passed("alice"));
        assertEquals(0, throttled("alice"), "it was not refused");
        assertEquals(2, engine.stats(engine.intern("alice", 100), 100).admitted());
    }

    @Test
    void whoever_has_a_token_need_not_wait() throws Exception {
        open();
        assertFalse(takes("first", "bob", 0));
        assertEquals(0, room.turnedAway());
        assertEquals(0, throttled("bob"), "nor is it charged here");
    }

    @Test
    void the_line_is_as_long_as_the_tokens_of_the_longest_delay_and_served_in_order() throws Exception {
        open();
        assertTrue(takes("first", "alice", 0));
        assertTrue(takes("second", "alice", 0));
        assertTrue(takes("third", "alice", 0));
        assertFalse(takes("fourth", "alice", 0), "its token comes at 400, and 350 is the longest");
        assertEquals(0, room.turnedAway(), "not for want of room");
        assertEquals(List.of("first"), stepped(100));
        assertTrue(takes("fourth", "alice", 100));
        assertEquals(List.of("second"), stepped(200));
        assertEquals(List.of("third"), stepped(300));
        assertEquals(List.of("fourth"), stepped(400));
        assertEquals(List.of(), refused);
        assertEquals(0, throttled("alice"));
    }

    @Test
    void a_newcomer_gets_no_token_that_those_before_it_wait_for() throws Exception {
        open();
        assertTrue(takes("first", "alice", 0));
        // Its token has come, and the timer not yet.
        assertTrue(takes("second", "alice", 100));
        assertEquals(List.of("first"), stepped(101));
        assertEquals(List.of("second"), stepped(200));
    }

    @Test
    void users_wait_each_in_a_line_of_their_own() throws Exception {
        open();
        spend("bob", 50);
        assertTrue(takes("a", "alice", 60));
        assertTrue(takes("b", "bob", 60));
        assertEquals(List.of("a"), stepped(100));
        assertEquals(List.of("b"), stepped(150));
        assertEquals(1, room.passed("bob"));
        room.sweep("alice"::equals);
        assertEquals(0, room.passed("bob"));
        assertEquals(1, room.passed("alice"));
    }

    @Test
    void more_requests_than_the_setting_allows_are_turned_away() throws Exception {
        properties.put(Setting.MAX_DELAYED.key, "2");
        open();
        spend("bob", 0);
        assertTrue(takes("a1", "alice", 0));
        assertTrue(takes("a2", "alice", 0));
        assertFalse(takes("b1", "bob", 0), "the bound is for all users");
        assertEquals(2, room.requests());
        assertEquals(1, room.turnedAway());
        assertEquals(List.of("a1"), stepped(100));
        spend("bob", 100);
        assertTrue(takes("b2", "bob", 100));
    }

    @Test
    void more_bytes_than_the_setting_allows_are_turned_away() throws Exception {
        properties.put(Setting.MAX_DELAYED_BYTES.key, Integer.toString(SIZE + SIZE / 2));
        open();
        assertTrue(takes("first", "alice", 0));
        assertFalse(takes("second", "alice", 0));
        assertTrue(room.takes("small", "alice", 7, List.of(), SIZE / 2, 0));
        assertEquals(SIZE + SIZE / 2, room.bytes());
        assertEquals(1, room.turnedAway());
        stepped(100);
        assertEquals(SIZE / 2, room.bytes());
        stepped(200);
        assertEquals(0, room.bytes());
    }

    @Test
    void a_lower_quota_refuses_at_the_end_of_the_delay_and_a_higher_one_passes_sooner() throws Exception {
        open();
        spend("bob", 0);
        assertTrue(takes("a", "alice", 10));
        assertTrue(takes("b", "bob", 10));
        engine.setQuota("alice", 1, 0, 20);
        engine.setQuota("bob", 3_600_000, 0, 20);
        assertEquals(List.of("b"), stepped(100));
        assertEquals(List.of(), stepped(359));
        assertEquals(List.of(), refused);
        assertEquals(List.of(), stepped(360));
        assertEquals(List.of("a"), refused);
        assertEquals(1, throttled("alice"), "refused, and counted as that, once");
        assertEquals(0, room.requests());
        assertEquals(1, room.passed());
    }

    @Test
    void who_waited_when_the_timer_came_late_passes_if_its_token_is_there() throws Exception {
        properties.put(Setting.WINDOW.key, "1");
        properties.put(Setting.BURST.key, "1");
        open();
        for (int i = 1; i < 10; i++) {
            spend("alice", 0);
        }
        assertTrue(takes("first", "alice", 0));
        assertTrue(takes("second", "alice", 0));
        assertEquals(List.of("first", "second"), stepped(5_000));
    }

    @Test
    void a_failure_lets_those_that_wait_pass() throws Exception {
        open();
        assertTrue(takes("first", "alice", 0));
        assertTrue(takes("second", "alice", 0));
        counter.failure = new IllegalStateException("on purpose");
        try (Lines lines = new Lines()) {
            assertEquals(List.of("first", "second"), stepped(100), "whether a token is theirs can't be told");
            assertTrue(lines.soFar().get(0).startsWith("Tollgate failed inside and lets the request pass"), lines.soFar().toString());
        }
        assertEquals(2, faults.count());
        assertEquals(0, room.requests());
    }

    @Test
    void one_that_could_not_be_let_in_is_the_callers() throws Exception {
        open();
        Settings settings = Settings.read(properties);
        room = new WaitingRoom(new WaitingRoom.Desk() {
            @Override
            public int awaitMs(String user, int ahead, long nowMs) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public int charge(Waiting one, long nowMs) {
                throw new AssertionError();
            }

            @Override
            public boolean pass(Waiting one) {
                throw new AssertionError();
            }

            @Override
            public void refuse(Waiting one, int waitMs) {
                throw new AssertionError();
            }
        }, settings, faults);
        assertThrows(IllegalStateException.class, () -> takes("first", "alice", 0));
        room.step(10_000);
        assertEquals(0, room.requests());
    }

    @Test
    void closing_lets_all_pass_at_once_and_lets_none_in() throws Exception {
        open();
        assertTrue(takes("first", "alice", 0));
        assertTrue(takes("second", "alice", 0));
        room.close();
        assertFalse(takes("third", "alice", 0));
        assertEquals(List.of("first", "second"), stepped(1));
        assertEquals(0, room.requests());
        assertEquals(1, engine.stats(engine.intern("alice", 1), 1).admitted(), "none was charged");
    }

    @Test
    void the_thread_hands_on_what_is_due_and_ends_with_the_room() throws Exception {
        properties.put(Setting.MAX_DELAY.key, "10000");
        open();
        room.start();
        long now = Clock.nowMs();
        spend("carol", now);
        assertTrue(takes("first", "carol", now));
        assertTrue(takes("second", "carol", now));
        assertEquals("first", passed.poll(20, TimeUnit.SECONDS));
        assertEquals("second", passed.poll(20, TimeUnit.SECONDS));
        Thread timer = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("tollgate-waiting-room")).findAny().orElseThrow();
        assertTrue(timer.isDaemon());
        engine.setQuota("carol", 1, 0, Clock.nowMs());
        engine.track(engine.intern("carol", Clock.nowMs()), 1, Clock.nowMs());
        room.close();
        timer.join(20_000);
        assertFalse(timer.isAlive());
    }

    @Test
    void observing_nobody_waits() throws Exception {
        properties.put(Setting.MODE.key, "observe");
        open();
        assertFalse(room.isOpen());
    }
}
