package io.tollgate.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** What a broker wrote, over all its runs. */
final class BrokerLogs {
    private static final int TAIL = 2_000;

    /** Written by the broker's loggers. */
    final Path log;
    /** Standard output and error of its process. */
    final Path output;

    BrokerLogs(Path home) {
        log = home.resolve("server.log");
        output = home.resolve("process.log");
    }

    /** @return the file's text, empty when there is none */
    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }

    /** What a person would look at first: the end of the process's output, and the newest warnings and errors of the log. */
    String troubles() {
        String warnings = read(log).lines().filter(line -> line.matches("\\[[^]]*] (WARN|ERROR|FATAL) .*"))
                .collect(Collectors.joining("\n"));
        return tail(read(output)) + "\n" + tail(warnings);
    }

    private static String tail(String text) {
        return text.substring(Math.max(0, text.length() - TAIL)).strip();
    }
}
