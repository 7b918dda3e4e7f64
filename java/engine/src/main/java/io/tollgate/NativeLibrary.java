package io.tollgate;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/**
 * Loads the native library, once per class loader. Not API.
 *
 * <p>Either from an explicit file (the argument, or else {@code -Dtollgate.native.path}), and then from nowhere else; or from
 * the jar, by way of a file in a new private directory under {@code -Dtollgate.native.tmpdir} (default: {@code
 * java.io.tmpdir}). That file is deleted again as soon as it is loaded, where the system allows it, since a broker that ends
 * by {@code ExitOnOutOfMemoryError} or a kill runs no exit hook; on Windows, at exit.
 *
 * <p>Nothing runs in a static initialiser, so a failure is an exception of one call and the next call may try again.
 */
final class NativeLibrary {
    static final String PATH_PROPERTY = "tollgate.native.path";
    static final String TMPDIR_PROPERTY = "tollgate.native.tmpdir";

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
        String property = System.getProperty(PATH_PROPERTY);
        return property == null || property.isEmpty() ? null : Path.of(property);
    }

    private static void loadFile(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new TollgateNativeException("there is no native library at " + name(file) + ": correct the path, or leave it "
                    + "out to use the one inside the jar");
        }
        String advice = "build one for this platform with `cargo build --release --features jni`";
        try {
            String problem = System.getProperty("os.name").equals("Linux") ? ElfFile.problem(file) : null;
            if (problem != null) {
                throw new TollgateNativeException("the native library " + name(file) + " " + problem + ": " + advice);
            }
        } catch (IOException failure) {
            throw new TollgateNativeException("can't read the native library " + name(file) + " (" + failure + "): " + advice,
                    failure);
        }
        link(file, name(file), advice);
    }

    private static void loadFromJar() {
        String resource = NativePlatform.currentResource();
        try (InputStream library = NativeLibrary.class.getResourceAsStream("/" + resource)) {
            if (library == null) {
                throw new TollgateNativeException("the jar has no native library for this platform (" + resource
                        + "): build one with `cargo build --release --features jni` and name it in -D" + PATH_PROPERTY);
            }
            Path directory = Files.createTempDirectory(temporary(), "tollgate-");
            Path file = directory.resolve(versioned(Path.of(resource).getFileName().toString()));
            try {
                Files.copy(library, file);
                link(file, "jar:" + resource, "if that directory forbids executable files, name another in -D"
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
        return Path.of(System.getProperty(TMPDIR_PROPERTY, System.getProperty("java.io.tmpdir")));
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
            throw new TollgateNativeException("can't load the native library " + name(file) + " (" + failure.getMessage() + "): "
                    + advice, failure);
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

    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException inUse) {
            path.toFile().deleteOnExit();
        }
    }
}
