package io.tollgate.it;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import javax.management.JMException;

/** Brokers with the agent, and what can be seen of it from outside. */
final class Guarded {
    static final String RATE = "producer.id.quota.default.rate";
    static final String BURST = "producer.id.quota.burst";
    static final String MODE = "producer.id.quota.mode";
    static final String LIMITER = "producer.id.quota.limiter";
    static final String WINDOW = "producer.id.quota.window.size.seconds";
    static final String LAYERS = "producer.id.quota.cache.layer.count";
    static final String MAX_THROTTLE = "producer.id.quota.max.throttle.ms";
    static final String MAX_USERS = "producer.id.quota.max.users";
    private static final String THROTTLED = " throttled ";
    static final String TOTALS = "kafka.server:type=ProducerIds";

    private Guarded() {}

    static BrokerBuilder broker(String name) {
        return BrokerProcess.builder(name).agent(BuildTree.agentJar());
    }

    /** What the agent logged, over all runs of the broker, but for whom it throttled. */
    static List<String> lines(BrokerProcess broker) {
        return all(broker).filter(line -> !line.contains(THROTTLED)).toList();
    }

    /** Whom the agent throttled, or would have, as its log says it. */
    static List<String> throttles(BrokerProcess broker) {
        return all(broker).filter(line -> line.contains(THROTTLED)).toList();
    }

    private static Stream<String> all(BrokerProcess broker) {
        return Stream.concat(broker.log().lines(), broker.output().lines()).filter(line -> line.contains("Tollgate"));
    }

    static long total(BrokerProcess broker, String attribute) throws IOException, JMException {
        return ((Number) broker.attribute(TOTALS, attribute)).longValue();
    }

    static long of(BrokerProcess broker, String user, String attribute) throws IOException, JMException {
        return ((Number) broker.attribute(TOTALS + ",user=" + user, attribute)).longValue();
    }

    /** Adds a line to the properties of a broker that has run, for its next run; later lines win. */
    static void append(BrokerProcess broker, String key, String value) throws IOException {
        Path properties = broker.logFile().resolveSibling("server.properties");
        Files.writeString(properties, key + "=" + value + "\n", StandardOpenOption.APPEND);
    }
}
