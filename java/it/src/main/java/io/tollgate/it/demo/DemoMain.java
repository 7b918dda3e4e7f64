package io.tollgate.it.demo;

import io.tollgate.it.BuildTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The demo: the same load on a stock broker and on one with the agent, one after the other, so that neither takes
 * processor time from the other, and each from a JVM of its own ({@link RunMain}), so that neither meets clients
 * that the other has warmed up.
 */
public final class DemoMain {
    private static final String KAFKA = "4.4.0";
    /** How much longer than the stock broker the guarded one has to stand the flood, seconds. */
    private static final int LONGER_S = 10;
    private static final String HELP = """
            usage: demo [--live] [DIRECTORY]

            Runs a stock Kafka broker and one with the Tollgate agent under the same load, one after the other, and writes
            report.json and samples.json to DIRECTORY (default: target/demo at the top of the repository). What each broker
            wrote stays there, in stock-data and guarded-data, until the next run.

              --live   redraw the progress in place (for a terminal); otherwise a line every few seconds
              --help   this text

            Environment:
              QUICK=1  about a minute instead of about four; the stock broker does not get to fail

            Exit code: 0 all shown, 1 something did not hold (it says what), 2 wrong usage, 130 interrupted.
            Everything listens on 127.0.0.1 only. However this process ends, its brokers end with it.
            """;

    private final Path directory;
    private final boolean live;
    private final Scenario scenario;

    private DemoMain(Path directory, boolean live, Scenario scenario) {
        this.directory = directory;
        this.live = live;
        this.scenario = scenario;
    }

    public static void main(String[] arguments) throws InterruptedException {
        boolean live = false;
        Path directory = BuildTree.repository().resolve("target/demo");
        for (String argument : arguments) {
            if (argument.equals("--help")) {
                System.out.print(HELP);
                return;
            } else if (argument.equals("--live")) {
                live = true;
            } else if (argument.startsWith("-")) {
                System.err.println("unknown option " + argument + "\n\n" + HELP);
                System.exit(2);
            } else {
                directory = Path.of(argument);
            }
        }
        Watch.endWithParent();
        Scenario scenario = "1".equals(System.getenv("QUICK")) ? Scenario.inShort() : Scenario.inFull();
        int code;
        try {
            Files.createDirectories(directory);
            code = new DemoMain(directory, live, scenario).run();
        } catch (IOException | IllegalStateException e) {
            System.err.println("demo: " + e.getMessage());
            code = 1;
        }
        Watch.finished();
        System.exit(code);
    }

    /** @return the exit code */
    private int run() throws IOException, InterruptedException {
        RunResult stock = run(RunMain.STOCK, scenario.rawS());
        int rawS = stock.endedAtS() == null ? scenario.rawS() : (int) Math.ceil(stock.rawS()) + LONGER_S;
        RunResult guarded = run(RunMain.GUARDED, rawS);
        Report.write(directory, KAFKA, scenario, stock, guarded);
        System.out.println("\n" + Report.table(stock, guarded));
        List<String> failures = Verdict.failures(scenario, stock, guarded);
        failures.forEach(failure -> System.err.println("demo: " + failure));
        return failures.isEmpty() ? 0 : 1;
    }

    private RunResult run(String broker, int rawS) throws IOException, InterruptedException {
        Path result = directory.resolve("run-" + broker + ".json");
        Files.deleteIfExists(result);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m",
                "-Dtollgate.clients.log=" + directory.resolve("clients-" + broker + ".log"),
                "-cp", System.getProperty("java.class.path"), RunMain.class.getName(),
                broker, KAFKA, scenario.quick() ? "quick" : "full", Integer.toString(rawS), result.toString()));
        if (live) {
            command.add("live");
        }
        // It shares the terminal, so Ctrl-C reaches it, too, and it ends when this process does.
        int code = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (code != 0) {
            throw new IllegalStateException("the run on the " + broker + " broker ended with code " + code);
        }
        RunResult read = Report.readRun(result);
        Files.delete(result);
        return read;
    }
}
