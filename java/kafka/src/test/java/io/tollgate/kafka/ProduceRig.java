package io.tollgate.kafka;

import io.tollgate.kafka.PartitionsInMemory.Sent;
import java.util.List;

/** Produce requests of alice's, and what the guard lets pass of them. */
abstract class ProduceRig extends GuardRig<PartitionsInMemory> {
    ProduceRig() {
        super(new PartitionsInMemory());
    }

    static Sent sent(Batch... batches) {
        return new Sent("alice", List.of(batches));
    }

    static Batch batch(int partition, long producerId, int sequence) {
        return new Batch("t", partition, producerId, sequence, 1);
    }

    boolean passes(Sent sent) {
        if (guard.refuses(sent)) {
            return false;
        }
        broker.append(sent);
        return true;
    }
}
