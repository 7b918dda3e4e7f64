package io.tollgate.it;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.Uuid;

/** What a {@link BrokerProcess} is made of. */
public final class BrokerBuilder {
    final String name;
    String version = "4.4.0";
    Path java = Path.of(System.getProperty("java.home"));
    int heapMb = 512;
    String clusterId = Uuid.randomUuid().toString();
    int controllerPort;
    String roles = "broker,controller";
    Path agent;
    Path data;
    boolean keepsData;
    final List<String> launcher = new ArrayList<>();
    final List<String> jvmArguments = new ArrayList<>();
    final Map<String, String> properties = new LinkedHashMap<>();
    final List<String> users = new ArrayList<>();

    BrokerBuilder(String name) {
        this.name = name;
    }

    /** @param version one whose jars the build has put into {@code target/broker-VERSION} */
    public BrokerBuilder kafka(String version) {
        this.version = version;
        return this;
    }

    /** @param home of the JDK to run the broker with; without it, the one that runs this */
    public BrokerBuilder java(Path home) {
        this.java = home;
        return this;
    }

    public BrokerBuilder heapMb(int heapMb) {
        this.heapMb = heapMb;
        return this;
    }

    /** @param jar the agent to run the broker with, or null for a stock broker */
    public BrokerBuilder agent(Path jar) {
        this.agent = jar;
        return this;
    }

    /** What starts the broker's JVM, which is handed to it as further arguments and must take its place ({@code exec}). */
    public BrokerBuilder launcher(String... command) {
        launcher.clear();
        launcher.addAll(List.of(command));
        return this;
    }

    public BrokerBuilder jvmArgument(String argument) {
        jvmArguments.add(argument);
        return this;
    }

    /** The cluster that the node belongs to; without it, one of its own. */
    BrokerBuilder clusterId(String clusterId) {
        this.clusterId = clusterId;
        return this;
    }

    /** @param port given by {@link Ports}, when other nodes must know it before this one is built */
    BrokerBuilder controllerPort(int port) {
        this.controllerPort = port;
        return this;
    }

    /** @param roles as process.roles has them; without "broker", it serves no clients */
    BrokerBuilder roles(String roles) {
        this.roles = roles;
        return this;
    }

    /** @param directory where the broker's data go, deleted with the broker; without it, a place of the harness's own */
    BrokerBuilder data(Path directory) {
        this.data = directory;
        return this;
    }

    /** @param directory where the broker's data go and stay; what is there when it starts for the first time is deleted */
    public BrokerBuilder keptData(Path directory) {
        this.data = directory.toAbsolutePath();
        this.keepsData = true;
        return this;
    }

    /** One line of {@code server.properties}; replaces the harness's own. */
    public BrokerBuilder property(String key, String value) {
        properties.put(key, value);
        return this;
    }

    /** Clients must log in as one of these by SASL/PLAIN. */
    public BrokerBuilder users(String... names) {
        users.addAll(List.of(names));
        return this;
    }

    boolean servesClients() {
        return roles.contains("broker");
    }

    public BrokerProcess build() throws IOException {
        return new BrokerProcess(this);
    }

    /** Builds the broker and starts it. */
    public BrokerProcess start() throws IOException, InterruptedException {
        BrokerProcess broker = build();
        try {
            broker.start();
        } catch (Throwable e) {
            broker.close();
            throw e;
        }
        return broker;
    }
}
