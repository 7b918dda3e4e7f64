package io.tollgate.it;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What stands in a test broker's {@code server.properties}: one node that is broker, controller or both, on 127.0.0.1,
 * sized for a small heap. Later lines win, so a caller can replace any of them.
 */
final class BrokerSettings {
    private BrokerSettings() {}

    /** @param roles process.roles; a broker without the other's role needs {@code controller.quorum.voters} in {@code extra} */
    static String render(String roles, int port, int controllerPort, Path data, Users users, Map<String, String> extra) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("process.roles", roles);
        all.put("node.id", "1");
        all.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
        all.put("controller.listener.names", "CONTROLLER");
        all.put("listeners", "CLIENT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
        all.put("advertised.listeners", "CLIENT://127.0.0.1:" + port);
        all.put("inter.broker.listener.name", "CLIENT");
        if (users.isEmpty()) {
            all.put("listener.security.protocol.map", "CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT");
        } else {
            all.put("listener.security.protocol.map", "CLIENT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT");
            all.put("sasl.enabled.mechanisms", "PLAIN");
            all.put("sasl.mechanism.inter.broker.protocol", "PLAIN");
            all.put("listener.name.client.plain.sasl.jaas.config", users.brokerJaas());
        }
        all.put("log.dirs", data.toString());
        // One node: internal topics can't be replicated, and need not be many.
        all.put("offsets.topic.replication.factor", "1");
        all.put("offsets.topic.num.partitions", "1");
        all.put("transaction.state.log.replication.factor", "1");
        all.put("transaction.state.log.min.isr", "1");
        all.put("transaction.state.log.num.partitions", "1");
        all.put("share.coordinator.state.topic.replication.factor", "1");
        all.put("share.coordinator.state.topic.min.isr", "1");
        all.put("group.initial.rebalance.delay.ms", "0");
        all.put("auto.create.topics.enable", "false");
        all.put("num.network.threads", "2");
        all.put("num.io.threads", "4");
        // The log cleaner takes 128 MiB of heap at start by default. Compaction has no part here, so give that
        // room to what is measured: with the default a 192 MiB broker would be nearly full before the first client.
        all.put("log.cleaner.dedupe.buffer.size", "2097152");
        if (roles.equals("broker")) {
            all.put("listeners", "CLIENT://127.0.0.1:" + port);
        } else if (roles.equals("controller")) {
            all.put("listeners", "CONTROLLER://127.0.0.1:" + controllerPort);
            all.remove("advertised.listeners");
            all.remove("inter.broker.listener.name");
        }
        all.putAll(extra);
        StringBuilder text = new StringBuilder();
        all.forEach((key, value) -> text.append(key).append('=').append(escaped(value)).append('\n'));
        return text.toString();
    }

    /** As java.util.Properties reads it, which takes the file for Latin-1. */
    private static String escaped(String value) {
        StringBuilder text = new StringBuilder();
        value.replace("\\", "\\\\").chars().forEach(c -> text.append(c < 127 ? Character.toString(c) : String.format("\\u%04x", c)));
        return text.toString();
    }

    /**
     * Log4j 2 settings: everything of level INFO to one file, in the form that Kafka itself logs. Not in YAML, which
     * Kafka's jars can read only since 4.0.
     */
    static String log4j(Path file) {
        return """
                appender.file.type = File
                appender.file.name = File
                appender.file.fileName = %s
                appender.file.layout.type = PatternLayout
                appender.file.layout.pattern = [%%d] %%p %%m (%%c)%%n
                rootLogger.level = INFO
                rootLogger.appenderRef.file.ref = File
                """.formatted(file);
    }
}
