package io.tollgate.it.demo;

/**
 * One reading of a run. What the broker did not answer is null.
 *
 * @param t seconds since the well-behaved client began
 * @param producerIds producer-state entries (JMX ProducerIdCount)
 * @param heapAfterGcMb heap after the newest garbage collection, MiB
 * @param throttled requests held up by the agent so far; 0 on the stock broker
 * @param sent messages of the well-behaved client so far
 * @param acknowledged of them confirmed
 * @param errors of them failed
 * @param p99Ms its 99th percentile over the last five readings, ms
 */
record Sample(double t, String phase, Long producerIds, Double heapAfterGcMb, Long throttled, long sent, long acknowledged,
        long errors, Double p99Ms) {}
