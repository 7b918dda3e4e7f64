package io.tollgate.bench;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How everything here is measured: nanoseconds per call, a run of all in about four minutes.
 *
 * <p>G1, as Kafka's start scripts choose. Its regions are large here since commons-collections makes a filter of half a
 * megabyte per call at 250,000 ids: with the regions that G1 would choose for such a heap that is a humongous object, which
 * no host of that size would have chosen.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgs = {"-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "-XX:G1HeapRegionSize=8m"})
abstract class Measured {
}
