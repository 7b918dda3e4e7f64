package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import org.junit.jupiter.api.Test;

class AgentLogTest {
    @Test
    void what_would_break_a_line_or_hide_in_it_is_written_out() {
        assertEquals("a\\nb\\r\\tc\\u001b[31md", AgentLog.oneLine("a\nb\r\tc\u001b[31md"));
        assertEquals("\\u0085\\u2028\\u2029", AgentLog.oneLine("\u0085\u2028\u2029"));
        assertEquals("\\u202eecila\\u200b\\ufeff", AgentLog.oneLine("\u202eecila\u200b\ufeff"));
    }

    @Test
    void other_text_is_left_as_it_is() {
        String text = "CN=Zoë Ünal, O=\"Ω\" \\n 中文 \ud83d\ude00 '*?'";
        assertSame(text, AgentLog.oneLine(text));
    }

    @Test
    void a_user_cannot_write_a_line_of_its_own_into_the_log() throws Exception {
        LiveQuotas quotas = new LiveQuotas();
        try (Lines lines = new Lines()) {
            quotas.set("eve\n[2026-11-30 06:45:33,544] INFO Tollgate guards this broker", Double.NaN);
            AgentLog.error("first\nsecond", null);
            AgentLog.info("third\r\nfourth");
            assertEquals(List.of("Tollgate: producer_ids_rate = NaN of user eve\\n[2026-11-30 06:45:33,544] INFO Tollgate guards this"
                    + " broker: must be above 0 (new producer IDs per hour, user and broker); it is taken for unset",
                    "first\\nsecond", "third\\r\\nfourth"), lines.soFar());
        }
    }
}
