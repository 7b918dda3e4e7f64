package io.tollgate.kafka;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;

/**
 * Where the agent's lines go: the broker's own log through slf4j, or standard error where slf4j is not there or leads
 * nowhere. Nothing here throws.
 *
 * <p>What goes in is one line and stays one: user names stand in lines, and a name may hold a line break.
 */
final class AgentLog {
    private interface Sink {
        void info(String line);

        void warn(String line);

        void error(String line, Throwable cause);
    }

    private static final Sink SINK = sink();

    private AgentLog() {
    }

    static void info(String line) {
        try {
            SINK.info(oneLine(line));
        } catch (Throwable ignored) {
            // Nowhere left to say it.
        }
    }

    static void warn(String line) {
        try {
            SINK.warn(oneLine(line));
        } catch (Throwable ignored) {
            // Nowhere left to say it.
        }
    }

    /** @param cause logged with its stack trace, or null */
    static void error(String line, Throwable cause) {
        try {
            SINK.error(oneLine(line), cause);
        } catch (Throwable ignored) {
            // Nowhere left to say it.
        }
    }

    /**
     * The text with its control characters, line separators, and characters that show as nothing or turn the reading
     * direction written as Java writes them: {@code \\n}, {@code \\u202e}. Otherwise a user could name itself so that the
     * log shows a line that nobody wrote.
     */
    static String oneLine(String text) {
        if (text.chars().noneMatch(AgentLog::isHidden)) {
            return text;
        }
        StringBuilder line = new StringBuilder(text.length() + 16);
        text.chars().forEach(c -> {
            switch (c) {
                case '\n' -> line.append("\\n");
                case '\r' -> line.append("\\r");
                case '\t' -> line.append("\\t");
                default -> line.append(isHidden(c) ? String.format("\\u%04x", c) : Character.toString(c));
            }
        });
        return line.toString();
    }

    private static boolean isHidden(int c) {
        return Character.isISOControl(c) || switch (Character.getType(c)) {
            case Character.FORMAT, Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> true;
            default -> false;
        };
    }

    private static Sink sink() {
        try {
            Logger logger = LoggerFactory.getLogger("io.tollgate.kafka");
            return logger instanceof NOPLogger ? new StandardError() : new Slf4j(logger);
        } catch (Throwable e) {
            return new StandardError();
        }
    }

    private record Slf4j(Logger logger) implements Sink {
        @Override
        public void info(String line) {
            logger.info(line);
        }

        @Override
        public void warn(String line) {
            logger.warn(line);
        }

        @Override
        public void error(String line, Throwable cause) {
            logger.error(line, cause);
        }
    }

    private static final class StandardError implements Sink {
        @Override
        public void info(String line) {
            System.err.println(line);
        }

        @Override
        public void warn(String line) {
            System.err.println(line);
        }

        @Override
        public void error(String line, Throwable cause) {
            System.err.println(line);
            if (cause != null) {
                cause.printStackTrace();
            }
        }
    }
}
