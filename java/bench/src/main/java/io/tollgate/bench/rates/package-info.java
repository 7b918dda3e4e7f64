/**
 * The experiment of Kafka's pull request 12045: 600 events offered at 40 a second against a limit of 30, in simulated time and
 * 1,000 phases, under each policy and quota of Tollgate's and under Kafka's own. `make rates` runs it; docs/rates.md has the
 * results.
 *
 * <p>The order of the modules: {@link io.tollgate.bench.rates.Offers} (when events come) to
 * {@link io.tollgate.bench.rates.Contender} (how long one waits) to {@link io.tollgate.bench.rates.Trial} (when each passed, and
 * what was measured) to {@link io.tollgate.bench.rates.Experiment} (all phases, as distributions).
 */
package io.tollgate.bench.rates;
