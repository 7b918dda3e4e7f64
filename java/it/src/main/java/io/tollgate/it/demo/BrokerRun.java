package io.tollgate.it.demo;

import io.tollgate.it.BrokerBuilder;
import io.tollgate.it.BrokerProcess;
import io.tollgate.it.Jmx;
import io.tollgate.it.JvmSamples;
import io.tollgate.it.Outcome;
import io.tollgate.it.RawFlood;
import io.tollgate.it.RogueProducers;
import io.tollgate.it.WellBehaved;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.management.JMException;

/** Runs the load on one broker and takes a reading every second. For one thread. */
final class BrokerRun {
    private static final String AFTERWARDS = "afterwards";
    private static final String ORDERS = "orders";
    private static final String EVENTS = "events";
    private static final String TOTALS = "kafka.server:type=ProducerIds";
    /** Above every number that the broker hands out by itself in a run. */
    private static final long FIRST_RAW_PID = 1_000_000;
    private static final long SAMPLE_EVERY_MS = 1_000;
    /** How long messages may still take after the last one was sent; a broker that is gone gets less. */
    private static final Duration LAST_WAIT = Duration.ofSeconds(20);
    private static final Duration LAST_WAIT_GONE = Duration.ofSeconds(3);

    private final String title;
    private final Scenario scenario;
    private final BrokerProcess broker;
    private final Progress progress;
    private final List<Sample> samples = new ArrayList<>();
    private final List<RunResult.Phase> phases = new ArrayList<>();
    private final JvmSamples jvm;
    private WellBehaved wellBehaved;
    private Supplier<String> rogue = () -> "not yet";
    private long started;
    private long nextSample;
    private Double endedAt;
    private double rawSeconds;

    private BrokerRun(String title, Scenario scenario, BrokerProcess broker, Progress progress) {
        this.title = title;
        this.scenario = scenario;
        this.broker = broker;
        this.progress = progress;
        this.jvm = new JvmSamples(broker);
    }

    /** Starts the broker, runs the load, ends the broker, which keeps its data when the builder says so. */
    static RunResult run(String title, Scenario scenario, BrokerBuilder builder, Progress progress)
            throws IOException, InterruptedException, JMException {
        progress.say(title + ": starting Kafka with " + scenario.heapMb() + " MB of heap");
        try (BrokerProcess broker = builder.heapMb(scenario.heapMb())
                .users(Scenario.WELL_BEHAVED, Scenario.ROGUE).start()) {
            BrokerRun run = new BrokerRun(title, scenario, broker, progress);
            try {
                RunResult result = run.load();
                // As an operator would end it, with all that a broker writes down then.
                broker.stop();
                return result;
            } finally {
                run.jvm.close();
            }
        }
    }

    private RunResult load() throws IOException, InterruptedException, JMException {
        broker.createTopic(ORDERS, scenario.wellBehavedPartitions());
        broker.createTopic(EVENTS, scenario.roguePartitions());
        double heapAtStart = heapAfterFullGc();
        RogueProducers.Totals producers;
        RawFlood.Totals raw;
        wellBehaved = new WellBehaved(broker, Scenario.WELL_BEHAVED, ORDERS, scenario.wellBehavedProducers(),
                scenario.wellBehavedRate());
        started = System.nanoTime();
        nextSample = started;
        try {
            phase("warm-up", scenario.warmUpS());
            wellBehaved.warm();
            phase("calm", scenario.calmS() - scenario.warmUpS());
            producers = producerPerMessage();
            raw = rawFlood();
            phase(AFTERWARDS, scenario.afterS());
        } finally {
            wellBehaved.close(broker.outcome() == Outcome.RUNNING ? LAST_WAIT : LAST_WAIT_GONE);
        }
        boolean alive = broker.outcome() == Outcome.RUNNING;
        double heapAtEnd = alive ? heapAfterFullGc() : newest(Sample::heapAfterGcMb, Double.NaN);
        sample("end");
        return new RunResult(broker.outcome(), newest(Sample::producerIds, 0L), heapAtEnd, heapAtStart,
                newest(Sample::throttled, 0L), alive ? jvm.number(TOTALS, "Admitted", 0) : 0, now(), endedAt, rawSeconds,
                wellBehaved.totals(), wellBehaved.lastError(), producers, raw, phases, samples);
    }

