package io.tollgate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Where the native library for a platform lies inside the jar. Not API.
 *
 * <p>Shape: {@code io/tollgate/native/<os>-<arch>[-<libc>]/<file>}; the libc is named only on Linux and only when it is not
 * glibc. The build asks {@link #main} for the path, so that what it packs is what is looked for.
 */
final class NativePlatform {
    private NativePlatform() {
    }

    /**
     * @param os as in the system property {@code os.name}
     * @param arch as in {@code os.arch}
     * @param libc {@code "glibc"} or {@code "musl"}; only Linux looks at it
     * @throws TollgateNativeException for an operating system that Tollgate has no name for
     */
    static String resource(String os, String arch, String libc) {
        String system = os.toLowerCase(Locale.ROOT);
        String machine = switch (arch.toLowerCase(Locale.ROOT)) {
            case "amd64", "x86_64", "x64", "x86-64" -> "x86_64";
            case "aarch64", "arm64" -> "aarch64";
            default -> arch.toLowerCase(Locale.ROOT);
        };
        if (system.equals("linux")) {
            String suffix = libc.equals("glibc") ? "" : "-" + libc;
            return "io/tollgate/native/linux-" + machine + suffix + "/libtollgate.so";
        } else if (system.startsWith("mac os")) {
            return "io/tollgate/native/macos-" + machine + "/libtollgate.dylib";
        } else if (system.startsWith("windows")) {
            return "io/tollgate/native/windows-" + machine + "/tollgate.dll";
        }
        throw new TollgateNativeException("no native library is built for os.name \"" + os + "\": build one with `cargo build "
                + "--release --features jni` and name it in -D" + NativeLibrary.PATH_PROPERTY);
    }

    /** The resource path for the JVM that this runs in. */
    static String currentResource() {
        return resource(System.getProperty("os.name"), System.getProperty("os.arch"), currentLibc());
    }

    // By what this process has mapped, not by what is installed: a glibc system may have musl's loader beside it.
    private static String currentLibc() {
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            return maps.anyMatch(line -> line.contains("/ld-musl-")) ? "musl" : "glibc";
        } catch (IOException | RuntimeException notLinux) {
            return "glibc";
        }
    }

    /** Prints {@link #currentResource}, for the build and for whoever wonders what is looked for. */
    public static void main(String[] args) {
        System.out.print(currentResource());
    }
}
