package io.tollgate.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator sees: docs/metrics.md, examples/prometheus, and the lines about throttles, on a real broker. */
class WatchIT {
    /** What a name must not do: end a line, a quotation, a pattern, a shell's word. */
    private static final String EVE = "CN=eve, OU='a \"b\" c'*?\\ $HOME `id` \u00fc><>Known: 9\n[2026-11-30 06:45:33,544] INFO Tollgate guards this broker";
    private static final int RATE = 5;
    private static Exporter exporter;
    private static BrokerProcess broker;
    private static Jmx jmx;

    @BeforeAll
    static void start() throws Exception {
        exporter = new Exporter();
        // A window of an hour: while this runs, no further token comes.
        broker = Guarded.broker("watch").jvmArgument(exporter.jvmArgument()).users("alice", "bob", EVE)
                .property(Guarded.RATE, Integer.toString(RATE)).property(Guarded.MAX_THROTTLE, "100").start();
        jmx = broker.openJmx();
        broker.createTopic("watched", 2);
        throttle("alice", 1_000_000);
        throttle(EVE, 2_000_000);
        try (RawProducer raw = new RawProducer(broker, "bob", 20_000)) {
            assertEquals(Errors.NONE, raw.send("watched", 2, 3_000_000).error());
        }
    }

    @AfterAll
    static void end() {
        if (broker != null) {
            jmx.close();
            broker.close();
        }
    }

    /** Uses up the user's quota and is refused twice. */
    private static void throttle(String user, long firstPid) throws IOException {
        try (RawProducer raw = new RawProducer(broker, user, 20_000)) {
            for (int i = 0; i < RATE + 2; i++) {
                Errors expected = i < RATE ? Errors.NONE : Errors.REQUEST_TIMED_OUT;
                assertEquals(expected, raw.send("watched", 2, firstPid + i).error());
            }
        }
    }

    private static String bean(String user) {
        return Guarded.TOTALS + ",user=" + (user.equals(EVE) ? ObjectName.quote(user) : user);
    }

    /** The label under which the exporter shows a user: as JMX quotes it, without the marks. */
    private static String label(String user) {
        return user.equals(EVE) ? ObjectName.quote(user).replaceAll("^\"|\"$", "") : user;
    }

    @Test
    void each_attribute_is_on_the_page_with_its_type_and_nothing_else_is() throws Exception {
        MetricsPage page = MetricsPage.read();
        Map<String, String> both = new TreeMap<>();
        page.ofBoth().forEach((attribute, row) -> both.put(attribute, row.type()));
        assertEquals(both, new TreeMap<>(jmx.types(bean("alice"))), "docs/metrics.md, the first table");
        page.ofSums().forEach((attribute, row) -> both.put(attribute, row.type()));
        assertEquals(both, new TreeMap<>(jmx.types(Guarded.TOTALS)), "docs/metrics.md, both tables");
    }

    /** Nothing is sent meanwhile, so what goes with time alone lies between two readings. */
    @Test
    void each_attribute_is_in_prometheus_with_its_value_and_its_user() throws Exception {
        MetricsPage page = MetricsPage.read();
        Map<String, Object> before = readings(page);
        Map<String, Double> samples = Exporter.samples(exporter.scrape());
        Map<String, Object> after = readings(page);
        before.forEach((sample, value) -> {
            assertTrue(samples.containsKey(sample), sample + " is not among " + samples.keySet());
            double low = Math.min(number(value), number(after.get(sample)));
            double high = Math.max(number(value), number(after.get(sample)));
            double scraped = samples.get(sample);
            assertTrue(scraped >= low && scraped <= high || Double.isNaN(low) && Double.isNaN(scraped),
                    sample + " is " + scraped + ", in JMX " + low + " to " + high);
        });
        Set<String> undocumented = new TreeSet<>(samples.keySet());
        undocumented.removeIf(sample -> !sample.startsWith("tollgate_") || before.containsKey(sample));
        assertEquals(Set.of(), undocumented, "docs/metrics.md lacks it");
        assertEquals((double) RATE, samples.get(Exporter.ofUser("tollgate_user_admitted_producer_ids_total", label(EVE))));
        assertEquals(2.0, samples.get(Exporter.ofUser("tollgate_user_throttled_requests_total", label(EVE))));
        assertEquals((double) broker.producerIdCount(), samples.get("kafka_server_replicamanager_produceridcount"));
        assertEquals(0.0, samples.get("jmx_scrape_error"));
    }

