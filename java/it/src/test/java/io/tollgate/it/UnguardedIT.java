package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.lang.reflect.Field;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Where the agent can't guard, the broker starts and serves as if it were not there, and one line says why. One broker for
 * all that is wrong with files: a broker loads the library once, so it is started again for each.
 */
class UnguardedIT {
    private static final String UNGUARDED = "Tollgate does not guard this broker, which runs unguarded: ";
    private static final String ADVICE = ": name one built for this platform (`cargo build --release --features jni`), or none to use the "
            + "one inside the jar";
    private static final int AARCH64 = 183;
    private static final int X86_64 = 62;

    @TempDir
    static Path temp;
    private static Path library;
    private static BrokerBuilder settings;
    private static BrokerProcess broker;
    private static long lastPid;

    @BeforeAll
    static void broker() throws Exception {
        library = temp.resolve("whole.so");
        try (JarFile jar = new JarFile(BuildTree.agentJar().toFile())) {
            JarEntry entry = jar.stream().filter(one -> one.getName().endsWith("/libtollgate.so")).findFirst().orElseThrow();
            try (InputStream bytes = jar.getInputStream(entry)) {
                Files.copy(bytes, library);
            }
        }
        settings = Guarded.broker("broken-library").property(Guarded.RATE, "1").jvmArgument("-XX:TieredStopAtLevel=1");
        broker = settings.build();
    }

    @AfterAll
    static void end() {
        broker.close();
    }

    static String onlyLine(BrokerProcess broker) {
        List<String> lines = Guarded.lines(broker);
        assertEquals(1, lines.size(), lines.toString());
        return lines.get(0);
    }

    /** Many more producers than the quota that is set. */
    static void assertServesUnguarded(BrokerProcess broker) throws Exception {
        broker.createTopic("open", 1);
        assertServesUnguarded(broker, "open");
    }

