package io.tollgate.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A real Prometheus with the configuration of examples/prometheus, which reads one broker every second. */
final class PrometheusServer implements AutoCloseable {
    private final HttpClient client = HttpClient.newHttpClient();
    private final ChildProcess process;
    private final Path output;
    private final int port;

    /** @param home a directory for its files */
    PrometheusServer(Path home, int exporterPort) throws IOException {
        port = Ports.free();
        output = home.resolve("prometheus.log");
        String config = Files.readString(Exporter.EXAMPLES.resolve("prometheus.yml"));
        String ours = config.replaceAll("targets: .*", "targets: [\"127.0.0.1:" + exporterPort + "\"]")
                .replaceAll("_interval: 30s", "_interval: 1s")
                .replace("tollgate.rules.yml", Exporter.EXAMPLES.resolve("tollgate.rules.yml").toString());
        Path file = Files.writeString(home.resolve("prometheus.yml"), ours);
        process = ChildProcess.start(List.of("prometheus", "--config.file=" + file, "--storage.tsdb.path=" + home.resolve("tsdb"),
                "--web.listen-address=127.0.0.1:" + port, "--log.level=warn"), home, output);
    }

    /** @return what the API answers under {@code data}; null while the server is not up */
    private JsonNode get(String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/api/v1/" + path))
                .timeout(Duration.ofSeconds(30)).build();
        HttpResponse<String> response;
        try {
            response = client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (java.net.ConnectException e) {
            if (!process.isAlive()) {
                throw new IOException("prometheus ended: " + Files.readString(output), e);
            }
            return null;
        }
        if (response.statusCode() == 503) {
            // It listens before it has read its data and its rules.
            return null;
        }
        JsonNode answer = new ObjectMapper().readTree(response.body());
        if (!"success".equals(answer.path("status").asText())) {
            throw new IOException(path + ": " + response.body());
        }
        return answer.get("data");
    }

    /** @return the series that a query gives now; null while the server is not up */
    JsonNode query(String promql) throws IOException, InterruptedException {
        JsonNode data = get("query?query=" + URLEncoder.encode(promql, StandardCharsets.UTF_8));
        return data == null ? null : data.get("result");
    }

    /** @return all alerting rules with their state; null while the server is not up */
    JsonNode rules() throws IOException, InterruptedException {
        JsonNode data = get("rules?type=alert");
        return data == null || data.get("groups").isEmpty() ? null : data.get("groups").get(0).get("rules");
    }

    @Override
    public void close() {
        process.signal("KILL");
        try {
            process.waitFor(Duration.ofSeconds(30));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