    /** The value in JMX of each sample that the page promises. */
    private static Map<String, Object> readings(MetricsPage page) throws Exception {
        Map<String, Object> readings = new LinkedHashMap<>();
        for (var row : page.ofBoth().entrySet()) {
            for (String user : List.of("alice", "bob", EVE)) {
                readings.put(Exporter.ofUser("tollgate_user_" + row.getValue().metric(), label(user)),
                        jmx.attribute(bean(user), row.getKey()));
            }
            if (!row.getValue().usersOnly()) {
                readings.put("tollgate_" + row.getValue().metric(), jmx.attribute(Guarded.TOTALS, row.getKey()));
            }
        }
        for (var row : page.ofSums().entrySet()) {
            Object value = jmx.attribute(Guarded.TOTALS, row.getKey());
            readings.put(row.getValue().metric() + (value instanceof String word ? "{mode=\"" + word + "\"}" : ""), value);
        }
        return readings;
    }

    private static double number(Object value) {
        return value instanceof Number number ? number.doubleValue() : 1;
    }

    @Test
    void promtool_finds_no_fault_in_the_rules_and_the_names(@TempDir Path temp) throws Exception {
        Path scraped = Files.writeString(temp.resolve("metrics.txt"), exporter.scrape());
        List<String> ours = Files.readAllLines(scraped).stream().filter(line -> line.contains("tollgate_") || line.contains("kafka_")).toList();
        assertTrue(ours.size() > 100, ours.toString());
        Files.write(scraped, ours);
        promtool(temp, scraped, "check", "metrics");
        promtool(temp, null, "check", "config", Exporter.EXAMPLES.resolve("prometheus.yml").toString());
        promtool(temp, null, "test", "rules", Exporter.EXAMPLES.resolve("tollgate.rules.test.yml").toString());
    }

    private static void promtool(Path temp, Path input, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Path output = temp.resolve("promtool.txt");
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        if (input != null) {
            builder.redirectInput(input.toFile());
        }
        assertEquals(0, builder.start().waitFor(), command + ": " + Files.readString(output));
    }

    /** Each query of the dashboard gives something, each alert is taken, and the right one is about to fire. */
    @Test
    void dashboard_and_alerts_work_in_a_real_prometheus(@TempDir Path temp) throws Exception {
        ObjectMapper json = new ObjectMapper();
        Set<String> queries = new LinkedHashSet<>();
        for (JsonNode expression : json.readTree(Exporter.EXAMPLES.resolve("grafana-dashboard.json").toFile()).findValues("expr")) {
            queries.add(expression.asText().replace("$job", "kafka").replaceAll("\\$(instance|user)", ".*")
                    .replace("$__rate_interval", "10s").replace("$__range", "1h"));
        }
        assertTrue(queries.size() >= 20, queries.toString());
        long pid = 4_000_000;
        try (PrometheusServer prometheus = new PrometheusServer(temp, exporter.port);
                RawProducer alice = new RawProducer(broker, "alice", 20_000)) {
            long deadline = System.nanoTime() + 120_000_000_000L;
            Set<String> empty = new LinkedHashSet<>(queries);
            // Ghosts as a share of the admitted are nothing while nobody is admitted: that needs a token.
            LiveQuotas quotas = new LiveQuotas(broker);
            quotas.set(LiveQuotas.user("bob"), 100_000);
            try (RawProducer bob = new RawProducer(broker, "bob", 20_000)) {
                while (!empty.isEmpty() || !"pending".equals(states(prometheus).get("TollgateUserThrottled"))) {
                    assertTrue(System.nanoTime() < deadline, "no answer for " + empty + ", alerts " + states(prometheus));
                    alice.send("watched", 2, pid++);
                    bob.send("watched", 2, pid++);
                    for (String query : List.copyOf(empty)) {
                        JsonNode series = prometheus.query(query);
                        if (series != null && !series.isEmpty()) {
                            empty.remove(query);
                        }
                    }
                    Thread.sleep(200);
                }
            } finally {
                quotas.remove(LiveQuotas.user("bob"));
            }
            JsonNode fullest = prometheus.query("topk(1, tollgate_user_throttled_requests_total)").get(0);
            assertEquals("alice", fullest.get("metric").get("user").asText());
            assertEquals(label(EVE), prometheus.query("tollgate_user_tokens{user=~\"CN=eve.*\"}").get(0).get("metric").get("user").asText());
            Map<String, String> states = states(prometheus);
            assertEquals(9, states.size(), states.toString());
            // All of alice's quota and of eve's is used, and alice is throttled; nothing else is wrong.
            assertEquals("pending", states.remove("TollgateUserThrottled"));
            assertEquals("pending", states.remove("TollgateUserNearQuota"));
            assertEquals(Set.of("inactive"), Set.copyOf(states.values()), states.toString());
        }
    }

    /** @return each alert's state; empty while the server is not up or has not looked at one yet */
    private static Map<String, String> states(PrometheusServer prometheus) throws Exception {
        Map<String, String> states = new TreeMap<>();
        JsonNode rules = prometheus.rules();
        if (rules != null) {
            for (JsonNode rule : rules) {
                if (rule.get("health").asText().equals("unknown")) {
                    return Map.of();
                }
                assertEquals("ok", rule.get("health").asText(), rule.toString());
                states.put(rule.get("name").asText(), rule.get("state").asText());
            }
        }
        return states;
    }

