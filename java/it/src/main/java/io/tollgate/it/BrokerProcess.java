package io.tollgate.it;

import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.JMException;
import org.apache.kafka.clients.admin.Admin;

/**
 * A real Kafka broker in a process of its own, run from Kafka's published jars, on 127.0.0.1.
 *
 * <p>State of one instance: {@code start()} formats the storage once and runs the broker; {@code stop()} and
 * {@code kill()} end the process and keep the data; {@code start()} or {@code restart()} runs it again on the same
 * ports and data; {@code close()} ends it and deletes the data, unless told to keep them (logs stay).
 *
 * <p>No broker outlives this JVM, however that ends ({@link ChildProcess}).
 */
public final class BrokerProcess implements AutoCloseable {
    private static final Duration START_TIMEOUT = Duration.ofSeconds(300);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(90);
    private static final AtomicInteger COUNT = new AtomicInteger();
    private static final Set<BrokerProcess> ALIVE = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> ALIVE.forEach(BrokerProcess::close), "end-brokers"));
    }

    private final BrokerBuilder settings;
    private final Users users;
    private final Path home;
    private final Path data;
    private final BrokerLogs logs;
    private final int port;
    private final int controllerPort;
    private final int jmxPort;
    private boolean formatted;
    private volatile boolean told;
    private volatile ChildProcess process;

    BrokerProcess(BrokerBuilder settings) throws IOException {
        this.settings = settings;
        this.users = new Users(settings.users);
        this.home = BuildTree.itTarget().resolve("brokers").resolve(settings.name + "-" + ProcessHandle.current().pid()
                + "-" + COUNT.incrementAndGet());
        this.data = settings.data == null ? home.resolve("data") : settings.data;
        this.logs = new BrokerLogs(home);
        this.port = Ports.free();
        this.controllerPort = settings.controllerPort == 0 ? Ports.free() : settings.controllerPort;
        this.jmxPort = Ports.free();
    }

    /** A broker with Kafka 4.4.0, 512 MiB of heap, no agent and a plaintext listener, unless told otherwise. */
    public static BrokerBuilder builder(String name) {
        return new BrokerBuilder(name);
    }

    /**
     * Runs the broker and returns when it serves clients.
     *
     * @throws IOException when it ends or does not serve within 300 s; the message has the end of its output
     */
    public synchronized void start() throws IOException, InterruptedException {
        if (outcome() == Outcome.RUNNING) {
            throw new IllegalStateException(settings.name + " runs already");
        }
        if (!formatted) {
            deleteData();
            format();
            formatted = true;
        }
        List<String> command = new ArrayList<>(settings.launcher);
        command.addAll(java(settings.heapMb));
        // The collector and the pause goal that Kafka's own start script sets.
        command.addAll(List.of("-server", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20",
                "-XX:InitiatingHeapOccupancyPercent=35", "-XX:+ExitOnOutOfMemoryError"));
        command.addAll(List.of("-Dcom.sun.management.jmxremote.port=" + jmxPort,
                "-Dcom.sun.management.jmxremote.rmi.port=" + jmxPort, "-Dcom.sun.management.jmxremote.host=127.0.0.1",
                "-Djava.rmi.server.hostname=127.0.0.1", "-Dcom.sun.management.jmxremote.authenticate=false",
                "-Dcom.sun.management.jmxremote.ssl=false"));
        if (settings.agent != null) {
            command.add("-javaagent:" + settings.agent);
        }
        command.addAll(settings.jvmArguments);
        command.addAll(List.of("kafka.Kafka", propertiesFile().toString()));
        told = false;
        process = ChildProcess.start(command, home, outputFile());
        ALIVE.add(this);
        awaitReady();
    }

    private List<String> java(int heapMb) {
        String classPath = BuildTree.brokerJars(settings.version).stream().map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
        return List.of(settings.java.resolve("bin/java").toString(), "-Xmx" + heapMb + "m",
                "-Dlog4j2.configurationFile=" + home.resolve("log4j2.properties"), "-cp", classPath);
    }

    private void format() throws IOException, InterruptedException {
        Files.createDirectories(home);
        Files.writeString(propertiesFile(),
                BrokerSettings.render(settings.roles, port, controllerPort, data, users, settings.properties));
        Files.writeString(home.resolve("log4j2.properties"), BrokerSettings.log4j(logFile()));
        List<String> command = new ArrayList<>(java(128));
        command.addAll(List.of("kafka.tools.StorageTool", "format", "-t", settings.clusterId, "-c",
                propertiesFile().toString()));
        ChildProcess format = ChildProcess.start(command, home, outputFile());
        if (!format.waitFor(START_TIMEOUT) || format.exitCode() != 0) {
            format.signal("KILL");
            throw new IOException("formatting the storage of " + settings.name + " failed:\n" + logs.troubles());
        }
    }

    private void awaitReady() throws IOException, InterruptedException {
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        while (!Files.isRegularFile(logFile()) || !serves()) {
            if (!process.isAlive()) {
                throw new IOException(settings.name + " ended at start with code " + process.exitCode() + ":\n" + logs.troubles());
            }
            if (System.nanoTime() > deadline) {
                kill();
                throw new IOException(settings.name + " does not serve after " + START_TIMEOUT.toSeconds() + " s:\n" + logs.troubles());
            }
            Thread.sleep(100);
        }
    }

    private boolean serves() throws InterruptedException {
        if (!isListening()) {
            return false;
        }
        if (!settings.servesClients()) {
            return true;
        }
        try (Admin admin = admin()) {
            return !admin.describeCluster().nodes().get(5, TimeUnit.SECONDS).isEmpty();
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    private boolean isListening() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress("127.0.0.1", settings.servesClients() ? port : controllerPort), 1_000);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Ends the broker by SIGTERM and waits; after 90 s by SIGKILL. */
    public void stop() throws InterruptedException {
        end("TERM");
    }

    /** Ends the broker by SIGKILL: no shutdown, no snapshot. */
    public void kill() {
        try {
            end("KILL");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void end(String signal) throws InterruptedException {
        ChildProcess running = process;
        if (running == null) {
            return;
        }
        if (running.isAlive()) {
            told = true;
            running.signal(signal);
            if (!running.waitFor(STOP_TIMEOUT)) {
                running.signal("KILL");
                running.waitFor(STOP_TIMEOUT);
            }
        }
        ALIVE.remove(this);
    }

    /** Stops the broker by SIGTERM and starts it again on its data. */
    public void restart() throws IOException, InterruptedException {
        stop();
        start();
    }

    /** Ends the broker and deletes its data, unless it was built to keep them; its logs stay. */
    @Override
    public void close() {
        kill();
        if (!settings.keepsData) {
            deleteData();
        }
    }

    private void deleteData() {
        try (Stream<Path> files = Files.walk(data)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException ignored) {
            // Never formatted: nothing to delete. A rest that can't be deleted would be found by the next format.
        }
    }

    public Outcome outcome() {
        ChildProcess last = process;
        if (last != null && last.isAlive()) {
            return Outcome.RUNNING;
        }
        if (last == null || told) {
            return Outcome.STOPPED;
        }
        return output().contains("java.lang.OutOfMemoryError") ? Outcome.OUT_OF_MEMORY : Outcome.CRASHED;
    }

    /** @return the exit code of the last run, 128 + n when signal n ended it; IllegalThreadStateException while it runs */
    public int exitCode() {
        return process.exitCode();
    }

    /** @return {@code 127.0.0.1:PORT} */
    public String bootstrap() {
        return "127.0.0.1:" + port;
    }

    public int port() {
        return port;
    }

    int controllerPort() {
        return controllerPort;
    }

    public String kafkaVersion() {
        return settings.version;
    }

    public Users users() {
        return users;
    }

    /** Its log directory, as {@code log.dirs} names it. */
    public Path data() {
        return data;
    }

    /** What the broker's loggers wrote. */
    public Path logFile() {
        return logs.log;
    }

    /** What the broker's process wrote to standard output and error, over all its runs. */
    public Path outputFile() {
        return logs.output;
    }

    private Path propertiesFile() {
        return home.resolve("server.properties");
    }

    /** @return the text of {@link #logFile()}, empty when there is none */
    public String log() {
        return BrokerLogs.read(logs.log);
    }

    /** @return the text of {@link #outputFile()}, empty when there is none */
    public String output() {
        return BrokerLogs.read(logs.output);
    }

    /** Client settings for {@code user}: bootstrap address and log-in. On a plaintext broker the name is not used. */
    public Properties clientSettings(String user) {
        Properties properties = users.clientSettings(user);
        properties.put("bootstrap.servers", bootstrap());
        return properties;
    }

    /** An admin client of the broker's own user. */
    public Admin admin() {
        return Users.admin(clientSettings(Users.ADMIN), 20_000);
    }

    /** Makes a topic and waits until each partition has a leader that serves it. */
    public void createTopic(String topic, int partitions) throws InterruptedException {
        try (Admin admin = admin()) {
            Topics.create(admin, topic, partitions);
        }
    }

    /** A JMX connection of the caller's own, to close by the caller. */
    public Jmx openJmx() throws IOException {
        return new Jmx(jmxPort);
    }

    /** One JMX attribute, over a connection made for this call. */
    public Object attribute(String objectName, String attribute) throws IOException, JMException {
        try (Jmx jmx = openJmx()) {
            return jmx.attribute(objectName, attribute);
        }
    }

    /** @see Jmx#producerIdCount() */
    public long producerIdCount() throws IOException, JMException {
        try (Jmx jmx = openJmx()) {
            return jmx.producerIdCount();
        }
    }
}
