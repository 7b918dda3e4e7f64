/**
 * Tollgate for the JVM: is this key new to its owner, how fast do new ones come, may this one pass?
 *
 * <p>Priorities, in this order: a call never harms its host (no crash, no native exception on the hot path, bounded
 * memory), a key once let through is known until its window has passed, and a call is fast (no allocation, no lock, no
 * shared write on the Java side).
 *
 * <p>Vocabulary:
 * <dl>
 *   <dt>principal</dt><dd>the owner of keys: a Kafka user, a tenant. Named once with {@link
 *       io.tollgate.Tollgate#intern}, then addressed by an {@code int} handle (a slot and its generation).</dd>
 *   <dt>PID</dt><dd>the key: any {@code long}, such as a Kafka producer id.</dd>
 *   <dt>window</dt><dd>how long a PID that is not seen again stays known. It is cut into layers; a layer period is
 *       window / layers.</dd>
 *   <dt>quota</dt><dd>new PIDs per hour, with a burst fraction from 0 (spaced evenly) to 1 (a window's worth at
 *       once).</dd>
 *   <dt>decision</dt><dd>the answer of a call, packed into one {@code long}; {@link io.tollgate.Decision} reads
 *       it.</dd>
 * </dl>
 *
 * <p>Beside the engine, each to use alone: {@link io.tollgate.WindowedRate}, how fast; {@link io.tollgate.TokenBucket} and
 * {@link io.tollgate.Gcra}, may this one pass, or when; {@link io.tollgate.DispatchEstimator}, how much to read.
 *
 * <p>Time is an argument: milliseconds from any origin that the caller keeps to for one object, such as {@code
 * System.nanoTime() / 1_000_000} counted from its start. The engine has no clock. Going back is harmless (for an
 * engine the latest time seen counts; the others say what they do); a negative time counts as 0.
 *
 * <p>The engine is native code, taken from this jar or from an explicit file; see {@link io.tollgate.TollgateConfig}.
 */
package io.tollgate;
