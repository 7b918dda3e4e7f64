package io.tollgate.kafka;

import java.util.HashMap;
import java.util.Map;

/** A broker that a test makes up: whatever the test doesn't say is as of a librdkafka client of alice's, and nothing waits. */
abstract class BrokerInMemory implements BrokerAdapter {
    final Map<String, Object> properties = new HashMap<>();
    String software = "librdkafka";
    /** Thrown where a request is looked at first; null: nothing is. */
    RuntimeException failure;

    @Override
    public Map<String, ?> properties() {
        return properties;
    }

    @Override
    public String user(Object request) {
        return "alice";
    }

    @Override
    public String clientSoftware(Object request) {
        return software;
    }

    @Override
    public String clientVersion(Object request) {
        return "2.16.0";
    }

    @Override
    public int bytes(Object request) {
        return 100;
    }

    @Override
    public boolean mayWait(Object request) {
        return false;
    }

    @Override
    public void again(Object request) {
        throw new AssertionError("nothing waits here");
    }

    @Override
    public TransactionAdapter transactions() {
        return null;
    }
}
