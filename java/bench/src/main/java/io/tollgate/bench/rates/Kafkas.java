package io.tollgate.bench.rates;

import java.util.Collections;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;

import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.Quota;
import org.apache.kafka.common.metrics.QuotaViolationException;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.metrics.stats.Rate;
import org.apache.kafka.common.metrics.stats.TokenBucket;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.quota.ControllerMutationQuotaManager;
import org.apache.kafka.server.quota.QuotaUtils;

/** Kafka's own classes, put together as its broker does. */
final class Kafkas implements Contender {
    private final Metrics metrics = new Metrics(new MetricConfig(), Collections.emptyList(), Time.SYSTEM);
    private final MetricConfig config = new MetricConfig().samples(SAMPLES).timeWindow(SAMPLE_MS, TimeUnit.MILLISECONDS);
    private final Sensor sensor = metrics.sensor("events", config);
    private final Rate rate = new Rate();
    private ToLongFunction<QuotaViolationException> throttleMs;
    private long now;

    private Kafkas() {
    }

    /** As ConnectionQuotas limits connections: a rate under a quota, no wait longer than a sample. */
    static Kafkas rate() {
        Kafkas kafkas = new Kafkas();
        kafkas.config.quota(Quota.upperBound(LIMIT));
        kafkas.sensor.add(kafkas.metrics.metricName("rate", "events"), kafkas.rate);
        kafkas.throttleMs = e -> QuotaUtils.boundedThrottleTime(e, SAMPLE_MS, kafkas.now);
        return kafkas;
    }

    /** As ControllerMutationQuotaManager limits mutations: a bucket under a quota, and a rate beside it for the reading. */
    static Kafkas tokenBucket() {
        Kafkas kafkas = new Kafkas();
        kafkas.sensor.add(kafkas.metrics.metricName("rate", "events"), kafkas.rate);
        MetricConfig limited = new MetricConfig().samples(SAMPLES).timeWindow(SAMPLE_MS, TimeUnit.MILLISECONDS)
                .quota(Quota.upperBound(LIMIT));
        kafkas.sensor.add(kafkas.metrics.metricName("tokens", "events"), new TokenBucket(), limited);
        kafkas.throttleMs = ControllerMutationQuotaManager::throttleTimeMs;
        return kafkas;
    }

    @Override
    public long ask(long at) {
        now = at;
        try {
            sensor.record(1.0, at, true);
            return 0;
        } catch (QuotaViolationException e) {
            return throttleMs.applyAsLong(e);
        }
    }

    @Override
    public boolean isStrict() {
        return false;
    }

    @Override
    public double measured(long at) {
        return rate.measure(config, at);
    }

    @Override
    public void close() {
        metrics.close();
    }
}
