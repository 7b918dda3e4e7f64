package io.tollgate.bench.rates;

import io.tollgate.Gcra;

/** The bucket of Tollgate's quotas: with a capacity of more than one a burst passes, with one events are evenly spaced. */
final class Spaced extends Metered {
    private final Gcra bucket;

    Spaced(double capacity, long firstMs) {
        bucket = Gcra.full(LIMIT * 3600.0, capacity, firstMs);
    }

    @Override
    public long ask(long now) {
        return bucket.charge(now);
    }

    @Override
    public boolean isStrict() {
        return true;
    }

    @Override
    public void close() {
        bucket.close();
        super.close();
    }
}
