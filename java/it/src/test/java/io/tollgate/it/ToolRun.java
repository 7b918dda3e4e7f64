package io.tollgate.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One run of {@code tollgate}, the operator's tool: the one that {@code -Dtollgate.cli} names, or as built in target/release.
 *
 * @param status 0 all done, 1 an error, 2 something was skipped
 * @param output what it wrote to standard output
 * @param errors and to standard error
 */
record ToolRun(int status, String output, String errors) {
    private static final long TIMEOUT_S = 60;

    /** @param directory where its words are left, as NAME.out and NAME.err */
    static ToolRun of(Path directory, String name, String... arguments) throws IOException, InterruptedException {
        Path tool = Path.of(System.getProperty("tollgate.cli", BuildTree.repository().resolve("target/release/tollgate").toString()));
        if (!Files.isExecutable(tool)) {
            throw new IllegalStateException("the operator's tool has not been built: " + tool + " is missing (make cli)");
        }
        Path output = directory.resolve(name + ".out");
        Path errors = directory.resolve(name + ".err");
        List<String> command = new ArrayList<>(List.of(tool.toString()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command).redirectOutput(output.toFile()).redirectError(errors.toFile()).start();
        process.getOutputStream().close();
        if (!process.waitFor(TIMEOUT_S, TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
            throw new AssertionError(command + " has not ended after " + TIMEOUT_S + " s, see " + errors);
        }
        return new ToolRun(process.exitValue(), Files.readString(output), Files.readString(errors));
    }
}
