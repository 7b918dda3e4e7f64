package io.tollgate.it.demo;

/**
 * The load, the same for both brokers. Times in seconds, rates per second.
 *
 * @param quick whether this is the short form, in which the stock broker need not fail
 * @param heapMb the brokers' heap, MiB
 * @param quotaPerHour new producer IDs per user and hour on the guarded broker
 * @param wellBehavedProducers long-lived producers of the well-behaved user
 * @param wellBehavedRate messages per second over all of them
 * @param wellBehavedPartitions partitions of its topic
 * @param roguePartitions partitions of the rogue user's topic; the raw client writes to all of them in each request
 * @param warmUpS from when on the well-behaved client's latencies count
 * @param calmS the well-behaved client alone
 * @param producersS the rogue user makes real producers, one per message
 * @param producersRate how many
 * @param rawS the rogue user's raw client, at most; ends early with the broker
 * @param rawRate Produce requests of the raw client
 * @param afterS the well-behaved client alone again
 */
public record Scenario(boolean quick, int heapMb, double quotaPerHour, int wellBehavedProducers, double wellBehavedRate,
        int wellBehavedPartitions, int roguePartitions, int warmUpS, int calmS, int producersS, double producersRate,
        int rawS, double rawRate, int afterS) {
    static final String WELL_BEHAVED = "alice";
    static final String ROGUE = "mallory";

    static Scenario inFull() {
        return new Scenario(false, 192, 100, 10, 100, 3, 20, 5, 10, 15, 20, 125, 1_000, 8);
    }

    static Scenario inShort() {
        return new Scenario(true, 192, 100, 10, 100, 3, 20, 3, 4, 7, 20, 7, 1_000, 1);
    }

    /** The same load with another limit to the raw client's time. */
    Scenario withRawS(int seconds) {
        return new Scenario(quick, heapMb, quotaPerHour, wellBehavedProducers, wellBehavedRate, wellBehavedPartitions,
                roguePartitions, warmUpS, calmS, producersS, producersRate, seconds, rawRate, afterS);
    }

    /**
     * The most producer-state entries that the quota permits after {@code seconds}, over both users: a bucket full at
     * the start plus what flowed in since, each producer ID in every partition of its user's topic.
     *
     * @param attempts producer IDs that the rogue user tried; of these the filter lets its false-positive share pass
     */
    long entriesWithinQuota(double seconds, long attempts) {
        double admitted = quotaPerHour + 1 + quotaPerHour * seconds / 3_600;
        // One in a thousand never-seen IDs passes as known; the allowance makes an unlucky run very unlikely.
        double falsePositives = 3 + 4 * 0.001 * attempts;
        return (long) Math.ceil(admitted + falsePositives) * roguePartitions
                + (long) wellBehavedProducers * wellBehavedPartitions;
    }
}
