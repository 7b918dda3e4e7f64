package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each case in a JVM of its own: see {@link LoadProbe}. */
class NativeLibraryTest {
    private static final String ADVICE = "name one built for this platform (`cargo build --release --features jni`), or none to use the "
            + "one inside the jar";

    @TempDir
    Path directory;

    @Test
    void from_the_jar_and_nothing_is_left_behind() throws Exception {
        assertEquals(List.of("ok", "ok"), probe(List.of("-Dtollgate.native.tmpdir=" + directory), "-", "-"));
        assertEquals(List.of(), entries(directory));
    }

    @ParameterizedTest
    @ValueSource(strings = {"WindowedRate", "TokenBucket", "Gcra", "DispatchEstimator"})
    void each_class_loads_it_alone_and_an_engine_after_it(String first) throws Exception {
        Path library = copyOfLibrary("mine.so");
        assertEquals(List.of("ok", "ok"), probe(List.of("-Dtollgate.native.path=" + library), first, library.toString()));
    }

    @Test
    void explicit_file_by_builder_and_by_property() throws Exception {
        Path library = copyOfLibrary("mine.so");
        assertEquals(List.of("ok"), probe(List.of(), library.toString()));
        assertEquals(List.of("ok"), probe(List.of("-Dtollgate.native.path=" + library), "-"));
    }

    @Test
    void explicit_file_that_is_missing_never_falls_back() throws Exception {
        Path missing = directory.resolve("missing.so");
        String expected = "there is no native library at " + missing + ": correct the path, or leave it out to use the one inside "
                + "the jar";
        assertEquals(List.of(expected), probe(List.of(), missing.toString()));
        assertEquals(List.of(expected), probe(List.of("-Dtollgate.native.path=" + missing), "-"));
    }

    @Test
    void explicit_file_that_is_no_library_never_falls_back() throws Exception {
        Path broken = Files.writeString(directory.resolve("broken.so"), "not a library, ".repeat(10));
        assertEquals(List.of("the native library " + broken + " is not a shared library: " + ADVICE), probe(List.of(), broken.toString()));
        assertEquals(List.of("the native library " + directory + " is no file but a directory: " + ADVICE),
                probe(List.of(), directory.toString()));
    }

    /** The system's loader would end the process with SIGBUS. */
    @Test
    void explicit_file_that_is_cut_short_never_falls_back_nor_kills_the_process() throws Exception {
        byte[] whole = Files.readAllBytes(copyOfLibrary("whole.so"));
        for (int length : new int[] {70, 5_000, whole.length / 2, whole.length - 1}) {
            Path broken = Files.write(directory.resolve("cut.so"), Arrays.copyOf(whole, length));
            List<String> lines = probe(List.of(), broken.toString());
            assertEquals(1, lines.size(), lines::toString);
            assertTrue(lines.get(0).startsWith("the native library " + broken + " is cut short"), lines::toString);
        }
    }

    @Test
    void explicit_file_for_another_processor_never_falls_back() throws Exception {
        byte[] library = Files.readAllBytes(copyOfLibrary("whole.so"));
        String here = System.getProperty("os.arch");
        byte other = (byte) (here.equals("aarch64") ? 62 : 183);
        String name = here.equals("aarch64") ? "amd64" : "aarch64";
        library[18] = other; // e_machine, little-endian
        Path foreign = Files.write(directory.resolve("foreign.so"), library);
        assertEquals(List.of("the native library " + foreign + " is for another processor (" + name + ", and this JVM runs on " + here
                + "): " + ADVICE), probe(List.of(), foreign.toString()));
    }

    @Test
    void explicit_file_that_is_another_library_never_falls_back() throws Exception {
        Path other = compile("other", "int other(void) { return 1; }");
        assertEquals(List.of(other + " is not a Tollgate library for the JVM: build it with `cargo build --release --features jni`"),
                probe(List.of(), other.toString()));
    }

    @Test
    void library_of_another_version_is_refused_for_good() throws Exception {
        Path other = compile("version", "int Java_io_tollgate_NativeEngine_abiVersion(void *e, void *c) { return e == c ? 98 : 99; }");
        String expected = "the native library " + other + " has ABI version 99 and this jar needs " + NativeEngine.ABI_VERSION
                + ": take both from one release, then restart the process";
        assertEquals(List.of(expected, expected), probe(List.of(), other.toString(), "-"));
    }

