package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * One cluster of three brokers, one after the other under one load: {@code make test-cluster}, which writes what it saw into
 * docs/kafka.md when all went well. Not named as the tests that {@code make test} runs, as it takes minutes.
 *
 * <p>The brokers have no default rate. 5,000 producers come to be while there is no limit; then the default user gets 50 per hour
 * through the Admin API, and from there on each of them, wherever it turns up, must pass as one that a partition has.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ThreeBrokers {
    static final String NEWEST = "4.4.0";
    private static final String VERSION = System.getProperty("tollgate.cluster.version", NEWEST);
    private static final int NODES = 3;
    private static final int PARTITIONS_EACH = 4;
    private static final int PARTITIONS = NODES * PARTITIONS_EACH;
    private static final int ACTIVE = 5_000;
    private static final int REAL = 20;
    private static final int RATE = 50;
    private static final int PER_SECOND = 800;
    /** Of many new IDs, the share that is seen to be new: the filter takes one in a thousand for known. */
    private static final double LEAST = 0.99;
    private static final String TOPIC = "active";
    private static final int TESTS = 7;

    private static final ClusterPage PAGE = new ClusterPage();
    private static final long START = System.nanoTime();
    private static BrokerCluster cluster;
    private static Admin admin;
    private static LiveQuotas quotas;
    private static ActiveProducers active;
    private static SteadyProducers real;
    /** What each broker had counted of the load when the quota was set, or 0 since it was restarted. */
    private static final UserCounts[] BASE = new UserCounts[NODES + 1];
    private static int held;
    private static long nextPid = 10_000_000;

    @BeforeAll
    static void start() throws Exception {
        cluster = BrokerCluster.start(NODES, id -> Guarded.broker("cluster-" + id).kafka(VERSION).heapMb(384)
                .users("app", "rogue", "mover", "alice", "bob").property(Guarded.MAX_THROTTLE, "20")
                // Up sooner: seven starts in all.
                .jvmArgument("-XX:TieredStopAtLevel=1"));
        tell("three brokers of Kafka %s serve", VERSION);
        admin = cluster.admin();
        quotas = new LiveQuotas(cluster.node(1));
        cluster.createTopic(TOPIC, PARTITIONS_EACH);
        active = new ActiveProducers(cluster, "app", TOPIC, PARTITIONS, ACTIVE, PER_SECOND);
        real = new SteadyProducers(cluster, "app", TOPIC, PARTITIONS, ACTIVE, REAL);
        awaitRound();
        quotas.set(LiveQuotas.DEFAULT_USER, RATE);
        long admitted = 0;
        for (int id = 1; id <= NODES; id++) {
            int node = id;
            LiveQuotas.await((double) RATE, () -> counts(node).quota());
            BASE[id] = counts(id);
            admitted += BASE[id].admitted();
            assertEquals(ACTIVE + REAL, cluster.node(id).producerIdCount(), "with three replicas each broker holds them all");
        }
        assertTrue(admitted <= ACTIVE + REAL && admitted >= LEAST * (ACTIVE + REAL), admitted + " admitted while there was no limit");
        tell("%,d producers are at work, and new ones are limited to %d per hour", ACTIVE + REAL, RATE);
    }

    @AfterAll
    static void end() throws Exception {
        try {
            if (real != null) {
                real.close();
            }
            if (active != null) {
                active.close();
            }
            if (admin != null) {
                admin.close();
            }
        } finally {
            if (cluster != null) {
                cluster.close();
            }
        }
        if (held == TESTS && VERSION.equals(NEWEST)) {
            PAGE.write(VERSION, ACTIVE, REAL, RATE, PARTITIONS);
        }
    }

    private interface Action {
        void run() throws Exception;
    }

    @Test
    @Order(1)
    void k7_a_rolling_restart_throttles_fails_and_charges_none_of_5000_active() throws Exception {
        for (int id = 1; id <= NODES; id++) {
            BrokerProcess node = cluster.node(id);
            BASE[id].assertUncharged(counts(id));
            ClusterPage.Step step = step("restart of broker " + id, id, () -> {
                node.stop();
                assertEquals(128 + 15, node.exitCode(), "it ended by itself");
                node.start();
                cluster.awaitInSync(admin, TOPIC);
                cluster.leadAsPreferred(admin, TOPIC);
            });
            int own = 0;
            for (int partition = (id - 1) * PARTITIONS_EACH; partition < id * PARTITIONS_EACH; partition++) {
                own += active.of(partition);
            }
            assertTrue(counts(id).reRecorded() >= LEAST * own, own + " producers came to a broker that knew none, but " + counts(id));
            assertTrue(step.uncharged() >= LEAST * own, step.line());
        }
        held++;
    }

    @Test
    @Order(2)
    void k7_moves_of_all_leaders_throttle_fail_and_charge_none_of_5000_active() throws Exception {
        long uncharged = 0;
        for (int move = 1; move <= NODES; move++) {
            uncharged += step("move of all leaders, " + move, 0, () -> cluster.moveLeaders(admin, TOPIC)).uncharged();
        }
        assertTrue(uncharged >= ACTIVE, "only " + uncharged + " came to a broker that did not know them");
        held++;
    }

    @Test
    @Order(3)
    void every_message_of_the_active_is_in_the_log_once_and_in_order() throws Exception {
        int[] sent = Arrays.copyOf(active.stop(), ACTIVE + REAL);
        System.arraycopy(real.stop(), 0, sent, ACTIVE, REAL);
        assertEquals(List.of(), active.failed());
        assertEquals(List.of(), real.failed());
        assertEquals(Arrays.stream(sent).asLongStream().sum(), active.acknowledged() + real.acknowledged());
        List<String> log = Log.read(cluster.node(1), TOPIC, PARTITIONS);
        Log.assertExactlyOnceInOrder(log, sent);
        PAGE.inLog = log.size();
        tell("%,d messages are in the log, once each and in order", log.size());
        held++;
    }

    @Test
    @Order(4)
    void a_rogue_that_moves_from_broker_to_broker_is_bound_on_each() throws Exception {
        int laps = 3;
        int each = 60;
        cluster.createTopic("rogue", PARTITIONS_EACH);
        long[] before = new long[NODES + 1];
        int[] admitted = new int[NODES + 1];
        for (int id = 1; id <= NODES; id++) {
            before[id] = cluster.node(id).producerIdCount();
        }
        long start = System.nanoTime();
        for (int lap = 0; lap < laps; lap++) {
            for (int id = 1; id <= NODES; id++) {
                try (RawProducer raw = new RawProducer(cluster.node(id), "rogue", 30_000)) {
                    for (int i = 0; i < each; i++) {
                        RawProducer.Answer answer = raw.send("rogue", (id - 1) * PARTITIONS_EACH, PARTITIONS_EACH, nextPid++, (short) 0,
                                0, (short) -1);
                        assertTrue(answer.error() == Errors.NONE || answer.error() == Errors.REQUEST_TIMED_OUT, answer.toString());
                        admitted[id] += answer.error() == Errors.NONE ? 1 : 0;
                    }
                }
            }
        }
        int bound = (int) Math.floor(RATE + RATE * (System.nanoTime() - start) / 3.6e12);
        int all = Arrays.stream(admitted).sum();
        for (int id = 1; id <= NODES; id++) {
            assertEquals(admitted[id], Guarded.of(cluster.node(id), "rogue", "Admitted"));
            assertTrue(admitted[id] >= RATE && admitted[id] <= bound, "broker " + id + " admitted " + admitted[id] + " of at most " + bound);
            // Each broker holds what any of them admitted: it is a replica of the others' partitions.
            long after = before[id] + (long) all * PARTITIONS_EACH;
            BrokerProcess node = cluster.node(id);
            LiveQuotas.await(after, node::producerIdCount);
            ClusterPage.RogueOn on = new ClusterPage.RogueOn(id, laps * each, admitted[id], bound, before[id], after);
            PAGE.rogue.add(on);
            tell("%s", on.line().strip());
        }
        held++;
    }

    @Test
    @Order(5)
    void a_rogue_is_bound_on_each_broker_while_leaders_move() throws Exception {
        int moves = 12;
        cluster.createTopic("moving", 1);
        long start = System.nanoTime();
        try (RogueEverywhere rogue = new RogueEverywhere(cluster, "mover", "moving", NODES, 20_000_000)) {
            // Until the quota is used up on each, and then so many more.
            int before = 0;
            while (!throttledOnAll("mover")) {
                cluster.moveLeaders(admin, "moving");
                assertTrue(++before < 1_000, "the quota is not reached");
            }
            for (int move = 0; move < moves; move++) {
                cluster.moveLeaders(admin, "moving");
            }
            assertEquals(List.of(), rogue.stop());
            int bound = (int) Math.floor(RATE + RATE * (System.nanoTime() - start) / 3.6e12);
            for (int id = 1; id <= NODES; id++) {
                long admitted = Guarded.of(cluster.node(id), "mover", "Admitted");
                tell("broker %d took %d new IDs over %d moves of leaders, and charged %d, at most %d", id, rogue.accepted(id),
                        before + moves, admitted, bound);
                PAGE.taken.add(rogue.accepted(id));
                PAGE.rogueMoves = before + moves;
                // A request looked at in the instant before a move may be appended in the one after it. (One that was charged may
                // also be refused by Kafka, when the leader has moved on.)
                assertTrue(rogue.accepted(id) <= admitted + before + moves, "broker " + id);
                assertTrue(admitted >= RATE && admitted <= bound, "broker " + id);
            }
        }
        held++;
    }

    @Test
    @Order(6)
    void k6_changes_of_quotas_reach_all_brokers() throws Exception {
        int rounds = 10;
        cluster.createTopic("quotas", 1);
        for (String user : List.of("alice", "bob")) {
            for (int id = 1; id <= NODES; id++) {
                assertEquals(Errors.NONE, bring(id, user));
            }
        }
        List<Double> times = new ArrayList<>();
        try (QuotaSpread spread = new QuotaSpread(cluster)) {
            for (int round = 1; round <= rounds; round++) {
                double ofAlice = 1_000 + round;
                double ofAll = 2_000 + round;
                times.add(spread.measureMs(() -> quotas.set(LiveQuotas.user("alice"), ofAlice), "alice", ofAlice));
                times.add(spread.measureMs(() -> quotas.set(LiveQuotas.DEFAULT_USER, ofAll), "bob", ofAll));
                times.add(spread.measureMs(() -> quotas.remove(LiveQuotas.user("alice")), "alice", ofAll));
                times.add(spread.measureMs(() -> quotas.remove(LiveQuotas.DEFAULT_USER), "bob", Double.NaN));
            }
        }
        PAGE.spreadMs = times.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        double longest = PAGE.spreadMs[times.size() - 1];
        tell("%d changes of quotas: on the last broker after %.0f ms at the median, %.0f ms at the longest", times.size(),
                PAGE.spreadMs[times.size() / 2], longest);
        // A second is what is wanted; this one stands on a machine that may be busy with other things.
        assertTrue(longest < 10_000, longest + " ms");
        held++;
    }

    @Test
    @Order(7)
    void k6_quotas_set_and_removed_while_a_broker_is_down_hold_there_once_it_is_back() throws Exception {
        quotas.set(LiveQuotas.user("bob"), 9);
        BrokerProcess down = cluster.node(NODES);
        LiveQuotas.await(1L, () -> Guarded.total(down, "OwnQuotas"));
        down.stop();
        quotas.set(LiveQuotas.user("alice"), 7);
        quotas.set(LiveQuotas.DEFAULT_USER, 5);
        quotas.remove(LiveQuotas.user("bob"));
        down.start();
        cluster.awaitInSync(admin, "quotas");
        cluster.leadAsPreferred(admin, "quotas");
        assertEquals(7, bringAll(NODES, "alice"));
        assertEquals(5, bringAll(NODES, "bob"));
        for (int id = 1; id <= NODES; id++) {
            BrokerProcess node = cluster.node(id);
            LiveQuotas.await(5.0, () -> node.attribute(Guarded.TOTALS, "DefaultQuotaPerHour"));
            LiveQuotas.await(1L, () -> node.attribute(Guarded.TOTALS, "OwnQuotas"));
            assertEquals(0, Guarded.total(node, "Faults"));
        }
        tell("a broker that was down has the quotas that were set meanwhile");
        held++;
    }

    /**
     * Does it, waits until each of the load has come through since, and asserts that none was held up.
     *
     * @param restarted the broker that begins to count anew; 0: none
     */
    private static ClusterPage.Step step(String name, int restarted, Action action) throws Exception {
        long acknowledged = active.acknowledged() + real.acknowledged();
        long sentAgain = sentAgain();
        UserCounts[] before = new UserCounts[NODES + 1];
        for (int id = 1; id <= NODES; id++) {
            if (id == restarted) {
                BASE[id] = UserCounts.NONE;
            }
            before[id] = id == restarted ? UserCounts.NONE : counts(id);
        }
        long start = System.nanoTime();
        action.run();
        awaitRound();
        double seconds = (System.nanoTime() - start) / 1e9;
        long uncharged = 0;
        long charged = 0;
        long throttled = 0;
        for (int id = 1; id <= NODES; id++) {
            UserCounts now = counts(id);
            uncharged += now.reRecorded() - before[id].reRecorded();
            charged += now.admitted() - BASE[id].admitted();
            throttled += now.throttled();
        }
        ClusterPage.Step step = new ClusterPage.Step(name, seconds, active.acknowledged() + real.acknowledged() - acknowledged,
                sentAgain() - sentAgain, uncharged, charged, throttled, active.failed().size() + real.failed().size());
        tell("%s", step.line().strip());
        assertEquals(List.of(), active.failed());
        assertEquals(List.of(), real.failed());
        assertEquals(0, active.throttled());
        assertEquals(0.0, real.throttledMs());
        for (int id = 1; id <= NODES; id++) {
            BASE[id].assertUncharged(counts(id));
            assertEquals(0, Guarded.total(cluster.node(id), "Faults"));
        }
        PAGE.steps.add(step);
        return step;
    }

    private static long sentAgain() {
        return active.retried().values().stream().mapToLong(Long::longValue).sum() + (long) real.retried();
    }

    private static void awaitRound() throws InterruptedException {
        active.awaitRound();
        real.awaitRound();
    }

    private static boolean throttledOnAll(String user) throws Exception {
        for (int id = 1; id <= NODES; id++) {
            if (UserCounts.read(cluster.node(id), user).throttled() == 0) {
                return false;
            }
        }
        return true;
    }

    private static UserCounts counts(int id) throws Exception {
        return UserCounts.read(cluster.node(id), "app");
    }

    /** One new producer ID of a user, to the partition that the broker leads. */
    private static Errors bring(int id, String user) throws Exception {
        try (RawProducer raw = new RawProducer(cluster.node(id), user, 30_000)) {
            return raw.send("quotas", id - 1, 1, nextPid++, (short) 0, 0, (short) -1).error();
        }
    }

    /** New producer IDs of a user until one is refused. */
    private static int bringAll(int id, String user) throws Exception {
        for (int admitted = 0; admitted < 100; admitted++) {
            if (bring(id, user) != Errors.NONE) {
                return admitted;
            }
        }
        throw new AssertionError("100 new producers of " + user + " and none was refused");
    }

    private static void tell(String format, Object... arguments) {
        ClientRun.tell("  %3.0f s: %s", (System.nanoTime() - START) / 1e9, String.format(Locale.ROOT, format, arguments));
    }
}
