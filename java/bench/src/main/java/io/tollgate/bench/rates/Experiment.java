package io.tollgate.bench.rates;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.function.LongFunction;

import io.tollgate.WindowedRate;
import org.apache.kafka.common.metrics.stats.Rate;

/** All phases under all contenders. The phase is the seed: the same numbers come out each time. */
final class Experiment {
    static final int PHASES = 1_000;

    private Experiment() {
    }

    /** What was seen of one contender. */
    static final class Result {
        final Distribution perSecond = new Distribution();
        final Distribution measuredAtEnd = new Distribution();
        final Distribution measuredOnce = new Distribution();
        final Distribution mostInASecond = new Distribution();
        final Distribution mostInASecondLater = new Distribution();
        final Distribution mostInASecondAtOnce = new Distribution();
        final Distribution seconds = new Distribution();

        private void add(Trial atForty, Trial atOnce) {
            perSecond.add(atForty.perSecond());
            measuredAtEnd.add(atForty.measuredAtEnd());
            measuredOnce.add(atForty.measuredOnce());
            mostInASecond.add(atForty.mostInASecond());
            mostInASecondLater.add(atForty.mostInASecondLater());
            mostInASecondAtOnce.add(atOnce.mostInASecond());
            seconds.add(atForty.seconds());
        }

        private String toJson() {
            return "\"per_second\": " + perSecond.toJson()
                    + ",\n     \"measured_at_end\": " + measuredAtEnd.toJson()
                    + ",\n     \"measured_once\": " + measuredOnce.toJson()
                    + ",\n     \"most_in_a_second\": " + mostInASecond.toJson()
                    + ",\n     \"most_in_a_second_later\": " + mostInASecondLater.toJson()
                    + ",\n     \"most_in_a_second_at_once\": " + mostInASecondAtOnce.toJson()
                    + ",\n     \"seconds\": " + seconds.toJson();
        }
    }

    /** How each is made, with the time of its first event. */
    private static Map<String, LongFunction<Contender>> contenders(Engine burst, Engine even) {
        Map<String, LongFunction<Contender>> contenders = new LinkedHashMap<>();
        contenders.put("kafka_rate", first -> Kafkas.rate());
        contenders.put("overlap", first -> new Windowed(WindowedRate.Policy.OVERLAP));
        contenders.put("grid", first -> new Windowed(WindowedRate.Policy.GRID));
        contenders.put("sliding", first -> new Windowed(WindowedRate.Policy.SLIDING));
        contenders.put("kafka_token_bucket", first -> Kafkas.tokenBucket());
        contenders.put("token_bucket", Bucket::new);
        contenders.put("gcra_burst", first -> new Spaced(Contender.LIMIT, first));
        contenders.put("gcra_even", first -> new Spaced(1, first));
        contenders.put("windowed_burst", burst::trial);
        contenders.put("windowed_even", even::trial);
        return contenders;
    }

    static Map<String, Result> run() {
        Map<String, Result> results = new LinkedHashMap<>();
        try (Engine burst = new Engine(1); Engine even = new Engine(0)) {
            contenders(burst, even).forEach((name, make) -> results.put(name, phases(make)));
        }
        return results;
    }

    private static Result phases(LongFunction<Contender> make) {
        Result result = new Result();
        for (int phase = 0; phase < PHASES; phase++) {
            result.add(trial(make, Offers.atForty(phase)), trial(make, Offers.atOnce(phase)));
        }
        return result;
    }

    private static Trial trial(LongFunction<Contender> make, Offers offers) {
        try (Contender contender = make.apply(offers.at()[0])) {
            return Trial.run(contender, offers);
        }
    }

    /** As its jar says. */
    private static String kafkaVersion() {
        Properties properties = new Properties();
        try (InputStream stream = Rate.class.getResourceAsStream("/kafka/kafka-version.properties")) {
            properties.load(stream);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version");
    }

    static String toJson(Map<String, Result> results) {
        StringBuilder json = new StringBuilder("{\n  \"kafka_version\": \"" + kafkaVersion() + "\",\n"
                + "  \"phases\": " + PHASES + ",\n  \"events\": " + Offers.EVENTS + ",\n"
                + "  \"offered_per_second\": " + 1000 / Offers.INTERVAL_MS + ",\n  \"limit\": " + Contender.LIMIT + ",\n"
                + "  \"contenders\": [\n");
        String separator = "";
        for (Map.Entry<String, Result> each : results.entrySet()) {
            json.append(separator).append("    {\"name\": \"").append(each.getKey()).append("\",\n     ")
                    .append(each.getValue().toJson()).append('}');
            separator = ",\n";
        }
        return json.append("\n  ]\n}\n").toString();
    }
}
