package io.tollgate.bench;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The JDK's concurrent set: exact, and it never forgets. */
@State(Scope.Benchmark)
public class SetKnown {
    @Param({"1000", "250000"})
    public int perLayer;

    long[] newest;
    Set<Long> set;

    @Setup
    public void fill() {
        int ids = Ids.LAYERS * perLayer;
        set = ConcurrentHashMap.newKeySet(ids);
        for (long id = 0; id < ids; id++) {
            set.add(id);
        }
        newest = Ids.shuffled(0, perLayer);
        Ids.check("the set", newest, set::contains);
    }
}
