package io.tollgate.kafka;

import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Constructor;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import javax.management.ObjectName;
import org.apache.kafka.common.memory.MemoryPool;
import org.apache.kafka.common.network.ClientInformation;
import org.apache.kafka.common.network.ListenerName;
import org.apache.kafka.common.requests.RequestContext;
import org.apache.kafka.common.requests.RequestHeader;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.apache.kafka.common.security.auth.SecurityProtocol;
import scala.Option;

/**
 * Prints what a known producer's request costs on the Kafka whose jars are on the class path: the generation, the
 * producer ID that was read, and the bytes allocated per call. For a JVM of its own, with the agent's jar as it is shipped;
 * java/it runs it on each version.
 *
 * <p>Argument: a produce request with its header, as hexadecimal digits.
 */
public final class KnownRequestMain {
    private static final int CALLS = 200_000;

    private KnownRequestMain() {
    }

    public static void main(String[] arguments) throws Exception {
        ClassLoader kafka = KnownRequestMain.class.getClassLoader();
        byte[] kafkaApis;
        try (InputStream code = kafka.getResourceAsStream(Shape.KAFKA_APIS.replace('.', '/') + ".class")) {
            kafkaApis = code.readAllBytes();
        }
        Generation generation = KafkaApisTransformer.fitting(kafka, kafkaApis);
        BrokerAdapter adapter = generation.adapter(null);
        Object request = request(Class.forName(generation.request()), HexFormat.of().parseHex(arguments[0]));
        System.out.println("generation " + generation.name());
        System.out.println("user " + adapter.user(request) + ", client " + adapter.clientSoftware(request) + " "
                + adapter.clientVersion(request));
        System.out.println("batches " + adapter.batches(request));

        Settings settings = Settings.read(Map.of(Setting.RATE.key, "1"));
        try (Guard guard = new Guard(new Leader(adapter), settings.engine(), settings, new LiveQuotas())) {
            com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
            long allocated = Long.MAX_VALUE;
            long calls = 0;
            // The interpreter allocates iterators that compiled code does not; on a busy machine the compiler takes its time.
            for (int round = 0; round < 100 && allocated >= CALLS / 10; round++) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < CALLS; i++) {
                    if (guard.refuses(request)) {
                        throw new AssertionError("nothing is over the quota here");
                    }
                }
                allocated = threads.getCurrentThreadAllocatedBytes() - before;
                calls += CALLS;
            }
            Object known = ManagementFactory.getPlatformMBeanServer()
                    .getAttribute(new ObjectName("kafka.server:type=ProducerIds"), "Known");
            System.out.println("known in all calls but " + (calls - (Long) known));
            System.out.println("bytes allocated per 10 calls " + allocated / (CALLS / 10));
        }
    }

    private static Object request(Class<?> type, byte[] bytes) throws Exception {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        RequestContext context = new RequestContext(RequestHeader.parse(buffer), "connection", InetAddress.getLoopbackAddress(),
                new KafkaPrincipal("User", "alice"), ListenerName.normalised("CLIENT"), SecurityProtocol.SASL_PLAINTEXT,
                new ClientInformation("apache-kafka-java", "4.4.0"), false);
        Constructor<?> constructor = Arrays.stream(type.getConstructors()).filter(made -> made.getParameterCount() == 7)
                .findFirst().orElseThrow();
        Object noEnvelope = constructor.getParameterTypes()[6] == Optional.class ? Optional.empty() : Option.empty();
        return constructor.newInstance(0, context, 0L, MemoryPool.NONE, buffer, null, noEnvelope);
    }
}
