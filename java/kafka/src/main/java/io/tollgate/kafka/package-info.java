/**
 * The agent that guards an unmodified Kafka broker against floods of producer IDs: one jar, one {@code -javaagent} line,
 * settings in the broker's own properties file.
 *
 * <p>Priorities, in this order:
 * <ol>
 *   <li>Never break a produce request. Whatever fails in here is counted, logged once, and the request passes.
 *   <li>Never lose a client's message. A request is refused as a whole, with an error that the client retries, and what
 *       it sent right behind the refused one waits for it ({@link io.tollgate.kafka.RefusedBatches}).
 *   <li>Never charge for what costs the broker nothing: a producer ID that the partition already has.
 *   <li>Cost nothing measurable for producers that are known: one native call, no allocation.
 * </ol>
 *
 * <p>The way of a produce request: {@link io.tollgate.kafka.BrokerHook} (what the hooked class calls) -> {@link
 * io.tollgate.kafka.Guard} (the decision; knows no Kafka class) -> {@link io.tollgate.kafka.BrokerAdapter} (all that
 * names a Kafka class), implemented once, by {@link io.tollgate.kafka.KafkaAdapter}, over {@link io.tollgate.kafka.moved}: the
 * calls that differ between versions, put together by {@link io.tollgate.kafka.Generation}. One that is over the quota by a
 * little may be kept in between ({@link io.tollgate.kafka.WaitingRoom}).
 *
 * <p>The way of a quota that is set while all is running: {@link io.tollgate.kafka.QuotaHook} (what the hooked methods of
 * {@link io.tollgate.kafka.QuotaPlace} call) -> {@link io.tollgate.kafka.LiveQuotas} (which one holds) -> the engine.
 *
 * <p>Limits. Only the produce path is guarded: the offsets that a transaction commits also leave a producer ID's state,
 * in {@code __consumer_offsets}, and are not counted. A user is charged before Kafka checks whether that user may write to
 * the topic; the quota is the user's own, so that harms nobody else.
 */
package io.tollgate.kafka;
