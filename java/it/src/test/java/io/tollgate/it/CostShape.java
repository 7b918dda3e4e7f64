package io.tollgate.it;

import java.util.List;

/**
 * One way to produce.
 *
 * @param name its topic, too
 * @param says what the page calls it
 * @param recordBytes of each value
 * @param batchBytes of Java's batch.size; 0: a batch for each record, the most that the agent can cost
 * @param lingerMs of Java's linger.ms
 * @param perSecond records; 0: as fast as it goes
 */
record CostShape(String name, String says, int recordBytes, int batchBytes, int lingerMs, int perSecond) {
    static final CostShape SMALL = new CostShape("small", "a request per record of 100 bytes, as fast as it goes", 100, 0, 0, 0);
    static final CostShape BATCHES = new CostShape("batches", "batches of 16 KiB, records of 100 bytes, as fast as it goes", 100, 16_384, 5, 0);
    static final CostShape PACED = new CostShape("paced", "a request per record of 100 bytes, 1,000 a second", 100, 0, 0, 1_000);
    static final List<CostShape> ALL = List.of(SMALL, BATCHES, PACED);

    boolean isPaced() {
        return perSecond > 0;
    }
}
