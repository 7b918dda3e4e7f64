package io.tollgate.kafka;

/** What is done about a producer ID over the quota. */
enum Mode {
    /** It is refused until the quota has room again. */
    ENFORCE,
    /** It is counted as throttled, once, and passes. */
    OBSERVE,
    /** Nothing is counted or refused. */
    OFF;

    /** As it is written in the properties file. */
    String word() {
        return Setting.word(this);
    }
}