    private RogueProducers.Totals producerPerMessage() throws InterruptedException {
        RogueProducers producers = new RogueProducers(broker, Scenario.ROGUE, EVENTS, scenario.producersRate());
        try (producers) {
            rogue = () -> describe(producers.totals());
            phase("a producer per message", scenario.producersS());
        }
        return producers.totals();
    }

    private RawFlood.Totals rawFlood() throws InterruptedException {
        double from = now();
        RawFlood flood = new RawFlood(broker, Scenario.ROGUE, EVENTS, scenario.roguePartitions(), FIRST_RAW_PID,
                scenario.rawRate(), (long) (scenario.rawRate() * scenario.rawS()));
        try (flood) {
            rogue = () -> describe(flood.totals());
            phase("raw flood", scenario.rawS());
            rawSeconds = (endedAt == null ? now() : endedAt) - from;
        }
        return flood.totals();
    }

    /** Lets a phase run its time, taking readings. When the broker is gone, phases end at once, but for the last. */
    private void phase(String name, int seconds) throws InterruptedException {
        boolean untilGone = !name.equals(AFTERWARDS);
        double from = now();
        while (now() < from + seconds) {
            if (endedAt == null && broker.outcome() != Outcome.RUNNING) {
                endedAt = now();
            }
            if (endedAt != null && untilGone) {
                break;
            }
            if (System.nanoTime() >= nextSample) {
                // After a reading that took long (a broker collecting garbage) skip those that were missed.
                do {
                    nextSample += SAMPLE_EVERY_MS * 1_000_000;
                } while (nextSample <= System.nanoTime());
                Sample sample = sample(name);
                progress.show(new Progress.Status(title, endedAt == null ? name : name + ", broker gone: " + broker.outcome(),
                        now() - from, seconds, scenario.heapMb(), sample, rogue.get()));
            }
            Thread.sleep(50);
        }
        if (now() > from) {
            phases.add(new RunResult.Phase(name, round(from), round(now())));
        }
    }

    private Sample sample(String phase) {
        JvmSamples.Sample read = endedAt == null ? jvm.read() : null;
        Double heap = read == null || Double.isNaN(read.heapAfterGcMb()) ? null : read.heapAfterGcMb();
        Long throttled = read == null ? null : (Long) jvm.number(TOTALS, "Throttled", 0);
        double p99 = wellBehaved.windowP99Ms();
        WellBehaved.Totals totals = wellBehaved.totals();
        Sample sample = new Sample(round(now()), phase, read == null ? null : (Long) read.producerIds(),
                heap == null ? null : (Double) round(heap), throttled, totals.sent(), totals.acknowledged(), totals.errors(),
                Double.isNaN(p99) ? null : (Double) round(p99));
        samples.add(sample);
        return sample;
    }

    private <T> T newest(Function<Sample, T> field, T otherwise) {
        for (int i = samples.size() - 1; i >= 0; i--) {
            T value = field.apply(samples.get(i));
            if (value != null) {
                return value;
            }
        }
        return otherwise;
    }

    private double heapAfterFullGc() throws IOException, JMException {
        try (Jmx jmx = broker.openJmx()) {
            jmx.collectGarbage();
            return round(jmx.heapAfterGcMb());
        }
    }

    /** @return seconds since the load began */
    private double now() {
        return (System.nanoTime() - started) / 1e9;
    }

    private static double round(double value) {
        return Math.round(value * 100) / 100.0;
    }

    private static String describe(RogueProducers.Totals totals) {
        return String.format(Locale.ROOT, "%,d producers made, %,d delivered, %,d gave up", totals.made(), totals.delivered(),
                totals.gaveUp());
    }

    private static String describe(RawFlood.Totals totals) {
        return String.format(Locale.ROOT, "%,d requests sent, %,d accepted, %,d refused, %,d connections", totals.sent(),
                totals.accepted(), totals.refused(), totals.connections());
    }
}
