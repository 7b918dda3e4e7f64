package io.tollgate.it;

import java.io.IOException;
import javax.management.JMException;

/**
 * Reads a broker's producer-ID count and heap, once per call, over a connection that is made anew when it broke.
 * For one thread.
 */
public final class JvmSamples implements AutoCloseable {
    /**
     * One reading.
     *
     * @param producerIds entries of producer state over all partitions
     * @param heapAfterGcMb MiB in use right after the newest garbage collection; NaN before the first
     */
    public record Sample(long producerIds, double heapAfterGcMb) {}

    private final BrokerProcess broker;
    private Jmx jmx;

    public JvmSamples(BrokerProcess broker) {
        this.broker = broker;
    }

    /** @return a reading, or null when the broker does not answer (it is gone, or busy collecting garbage) */
    public Sample read() {
        try {
            return new Sample(jmx().producerIdCount(), jmx().heapAfterGcMb());
        } catch (IOException | JMException | RuntimeException e) {
            close();
            return null;
        }
    }

    /** @return a numeric attribute, or {@code otherwise} when there is none or the broker does not answer */
    public long number(String objectName, String attribute, long otherwise) {
        try {
            return jmx().attribute(objectName, attribute) instanceof Number n ? n.longValue() : otherwise;
        } catch (IOException | JMException | RuntimeException e) {
            return otherwise;
        }
    }

    private Jmx jmx() throws IOException {
        if (jmx == null) {
            jmx = broker.openJmx();
        }
        return jmx;
    }

    @Override
    public void close() {
        if (jmx != null) {
            jmx.close();
            jmx = null;
        }
    }
}
