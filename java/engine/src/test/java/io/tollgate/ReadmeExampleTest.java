package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

/** README.md shows the lines between the markers. */
class ReadmeExampleTest {
    private final List<String> said = new ArrayList<>();

    private void say(String line) {
        said.add(line);
    }

    @Test
    void the_readme_example_does_what_the_readme_says() {
        // readme-start
        TollgateConfig config = TollgateConfig.builder().windowMs(600_000).defaultQuota(3, 0.0).build();
        try (Tollgate gate = Tollgate.create(config)) {
            long nowMs = 1_000; // any clock that only goes forward
            int alice = gate.intern("alice", nowMs);
            for (long device : new long[] {4711, 4711, 815}) {
                long decision = gate.track(alice, device, nowMs); // allocates nothing
                if (Decision.isThrottled(decision)) {
                    say("refused, again in " + Decision.retryAfterMs(decision) + " ms");
                } else {
                    say("welcome");
                }
            }
        }
        // readme-end
        assertEquals(List.of("welcome", "welcome"), said.subList(0, 2));
        assertEquals("refused, again in N ms", said.get(2).replaceAll("[0-9]+", "N"));
        assertEquals(3, said.size());
    }
}
