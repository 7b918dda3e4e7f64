package io.tollgate.it.demo;

/** Ends this JVM with the process that started it, and says so when it is ended before its time. */
final class Watch {
    private static final int TERMINATED = 128 + 15;
    private static volatile boolean finished;

    private Watch() {}

    /** When whoever started this JVM is gone, nobody watches and nobody would stop it. */
    static void endWithParent() {
        ProcessHandle.current().parent().ifPresent(parent -> parent.onExit().thenRun(() -> System.exit(TERMINATED)));
    }

    /** From here on, an end is not an interruption. */
    static void finished() {
        finished = true;
    }

    static void sayWhenInterrupted(String what) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            if (!finished) {
                System.err.println("\n" + what);
            }
        }));
    }
}
