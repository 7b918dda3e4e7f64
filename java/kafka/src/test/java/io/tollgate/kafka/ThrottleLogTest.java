package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ThrottleLogTest {
    private static final long MINUTE = ThrottleLog.MINUTE_MS;
    private final Lines lines = new Lines();
    private final LiveQuotas quotas = new LiveQuotas();
    private final Faults faults = new Faults();
    private final ThrottleLog log = log(true);

    private ThrottleLog log(boolean enforce) {
        return new ThrottleLog(enforce, quotas, new RaiseCommand(Map.of("listeners", "PLAINTEXT://kafka1:9092")), faults);
    }

    @AfterEach
    void close() {
        lines.close();
        assertEquals(0, faults.count());
    }

    private void add(String user, int times, long nowMs) {
        IntStream.range(0, times).forEach(i -> log.add(user, nowMs));
    }

    private static String over(String quota, String command) {
        return ", over its quota of " + quota + "; to raise it: kafka-configs.sh --bootstrap-server kafka1:9092 --alter"
                + " --add-config producer_ids_rate=" + command;
    }

    @Test
    void the_first_is_told_at_once_and_then_one_line_a_minute_has_the_number() {
        quotas.set("alice", 100.0);
        quotas.setDefault(7.5);
        String alice = over("100 new producer IDs per hour (producer_ids_rate)", "200 --entity-type users --entity-name alice");
        String bob = over("7.5 new producer IDs per hour (producer_ids_rate of the default user)",
                "15 --entity-type users --entity-name bob");
        add("alice", 5, 1_000);
        assertEquals(List.of("Tollgate throttled user alice once" + alice), lines.soFar());
        add("bob", 1, 2_000);
        for (long now = 2_000; now < 1_000 + MINUTE; now += 100) {
            add("alice", 1, now);
            log.tick(now);
        }
        assertEquals(List.of("Tollgate throttled user alice once" + alice, "Tollgate throttled user bob once" + bob), lines.soFar());
        log.tick(1_000 + MINUTE);
        assertEquals("Tollgate throttled user alice 594 times in 60 s" + alice, lines.soFar().get(2));
        for (long now = 1_000 + MINUTE; now <= 10 * MINUTE; now += 5_000) {
            log.tick(now);
        }
        assertEquals(3, lines.soFar().size(), "no line without a request");
        assertEquals(0, log.size(), "and no memory");
        add("alice", 2, 11 * MINUTE);
        assertEquals("Tollgate throttled user alice once" + alice, lines.soFar().get(3));
    }

    @Test
    void observing_says_what_would_have_been() {
        quotas.setDefault(1.0);
        ThrottleLog observing = log(false);
        observing.add("alice", 0);
        assertEquals(List.of("Tollgate would have throttled user alice once" + over("1 new producer IDs per hour (producer_ids_rate of the"
                + " default user)", "2 --entity-type users --entity-name alice (producer.id.quota.mode = observe)")), lines.soFar());
    }

    @Test
    void a_quota_that_went_meanwhile_has_no_command() {
        log.add("alice", 0);
        assertEquals(List.of("Tollgate throttled user alice once; it has no quota any more"), lines.soFar());
    }

    @Test
    void a_name_forges_no_line() {
        quotas.setDefault(1.0);
        log.add("eve\n[2026-11-30 06:45:33,544] INFO Tollgate guards this broker", 0);
        assertEquals(List.of("Tollgate throttled user eve\\n[2026-11-30 06:45:33,544] INFO Tollgate guards this broker once"
                + over("1 new producer IDs per hour (producer_ids_rate of the default user)", "2 --entity-type users --entity-name"
                + " $'eve\\n[2026-11-30 06:45:33,544] INFO Tollgate guards this broker'")), lines.soFar());
    }

    @Test
    void of_many_users_those_with_the_most_requests_have_the_names() {
        int users = 500;
        for (int i = 0; i < users; i++) {
            add("user-" + i, 1 + i, 0);
        }
        assertEquals(ThrottleLog.LINES, lines.soFar().size(), "told at once");
        log.tick(MINUTE - 1);
        assertEquals(ThrottleLog.LINES, lines.soFar().size(), "no more within the minute");
        log.tick(MINUTE);
        List<String> second = lines.soFar().subList(ThrottleLog.LINES, lines.soFar().size());
        assertEquals(ThrottleLog.LINES + 1, second.size());
        assertEquals("Tollgate throttled user user-499 500 times in 60 s; it has no quota any more", second.get(0));
        assertEquals("Tollgate throttled user user-480 481 times in 60 s; it has no quota any more", second.get(19));
        // Of the first twenty, all but one request each; of the 460 after them, all.
        long rest = IntStream.range(0, 20).sum() + IntStream.range(20, 480).map(i -> i + 1).sum();
        // user-0 had one request and a line for it.
        assertEquals("Tollgate throttled 479 further users, " + rest + " times in the last minute", second.get(20));
        for (long now = MINUTE; now <= 4 * MINUTE; now += 5_000) {
            log.tick(now);
        }
        assertEquals(0, log.size());
        assertEquals(2 * ThrottleLog.LINES + 1, lines.soFar().size());
    }

    @Test
    void users_noted_are_bounded_and_those_beyond_counted() {
        for (int i = 0; i < 50 * ThrottleLog.USERS; i++) {
            log.add("user-" + i, 0);
        }
        assertEquals(ThrottleLog.USERS, log.size());
        log.tick(5_000);
        log.tick(MINUTE);
        List<String> second = lines.soFar().subList(ThrottleLog.LINES, lines.soFar().size());
        assertEquals(21, second.size(), second.toString());
        int others = ThrottleLog.USERS - 2 * ThrottleLog.LINES;
        assertEquals("Tollgate throttled at least " + (others + 1) + " further users, " + (others + 49 * ThrottleLog.USERS)
                + " times in the last minute", second.get(20));
    }

    /** Each request is in exactly one line, while threads add, users come and go, and minutes pass. */
    @Test
    void no_request_is_lost_or_told_of_twice() throws Exception {
        int threads = 4;
        int each = 200_000;
        CountDownLatch start = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(threads);
        long[] now = {0};
        List<Thread> adders = new ArrayList<>();
        for (int t = 0; t < threads; t++) {
            int first = t;
            Thread adder = new Thread(() -> {
                try {
                    start.await();
                    for (int i = 0; i < each; i++) {
                        log.add("user-" + (first + i) % 7, now[0]);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } finally {
                    end.countDown();
                }
            });
            adder.start();
            adders.add(adder);
        }
        start.countDown();
        int forgotten = 0;
        while (end.getCount() > 0) {
            now[0] += 2 * MINUTE;
            log.tick(now[0]);
            forgotten += log.size() < 7 ? 1 : 0;
        }
        for (Thread adder : adders) {
            adder.join();
        }
        for (int i = 1; i <= 3; i++) {
            log.tick(now[0] + 2 * i * MINUTE);
        }
        assertTrue(forgotten > 0, "users came and went");
        assertEquals(0, log.size());
        Pattern line = Pattern.compile("Tollgate throttled user user-\\d (?:once|(\\d+) times in \\d+ s); it has no quota any more");
        long told = 0;
        for (String one : lines.soFar()) {
            Matcher matcher = line.matcher(one);
            assertTrue(matcher.matches(), one);
            told += matcher.group(1) == null ? 1 : Long.parseLong(matcher.group(1));
        }
        assertEquals((long) threads * each, told);
    }
}
