// S14: what is remembered, to bytes and to a file and back. TOLLGATE_SMOKE_FILE is where this may write.
#include <string>
#include <vector>

#include "check.hpp"

using namespace std::chrono_literals;
using tollgate::Config;
using tollgate::Engine;
using tollgate::Principal;
using tollgate::Status;

namespace {

constexpr std::uint64_t PIDS = 500;

Engine remembering() {
    Engine engine = must(Engine::try_make({}));
    const Principal erin = must(engine.try_intern("erin", 0ms));
    for (std::uint64_t pid = 0; pid < PIDS; pid++) {
        (void)engine.track(erin, pid, 0ms);
    }
    return engine;
}

void check_all_known(const Engine& engine) {
    const Principal erin = must(engine.try_intern("erin", 2ms));
    for (std::uint64_t pid = 0; pid < PIDS; pid++) {
        CHECK(engine.contains(erin, pid, 2ms));
    }
}

void through_bytes() {
    const auto snapshot = must(remembering().try_snapshot(1ms));
    CHECK(snapshot.bytes().size() > 100);
    // The engine is gone; the bytes and a copy of them are not.
    const std::vector<std::uint8_t> copy(snapshot.bytes().begin(), snapshot.bytes().end());
    for (const tollgate::Bytes bytes : {snapshot.bytes(), tollgate::Bytes(copy)}) {
        auto [engine, restored] = must(Engine::try_restore({}, bytes, 2ms));
        CHECK(restored.principals == 1 && restored.layers >= 1);
        CHECK(restored.principals_left_out == 0 && restored.layers_left_out == 0);
        check_all_known(engine);
    }
    // A window later, nothing is left.
    CHECK(must(Engine::try_restore({}, snapshot.bytes(), 3h)).restored.layers == 0);

    auto damaged = copy;
    damaged[damaged.size() / 2] ^= 1;
    const auto refused = Engine::try_restore({}, damaged, 2ms);
    CHECK(refused.status() == Status::Damaged);
    CHECK(refused.failure().message().find("checksum") != std::string_view::npos);
    const auto cut = Engine::try_restore({}, tollgate::Bytes(copy.data(), copy.size() - 1), 2ms);
    CHECK(cut.status() == Status::Damaged);
}

void through_a_file() {
    const char* place = std::getenv("TOLLGATE_SMOKE_FILE");
    CHECK(place != nullptr);
    const std::string path = place;
    CHECK(must(remembering().try_snapshot(1ms)).try_write(path).ok());
    auto [engine, restored] = must(Engine::try_restore_file({}, path, 2ms));
    CHECK(restored.principals == 1);
    check_all_known(engine);
    CHECK(std::remove(place) == 0);
    CHECK(Engine::try_restore_file({}, path, 2ms).status() == Status::Io);
}

#if TOLLGATE_HAS_EXCEPTIONS
void throwing() {
    const Engine engine = remembering();
    const auto snapshot = engine.snapshot(1ms);
    const std::string path = std::getenv("TOLLGATE_SMOKE_FILE");
    snapshot.write(path);
    check_all_known(Engine::restore({}, snapshot.bytes(), 2ms).engine);
    check_all_known(Engine::restore_file({}, path, 2ms).engine);
    CHECK(std::remove(path.c_str()) == 0);
}
#endif

} // namespace

void snapshots() {
    through_bytes();
    through_a_file();
#if TOLLGATE_HAS_EXCEPTIONS
    throwing();
#endif
}
