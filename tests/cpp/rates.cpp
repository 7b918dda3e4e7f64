// What serves beside an engine: rates, buckets, the estimate of how much to read. And the limiter inside an engine.
#include <cmath>
#include <string>
#include <type_traits>
#include <utility>

#include "check.hpp"

using namespace std::chrono_literals;
using tollgate::Config;
using tollgate::DispatchEstimator;
using tollgate::Engine;
using tollgate::Gcra;
using tollgate::Limiter;
using tollgate::Policy;
using tollgate::Status;
using tollgate::TokenBucket;
using tollgate::WindowedRate;

namespace {

template <class T>
constexpr bool moves_only = std::is_nothrow_move_constructible_v<T>&& std::is_nothrow_move_assignable_v<T> &&
                            !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;

static_assert(moves_only<WindowedRate> && moves_only<TokenBucket> && moves_only<Gcra> && moves_only<DispatchEstimator>);
static_assert(sizeof(WindowedRate) == sizeof(void*) && sizeof(DispatchEstimator) == sizeof(void*));

template <class T>
std::string refused(const tollgate::Result<T>& result) {
    CHECK(result.status() == Status::OutOfRange);
    return std::string(result.failure().message());
}

void rates() {
    CHECK(refused(WindowedRate::try_make(Policy::Grid, 2, -1ms)) ==
          "sample_ms = 0: must be 1 to 2592000000 (milliseconds)");
    CHECK(refused(WindowedRate::try_make(static_cast<Policy>(3), 2, 1s)) ==
          "policy = 3: must be 0 (grid), 1 (overlap) or 2 (sliding)");
    WindowedRate rate = must(WindowedRate::try_make(Policy::Overlap, 3, 1s));
    const auto start = std::chrono::steady_clock::time_point(5s);
    rate.record(200, start);
    CHECK(rate.per_second(start) == 100 && rate.window(start) == 2s);
    CHECK(rate.throttle(50, start) == 2s && rate.throttle(100, start) == 0ms);
    CHECK(rate.throttle(0, start) == std::chrono::milliseconds::max());
    CHECK(must(WindowedRate::try_make(Policy::Sliding, 2, 1s)).window(0ms) == 2s);

    const WindowedRate moved = std::move(rate);
    CHECK(moved.per_second(start) == 100 && rate.handle() == nullptr);
    rate.record(1, start);
    CHECK(std::isnan(rate.per_second(start)) && rate.window(start) == 0ms && rate.throttle(1, start) == 0ms);
    rate = must(WindowedRate::try_make(Policy::Grid, 1, 1s));
    CHECK(rate.per_second(start) == 0);
    tollgate_windowed_rate* raw = rate.release();
    tollgate_windowed_rate_record(raw, 50, 0);
    CHECK(WindowedRate::adopt(raw).per_second(0ms) == 50'000);
}

void buckets() {
    CHECK(refused(TokenBucket::try_make(-1, 1, 0ms)) == "rate = -1: must be a finite number above 0 (tokens per second)");
    TokenBucket bucket = must(TokenBucket::try_make(10, 100, 1s));
    CHECK(!bucket.charge_strict(180, 1s) && bucket.tokens(1s) == -80);
    CHECK(bucket.charge_strict(90, 1s) == 8s && bucket.tokens(1s) == -80);
    CHECK(bucket.charge(20, 1s) == 10s && bucket.charge(0, 11s) == 0ms);
    const TokenBucket moved = TokenBucket::adopt(bucket.release());
    CHECK(moved.tokens(11s) == 0 && moved.handle() != nullptr);
    CHECK(bucket.charge(1, 0ms) == 0ms && !bucket.charge_strict(1, 0ms) && std::isnan(bucket.tokens(0ms)));

    CHECK(refused(Gcra::try_make(1, 0, 0ms)) == "capacity = 0: must be a finite number above 0 (tokens)");
    Gcra gcra = must(Gcra::try_make(3600, 2, 0ms));
    CHECK(!gcra.charge(0ms) && !gcra.charge(0ms) && gcra.charge(400ms) == 600ms);
    CHECK(std::fabs(gcra.tokens(400ms) - 0.4) < 1e-9);
    const Gcra kept = Gcra::adopt(gcra.release());
    CHECK(!kept.charge(1s) && kept.handle() != nullptr);
    CHECK(!gcra.charge(0ms) && std::isnan(gcra.tokens(0ms)));
}

void estimators() {
    CHECK(refused(DispatchEstimator::try_starting_at(true, 0)) == "messages_per_entry = 0: must be a finite number from 1");
    DispatchEstimator estimator = must(DispatchEstimator::try_make(true));
    CHECK(!estimator.average() && estimator.is_precise());
    CHECK(must(estimator.try_to_json()) == R"({"avgMessagesPerEntry":null,"precise":true})");
    estimator.record_push(25, 2);
    CHECK(estimator.average() == 12.5 && estimator.entries_to_read(100, 500) == 8);
    CHECK(estimator.entries_to_read(-43, 500) == 0);
    CHECK(must(estimator.try_to_json()) == R"({"avgMessagesPerEntry":12.5,"precise":true})");
    const DispatchEstimator off = must(DispatchEstimator::try_starting_at(false, 1000));
    CHECK(off.average() == 1000.0 && !off.is_precise() && off.entries_to_read(30, 500) == 30);
    const DispatchEstimator moved = DispatchEstimator::adopt(estimator.release());
    CHECK(moved.average() == 12.5 && moved.handle() != nullptr);
    estimator.record_push(1, 1);
    CHECK(!estimator.average() && !estimator.is_precise() && estimator.entries_to_read(1, 1) == 0);
    CHECK(estimator.try_to_json().status() == Status::NullPointer);
}

/// A quota of 100 an hour, tried each second of one.
void limiters() {
    const auto admitted = [](Limiter limiter) {
        const Engine engine = must(Engine::try_make(Config().default_quota({100, 1}).limiter(limiter)));
        const tollgate::Principal alice = must(engine.try_intern("alice", 0ms));
        int passed = 0;
        for (std::uint32_t second = 0; second < 3600; second++) {
            passed += engine.track(alice, second, std::chrono::seconds(second)).admitted();
        }
        return passed;
    };
    // Less what the filter takes for known: one in a thousand at most.
    const int bucket = admitted(Limiter::TokenBucket), windowed = admitted(Limiter::Windowed);
    CHECK(bucket <= 199 && bucket >= 196);
    CHECK(windowed <= 100 && windowed >= 97);
    CHECK(refused(Engine::try_make(Config().limiter(static_cast<Limiter>(2)))) ==
          "limiter = 2: must be 0 (token bucket) or 1 (windowed)");
}

#if TOLLGATE_HAS_EXCEPTIONS
template <class Make>
Status thrown(Make make) {
    try {
        make();
    } catch (const tollgate::Error& error) {
        return error.status();
    }
    return Status::Ok;
}

void throwing_forms() {
    CHECK(WindowedRate(Policy::Grid, 2, 1s).per_second(0ms) == 0);
    CHECK(TokenBucket(1, 5, 0ms).tokens(0ms) == 5 && Gcra(1, 5, 0ms).tokens(0ms) == 5);
    CHECK(DispatchEstimator(false).to_json() == R"({"avgMessagesPerEntry":null,"precise":false})");
    CHECK(DispatchEstimator::starting_at(true, 3).average() == 3.0);
    CHECK(thrown([] { WindowedRate(Policy::Grid, 0, 1s); }) == Status::OutOfRange);
    CHECK(thrown([] { TokenBucket(0, 5, 0ms); }) == Status::OutOfRange);
    CHECK(thrown([] { Gcra(0, 5, 0ms); }) == Status::OutOfRange);
    CHECK(thrown([] { (void)DispatchEstimator::starting_at(true, 0); }) == Status::OutOfRange);
}
#endif

} // namespace

void rates_and_buckets() {
    rates();
    buckets();
    estimators();
    limiters();
#if TOLLGATE_HAS_EXCEPTIONS
    throwing_forms();
#endif
}
