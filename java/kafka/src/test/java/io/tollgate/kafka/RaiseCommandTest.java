package io.tollgate.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RaiseCommandTest {
    @Test
    void it_doubles_the_quota_of_the_user() {
        RaiseCommand raise = new RaiseCommand(Map.of("listeners", "PLAINTEXT://kafka1:9092"));
        assertEquals("kafka-configs.sh --bootstrap-server kafka1:9092 --alter --add-config producer_ids_rate=200"
                + " --entity-type users --entity-name alice", raise.of("alice", 100.0));
        assertEquals("kafka-configs.sh --bootstrap-server kafka1:9092 --alter --add-config producer_ids_rate=0.5"
                + " --entity-type users --entity-name 'CN=a b, O=x'", raise.of("CN=a b, O=x", 0.25));
        assertEquals("kafka-configs.sh --bootstrap-server kafka1:9092 --alter --add-config producer_ids_rate=20000000000"
                + " --entity-type users --entity-name=-x", raise.of("-x", 1e10));
    }

    /** What a shell hands on is the name, whatever stands in it. */
    @ParameterizedTest
    @ValueSource(strings = {"alice", "o'neil", "CN=alice, O=\"a b\"", "$HOME `id` $(id)", "a\\nb", "new\nline", "tab\tand 'quote' \\ \u001b[31m",
            "späte 中", "*?", "!!", "~", "#x", ";true", "", "\u202eecila\nx"})
    void the_name_reaches_the_command_as_it_is(String user) throws Exception {
        String command = new RaiseCommand(Map.of()).of(user, 1);
        assertEquals(command, AgentLog.oneLine(command));
        // kafka-configs.sh is replaced by printf, and all but the last word is dropped.
        Process shell = new ProcessBuilder("bash", "-c", "kafka-configs.sh() { printf %s \"${@: -1}\"; }; " + command).start();
        shell.getOutputStream().close();
        assertEquals(user, new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        assertEquals(0, shell.waitFor());
    }

    @Test
    void it_says_where_this_broker_is_found() {
        assertEquals("localhost:9092", bootstrap(Map.of()));
        assertEquals("localhost:9094", bootstrap(Map.of("listeners", "PLAINTEXT://:9094")));
        assertEquals("localhost:9094", bootstrap(Map.of("listeners", "PLAINTEXT://0.0.0.0:9094")));
        assertEquals("b1:9093", bootstrap(Map.of("listeners", "CONTROLLER://:9095, SASL_SSL://b1:9093,PLAINTEXT://b1:9092",
                "controller.listener.names", "CONTROLLER")));
        assertEquals("[::1]:9092", bootstrap(Map.of("listeners", "A://:1", "advertised.listeners", "A://[::1]:9092")));
        for (String odd : List.of("", ",", "x", "://")) {
            assertEquals("localhost:9092", bootstrap(Map.of("listeners", odd)));
        }
    }

    private static String bootstrap(Map<String, String> properties) {
        String command = new RaiseCommand(properties).of("alice", 1);
        assertFalse(command.contains("\n"));
        return command.replaceFirst(".*--bootstrap-server (\\S+) .*", "$1");
    }

    @ParameterizedTest
    @CsvSource({"100, 100", "0.25, 0.25", "14400, 14400", "1e9, 1000000000", "0.000001, 0.000001"})
    void numbers_have_no_exponent(double number, String written) {
        assertEquals(written, RaiseCommand.plain(number));
    }
}
