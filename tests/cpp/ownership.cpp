// Who frees what: moves, what was moved from, and the C objects inside.
#include <type_traits>
#include <utility>
#include <vector>

#include "check.hpp"

using namespace std::chrono_literals;
using tollgate::Config;
using tollgate::Engine;
using tollgate::Kind;
using tollgate::Principal;
using tollgate::Snapshot;
using tollgate::Status;

namespace {

template <class T>
constexpr bool moves_only = std::is_nothrow_move_constructible_v<T>&& std::is_nothrow_move_assignable_v<T> &&
                            !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;

static_assert(moves_only<Engine> && moves_only<Snapshot>);
static_assert(std::is_copy_constructible_v<Config> && !std::is_convertible_v<Config, Engine>);
static_assert(sizeof(Engine) == sizeof(void*) && sizeof(Snapshot) == sizeof(void*));

void moved_from_answers_as_null_does(const Engine& gone) {
    const auto status = [](auto result) { return result.status(); };
    CHECK(gone.handle() == nullptr);
    CHECK(gone.track(Principal(1), 2, 3ms).kind() == Kind::Fault);
    CHECK(gone.touch(Principal(1), 2, 3ms).kind() == Kind::Fault);
    CHECK(gone.remember(Principal(1), 2, 3ms).kind() == Kind::Fault);
    CHECK(!gone.contains(Principal(1), 2, 3ms) && !gone.is_live(Principal(1)) && gone.sweep(3ms) == 0);
    CHECK(status(gone.try_intern("x", 0ms)) == Status::NullPointer);
    CHECK(status(gone.try_set_quota("x", {1.0, 0.0}, 0ms)) == Status::NullPointer);
    CHECK(status(gone.try_set_unlimited("x", 0ms)) == Status::NullPointer);
    CHECK(status(gone.try_clear_quota("x", 0ms)) == Status::NullPointer);
    CHECK(status(gone.try_set_default_quota({1.0, 0.0}, 0ms)) == Status::NullPointer);
    CHECK(status(gone.try_clear_default_quota(0ms)) == Status::NullPointer);
    CHECK(status(gone.try_stats(Principal(1), 0ms)) == Status::NullPointer);
    CHECK(status(gone.try_totals(0ms)) == Status::NullPointer);
    CHECK(status(gone.try_principals()) == Status::NullPointer);
    CHECK(status(gone.try_name(Principal(1))) == Status::NullPointer);
    CHECK(status(gone.try_snapshot(0ms)) == Status::NullPointer);
}

void engines_move() {
    Engine first = must(Engine::try_make({}));
    const Principal alice = must(first.try_intern("alice", 0ms));
    CHECK(first.track(alice, 1, 0ms).admitted());

    Engine second = std::move(first);
    moved_from_answers_as_null_does(first);
    CHECK(second.track(alice, 1, 0ms).known());

    // What the target held goes; valgrind and the sanitizers see whether it did, and only once.
    first = must(Engine::try_make({}));
    CHECK(!first.is_live(alice));
    first = std::move(second);
    CHECK(first.track(alice, 1, 0ms).known() && second.handle() == nullptr);
    Engine& same = first;
    first = std::move(same);
    CHECK(first.track(alice, 1, 0ms).known());

    std::vector<Engine> engines;
    engines.push_back(std::move(first));
    for (int i = 0; i < 10; i++) {
        engines.push_back(must(Engine::try_make({})));
    }
    CHECK(engines.front().track(alice, 1, 0ms).known());
    std::swap(engines.front(), engines.back());
    CHECK(engines.back().track(alice, 1, 0ms).known() && !engines.front().is_live(alice));
}

void engines_come_from_c_and_go_to_c() {
    Engine engine = must(Engine::try_make({}));
    const Principal alice = must(engine.try_intern("alice", 0ms));
    CHECK(tollgate_decision_kind(tollgate_track(engine.handle(), alice.raw(), 5, 0)) == TOLLGATE_KIND_ADMITTED);
    tollgate_engine* raw = engine.release();
    CHECK(raw != nullptr && engine.handle() == nullptr);
    const Engine back = Engine::adopt(raw);
    CHECK(back.track(alice, 5, 0ms).known());
}

void snapshots_move() {
    const Engine engine = must(Engine::try_make({}));
    Snapshot first = must(engine.try_snapshot(0ms));
    const auto* data = first.bytes().data();
    Snapshot second = std::move(first);
    CHECK(second.bytes().data() == data && second.bytes().size() > 0 && second.handle() != nullptr);
    CHECK(first.bytes().empty() && first.bytes().data() == nullptr && first.handle() == nullptr);
    CHECK(first.try_write("unused").status() == Status::NullPointer);
    second = must(engine.try_snapshot(0ms));
    CHECK(second.bytes().size() > 0);
}

void configs_are_values() {
    Config one;
    one.layers(2);
    Config two = one;
    two.layers(4);
    CHECK(Engine::try_make(one).status() == Status::OutOfRange);
    CHECK(Engine::try_make(two).ok() && Engine::try_make(two).ok());
}

} // namespace

void ownership() {
    engines_move();
    engines_come_from_c_and_go_to_c();
    snapshots_move();
    configs_are_values();
}
