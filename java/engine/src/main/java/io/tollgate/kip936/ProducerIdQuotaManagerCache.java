package io.tollgate.kip936;

import io.tollgate.Decision;
import io.tollgate.Tollgate;
import io.tollgate.TollgateConfig;

import org.apache.kafka.common.security.auth.KafkaPrincipal;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * KIP-936's cache of the producer ids that each principal has used within the window.
 *
 * <p>It only tracks, as in the KIP: a new PID is remembered whatever the rate, and charging it to a quota is the caller's
 * part. So the engine behind it has no quota, and never throttles. Differences to the KIP's description:
 * <ul>
 *   <li>{@code producerIdRate} is not needed to size the filters and is not read: the engine keeps up to 64 PIDs of a
 *       principal exactly, and larger layers follow what is seen (a wrong rate costs nothing).</li>
 *   <li>{@code falsePositiveRate} is that of the whole filter, all layers together, where the KIP's is one layer's.</li>
 *   <li>The number of principals and the memory are bounded (10,000 and 64 MiB, as {@link TollgateConfig} has them).
 *       Principals beyond share one gate.</li>
 * </ul>
 *
 * <p>May be called by any number of threads: of those that bring a new PID at once, exactly one gets {@code false}. Old
 * layers and idle principals go in passing, once per layer period; no thread is needed for it.
 */
public final class ProducerIdQuotaManagerCache implements AutoCloseable {
    private final Tollgate engine;
    private final LongSupplier clock;
    private final long layerPeriodMs;
    private final ConcurrentHashMap<KafkaPrincipal, Integer> handles = new ConcurrentHashMap<>();
    private final AtomicLong nextSweep;

    /**
     * @param falsePositiveRate share of never-seen PIDs that may be reported as seen
     * @param ttl the window, {@code producer.id.quota.window.size.seconds}, in milliseconds
     * @param layerCount layers that the window is cut into, 3 to 64
     * @throws IllegalArgumentException naming the setting, its value and its range
     * @throws io.tollgate.TollgateNativeException if the native library can't be used
     */
    public ProducerIdQuotaManagerCache(Double falsePositiveRate, long ttl, int layerCount) {
        this(falsePositiveRate, ttl, layerCount, monotonicMs());
    }

    ProducerIdQuotaManagerCache(Double falsePositiveRate, long ttl, int layerCount, LongSupplier clock) {
        this.engine = Tollgate.create(TollgateConfig.builder()
                .falsePositiveRate(falsePositiveRate)
                .windowMs(ttl)
                .layers(layerCount)
                .build());
        this.clock = clock;
        this.layerPeriodMs = ttl / layerCount;
        this.nextSweep = new AtomicLong(clock.getAsLong() + layerPeriodMs);
    }

    // From 0 at the start: the wall clock may jump, and nanoTime alone may be negative.
    private static LongSupplier monotonicMs() {
        long origin = System.nanoTime();
        return () -> (System.nanoTime() - origin) / 1_000_000;
    }

    /**
     * Tracks one use of a PID.
     *
     * @param principal who sent it
     * @param producerIdRate the principal's quota, new PIDs per hour; not read, see above
     * @param pid the producer id
     * @return true when the PID was seen within the window; false when it is new, and is remembered from now on. A defect in
     *     the native side counts as seen, so that it can't refuse anyone
     */
    public boolean track(KafkaPrincipal principal, int producerIdRate, long pid) {
        long now = clock.getAsLong();
        sweepIfDue(now);
        Integer handle = handles.get(principal);
        long decision = engine.track(handle != null ? handle : intern(principal, now), pid, now);
        // A handle goes stale when its principal was idle for a window; a fresh one can't, unless a sweep races, so once
        // more is nearly always enough, and the bound keeps a defect from spinning here.
        for (int tries = 0; Decision.isStale(decision) && tries < 3; tries++) {
            decision = engine.track(intern(principal, now), pid, now);
        }
        return !Decision.isAdmitted(decision);
    }

    private int intern(KafkaPrincipal principal, long now) {
        int handle = engine.intern(principal.toString(), now);
        // So the map holds no more than the engine does: what is beyond its bound has no handle of its own.
        if (handle != Tollgate.OVERFLOW) {
            handles.put(principal, handle);
        }
        return handle;
    }

    private void sweepIfDue(long now) {
        long due = nextSweep.get();
        if (now >= due && nextSweep.compareAndSet(due, now + layerPeriodMs)) {
            engine.sweep(now);
            handles.values().removeIf(handle -> !engine.isLive(handle));
        }
    }

    /** Ends use: later calls throw {@link IllegalStateException}. */
    @Override
    public void close() {
        engine.close();
    }
}
