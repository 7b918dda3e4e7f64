// Both ways to fail. Compiled with exceptions and without.
#include <limits>
#include <string>

#include "check.hpp"

using namespace std::chrono_literals;
using tollgate::Config;
using tollgate::Engine;
using tollgate::Principal;
using tollgate::Quota;
using tollgate::Status;

#if defined(TOLLGATE_TEST_WITHOUT) == TOLLGATE_HAS_EXCEPTIONS
#error "the header did not notice whether exceptions are on"
#endif

namespace {

std::string message(const Config& config) {
    const auto engine = Engine::try_make(config);
    CHECK(!engine && engine.status() == Status::OutOfRange && engine.failure().status() == Status::OutOfRange);
    return std::string(engine.failure().message());
}

void settings_are_refused_with_their_names() {
    CHECK(message(Config().window(5ms)) == "window_ms = 5: must be 1000 to 2592000000 (milliseconds)");
    CHECK(message(Config().window(-5ms)) == "window_ms = 0: must be 1000 to 2592000000 (milliseconds)");
    CHECK(message(Config().layers(2)) == "layers = 2: must be 3 to 64");
    CHECK(message(Config().max_throttle(-1h)) == "max_throttle_ms = 0: must be 1 to 86400000 (milliseconds)");
    CHECK(message(Config().max_throttle(100'000h)) ==
          "max_throttle_ms = 4294967295: must be 1 to 86400000 (milliseconds)");
    CHECK(message(Config().max_memory_bytes(1)).rfind("max_memory_bytes = 1: must be ", 0) == 0);
    CHECK(message(Config().max_principals(0)).rfind("max_principals = 0: must be ", 0) == 0);
    CHECK(message(Config().false_positive_rate(std::numeric_limits<double>::quiet_NaN()))
              .rfind("false_positive_rate = NaN", 0) == 0);
    CHECK(message(Config().default_quota({-1.0, 0.0})).find("= -1: must be ") != std::string::npos);
    CHECK(message(Config().default_quota({1.0, 1.5})).find("= 1.5: must be ") != std::string::npos);
    // The last word counts, so a setting can be put right.
    CHECK(Engine::try_make(Config().layers(2).layers(4).default_quota({-1.0, 0.0}).no_default_quota()).ok());

    CHECK(Config().layers(2).try_size(1000).failure().message() == "layers = 2: must be 3 to 64");
    CHECK(Config().default_quota({-1.0, 0.0}).try_size(1000).status() == Status::OutOfRange);
}

void calls_are_refused_with_their_reasons() {
    const Engine engine = must(Engine::try_make({}));
    const auto bad_name = engine.try_intern("\xff", 0ms);
    CHECK(bad_name.status() == Status::NotUtf8 && bad_name.failure().message() == "a string is not UTF-8");
    CHECK(engine.try_set_unlimited("\xff", 0ms).status() == Status::NotUtf8);
    CHECK(engine.try_clear_quota("\xff", 0ms).status() == Status::NotUtf8);
    const auto bad_quota = engine.try_set_quota("alice", {0.0, 0.0}, 0ms);
    CHECK(bad_quota.status() == Status::OutOfRange);
    CHECK(bad_quota.failure().message().find("= 0: must be ") != std::string_view::npos);
    CHECK(engine.try_set_default_quota({1.0, -0.5}, 0ms).failure().message().find("= -0.5: must be ") !=
          std::string_view::npos);
    CHECK(engine.try_stats(Principal(), 0ms).status() == Status::Stale);
    CHECK(engine.try_name(Principal()).failure().message().find("intern its name again") != std::string_view::npos);
    CHECK(engine.try_totals(0ms).status() == Status::Ok);

    // A file's name comes back whole, however long.
    const std::string path = "/nowhere/" + std::string(700, 'x');
    const auto failed = Engine::try_restore_file({}, path, 0ms);
    CHECK(failed.status() == Status::Io && failed.failure().message().substr(0, path.size() + 2) == path + ": ");
    CHECK(failed.failure().message().size() > path.size() + 5);
    CHECK(Engine::try_restore({}, std::string_view("TOLLGATE?"), 0ms).status() == Status::Damaged);
    CHECK(Engine::try_restore({}, {}, 0ms).status() == Status::Damaged);
    CHECK(Engine::try_restore(Config().layers(2), {}, 0ms).status() == Status::OutOfRange);
}

void results_are_read_as_optionals_are() {
    tollgate::Result<std::string> good = std::string("text");
    CHECK(good && good.ok() && *good == "text" && good->size() == 4 && good.status() == Status::Ok);
    *good += "s";
    const auto copied = good;
    CHECK(*copied == "texts" && copied->size() == 5);
    const std::string moved = *std::move(good);
    CHECK(moved == "texts");
    const tollgate::Result<std::string> bad = tollgate::Failure(Status::Full);
    CHECK(!bad && bad.status() == Status::Full && bad.failure().message() == tollgate::to_string(Status::Full));
    CHECK(tollgate::Result<void>().ok());
}

#if TOLLGATE_HAS_EXCEPTIONS
/// The status and text of what `call` throws.
template <class Call>
std::string thrown(Status status, Call call) {
    try {
        call();
    } catch (const tollgate::Error& error) {
        CHECK(error.status() == status);
        return error.what();
    }
    return "nothing was thrown";
}

void throwing_forms_say_the_same() {
    CHECK(thrown(Status::OutOfRange, [] { Engine refused(Config().layers(2)); }) == "layers = 2: must be 3 to 64");
    CHECK(thrown(Status::OutOfRange, [] { (void)Config().layers(2).size(10); }) == "layers = 2: must be 3 to 64");
    CHECK(Config().size(1000).layers == 5);
    const Engine engine{Config()};
    CHECK(thrown(Status::NotUtf8, [&] { (void)engine.intern("\xff", 0ms); }) == "a string is not UTF-8");
    CHECK(thrown(Status::OutOfRange, [&] { engine.set_quota("a", {0.0, 0.0}, 0ms); }) != "nothing was thrown");
    CHECK(thrown(Status::OutOfRange, [&] { engine.set_default_quota({0.0, 0.0}, 0ms); }) != "nothing was thrown");
    CHECK(thrown(Status::NotUtf8, [&] { engine.set_unlimited("\xff", 0ms); }) != "nothing was thrown");
    CHECK(thrown(Status::NotUtf8, [&] { engine.clear_quota("\xff", 0ms); }) != "nothing was thrown");
    CHECK(thrown(Status::Stale, [&] { (void)engine.stats(Principal(), 0ms); }) != "nothing was thrown");
    CHECK(thrown(Status::Stale, [&] { (void)engine.name(Principal()); }) != "nothing was thrown");
    CHECK(thrown(Status::Io, [&] { engine.snapshot(0ms).write("/nowhere/at/all"); }) != "nothing was thrown");
    CHECK(thrown(Status::Io, [] { (void)Engine::restore_file({}, "/nowhere/at/all", 0ms); }) != "nothing was thrown");
    CHECK(thrown(Status::Damaged, [] { (void)Engine::restore({}, {}, 0ms); }) != "nothing was thrown");
    Engine moved{Config()};
    const Engine elsewhere = std::move(moved);
    CHECK(thrown(Status::NullPointer, [&] { moved.clear_default_quota(0ms); }) != "nothing was thrown");
    CHECK(thrown(Status::NullPointer, [&] { (void)moved.totals(0ms); }) != "nothing was thrown");
    CHECK(thrown(Status::NullPointer, [&] { (void)moved.principals(); }) != "nothing was thrown");
    CHECK(thrown(Status::NullPointer, [&] { (void)moved.snapshot(0ms); }) != "nothing was thrown");
    // As the standard's exceptions are caught.
    try {
        Engine refused(Config().layers(2));
        CHECK(false);
    } catch (const std::exception& error) {
        CHECK(std::string(error.what()) == "layers = 2: must be 3 to 64");
    }
}
#endif

} // namespace

void failures() {
    settings_are_refused_with_their_names();
    calls_are_refused_with_their_reasons();
    results_are_read_as_optionals_are();
#if TOLLGATE_HAS_EXCEPTIONS
    throwing_forms_say_the_same();
#endif
}
