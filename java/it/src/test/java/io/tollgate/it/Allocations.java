package io.tollgate.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.management.JMException;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/**
 * What a broker allocated on the way of produce requests, sampled by its own Flight Recorder.
 *
 * @param samples all that were taken
 * @param ours those with a class of Tollgate's on the stack, by what was allocated and where of ours
 */
record Allocations(long samples, Map<String, Long> ours) {
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
        return new Allocations(samples.size(), samples.stream().map(Allocations::ours).filter(what -> !what.isEmpty())
                .collect(Collectors.groupingBy(what -> what, TreeMap::new, Collectors.counting())));
    }

    private static String ours(RecordedEvent sample) {
        if (sample.getStackTrace() == null) {
            return "";
        }
        for (RecordedFrame frame : sample.getStackTrace().getFrames()) {
            String type = frame.getMethod().getType().getName();
            if (type.startsWith("io.tollgate.")) {
                return sample.getClass("objectClass").getName() + " in " + type.substring(type.lastIndexOf('.') + 1) + "."
                        + frame.getMethod().getName();
            }
        }
        return "";
    }

    long ofOurs() {
        return ours.values().stream().mapToLong(Long::longValue).sum();
    }
}
