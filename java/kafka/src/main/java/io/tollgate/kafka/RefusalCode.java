package io.tollgate.kafka;

/**
 * The error code that tells a client it is over the quota (K5). It decides whether messages are lost: it must be one
 * that the client library retries.
 */
final class RefusalCode {
    /** Retried by every client library tried. */
    static final short REQUEST_TIMED_OUT = 7;
    /** Says what it is. librdkafka, sarama, aiokafka and kafkajs give up on it and lose the message. */
    static final short THROTTLING_QUOTA_EXCEEDED = 89;

    /** Of what is added to a transaction. Retried by every client library tried. */
    static final short CONCURRENT_TRANSACTIONS = 51;

    private static final String KAFKAS_OWN = "apache-kafka-java";

    private RefusalCode() {
    }

    /** Whether it is kafka-clients, by the name that it gives since 2.4. */
    static boolean isKafkasOwn(String software) {
        return KAFKAS_OWN.equals(software);
    }

    /**
     * @param software the client library's name, as ApiVersions v3 carries it
     * @param version its version, such as {@code "4.4.0"}
     */
    static short of(String software, String version) {
        // Kafka's own clients know code 89 since 2.7. Before that they give their name (since 2.4), take an unknown
        // code for UNKNOWN_SERVER_ERROR, and give up.
        return isKafkasOwn(software) && isAtLeast(version, 2, 7)
                ? THROTTLING_QUOTA_EXCEEDED : REQUEST_TIMED_OUT;
    }

    private static boolean isAtLeast(String version, int major, int minor) {
        int dot = version.indexOf('.');
        if (dot < 1) {
            return false;
        }
        int end = dot + 1;
        while (end < version.length() && Character.isDigit(version.charAt(end))) {
            end++;
        }
        try {
            int first = Integer.parseInt(version.substring(0, dot));
            return first > major || first == major && Integer.parseInt(version.substring(dot + 1, end)) >= minor;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
