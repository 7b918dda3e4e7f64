package io.tollgate.it;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** The Prometheus JMX exporter, as an agent beside ours in one broker, with the rules of examples/prometheus. */
final class Exporter {
    static final Path EXAMPLES = BuildTree.repository().resolve("examples/prometheus");

    private final HttpClient client = HttpClient.newHttpClient();
    final int port;

    Exporter() throws IOException {
        port = Ports.free();
    }

    /** For the broker's command line. */
    String jvmArgument() throws URISyntaxException {
        Path jar = Path.of(io.prometheus.jmx.JavaAgent.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        return "-javaagent:" + jar + "=127.0.0.1:" + port + ":" + EXAMPLES.resolve("kafka-jmx-exporter.yml");
    }

    /** All samples in Prometheus's text form. */
    String scrape() throws IOException, InterruptedException {
        HttpResponse<String> response = client.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/metrics"))
                .timeout(Duration.ofSeconds(30)).build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            throw new IOException("scraping: " + response.statusCode() + " " + response.body());
        }
        return response.body();
    }

    /** @return the values by name and labels: {@code tollgate_user_tokens{user="alice"}} */
    static Map<String, Double> samples(String text) {
        Map<String, Double> samples = new TreeMap<>();
        text.lines().filter(line -> !line.startsWith("#")).forEach(line -> {
            int value = line.lastIndexOf(' ');
            samples.put(line.substring(0, value), Double.valueOf(line.substring(value + 1)));
        });
        return samples;
    }

    /** @return the sample's name in the text form, for a label of any content */
    static String ofUser(String metric, String label) {
        return metric + "{user=\"" + label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"}";
    }
}
