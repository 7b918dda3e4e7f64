package io.tollgate.it;

/** How a broker's process stands or ended, read from its exit code and its output. */
public enum Outcome {
    RUNNING("running"),
    /** Ended because it was told to. */
    STOPPED("stopped"),
    /** The JVM ended itself on an OutOfMemoryError ({@code -XX:+ExitOnOutOfMemoryError}). */
    OUT_OF_MEMORY("out of memory"),
    /** Ended in any other way. */
    CRASHED("crashed");

    private final String text;

    Outcome(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
