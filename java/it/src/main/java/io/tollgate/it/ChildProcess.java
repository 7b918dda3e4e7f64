package io.tollgate.it;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process that ends with this JVM, however this JVM ends.
 *
 * <p>It runs below a four-line shell whose standard input is a pipe from here: a line on it is a signal to send, and
 * its end (this JVM is gone, also by SIGKILL) kills the child. Ctrl-C reaches neither: a shell starts background
 * commands with SIGINT ignored, so it is this JVM that decides.
 */
final class ChildProcess {
    private static final String GUARDIAN = """
            exec 3<&0
            "$@" </dev/null 3<&- & child=$!
            { while read -r signal <&3; do kill -s "$signal" "$child"; done; kill -s KILL "$child"; } >/dev/null 2>&1 &
            guard=$!
            wait "$child"; code=$?; kill -s KILL "$guard"; exit "$code"
            """;

    private final Process shell;

    private ChildProcess(Process shell) {
        this.shell = shell;
    }

    /** @param output where standard output and error go, behind what is there */
    static ChildProcess start(List<String> command, Path directory, Path output) throws IOException {
        List<String> all = new ArrayList<>(List.of("/bin/sh", "-c", GUARDIAN, "guardian"));
        all.addAll(command);
        return new ChildProcess(new ProcessBuilder(all).directory(directory.toFile()).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(output.toFile())).start());
    }

    boolean isAlive() {
        return shell.isAlive();
    }

    /** @return the child's exit code, 128 + n when signal n ended it */
    int exitCode() {
        return shell.exitValue();
    }

    /** @param signal a name as {@code kill -s} takes it */
    void signal(String signal) {
        try {
            OutputStream pipe = shell.getOutputStream();
            pipe.write((signal + "\n").getBytes(StandardCharsets.US_ASCII));
            pipe.flush();
        } catch (IOException ignored) {
            // The shell has ended, and it ends only after its child.
        }
    }

    /** @return whether it has ended */
    boolean waitFor(Duration time) throws InterruptedException {
        return shell.waitFor(time.toMillis(), TimeUnit.MILLISECONDS);
    }
}
