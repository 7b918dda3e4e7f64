package io.tollgate.bench.rates;

/**
 * One phase under one contender: events pass one after the other, as through a broker's acceptor, which takes the next
 * connection when the one before has waited.
 *
 * @param perSecond all events by all the time: what Kafka's test asserts on
 * @param measuredAtEnd the contender's reading when the last has passed: what the pull request asserts on
 * @param measuredOnce its reading at one moment of the phase's choice, as a monitor would take it
 * @param mostInASecond the most that passed within any second, by the list of their times
 * @param mostInASecondLater the same over seconds that begin when all that a bucket holds at first is spent
 * @param seconds from the first offer until the last has passed
 */
record Trial(double perSecond, double measuredAtEnd, double measuredOnce, int mostInASecond, int mostInASecondLater,
        double seconds) {
    static Trial run(Contender contender, Offers offers) {
        long[] offered = offers.at();
        long[] passed = new long[offered.length];
        double measuredOnce = Double.NaN;
        long free = 0;
        for (int i = 0; i < offered.length; i++) {
            long now = Math.max(offered[i], free);
            if (Double.isNaN(measuredOnce) && now > offers.moment()) {
                measuredOnce = contender.measured(offers.moment());
            }
            long waitMs = contender.ask(now);
            while (contender.isStrict() && waitMs > 0) {
                now += waitMs;
                waitMs = contender.ask(now);
            }
            free = now + waitMs;
            contender.passed(free);
            passed[i] = free;
        }
        double seconds = (free - offered[0]) / 1000.0;
        return new Trial(offered.length / seconds, contender.measured(free), measuredOnce, mostInASecond(passed, 0),
                mostInASecond(passed, offered[0] + Offers.SPENT_MS), seconds);
    }

    /** Of seconds that begin at `since` or later with an event. A second holds its first millisecond and 999 more. */
    static int mostInASecond(long[] passed, long since) {
        int most = 0;
        for (int first = 0, end = 0; first < passed.length; first++) {
            while (end < passed.length && passed[end] < passed[first] + 1000) {
                end++;
            }
            if (passed[first] >= since) {
                most = Math.max(most, end - first);
            }
        }
        return most;
    }
}
