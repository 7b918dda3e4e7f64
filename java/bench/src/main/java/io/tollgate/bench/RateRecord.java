package io.tollgate.bench;

import java.util.ArrayList;
import java.util.concurrent.TimeUnit;

import org.apache.kafka.common.metrics.MetricConfig;
import org.apache.kafka.common.metrics.Metrics;
import org.apache.kafka.common.metrics.Sensor;
import org.apache.kafka.common.metrics.stats.Rate;
import org.apache.kafka.common.utils.Time;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One event into a rate as Kafka's ClientQuotaManager has it by default: eleven samples of a second each, one Rate in the
 * sensor. The quota is not checked, so that recording alone is measured. The clock is a count of calls, 1,024 to the
 * millisecond: a new sample about every million.
 */
@State(Scope.Thread)
public class RateRecord extends Measured {
    private static final int SAMPLES = 11;

    private Metrics metrics;
    private Sensor sensor;
    private long calls;

    @Setup
    public void make() {
        MetricConfig config = new MetricConfig().samples(SAMPLES).timeWindow(1, TimeUnit.SECONDS);
        metrics = new Metrics(config, new ArrayList<>(), Time.SYSTEM);
        sensor = metrics.sensor("produce");
        Rate rate = new Rate();
        sensor.add(metrics.metricName("rate", "bench"), rate);
        calls = 0;
        for (int i = 0; i < 1_000; i++) {
            kafkaSensor();
        }
        // Kafka takes all samples but the last for past, however little of them is: 1,000 in ten seconds.
        double perSecond = rate.measure(config, now());
        if (Math.abs(perSecond - 100) > 0.001) {
            throw new IllegalStateException("Kafka's rate is " + perSecond);
        }
    }

    @Benchmark
    public Sensor kafkaSensor() {
        sensor.record(1.0, now(), false);
        calls++;
        return sensor;
    }

    private long now() {
        return calls >>> 10;
    }

    @TearDown
    public void close() {
        metrics.close();
    }
}
