package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** What calls cost the heap, and what native objects cost the process. */
final class Memory {
    private Memory() {
    }

    /**
     * The least that this thread takes from the heap while the call runs, in bytes: the JVM itself now and then takes some
     * hundred on a thread's account, on a busy machine more often. What a call takes shows in every run.
     */
    static long allocated(Runnable call) {
        long least = Long.MAX_VALUE;
        for (int run = 0; run < 5 && least > 0; run++) {
            least = Math.min(least, allocatedOnce(call));
        }
        return least;
    }

    private static long allocatedOnce(Runnable call) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        assertTrue(threads.isThreadAllocatedMemorySupported() && threads.isThreadAllocatedMemoryEnabled());
        long id = Thread.currentThread().getId();
        threads.getThreadAllocatedBytes(id);
        long before = threads.getThreadAllocatedBytes(id);
        call.run();
        return threads.getThreadAllocatedBytes(id) - before;
    }

    static long residentBytes() throws Exception {
        return Files.readAllLines(Path.of("/proc/self/status")).stream().filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024).findFirst().orElseThrow();
    }

    /** Bytes by which the process is larger than {@code before}, once that is at most {@code enough} or no more goes. */
    static long grownSince(long before, long enough) throws Exception {
        // The Cleaner runs when the collector has found the objects; give it a while to catch up.
        long grown = Long.MAX_VALUE;
        for (int tries = 0; tries < 50 && grown > enough; tries++) {
            System.gc();
            Thread.sleep(100);
            grown = residentBytes() - before;
        }
        return grown;
    }
}
