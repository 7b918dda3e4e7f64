package io.tollgate.bench;

import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.ThreadParams;

/** Where a thread is in the round of ids. */
@State(Scope.Thread)
public class Cursor {
    private int at;

    /** Threads start apart: one that follows another would find what the other has just fetched. */
    @Setup
    public void start(ThreadParams threads) {
        at = threads.getThreadIndex() * 100_003;
    }

    long next(long[] ids) {
        return ids[step(ids.length)];
    }

    <T> T next(T[] items) {
        return items[step(items.length)];
    }

    private int step(int length) {
        int now = at < length ? at : 0;
        at = now + 1;
        return now;
    }
}
