package io.tollgate.kafka;

import java.util.List;
import java.util.Map;

/** The adapter on real requests, for a broker that leads every partition and has no producer state. */
record Leader(BrokerAdapter requests) implements BrokerAdapter {
    @Override
    public Map<String, ?> properties() {
        return Map.of();
    }

    @Override
    public String user(Object request) {
        return requests.user(request);
    }

    @Override
    public long producerId(Object request) {
        return requests.producerId(request);
    }

    @Override
    public List<Batch> batches(Object request) {
        return requests.batches(request);
    }

    @Override
    public Presence presence(Batch batch) {
        return Presence.ABSENT;
    }

    @Override
    public String clientSoftware(Object request) {
        return requests.clientSoftware(request);
    }

    @Override
    public String clientVersion(Object request) {
        return requests.clientVersion(request);
    }

    @Override
    public int bytes(Object request) {
        return requests.bytes(request);
    }

    @Override
    public boolean mayWait(Object request) {
        return requests.mayWait(request);
    }

    @Override
    public void again(Object request) {
        throw new AssertionError("nothing waits here");
    }

    @Override
    public void refuse(Object request, short errorCode, String message, int waitMs) {
        throw new AssertionError("nothing is over the quota here");
    }

    @Override
    public TransactionAdapter transactions() {
        return requests.transactions();
    }
}
