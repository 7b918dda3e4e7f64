package io.tollgate;

import java.nio.file.Path;

/**
 * The program that {@link NativeLibraryTest} starts in JVMs of its own, since a JVM loads a library once. For each argument it
 * makes an engine, with that file as the explicit library ("-" for none), and prints "ok" or the exception.
 */
final class LoadProbe {
    private LoadProbe() {
    }

    public static void main(String[] args) {
        for (String file : args) {
            TollgateConfig.Builder builder = TollgateConfig.builder();
            if (!file.equals("-")) {
                builder.nativeLibrary(Path.of(file));
            }
            try (Tollgate gate = Tollgate.create(builder.build())) {
                int principal = gate.intern("probe", 0);
                System.out.println(Decision.isAdmitted(gate.track(principal, 1, 0)) ? "ok" : "wrong decision");
            } catch (TollgateNativeException failure) {
                System.out.println(failure.getMessage());
            }
        }
    }
}
