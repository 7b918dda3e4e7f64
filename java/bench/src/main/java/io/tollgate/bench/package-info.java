/**
 * Tollgate's calls from Java beside what one would use instead, measured by JMH in one run. {@code make bench-java} runs
 * them all and writes {@code target/bench/jmh.json}; the names and parameters in there are read by other programs, and a
 * test holds them.
 *
 * <p>The common ground: four layers of {@code perLayer} ids each, and a false-positive rate of 0.001 over all four
 * together. Whoever has no layers holds as many ids in all. Ids are visited in a seeded random order, the same for all, so
 * that large structures miss the cache as they do in a host. An id reaches every peer as a {@code long}, as it comes out
 * of a request: boxing and hashing it belong to the call. Each set-up checks the answers, known and unknown ids both,
 * before anything is measured.
 *
 * <dl>
 *   <dt>{@link io.tollgate.bench.KnownNewest}</dt><dd>ids recorded last. {@code tollgateTrack}, also by two threads on
 *       one principal, where the score is one thread's time per call. {@code commonsHasher} is the row of
 *       commons-collections: {@code contains(Hasher)}, as its documentation has it. {@code commonsIndexExtractor} is the
 *       same with indices made in advance, which tells what the hashing costs; a request brings an id, so it is no row.
 *       {@code commonsPerLayer} is no {@code contains} of the layered filter but a walk over its layers
 *       by hand: {@code contains} fills a filter of full size for each call, and this doesn't.</dd>
 *   <dt>{@link io.tollgate.bench.KnownOldest}</dt><dd>ids of the oldest layer. Tollgate looks there last,
 *       commons-collections first.</dd>
 *   <dt>{@link io.tollgate.bench.Throttled}</dt><dd>unknown ids, the quota spent: all layers are asked.</dd>
 *   <dt>{@link io.tollgate.bench.Admitted}</dt><dd>unknown ids, no quota: asked for, claimed, recorded.</dd>
 *   <dt>{@link io.tollgate.bench.RateRecord}</dt><dd>Kafka's {@code Sensor.record}, for the rates measured in
 *       Rust.</dd>
 * </dl>
 */
package io.tollgate.bench;
