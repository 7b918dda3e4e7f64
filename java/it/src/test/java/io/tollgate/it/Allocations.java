package io.tollgate.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.management.JMException;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;

/**
 * What a broker allocated on the way of produce requests, sampled by its own Flight Recorder.
 *
 * @param ours samples with a class of Tollgate's on the stack
 */
record Allocations(long samples, long ours) {
    private static final String EVENT = "jdk.ObjectAllocationSample";

    interface Load {
        void run() throws IOException, JMException;
    }

    /** Of the request handler threads while {@code load} runs. */
    static Allocations during(CostSide side, Load load) throws IOException, JMException {
        Path file = Files.createTempFile("tollgate-cost", ".jfr");
        try {
            side.jmx().diagnose("jfrStart", "name=cost", "settings=none", "filename=" + file, "+" + EVENT + "#enabled=true",
                    "+" + EVENT + "#throttle=5000/s");
            try {
                load.run();
            } finally {
                side.jmx().diagnose("jfrStop", "name=cost", "filename=" + file);
            }
            return read(RecordingFile.readAllEvents(file));
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static Allocations read(List<RecordedEvent> events) {
        List<RecordedEvent> samples = events.stream().filter(event -> event.getEventType().getName().equals(EVENT)
                && event.getThread() != null && event.getThread().getJavaName().contains("request-handler")).toList();
        return new Allocations(samples.size(), samples.stream().filter(sample -> isOurs(sample.getStackTrace())).count());
    }

    private static boolean isOurs(RecordedStackTrace stack) {
        return stack != null && stack.getFrames().stream()
                .anyMatch(frame -> frame.getMethod().getType().getName().startsWith("io.tollgate."));
    }
}
