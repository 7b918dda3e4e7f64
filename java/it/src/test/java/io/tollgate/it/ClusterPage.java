package io.tollgate.it;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The part of docs/kafka.md that {@code make test-cluster} measures. */
final class ClusterPage {
    /**
     * One thing done to the cluster under load.
     *
     * @param acknowledged messages, meanwhile
     * @param sentAgain by the clients, for Kafka's own errors
     * @param uncharged producer IDs that were new to a broker, and that a partition had
     */
    record Step(String name, double seconds, long acknowledged, long sentAgain, long uncharged, long charged, long throttled,
            int givenUp) {
        String line() {
            return String.format(Locale.ROOT, "  %s: %.0f s, %,d messages acknowledged, %,d sent again, %,d IDs new to a broker passed"
                    + " uncharged, %d charged, %d throttled, %d given up", name, seconds, acknowledged, sentAgain, uncharged, charged,
                    throttled, givenUp);
        }
    }

    /**
     * What a rogue got through on one broker.
     *
     * @param bound the quota's, by then
     * @param before the broker's ProducerIdCount
     * @param after the same when the replicas had caught up
     */
    record RogueOn(int broker, int sent, int admitted, int bound, long before, long after) {
        String line() {
            return String.format(Locale.ROOT, "  rogue on broker %d: %d new IDs, %d admitted, at most %d; ProducerIdCount %,d to %,d",
                    broker, sent, admitted, bound, before, after);
        }
    }

    final List<Step> steps = new ArrayList<>();
    final List<RogueOn> rogue = new ArrayList<>();
    /** New IDs of another rogue that each broker took, over so many moves of leaders. */
    final List<Integer> taken = new ArrayList<>();
    int rogueMoves;
    /** Milliseconds until the last broker had a changed quota, in order. */
    double[] spreadMs = {};
    long inLog;

    void write(String version, int active, int real, int perHour, int partitions) throws IOException {
        StringBuilder text = new StringBuilder(String.format(Locale.ROOT, """
                Kafka %s, three nodes on one machine of %d cores, %d partitions; %,d idempotent producers and %d KafkaProducers at \
                work, with
                `producer_ids_rate` of %d for the default user:

                """, version, Runtime.getRuntime().availableProcessors(), partitions, active, real, perHour));
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("meanwhile", "took", "acknowledged", "sent again", "new to a broker, uncharged", "charged", "throttled", "given up"));
        steps.forEach(step -> rows.add(List.of(step.name, String.format(Locale.ROOT, "%.0f s", step.seconds), count(step.acknowledged),
                count(step.sentAgain), count(step.uncharged), count(step.charged), count(step.throttled), count(step.givenUp))));
        DocsPart.table(text, rows, 1);
        text.append(String.format(Locale.ROOT, """

                All %,d messages were in the log once, in each producer's order. A client sends again what Kafka itself refuses while a
                partition changes its leader.

                A rogue that moves from broker to broker, three laps, each ID new and sent to the four partitions that the broker leads:

                """, inLog));
        List<List<String>> laps = new ArrayList<>();
        laps.add(List.of("broker", "new IDs", "admitted", "at most", "ProducerIdCount before", "after"));
        rogue.forEach(on -> laps.add(List.of(Integer.toString(on.broker), count(on.sent), count(on.admitted), count(on.bound),
                count(on.before), count(on.after))));
        DocsPart.table(text, laps, 0);
        text.append(String.format(Locale.ROOT, """

                Another one brought new IDs to every broker for every partition at once, over %d moves of all leaders: the brokers took
                %s of them.

                %d changes of a quota, a user's and the default user's: on the last of the three brokers after %.0f ms at the median
                and %.0f ms at the longest, from the admin client's call on.
                """, rogueMoves, taken.stream().map(String::valueOf).collect(Collectors.joining(", ")), spreadMs.length, spreadMs[spreadMs.length / 2], spreadMs[spreadMs.length - 1]));
        new DocsPart("docs/kafka.md", "test-cluster").write(text.toString());
    }

    private static String count(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}
