package io.tollgate.it;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Ways to start a broker that sees a file system of its own, or that may do less. Mounts are made in a namespace of the
 * broker's process, so they are gone when it is, however it ends, and nobody else ever sees them.
 */
final class Namespace {
    private static final String MOUNT = "mount -t tmpfs -o \"$1\" tmpfs \"$2\" && shift 2 && exec \"$@\"";

    private Namespace() {}

    /**
     * Skips the test where the machine lets nobody mount: neither a user's own namespace nor root's.
     *
     * @param options as mount takes them
     * @param directory that exists, and is empty for whoever is started
     */
    static String[] withTmpfs(String options, Path directory) throws Exception {
        for (String unshare : List.of("-rm", "-m")) {
            List<String> command = List.of("unshare", unshare, "/bin/sh", "-c", MOUNT, "mounting", options, directory.toString());
            if (works(command)) {
                return command.toArray(String[]::new);
            }
        }
        assumeTrue(false, "neither unshare -rm nor unshare -m can mount a tmpfs here; NativeLibraryTest does it with a limit on files");
        throw new AssertionError();
    }

    /** For a broker that file permissions hold for, even where the tests run as root. Skips the test where that can't be had. */
    static String[] withoutRights() throws Exception {
        if (!"root".equals(System.getProperty("user.name"))) {
            return new String[0];
        }
        List<String> command = List.of("setpriv", "--bounding-set=-dac_override,-dac_read_search");
        assumeTrue(works(command), "this is root, and setpriv can't take its rights over files away");
        return command.toArray(String[]::new);
    }

    private static boolean works(List<String> launcher) throws InterruptedException {
        List<String> command = new ArrayList<>(launcher);
        command.add("true");
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD).start()
                    .waitFor() == 0;
        } catch (IOException missing) {
            return false;
        }
    }
}
