package io.tollgate.bench.rates;

import io.tollgate.WindowedRate;

/** A rate of Tollgate's under Kafka's rule: what is above the limit waits the throttle time, at most a sample. */
final class Windowed implements Contender {
    private final WindowedRate rate;

    Windowed(WindowedRate.Policy policy) {
        rate = WindowedRate.create(policy, SAMPLES, SAMPLE_MS);
    }

    @Override
    public long ask(long now) {
        rate.record(1, now);
        return Math.min(rate.throttleMs(LIMIT, now), SAMPLE_MS);
    }

    @Override
    public boolean isStrict() {
        return false;
    }

    @Override
    public double measured(long now) {
        return rate.perSecond(now);
    }

    @Override
    public void close() {
        rate.close();
    }
}
