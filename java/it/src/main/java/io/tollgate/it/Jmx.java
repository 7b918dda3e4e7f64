package io.tollgate.it;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * One JMX connection to a broker. Calls give up after {@value #TIMEOUT_MS} ms, so that a broker that is busy
 * collecting garbage cannot hold its observer.
 */
public final class Jmx implements AutoCloseable {
    private static final int TIMEOUT_MS = 5_000;

    static {
        // RMI reads these once, before its first connection.
        setIfAbsent("sun.rmi.transport.tcp.responseTimeout", TIMEOUT_MS);
        setIfAbsent("sun.rmi.transport.tcp.handshakeTimeout", TIMEOUT_MS);
        setIfAbsent("sun.rmi.transport.connectionTimeout", TIMEOUT_MS);
    }

    private final JMXConnector connector;
    private final MBeanServerConnection server;

    Jmx(int port) throws IOException {
        connector = JMXConnectorFactory.connect(
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + port + "/jmxrmi"),
                // No heartbeat thread: it would log about brokers that are meant to die.
                Map.of("jmx.remote.x.client.connection.check.period", 0L));
        server = connector.getMBeanServerConnection();
    }

    private static void setIfAbsent(String name, int value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, Integer.toString(value));
        }
    }

    /**
     * @throws IOException when the broker doesn't answer
     * @throws JMException when it has no such bean or attribute
     */
    public Object attribute(String objectName, String attribute) throws IOException, JMException {
        return server.getAttribute(new ObjectName(objectName), attribute);
    }

    /** @return whether the broker has a bean of this name */
    public boolean has(String objectName) throws IOException, JMException {
        return server.isRegistered(new ObjectName(objectName));
    }

    /** @return what stands under a key in the names of all beans that match and have it */
    public List<String> keys(String pattern, String key) throws IOException, JMException {
        return server.queryNames(new ObjectName(pattern), null).stream().map(name -> name.getKeyProperty(key))
                .filter(Objects::nonNull).toList();
    }

    /**
     * Reads every attribute of all beans that match, as a scraper does; one that has gone since it was listed is skipped.
     *
     * @return how many beans were read
     * @throws JMException when a bean is there and an attribute can't be read
     */
    public int readAll(String pattern) throws IOException, JMException {
        int read = 0;
        for (ObjectName name : server.queryNames(new ObjectName(pattern), null)) {
            try {
                String[] attributes = Arrays.stream(server.getMBeanInfo(name).getAttributes()).map(MBeanAttributeInfo::getName)
                        .toArray(String[]::new);
                int answered = server.getAttributes(name, attributes).size();
                if (answered < attributes.length) {
                    throw new JMException(name + " answered " + answered + " of " + attributes.length + " attributes");
                }
                read++;
            } catch (InstanceNotFoundException gone) {
                // Its user went away.
            }
        }
        return read;
    }

    /** @return the type of each attribute, by its name */
    public Map<String, String> types(String objectName) throws IOException, JMException {
        Map<String, String> types = new LinkedHashMap<>();
        for (MBeanAttributeInfo attribute : server.getMBeanInfo(new ObjectName(objectName)).getAttributes()) {
            types.put(attribute.getName(), attribute.getType());
        }
        return types;
    }

    /** @return entries of producer state over all partitions: a PID that wrote to P partitions counts P times (K8) */
    public long producerIdCount() throws IOException, JMException {
        return ((Number) attribute("kafka.server:type=ReplicaManager,name=ProducerIdCount", "Value")).longValue();
    }

    /** Runs a full garbage collection in the broker. */
    public void collectGarbage() throws IOException, JMException {
        server.invoke(new ObjectName("java.lang:type=Memory"), "gc", new Object[0], new String[0]);
    }

    /** One of jcmd's commands in the broker's JVM, by the name that it has in JMX. */
    String diagnose(String command, String... arguments) throws IOException, JMException {
        return (String) server.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), command, new Object[] {arguments},
                new String[] {String[].class.getName()});
    }

    /**
     * What is alive in the broker's heap after a full collection.
     *
     * @param mb all of it, MiB
     * @param withoutBytesMb without byte arrays: KRaft keeps up to five buffers of 8 MiB each, of which it takes another one
     *     now and then, so that the whole moves in such steps whatever the load is
     */
    public record Live(double mb, double withoutBytesMb) {}

    /** Runs a full garbage collection in the broker and counts what is left. */
    public Live live() throws IOException, JMException {
        String table = diagnose("gcClassHistogram");
        long all = 0;
        long bytes = 0;
        for (String line : table.lines().toList()) {
            String[] columns = line.strip().split("\\s+");
            if (columns.length > 3 && columns[0].endsWith(":") && columns[1].matches("\\d+")) {
                all += Long.parseLong(columns[2]);
                bytes += columns[3].equals("[B") ? Long.parseLong(columns[2]) : 0;
            }
        }
        return new Live(all / 1048576.0, (all - bytes) / 1048576.0);
    }

    /** @return heap in use right after the newest garbage collection, MiB; NaN when there was none yet */
    public double heapAfterGcMb() throws IOException, JMException {
        long newest = -1;
        long bytes = 0;
        Map<String, Boolean> isHeap = new HashMap<>();
        for (ObjectName collector : server.queryNames(new ObjectName("java.lang:type=GarbageCollector,*"), null)) {
            CompositeData last = (CompositeData) server.getAttribute(collector, "LastGcInfo");
            // The concurrent collector reports pauses that free nothing by themselves; skip it, as G1's young
            // and full collections are what move and free objects.
            if (last == null || collector.getKeyProperty("name").contains("Concurrent")) {
                continue;
            }
            long end = (Long) last.get("endTime");
            if (end > newest) {
                newest = end;
                bytes = 0;
                for (Object row : ((TabularData) last.get("memoryUsageAfterGc")).values()) {
                    CompositeData entry = (CompositeData) row;
                    String pool = (String) entry.get("key");
                    if (isHeap.computeIfAbsent(pool, this::isHeapPool)) {
                        bytes += (Long) ((CompositeData) entry.get("value")).get("used");
                    }
                }
            }
        }
        return newest < 0 ? Double.NaN : bytes / 1048576.0;
    }

    private boolean isHeapPool(String pool) {
        try {
            return "HEAP".equals(server.getAttribute(new ObjectName("java.lang:type=MemoryPool,name=" + pool), "Type"));
        } catch (IOException | JMException e) {
            return false;
        }
    }

    @Override
    public void close() {
        try {
            connector.close();
        } catch (IOException ignored) {
            // The broker is gone: so is the connection.
        }
    }
}
