package io.tollgate.kafka;

import java.lang.management.ManagementFactory;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;

/** A guard on the real engine before a broker that is made up, and what JMX says of it. */
abstract class GuardRig<B extends BrokerInMemory> {
    final B broker;
    Guard guard;

    GuardRig(B broker) {
        this.broker = broker;
    }

    /** A quota of {@code burst} at once; further ones come too slowly to matter. */
    final void guard(int burst, String mode) throws Exception {
        broker.properties.put(Setting.RATE.key, Integer.toString(burst));
        broker.properties.put(Setting.MODE.key, mode);
        Settings settings = Settings.read(broker.properties);
        guard = new Guard(broker, settings.engine(), settings, new LiveQuotas());
    }

    @AfterEach
    void close() {
        guard.close();
    }

    static long total(String attribute) throws Exception {
        return (Long) ManagementFactory.getPlatformMBeanServer()
                .getAttribute(new ObjectName("kafka.server:type=ProducerIds"), attribute);
    }
}
