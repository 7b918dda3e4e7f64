package io.tollgate;

import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.function.LongConsumer;

/**
 * What owns an object of the native library: its handle, its end, its memory. Not API.
 *
 * <p>A method that hands {@link #handle} to the library checks {@link #ensureOpen} first, and keeps {@code this} reachable
 * until the library is done, by {@link Reference#reachabilityFence}: memory goes when the object is unreachable, so no call
 * can meet memory that was freed. Nothing here writes to memory that threads share, but {@link #close}.
 */
abstract class NativeObject implements AutoCloseable {
    private static Cleaner cleaner;

    /** Not 0; for the library's eyes only. */
    final long handle;
    private volatile boolean closed;

    /** @param free gives the memory behind the handle back; must not hold this object */
    NativeObject(long handle, LongConsumer free) {
        this.handle = handle;
        cleaner().register(this, new Free(handle, free));
    }

    /** Frees once no call can be under way. A class of its own, so that it can't hold the object. */
    private record Free(long handle, LongConsumer free) implements Runnable {
        @Override
        public void run() {
            free.accept(handle);
        }
    }

    // Not in a static initialiser: starting a thread can fail, and that must fail one call, not this class.
    private static synchronized Cleaner cleaner() {
        if (cleaner == null) {
            cleaner = Cleaner.create();
        }
        return cleaner;
    }

    /** Ends use: later calls throw. Closing twice does nothing. */
    @Override
    public void close() {
        closed = true;
    }

    final void ensureOpen() {
        if (closed) {
            throw new IllegalStateException("this " + getClass().getSimpleName() + " is closed");
        }
    }

    /** For numbers that the library takes without a sign. */
    static void ensureNotNegative(String name, long value) {
        if (value < 0) {
            throw new IllegalArgumentException(name + " = " + value + ": must be 0 or more");
        }
    }
}