    @Test
    void scraping_in_a_loop_disturbs_nothing() throws Exception {
        long known = Guarded.total(broker, "Known");
        int sent = 0;
        ExecutorService scrapers = Executors.newFixedThreadPool(4);
        try (RawProducer bob = new RawProducer(broker, "bob", 20_000)) {
            List<Future<Integer>> scrapes = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Callable<Integer> scraper = () -> {
                    int complete = 0;
                    for (int n = 0; n < 50; n++) {
                        Map<String, Double> samples = Exporter.samples(exporter.scrape());
                        complete += samples.get("jmx_scrape_error") == 0 && samples.containsKey("tollgate_user_tokens{user=\"bob\"}") ? 1 : 0;
                    }
                    return complete;
                };
                scrapes.add(scrapers.submit(scraper));
            }
            while (!scrapes.stream().allMatch(Future::isDone)) {
                sent++;
                assertEquals(new RawProducer.Answer(Errors.NONE, 0), bob.send("watched", 0, 2, 3_000_000, (short) 0, sent, (short) 1));
            }
            for (Future<Integer> scrape : scrapes) {
                assertEquals(50, scrape.get());
            }
        } finally {
            scrapers.shutdown();
        }
        assertTrue(sent >= 20, "only " + sent + " requests meanwhile");
        assertEquals(sent, Guarded.total(broker, "Known") - known);
        assertEquals(0, Guarded.total(broker, "Faults"));
    }

    @Test
    void a_throttled_user_is_named_in_one_line_and_the_command_in_it_raises_its_quota(@TempDir Path temp) throws Exception {
        List<String> lines = Guarded.throttles(broker).stream().filter(line -> line.contains("CN=eve")).toList();
        Pattern form = Pattern.compile("\\[[^]]+] WARN Tollgate throttled user CN=eve, .* once, over its quota of 5 new producer IDs"
                + " per hour \\(producer.id.quota.default.rate\\); to raise it: (kafka-configs.sh .*) \\(io.tollgate.kafka\\)");
        Matcher first = form.matcher(lines.get(0));
        assertTrue(first.matches(), lines.toString());
        // Before a quota is set for it: Kafka's own line about that is one that breaks.
        assertTrue(broker.log().lines().noneMatch(line -> line.startsWith("[2026-11-30 06:45:33,544]")), "a name forged a line");

        // A shell takes the command apart.
        Path words = temp.resolve("words");
        String script = "kafka-configs.sh() { printf '%s\\0' \"$@\" > '" + words + "'; }; " + first.group(1);
        assertEquals(0, new ProcessBuilder("bash", "-c", script).start().waitFor(), script);
        List<String> arguments = Arrays.asList(Files.readString(words, StandardCharsets.UTF_8).split("\0"));
        assertEquals(List.of("--bootstrap-server", broker.bootstrap()), arguments.subList(0, 2));
        assertEquals(EVE, arguments.get(arguments.size() - 1));
        KafkaConfigs.Said said = new KafkaConfigs(broker, temp).guarded(arguments.subList(2, arguments.size()).toArray(String[]::new));
        assertEquals(0, said.exitCode(), said.output());
        LiveQuotas.await(2.0 * RATE, () -> jmx.attribute(bean(EVE), "QuotaPerHour"));
        new LiveQuotas(broker).remove(LiveQuotas.user(EVE));
        LiveQuotas.await((double) RATE, () -> jmx.attribute(bean(EVE), "QuotaPerHour"));
    }

    @Test
    void the_order_of_the_two_agents_does_not_matter() throws Exception {
        Exporter first = new Exporter();
        try (BrokerProcess other = BrokerProcess.builder("watch-order").jvmArgument(first.jvmArgument())
                .jvmArgument("-javaagent:" + BuildTree.agentJar()).jvmArgument("-XX:TieredStopAtLevel=1")
                .property(Guarded.RATE, "1").start()) {
            other.createTopic("t", 1);
            try (RawProducer raw = new RawProducer(other, "", 20_000)) {
                assertEquals(Errors.NONE, raw.send("t", 1, 1).error());
                assertEquals(Errors.REQUEST_TIMED_OUT, raw.send("t", 1, 2).error());
            }
            Map<String, Double> samples = Exporter.samples(first.scrape());
            assertEquals(1.0, samples.get("tollgate_user_throttled_requests_total{user=\"ANONYMOUS\"}"));
            assertEquals(1.0, samples.get("tollgate_mode{mode=\"enforce\"}"));
            assertFalse(other.log().contains("ERROR"), other.log());
        }
    }
}
