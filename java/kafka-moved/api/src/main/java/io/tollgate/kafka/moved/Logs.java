package io.tollgate.kafka.moved;

/** A partition's log: what {@code Partition.leaderLogIfLocal()} gives. */
public interface Logs {
    /** Whether the partition has state for the producer ID. Takes the log's lock: call it holding nothing. */
    boolean holds(Object log, long producerId);
}
