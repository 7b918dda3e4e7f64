package io.tollgate.kafka;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;

/**
 * Where the agent's lines go: the broker's own log through slf4j, or standard error where slf4j is not there or leads
 * nowhere. Nothing here throws.
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
            SINK.info(line);
        } catch (Throwable ignored) {
            // Nowhere left to say it.
        }
    }

    static void warn(String line) {
        try {
            SINK.warn(line);
        } catch (Throwable ignored) {
            // Nowhere left to say it.
        }
    }

    /** @param cause logged with its stack trace, or null */
    static void error(String line, Throwable cause) {
        try {
            SINK.error(line, cause);
        } catch (Throwable ignored) {
            // Nowhere left to say it.
        }
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
