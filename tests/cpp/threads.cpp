// One engine, many threads: each PID is admitted once (S3), while others sweep, count, change quotas and take
// snapshots.
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

using namespace std::chrono_literals;
using tollgate::Config;
using tollgate::Engine;
using tollgate::Principal;

namespace {

constexpr std::uint64_t PIDS = 3000;
constexpr int TRACKERS = 4;

/// Each thread brings every PID, starting elsewhere.
void track_all(const Engine& engine, int thread, std::atomic<int>& waiting, std::vector<std::atomic<int>>& admitted) {
    waiting--;
    while (waiting > 0) { // so that all are under way at once
        std::this_thread::yield();
    }
    const Principal alice = must(engine.try_intern("alice", 0ms));
    for (std::uint64_t i = 0; i < PIDS; i++) {
        const std::uint64_t pid = (i + static_cast<std::uint64_t>(thread) * 17) % PIDS;
        const auto decision = engine.track(alice, pid, std::chrono::milliseconds(i / 100));
        if (decision.admitted()) {
            admitted[pid]++;
        } else if (!decision.known()) {
            std::printf("failed: PID %llu: kind %d\n", static_cast<unsigned long long>(pid),
                        static_cast<int>(decision.kind()));
            std::exit(1);
        }
    }
}

/// What else may go on; other principals come and go meanwhile.
void stir(const Engine& engine, const std::atomic<bool>& done) {
    for (int round = 0; !done; round++) {
        const auto now = std::chrono::milliseconds(round % 30);
        const std::string name = "other-" + std::to_string(round % 50);
        const Principal other = *engine.try_intern(name, now);
        (void)engine.track(other, static_cast<std::uint64_t>(round), now);
        (void)engine.try_set_quota(name, {static_cast<double>(round % 9 + 1), 0.5}, now);
        (void)engine.try_stats(other, now);
        (void)engine.try_totals(now);
        (void)engine.try_name(other);
        (void)engine.sweep(now);
        if (round % 16 == 0) {
            const auto snapshot = *engine.try_snapshot(now);
            const auto restored = Engine::try_restore({}, snapshot.bytes(), now);
            if (!restored.ok() || !engine.try_principals().ok()) {
                std::printf("failed: %s\n", std::string(restored.failure().message()).c_str());
                std::exit(1);
            }
        }
    }
}

} // namespace

int main() {
    const auto engine = std::make_unique<Engine>(*Engine::try_make(Config().false_positive_rate(1e-6)));
    std::vector<std::atomic<int>> admitted(PIDS);
    std::atomic<bool> done{false};
    std::atomic<int> waiting{TRACKERS};
    std::thread stirring([&] { stir(*engine, done); });
    std::vector<std::thread> trackers;
    for (int thread = 0; thread < TRACKERS; thread++) {
        trackers.emplace_back([&, thread] { track_all(*engine, thread, waiting, admitted); });
    }
    for (auto& tracker : trackers) {
        tracker.join();
    }
    done = true;
    stirring.join();

    std::uint64_t sum = 0;
    for (const auto& times : admitted) {
        CHECK(times <= 1);
        sum += static_cast<std::uint64_t>(times);
    }
    // Less at most a few that were taken for known.
    CHECK(sum <= PIDS && sum >= PIDS - 3);
    CHECK(must(engine->try_stats(must(engine->try_intern("alice", 30ms)), 30ms)).admitted == sum);
    std::printf("threads: %d checks\n", checks.load());
}
