package io.tollgate;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Properties;

/**
 * Loads the native library, once per class loader. Not API.
 *
 * <p>Either from an explicit file (the argument, or else {@code -Dtollgate.native.path}), and then from nowhere else; or from
 * the jar, by way of a file in a new private directory under {@code -Dtollgate.native.tmpdir} (default: {@code
 * java.io.tmpdir}). That file is deleted again as soon as it is loaded, where the system allows it, since a broker that ends
 * by {@code ExitOnOutOfMemoryError} or a kill runs no exit hook; on Windows, at exit. A process that is killed between the two
 * leaves it behind; the next one that unpacks there, a minute later or more, deletes it.
 *
 * <p>Nothing runs in a static initialiser, so a failure is an exception of one call and the next call may try again.
 */
final class NativeLibrary {
    static final String PATH_PROPERTY = "tollgate.native.path";
    static final String TMPDIR_PROPERTY = "tollgate.native.tmpdir";

    private static final String PREFIX = "tollgate-native-";
    // Many times what unpacking and loading take: an older directory belongs to nobody.
    private static final long ABANDONED_MS = 60_000;
    private static final String ADVICE = "name one built for this platform (`cargo build --release --features jni`), or none to use "
            + "the one inside the jar";

    // What is loaded, as shown to people; null while nothing is.
    private static String loadedFrom;
    // Set once a library with other versions was loaded: the JVM can't unload it, so nothing can be right afterwards.
    private static String spoiled;

    private NativeLibrary() {
    }

    /**
     * @param explicit the file to load, or null
     * @throws TollgateNativeException in one sentence that names the file and what to do
     */
    static synchronized void load(Path explicit) {
        Path file = explicit != null ? explicit : fromProperty();
        if (spoiled != null) {
            throw new TollgateNativeException(spoiled);
        }
        if (loadedFrom != null) {
            if (file != null && !loadedFrom.equals(name(file))) {
                throw new TollgateNativeException("can't load " + name(file) + ": " + loadedFrom
                        + " is loaded already; name one file for the whole process");
            }
            return;
        }
        if (file != null) {
            loadFile(file);
        } else {
            loadFromJar();
        }
    }

    private static Path fromProperty() {
        String property = System.getProperty(PATH_PROPERTY, "");
        return property.isEmpty() ? null : Path.of(property);
    }

    private static void loadFile(Path file) {
        try {
            if (!Files.readAttributes(file, BasicFileAttributes.class).isRegularFile()) {
                throw new TollgateNativeException("the native library " + name(file) + " is no file but "
                        + (Files.isDirectory(file) ? "a directory" : "something else") + ": " + ADVICE);
            }
            String problem = System.getProperty("os.name").equals("Linux")
                    ? ElfFile.problem(file, System.getProperty("os.arch")) : null;
            if (problem != null) {
                throw new TollgateNativeException("the native library " + name(file) + " " + problem + ": " + ADVICE);
            }
        } catch (NoSuchFileException missing) {
            throw new TollgateNativeException("there is no native library at " + name(file) + ": correct the path, or leave it "
                    + "out to use the one inside the jar", missing);
        } catch (AccessDeniedException denied) {
            throw new TollgateNativeException("the native library " + name(file) + " may not be read by "
                    + System.getProperty("user.name") + ", as whom this runs: give that user access to it and to the directories "
                    + "above it", denied);
        } catch (IOException failure) {
            throw new TollgateNativeException("can't read the native library " + name(file) + " (" + failure + "): " + ADVICE, failure);
        }
        link(file, name(file), ADVICE);
    }

    private static void loadFromJar() {
        String resource = NativePlatform.currentResource();
        try (InputStream library = NativeLibrary.class.getResourceAsStream("/" + resource)) {
            if (library == null) {
                throw new TollgateNativeException("the jar has no native library for this platform (" + resource
                        + "): build one with `cargo build --release --features jni` and name it in -D" + PATH_PROPERTY);
            }
            Path directory = Files.createTempDirectory(temporary(), PREFIX);
            deleteAbandoned(directory);
            Path file = directory.resolve(versioned(Path.of(resource).getFileName().toString()));
            try {
                Files.copy(library, file);
                link(file, "jar:" + resource, "if " + temporary() + " is mounted noexec, name another directory in -D"
                        + TMPDIR_PROPERTY);
            } finally {
                delete(file);
                delete(directory);
            }
        } catch (IOException failure) {
            throw new TollgateNativeException("can't unpack the native library " + resource + " below " + temporary() + " ("
                    + failure + "): make room there or name another directory in -D" + TMPDIR_PROPERTY, failure);
        }
    }

    private static Path temporary() {
        String property = System.getProperty(TMPDIR_PROPERTY, "");
        return Path.of(property.isEmpty() ? System.getProperty("java.io.tmpdir") : property);
    }

    // The version is in the name so that a crash report or a process map tells which build was in use.
    private static String versioned(String file) throws IOException {
        Properties properties = new Properties();
        try (InputStream stream = NativeLibrary.class.getResourceAsStream("/io/tollgate/engine.properties")) {
            if (stream != null) {
                properties.load(stream);
            }
        }
        int dot = file.lastIndexOf('.');
        return file.substring(0, dot) + "-" + properties.getProperty("version", "unknown") + file.substring(dot);
    }

    private static void link(Path file, String from, String advice) {
        int version;
        try {
            System.load(file.toAbsolutePath().toString());
        } catch (UnsatisfiedLinkError failure) {
            // Behind the file's name, which the JVM and the system's loader have each put before it.
            String reason = String.valueOf(failure.getMessage()).replace(file.toAbsolutePath() + ": ", "");
            throw new TollgateNativeException("can't load the native library " + name(file) + " (" + reason + "): " + advice, failure);
        }
        try {
            version = NativeEngine.abiVersion();
        } catch (UnsatisfiedLinkError failure) {
            throw new TollgateNativeException(name(file) + " is not a Tollgate library for the JVM: build it with `cargo build "
                    + "--release --features jni`", failure);
        }
        if (version != NativeEngine.ABI_VERSION) {
            spoiled = "the native library " + from + " has ABI version " + version + " and this jar needs "
                    + NativeEngine.ABI_VERSION + ": take both from one release, then restart the process";
            throw new TollgateNativeException(spoiled);
        }
        loadedFrom = from;
    }

    private static String name(Path file) {
        return file.toAbsolutePath().normalize().toString();
    }

    /** Deletes what processes of this user that were killed while loading left beside {@code mine}. */
    private static void deleteAbandoned(Path mine) {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(mine.getParent(), PREFIX + "*")) {
            long now = Files.getLastModifiedTime(mine).toMillis();
            for (Path one : all) {
                // Nobody else can put anything into a directory of ours, so what is listed is what is deleted.
                if (Files.isDirectory(one, LinkOption.NOFOLLOW_LINKS)
                        && Files.getOwner(one, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(mine))
                        && now - Files.getLastModifiedTime(one).toMillis() > ABANDONED_MS) {
                    try (DirectoryStream<Path> files = Files.newDirectoryStream(one)) {
                        for (Path file : files) {
                            Files.deleteIfExists(file);
                        }
                    }
                    Files.deleteIfExists(one);
                }
            }
        } catch (IOException | RuntimeException ignored) {
            // It may be deleted another time; loading does not depend on it.
        }
    }

    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException inUse) {
            path.toFile().deleteOnExit();
        }
    }
}
