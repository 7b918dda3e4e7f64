// Deciding, quotas, and reading what was counted.
#include <algorithm>
#include <string>

#include "check.hpp"

using namespace std::chrono_literals;
using namespace std::string_view_literals;
using tollgate::Config;
using tollgate::Decision;
using tollgate::Engine;
using tollgate::Kind;
using tollgate::Principal;
using tollgate::Status;

namespace {

void settings_arrive() {
    const Engine engine = must(Engine::try_make(Config()
                                                    .window(1h)
                                                    .layers(4)
                                                    .false_positive_rate(0.001)
                                                    .default_quota({2.0, 1.0})
                                                    .max_throttle(500ms)
                                                    .max_principals(2)
                                                    .max_memory_bytes(4 << 20)
                                                    .seed(42)));
    const Principal alice = must(engine.try_intern("alice", 0ms));
    CHECK(engine.track(alice, 1, 0ms).admitted() && engine.track(alice, 2, 0ms).admitted());
    const Decision refused = engine.track(alice, 3, 0ms);
    CHECK(refused.throttled() && refused.retry_after().has_value());
    CHECK(*refused.retry_after() >= 250ms && *refused.retry_after() <= 500ms);

    CHECK(!must(engine.try_intern("bob", 0ms)).is_overflow());
    CHECK(must(engine.try_intern("carol", 0ms)).is_overflow() && must(engine.try_intern("dave", 0ms)).is_overflow());
    CHECK(must(engine.try_principals()).size() == 2);
    CHECK(must(engine.try_totals(0ms)).overflow_interns == 2);
    // The same seed makes the same decision, so it arrived.
    const Engine twin = must(Engine::try_make(Config().default_quota({2.0, 1.0}).max_throttle(500ms).seed(42)));
    const Principal same = must(twin.try_intern("alice", 0ms));
    CHECK(twin.track(same, 1, 0ms).admitted() && twin.track(same, 2, 0ms).admitted());
    CHECK(twin.track(same, 3, 0ms) == refused && twin.track(same, 4, 0ms) != refused);
}

void pids_are_decided() {
    const Engine engine = must(Engine::try_make({}));
    const Principal bob = must(engine.try_intern("bob", 1s));
    CHECK(engine.touch(bob, 7, 1s).kind() == Kind::New && !engine.contains(bob, 7, 1s));
    CHECK(engine.track(bob, 7, 1s) == Decision(TOLLGATE_KIND_ADMITTED));
    CHECK(engine.track(bob, 7, 1s).known() && engine.touch(bob, 7, 1s).known() && engine.contains(bob, 7, 1s));
    CHECK(engine.remember(bob, UINT64_MAX, 1s).known() && engine.contains(bob, UINT64_MAX, 1s));

    CHECK(engine.sweep(1s + 3h) == 1 && !engine.is_live(bob));
    CHECK(engine.track(bob, 7, 1s + 3h).stale() && !engine.contains(bob, 7, 1s + 3h));
    CHECK(engine.track(Principal(), 7, 1s).stale());
    // Idle past the window, it is forgotten; a clock that went back does not bring it back.
    const Principal again = must(engine.try_intern("bob", 1s + 3h));
    CHECK(again != bob && engine.track(again, 7, 1s).admitted());
}

void quotas_hold_from_the_next_call() {
    const Engine engine = must(Engine::try_make({}));
    const Principal bob = must(engine.try_intern("bob", 0ms));
    CHECK(!must(engine.try_stats(bob, 0ms)).quota_per_hour && !must(engine.try_stats(bob, 0ms)).tokens);
    CHECK(engine.try_set_quota("bob", {1.0, 0.0}, 0ms).ok());
    CHECK(must(engine.try_stats(bob, 0ms)).quota_per_hour == 1.0 && must(engine.try_stats(bob, 0ms)).tokens == 1.0);
    CHECK(engine.track(bob, 1, 0ms).admitted() && engine.track(bob, 2, 0ms).throttled());
    CHECK(engine.try_set_unlimited("bob", 0ms).ok() && engine.track(bob, 2, 0ms).admitted());
    CHECK(engine.try_set_default_quota({1.0, 0.0}, 0ms).ok() && engine.track(bob, 3, 0ms).admitted());
    CHECK(engine.try_clear_quota("bob", 0ms).ok());
    CHECK(engine.track(bob, 4, 0ms).admitted() && engine.track(bob, 5, 0ms).throttled());
    CHECK(engine.try_clear_default_quota(0ms).ok() && engine.track(bob, 5, 0ms).admitted());

    const tollgate::Stats stats = must(engine.try_stats(bob, 0ms));
    CHECK(stats.admitted == 5 && stats.throttled == 2 && stats.known == 0 && stats.live_pids == 5);
    CHECK(stats.layers == 0 && stats.bytes > 0 && stats.ghost_hits == 0 && stats.re_recorded == 0);
    CHECK(stats.rate_per_hour > 0.0 && stats.false_positive_rate == 0.0 && stats.fill >= 0.0);
    const tollgate::Totals totals = must(engine.try_totals(0ms));
    CHECK(totals.stats.admitted == 5 && totals.stats.throttled == 2 && totals.principals == 1);
    CHECK(totals.evicted_layers == 0 && totals.memory_bytes > 0 && totals.overflow_interns == 0);
    CHECK(!totals.stats.tokens && !totals.stats.quota_per_hour);
}

void names_are_views() {
    const Engine engine = must(Engine::try_make({}));
    const std::string_view cut("alice and more", 5);
    const Principal alice = must(engine.try_intern(cut, 0ms));
    CHECK(must(engine.try_intern("alice", 0ms)) == alice &&
          must(engine.try_intern(std::string("alice"), 0ms)) == alice);
    CHECK(must(engine.try_name(alice)) == "alice");
    // Around the first buffer's length, far beyond it, and with what ends a C string.
    for (const std::size_t length : {0U, 1U, 61U, 62U, 63U, 64U, 5000U}) {
        const std::string name(length, 'n');
        CHECK(must(engine.try_name(must(engine.try_intern(name, 0ms)))) == name);
    }
    CHECK(must(engine.try_intern({}, 0ms)) == must(engine.try_intern("", 0ms)));
    CHECK(must(engine.try_name(must(engine.try_intern("a\0b"sv, 0ms)))) == "a\0b"sv);
    CHECK(must(engine.try_name(must(engine.try_intern("zo\xc3\xab", 0ms)))) == "zo\xc3\xab");
}

void all_principals_are_listed() {
    const Engine engine = must(Engine::try_make({}));
    CHECK(must(engine.try_principals()).empty());
    std::vector<std::uint32_t> made;
    for (int i = 0; i < 1000; i++) {
        made.push_back(must(engine.try_intern(std::to_string(i), 0ms)).raw());
    }
    std::vector<std::uint32_t> listed;
    for (const Principal principal : must(engine.try_principals())) {
        listed.push_back(principal.raw());
        CHECK(engine.is_live(principal));
    }
    std::sort(made.begin(), made.end());
    std::sort(listed.begin(), listed.end());
    CHECK(made == listed);
}

void filters_are_sized() {
    const tollgate::FilterSize size = must(Config().try_size(1000));
    CHECK(size.layer_pids >= 250 && size.layers == 5 && size.layer_bits == 8 * size.layer_bytes);
    CHECK(size.bytes == 5 * size.layer_bytes && size.false_positive_rate > 0 && size.false_positive_rate <= 0.001);
    CHECK(must(Config().layers(8).try_size(1000)).layers == 9);
}

} // namespace

void decisions() {
    settings_arrive();
    pids_are_decided();
    quotas_hold_from_the_next_call();
    names_are_views();
    all_principals_are_listed();
    filters_are_sized();
}
