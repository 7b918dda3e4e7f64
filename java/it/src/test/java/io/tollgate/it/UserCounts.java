package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import javax.management.JMException;

/** What one broker has counted of one user since it started. */
record UserCounts(long admitted, long throttled, long reRecorded, double quota, double tokens) {
    /** Of a user that has not been there. */
    static final UserCounts NONE = new UserCounts(0, 0, 0, Double.NaN, Double.NaN);

    static UserCounts read(BrokerProcess broker, String user) throws IOException, JMException {
        String bean = Guarded.TOTALS + ",user=" + user;
        try (Jmx jmx = broker.openJmx()) {
            if (!jmx.has(bean)) {
                return NONE;
            }
            return new UserCounts((Long) jmx.attribute(bean, "Admitted"), (Long) jmx.attribute(bean, "Throttled"),
                    (Long) jmx.attribute(bean, "ReRecorded"), (Double) jmx.attribute(bean, "QuotaPerHour"),
                    (Double) jmx.attribute(bean, "Tokens"));
        }
    }

    /** Asserts that none was charged or throttled between this and {@code later}, and that the quota is untouched. */
    void assertUncharged(UserCounts later) {
        assertEquals(admitted, later.admitted, "charged");
        assertEquals(0, later.throttled, "throttled");
        assertEquals(later.quota, later.tokens, "what is left of an hour's quota in a window of an hour");
    }
}
