package io.tollgate;

import java.nio.file.Path;

/**
 * The program that {@link NativeLibraryTest} starts in JVMs of its own, since a JVM loads a library once. For each argument it
 * makes an object of that class, or an engine with that file as the explicit library ("-" for none), and prints "ok" or the
 * exception.
 */
final class LoadProbe {
    private LoadProbe() {
    }

    public static void main(String[] args) {
        for (String file : args) {
            try {
                System.out.println(works(file) ? "ok" : "wrong answer");
            } catch (TollgateNativeException failure) {
                System.out.println(failure.getMessage());
            }
        }
    }

    private static boolean works(String file) {
        switch (file) {
            case "WindowedRate":
                try (WindowedRate rate = WindowedRate.create(WindowedRate.Policy.GRID, 1, 1_000)) {
                    return rate.perSecond(0) == 0;
                }
            case "TokenBucket":
                try (TokenBucket bucket = TokenBucket.full(1, 1, 0)) {
                    return bucket.tokens(0) == 1;
                }
            case "Gcra":
                try (Gcra bucket = Gcra.full(1, 1, 0)) {
                    return bucket.tokens(0) == 1;
                }
            case "DispatchEstimator":
                try (DispatchEstimator estimator = DispatchEstimator.create(true)) {
                    return estimator.isPrecise();
                }
            default:
                TollgateConfig.Builder builder = TollgateConfig.builder();
                if (!file.equals("-")) {
                    builder.nativeLibrary(Path.of(file));
                }
                try (Tollgate gate = Tollgate.create(builder.build())) {
                    int principal = gate.intern("probe", 0);
                    return Decision.isAdmitted(gate.track(principal, 1, 0));
                }
        }
    }
}
