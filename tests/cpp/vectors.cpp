// The sequences of tests/vectors, whose folder is the argument: tests/vectors/main.rs says what the files hold. Prints
// "vectors: N checks", or names the first reading that is not the written one.
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "check.hpp"

using nlohmann::json;
using tollgate::Time;

namespace {

/// A step of a case, and what is said where it fails.
struct Step {
    const json& said;
    std::string name;
    int number;

    [[nodiscard]] Time at() const { return Time::from_ms(said.at("at").get<std::uint64_t>()); }

    void is(const char* field, std::uint64_t measured) const {
        check(said.at(field).get<std::uint64_t>() == measured, name.c_str(), number, field);
    }
    void is(const char* field, std::chrono::milliseconds measured) const {
        is(field, static_cast<std::uint64_t>(measured.count()));
    }
    void is_close(const char* field, double measured) const {
        const double expected = said.at(field).get<double>();
        const bool close = std::fabs(measured - expected) <= 1e-9 * std::fmax(std::fabs(expected), 1);
        check(close, name.c_str(), number, field);
    }
};

template <class Run>
void each_step(const json& one, Run run) {
    int number = 0;
    for (const json& step : one.at("steps")) {
        run(Step{step, one.at("name").get<std::string>(), number++});
    }
}

void windowed_rate(const json& one) {
    const auto policy = one.at("policy") == "grid"      ? tollgate::Policy::Grid
                        : one.at("policy") == "overlap" ? tollgate::Policy::Overlap
                                                        : tollgate::Policy::Sliding;
    const auto rate =
        must(tollgate::WindowedRate::try_make(policy, one.at("samples").get<std::uint32_t>(),
                                              std::chrono::milliseconds(one.at("sample_ms").get<std::int64_t>())));
    each_step(one, [&](const Step& step) {
        if (step.said.contains("record")) {
            rate.record(step.said.at("record").get<std::uint64_t>(), step.at());
        }
        step.is_close("per_second", rate.per_second(step.at()));
        step.is("window_ms", rate.window(step.at()));
        step.is("throttle_ms", rate.throttle(step.said.at("limit").get<double>(), step.at()));
    });
}

void token_bucket(const json& one) {
    const auto bucket =
        must(tollgate::TokenBucket::try_make(one.at("per_second").get<double>(), one.at("capacity").get<double>(),
                                             Time::from_ms(one.at("first_ms").get<std::uint64_t>())));
    each_step(one, [&](const Step& step) {
        if (step.said.contains("charge")) {
            step.is("wait_ms", bucket.charge(step.said.at("charge").get<double>(), step.at()));
        } else {
            const auto wait = bucket.charge_strict(step.said.at("charge_strict").get<double>(), step.at());
            step.is("wait_ms", wait.value_or(std::chrono::milliseconds(0)));
        }
        step.is_close("tokens", bucket.tokens(step.at()));
    });
}

void gcra(const json& one) {
    const auto bucket =
        must(tollgate::Gcra::try_make(one.at("per_hour").get<double>(), one.at("capacity").get<double>(),
                                      Time::from_ms(one.at("first_ms").get<std::uint64_t>())));
    each_step(one, [&](const Step& step) {
        step.is("wait_ms", bucket.charge(step.at()).value_or(std::chrono::milliseconds(0)));
        step.is_close("tokens", bucket.tokens(step.at()));
    });
}

void limiter(const json& one) {
    const auto limiter =
        one.at("limiter") == "windowed" ? tollgate::Limiter::Windowed : tollgate::Limiter::TokenBucket;
    const auto engine = must(tollgate::Engine::try_make(
        tollgate::Config()
            .limiter(limiter)
            .default_quota({one.at("per_hour").get<double>(), one.at("burst").get<double>()})
            .window(std::chrono::milliseconds(one.at("window_ms").get<std::int64_t>()))
            .layers(one.at("layers").get<std::uint32_t>())));
    tollgate::Principal alice;
    each_step(one, [&](const Step& step) {
        if (step.number == 0) {
            alice = must(engine.try_intern("alice", step.at()));
        }
        const auto decision = engine.track(alice, step.said.at("pid").get<std::uint64_t>(), step.at());
        const char* said = decision.known() ? "known" : decision.admitted() ? "admitted" : "throttled";
        check(step.said.at("decision") == said && (decision.throttled() || said[0] != 't'), step.name.c_str(),
              step.number, "decision");
    });
}

void dispatch_estimator(const json& one) {
    using tollgate::DispatchEstimator;
    const bool precise = one.at("precise").get<bool>();
    const json& start = one.at("starting_at");
    const auto estimator = must(start.is_null() ? DispatchEstimator::try_make(precise)
                                                : DispatchEstimator::try_starting_at(precise, start.get<double>()));
    each_step(one, [&](const Step& step) {
        estimator.record_push(step.said.at("messages").get<std::uint64_t>(),
                              step.said.at("entries").get<std::uint64_t>());
        const auto average = estimator.average();
        check(average.has_value() != step.said.at("average").is_null(), step.name.c_str(), step.number, "average");
        if (average) {
            step.is_close("average", *average);
        }
        step.is("entries_to_read", estimator.entries_to_read(step.said.at("permits").get<std::int64_t>(),
                                                             step.said.at("read_batch_size").get<std::uint32_t>()));
    });
}

/// Every case of a kind; one with none is a file that was cut.
void each(const json& file, const char* kind, void (*run)(const json&)) {
    CHECK(!file.at(kind).empty());
    for (const json& one : file.at(kind)) {
        run(one);
    }
}

} // namespace

int main(int argc, char** argv) {
    const std::string folder = argc > 1 ? argv[1] : "tests/vectors";
    const auto parsed = [&](const char* name) {
        std::ifstream file(folder + "/" + name);
        CHECK(file.is_open());
        return json::parse(file);
    };
    const json rates = parsed("rates.json");
    each(rates, "windowed_rate", windowed_rate);
    each(rates, "token_bucket", token_bucket);
    each(rates, "gcra", gcra);
    each(rates, "limiter", limiter);
    each(parsed("dispatch.json"), "dispatch_estimator", dispatch_estimator);
    std::printf("vectors: %d checks\n", checks.load());
}