    private static void assertServesUnguarded(BrokerProcess broker, String topic) throws Exception {
        long before = broker.producerIdCount();
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            for (int i = 0; i < 50; i++) {
                assertEquals(new RawProducer.Answer(Errors.NONE, 0), raw.send(topic, 1, ++lastPid));
            }
        }
        assertEquals(before + 50, broker.producerIdCount());
        try (Jmx jmx = broker.openJmx()) {
            assertFalse(jmx.has(Guarded.TOTALS));
        }
    }

    /** Starts the shared broker, which served before or was never started; what is said later of one thing counts. */
    private static List<String> start(String[] launcher, Path tmpdir, String... arguments) throws Exception {
        broker.kill();
        settings.launcher(launcher).jvmArgument("-Dtollgate.native.path=").jvmArgument("-Dtollgate.native.tmpdir=")
                .jvmArgument("-Djava.io.tmpdir=" + tmpdir);
        for (String argument : arguments) {
            settings.jvmArgument(argument);
        }
        int before = Guarded.lines(broker).size();
        broker.start();
        try (Admin admin = broker.admin()) {
            if (admin.listTopics().names().get().contains("files")) {
                Topics.awaitLeaders(admin, "files", 1);
            } else {
                Topics.create(admin, "files", 1);
            }
        }
        List<String> lines = Guarded.lines(broker);
        return lines.subList(before, lines.size()).stream().map(line -> line.replaceFirst("^\\[[^]]*] ", "")).toList();
    }

    private static List<String> unguarded(String why) {
        return List.of("ERROR " + UNGUARDED + why + " (io.tollgate.kafka)");
    }

    @Test
    void with_a_native_library_that_cannot_be_used_the_broker_serves_and_one_line_says_what_to_do() throws Exception {
        byte[] whole = Files.readAllBytes(library);
        boolean arm = System.getProperty("os.arch").equals("aarch64");
        byte[] foreign = whole.clone();
        foreign[18] = (byte) (arm ? X86_64 : AARCH64); // e_machine, little-endian
        Path missing = temp.resolve("missing.so");
        Path elsewhere = Files.write(temp.resolve("foreign.so"), foreign);
        Path cut = Files.write(temp.resolve("cut.so"), Arrays.copyOf(whole, whole.length / 2));
        Path old = abi99();

        assertFile(missing, "there is no native library at " + missing + ": correct the path, or leave it out to use the one inside the jar");
        assertFile(cut, "the native library " + cut + " is cut short: it has " + whole.length / 2 + " of " + whole.length + " bytes" + ADVICE);
        assertFile(elsewhere, "the native library " + elsewhere + " is for another processor (" + (arm ? "amd64" : "aarch64")
                + ", and this JVM runs on " + System.getProperty("os.arch") + ")" + ADVICE);
        assertFile(old, "the native library " + old + " has ABI version 99 and this jar needs " + abi() + ": take both from one release, "
                + "then restart the process");
    }

    private static void assertFile(Path file, String why, String... launcher) throws Exception {
        assertEquals(unguarded(why), start(launcher, temp, "-Dtollgate.native.path=" + file));
        assertServesUnguarded(broker, "files");
    }

    /** @param why a regular expression */
    private static void assertDirectory(String[] launcher, Path tmpdir, String why) throws Exception {
        List<String> lines = start(launcher, tmpdir);
        assertEquals(1, lines.size(), lines.toString());
        assertTrue(lines.get(0).matches("ERROR " + UNGUARDED + why + " \\(io.tollgate.kafka\\)"), lines.toString());
        assertServesUnguarded(broker, "files");
    }

    /** What the agent at hand needs. */
    private static Object abi() throws Exception {
        try (URLClassLoader agent = new URLClassLoader(new URL[] {BuildTree.agentJar().toUri().toURL()})) {
            Field version = agent.loadClass("io.tollgate.NativeEngine").getDeclaredField("ABI_VERSION");
            version.setAccessible(true);
            return version.get(null);
        }
    }

    private static Path abi99() throws Exception {
        Path code = Files.writeString(temp.resolve("abi.c"), "int Java_io_tollgate_NativeEngine_abiVersion(void *e, void *c) { return 99; }");
        Path built = temp.resolve("abi.so");
        assertEquals(0, new ProcessBuilder("cc", "-shared", "-fPIC", "-o", built.toString(), code.toString()).inheritIO().start().waitFor());
        return built;
    }

    @Test
    void with_a_native_library_that_may_not_be_read_the_broker_serves_and_one_line_names_the_user() throws Exception {
        String[] launcher = Namespace.withoutRights();
        Path secret = Files.copy(library, temp.resolve("secret.so"));
        Files.setPosixFilePermissions(secret, Set.of());
        assertFile(secret, "the native library " + secret + " may not be read by " + System.getProperty("user.name")
                + ", as whom this runs: give that user access to it and to the directories above it", launcher);
    }

    @Test
    void with_a_full_temp_directory_the_broker_serves_and_one_line_says_which() throws Exception {
        Path full = Files.createDirectory(temp.resolve("full"));
        String[] launcher = Namespace.withTmpfs("size=256k", full);
        assertDirectory(launcher, full, "can't unpack the native library \\S+/libtollgate.so below " + full
                + " \\(java.io.IOException: No space left on device\\): make room there or name another directory in "
                + "-Dtollgate.native.tmpdir");
    }

    @Test
    void with_a_noexec_temp_directory_the_broker_serves_and_another_one_lets_it_be_guarded() throws Exception {
        Path noexec = Files.createDirectory(temp.resolve("noexec"));
        String[] launcher = Namespace.withTmpfs("size=16m,noexec", noexec);
        assertDirectory(launcher, noexec, "can't load the native library " + noexec
                + "/tollgate-native-\\d+/libtollgate-\\S+.so \\([^/]*\\): if " + noexec + " is mounted noexec, name another directory in "
                + "-Dtollgate.native.tmpdir");

        Path other = Files.createDirectory(temp.resolve("other"));
        List<String> lines = start(launcher, noexec, "-Dtollgate.native.tmpdir=" + other);
        assertEquals(1, lines.size(), lines.toString());
        assertTrue(lines.get(0).startsWith("INFO Tollgate guards this broker: mode enforce, 1.0 new producer IDs per hour"), lines.get(0));
        try (RawProducer raw = new RawProducer(broker, "", 20_000)) {
            assertEquals(Errors.NONE, raw.send("files", 1, ++lastPid).error());
            assertEquals(Errors.REQUEST_TIMED_OUT, raw.send("files", 1, ++lastPid).error());
        }
        assertEquals(0, Guarded.total(broker, "Faults"));
        try (Stream<Path> left = Files.list(other)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void with_settings_out_of_range_the_broker_serves_and_one_line_names_them() throws Exception {
        try (BrokerProcess broker = Guarded.broker("bad-settings").property(Guarded.RATE, "0")
                .property(Guarded.LAYERS, "65").property(Guarded.MODE, "on").start()) {
            assertServesUnguarded(broker);
            String line = onlyLine(broker);
            assertTrue(line.contains(UNGUARDED
                    + "producer.id.quota.cache.layer.count = 65: must be 3 to 64 (layers); "
                    + "producer.id.quota.default.rate = 0: must be above 0 (new producer IDs per hour, user and broker); "
                    + "producer.id.quota.mode = on: must be enforce, observe or off"), line);
        }
    }
}
