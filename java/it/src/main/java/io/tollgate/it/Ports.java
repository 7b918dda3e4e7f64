package io.tollgate.it;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Free TCP ports on 127.0.0.1.
 *
 * <p>Taken from below the range that operating systems hand to outgoing connections (32768 and up on
 * Linux): a port asked for with {@code bind(0)} and given back is often taken by the next client
 * connection before the broker gets to bind it.
 */
final class Ports {
    private static final int LOW = 20_000;
    private static final int HIGH = 32_000;
    /** Ports given out by this JVM; a broker that is down between stop and restart still owns its own. */
    private static final Set<Integer> GIVEN = new HashSet<>();

    private Ports() {}

    /** @return a port that was free a moment ago and that this JVM gives out only once */
    static synchronized int free() throws IOException {
        for (int attempt = 0; attempt < 1_000; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(LOW, HIGH);
            if (!GIVEN.contains(port) && isFree(port)) {
                GIVEN.add(port);
                return port;
            }
        }
        throw new IOException("no free port between " + LOW + " and " + HIGH + " on 127.0.0.1");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
