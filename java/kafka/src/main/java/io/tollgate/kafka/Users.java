package io.tollgate.kafka;

import io.tollgate.Tollgate;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

/**
 * The engine's handle for each user name, looked up without allocation, and each user's MBean.
 *
 * <p>Bounded: a name is kept only while the engine keeps its principal ({@link #sweep}), and never more than the engine
 * itself may hold. Names beyond that are interned anew for each request: they share the engine's overflow gate, whose
 * handle is not theirs to keep.
 */
final class Users {
    private final Tollgate engine;
    private final Beans beans;
    private final int most;
    private final ToLongFunction<String> delayed;
    private final ConcurrentHashMap<String, Integer> handles = new ConcurrentHashMap<>();

    /**
     * @param most users kept; the engine's {@code maxPrincipals}
     * @param delayed how many requests of a user waited and passed
     */
    Users(Tollgate engine, Beans beans, int most, ToLongFunction<String> delayed) {
        this.engine = engine;
        this.beans = beans;
        this.most = most;
        this.delayed = delayed;
    }

    int handle(String user, long nowMs) {
        Integer handle = handles.get(user);
        return handle != null ? handle : intern(user, nowMs);
    }

    /** The user's handle after the one at hand turned out to be stale. */
    int intern(String user, long nowMs) {
        int handle = engine.intern(user, nowMs);
        if (handle != Tollgate.OVERFLOW) {
            adopt(user, handle);
        }
        return handle;
    }

    private synchronized void adopt(String user, int handle) {
        // The engine drops a user before this map does, so for a moment the map could grow past what the engine holds.
        if (!handles.containsKey(user) && handles.size() >= most) {
            return;
        }
        if (handles.put(user, handle) == null) {
            beans.add(user, () -> {
                Integer now = handles.get(user);
                return now == null ? null : engine.stats(now, Clock.nowMs());
            }, () -> delayed.applyAsLong(user));
        }
    }

    /** Lets go of the users that the engine has dropped. */
    synchronized void sweep() {
        handles.forEach((user, handle) -> {
            if (!engine.isLive(handle)) {
                handles.remove(user);
                beans.remove(user);
            }
        });
    }

    boolean holds(String user) {
        return handles.containsKey(user);
    }

    int size() {
        return handles.size();
    }
}
