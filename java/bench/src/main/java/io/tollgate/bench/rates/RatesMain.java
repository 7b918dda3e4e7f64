package io.tollgate.bench.rates;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs the experiment and writes what it saw. */
public final class RatesMain {
    private RatesMain() {
    }

    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 1 || arguments[0].startsWith("-")) {
            System.err.println("usage: RatesMain OUT.json");
            System.exit(2);
        }
        Files.writeString(Path.of(arguments[0]), Experiment.toJson(Experiment.run()));
    }
}
