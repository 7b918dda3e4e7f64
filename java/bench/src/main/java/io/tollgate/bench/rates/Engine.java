package io.tollgate.bench.rates;

import io.tollgate.Decision;
import io.tollgate.Limiter;
import io.tollgate.Tollgate;
import io.tollgate.TollgateConfig;

/** The whole engine under a quota on new ids, enforced by a window: each event is a new id, each trial a new principal. */
final class Engine implements AutoCloseable {
    /** An engine's time goes on, so that each trial begins after the one before has ended. */
    private static final long APART_MS = 120_000;

    /** From one event to the next, rounded up. */
    private static final long INTERVAL_MS = (1_000 + Contender.LIMIT - 1) / Contender.LIMIT;

    private final Tollgate gate;
    private int trials;

    Engine(double burst) {
        gate = Tollgate.create(TollgateConfig.builder()
                .windowMs(Contender.SAMPLE_MS)
                .limiter(Limiter.WINDOWED)
                .defaultQuota(Contender.LIMIT * 3600.0, burst)
                // An id that is taken for a known one would pass uncounted.
                .falsePositiveRate(0.000_001)
                .seed(1)
                .build());
    }

    Contender trial(long firstMs) {
        long laterMs = ++trials * APART_MS;
        return new Trial(gate.intern("trial " + trials, firstMs + laterMs), laterMs);
    }

    @Override
    public void close() {
        gate.close();
    }

    private final class Trial extends Metered {
        private final int principal;
        private final long laterMs;
        private long pid;

        private Trial(int principal, long laterMs) {
            this.principal = principal;
            this.laterMs = laterMs;
        }

        /**
         * The wait that the engine names is spread by id over one interval more, so that a crowd does not come back at once. A line
         * of one asks again as early as may be, then each millisecond.
         */
        @Override
        public long ask(long now) {
            long decision = gate.track(principal, pid, now + laterMs);
            if (Decision.isAdmitted(decision)) {
                pid++;
                return 0;
            }
            if (!Decision.isThrottled(decision)) {
                throw new IllegalStateException("id " + pid + " is " + Decision.toString(decision));
            }
            return Math.max(1, Decision.retryAfterMs(decision) - INTERVAL_MS);
        }

        @Override
        public boolean isStrict() {
            return true;
        }
    }
}
