package io.tollgate.bench.rates;

/** What holds events to 30 a second, fresh for one trial. */
interface Contender extends AutoCloseable {
    /** Events per second that may pass. */
    int LIMIT = 30;
    /** Samples that rates are measured over, as in Kafka's test. */
    int SAMPLES = 2;
    long SAMPLE_MS = 1_000;

    /** Asks for one event; milliseconds to wait, 0 for none. */
    long ask(long now);

    /** Whether one that has to wait was refused, and asks again then. Else it is counted already, and passes then. */
    boolean isStrict();

    /** Events per second by this one's own reading, or by the reading that is used beside it. */
    double measured(long now);

    /** Tells of an event that passed. */
    default void passed(long now) {
    }

    @Override
    void close();
}