    @Test
    void a_failure_is_that_of_one_call_and_the_next_may_work() throws Exception {
        List<String> lines = probe(List.of(), directory.resolve("missing.so").toString(), "-");
        assertEquals(2, lines.size(), lines::toString);
        assertTrue(lines.get(0).startsWith("there is no native library at "), lines::toString);
        assertEquals("ok", lines.get(1));
    }

    @Test
    void a_second_explicit_file_is_refused_while_the_first_is_loaded() throws Exception {
        Path first = copyOfLibrary("first.so");
        Path second = copyOfLibrary("second.so");
        assertEquals(List.of("ok", "can't load " + second + ": " + first + " is loaded already; name one file for the whole process",
                "ok"), probe(List.of(), first.toString(), second.toString(), first.toString()));
    }

    @Test
    void a_missing_directory_for_unpacking_is_named() throws Exception {
        Path nowhere = directory.resolve("nowhere");
        List<String> lines = probe(List.of("-Dtollgate.native.tmpdir=" + nowhere), "-");
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.get(0).contains(" below " + nowhere + " (") && lines.get(0).endsWith("in -Dtollgate.native.tmpdir"),
                lines::toString);
    }

    /** A limit on the size of a file stands in for a full disk: it needs no right to mount anything. */
    @Test
    void where_the_library_cannot_be_unpacked_whole_nothing_is_left_behind() throws Exception {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "ulimit -f 512 && exec \"$@\"", "limited"));
        command.addAll(java(List.of("-Dtollgate.native.tmpdir=" + directory), "-"));
        List<String> lines = run(command);
        assertEquals(1, lines.size(), lines::toString);
        assertTrue(lines.get(0).startsWith("can't unpack the native library " + NativePlatform.currentResource() + " below " + directory
                + " (java.io.IOException: "), lines::toString);
        assertTrue(lines.get(0).endsWith("): make room there or name another directory in -Dtollgate.native.tmpdir"), lines::toString);
        assertEquals(List.of(), entries(directory));
    }

    /** The library in the way of the jar's kills the process while it is being loaded, as the system might. */
    @Test
    void what_a_process_that_was_killed_while_loading_left_goes_with_the_next_load() throws Exception {
        Path deadly = compile("deadly", "#include <signal.h>\n__attribute__((constructor)) static void now(void) { raise(SIGKILL); }");
        Path before = directory.resolve("before");
        Path resource = before.resolve(NativePlatform.currentResource());
        Files.createDirectories(resource.getParent());
        Files.copy(deadly, resource);
        Path temporary = Files.createDirectory(directory.resolve("temporary"));
        List<String> option = List.of("-Dtollgate.native.tmpdir=" + temporary);
        List<String> command = java(option, "-");
        command.set(command.indexOf("-cp") + 1, before + System.getProperty("path.separator") + System.getProperty("java.class.path"));
        assertEquals(128 + 9, new ProcessBuilder(command).start().waitFor());
        List<String> left = entries(temporary);
        assertEquals(1, left.size(), left::toString);

        // It might be one that loads at this moment.
        assertEquals(List.of("ok"), probe(option, "-"));
        assertEquals(left, entries(temporary));

        Path others = Files.createDirectory(temporary.resolve("tollgate-of-others"));
        for (Path one : List.of(Path.of(left.get(0)), others)) {
            Files.setLastModifiedTime(one, FileTime.from(Instant.now().minusSeconds(90)));
        }
        assertEquals(List.of("ok"), probe(option, "-"));
        assertEquals(List.of(others.toString()), entries(temporary));
    }

    private static List<String> entries(Path directory) throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.map(Path::toString).toList();
        }
    }

    private Path copyOfLibrary(String name) throws IOException {
        Path copy = directory.resolve(name);
        try (InputStream library = getClass().getResourceAsStream("/" + NativePlatform.currentResource())) {
            Files.copy(library, copy);
        }
        return copy;
    }

    private Path compile(String name, String source) throws Exception {
        Path code = Files.writeString(directory.resolve(name + ".c"), source);
        Path library = directory.resolve(name + ".so");
        assertEquals(List.of(), run(List.of("cc", "-shared", "-fPIC", "-o", library.toString(), code.toString())));
        return library;
    }

    private static List<String> probe(List<String> options, String... files) throws Exception {
        return run(java(options, files));
    }

    private static List<String> java(List<String> options, String... files) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), LoadProbe.class.getName()));
        command.addAll(List.of(files));
        return command;
    }

    private static List<String> run(List<String> command) throws Exception {
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), () -> "still running: " + command);
            assertEquals(0, process.exitValue(), () -> command + "\n" + printed);
            return printed.lines().toList();
        } finally {
            process.destroyForcibly();
        }
    }
}
