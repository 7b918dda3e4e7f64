/**
 * The calls into a broker that differ between Kafka's versions, as the agent needs them: {@link
 * io.tollgate.kafka.moved.Requests}, {@link io.tollgate.kafka.moved.Records}, {@link io.tollgate.kafka.moved.TopicIds},
 * {@link io.tollgate.kafka.moved.Logs}, {@link io.tollgate.kafka.moved.Quotas}. An implementation is named after the first
 * Kafka version that it fits, and holds until the next one: {@code Kafka40Quotas} for 4.0 and 4.1, {@code Kafka42Quotas} for
 * 4.2 and 4.3.
 *
 * <p>Rules for an implementation:
 * <ol>
 *   <li>It only translates: no decision, no state, a constructor without parameters.
 *   <li>No Kafka type above it: it must be possible to load it, and to read its code, without loading a class of Kafka.
 *   <li>What it reaches by reflection it says in {@link io.tollgate.kafka.moved.Reaches}; all else the agent reads off its code.
 *   <li>It may throw anything; the request then passes.
 * </ol>
 */
package io.tollgate.kafka.moved;
