package io.tollgate.bench.rates;

import io.tollgate.WindowedRate;

/** One that limits without measuring: the rate of what passes is read by the sliding policy, as the engine's statistics are. */
abstract class Metered implements Contender {
    private final WindowedRate rate = WindowedRate.create(WindowedRate.Policy.SLIDING, SAMPLES, SAMPLE_MS);

    @Override
    public final double measured(long now) {
        return rate.perSecond(now);
    }

    @Override
    public final void passed(long now) {
        rate.record(1, now);
    }

    @Override
    public void close() {
        rate.close();
    }
}
