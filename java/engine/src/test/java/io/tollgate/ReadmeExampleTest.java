package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.junit.jupiter.api.Test;

/** README.md shows the lines between the markers. */
class ReadmeExampleTest {
    private static void readme() {
        // readme-start
        TollgateConfig config = TollgateConfig.builder().windowMs(600_000).defaultQuota(3, 0.0).build();
        try (Tollgate gate = Tollgate.create(config)) {
            long nowMs = 1_000; // any clock that only goes forward
            int alice = gate.intern("alice", nowMs);
            for (long device : new long[] {4711, 4711, 815}) {
                long decision = gate.track(alice, device, nowMs); // allocates nothing
                if (Decision.isThrottled(decision)) {
                    System.out.println("refused, again in " + Decision.retryAfterMs(decision) + " ms");
                } else {
                    System.out.println("welcome");
                }
            }
        }
        // readme-end
    }

    @Test
    void the_readme_example_does_what_the_readme_says() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        PrintStream before = System.out;
        System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            readme();
        } finally {
            System.setOut(before);
        }
        List<String> lines = printed.toString(StandardCharsets.UTF_8).lines().map(line -> line.replaceAll("[0-9]+", "N")).toList();
        assertEquals(List.of("welcome", "welcome", "refused, again in N ms"), lines);
    }
}
