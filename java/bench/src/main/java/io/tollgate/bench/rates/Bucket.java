package io.tollgate.bench.rates;

import io.tollgate.TokenBucket;

/** Tollgate's permissive bucket, of the capacity that Kafka's has. */
final class Bucket extends Metered {
    /** N x W x Q. */
    static final double CAPACITY = SAMPLES * SAMPLE_MS / 1000.0 * LIMIT;

    private final TokenBucket bucket;

    Bucket(long firstMs) {
        bucket = TokenBucket.full(LIMIT, CAPACITY, firstMs);
    }

    @Override
    public long ask(long now) {
        return bucket.charge(1, now);
    }

    @Override
    public boolean isStrict() {
        return false;
    }

    @Override
    public void close() {
        bucket.close();
        super.close();
    }
}
