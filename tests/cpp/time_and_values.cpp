// Time from any clock, and the plain values. Most of it holds at compile time.
#include <array>
#include <cstddef>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "check.hpp"
#if __cplusplus >= 202002L
#include <span>
#endif

using namespace std::chrono_literals;
using tollgate::Bytes;
using tollgate::Decision;
using tollgate::Kind;
using tollgate::Principal;
using tollgate::Time;

namespace {

/// A clock whose origin lies far ahead, as some have at start.
struct BeforeItsOrigin {
    using duration = std::chrono::nanoseconds;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<BeforeItsOrigin>;
    static time_point now() noexcept { return time_point(-5s); }
};

static_assert(Time(0ms).ms() == 0);
static_assert(Time(1ms).ms() == 1);
static_assert(Time(999'999ns).ms() == 0, "cut, not rounded");
static_assert(Time(1'000'000ns).ms() == 1);
static_assert(Time(2h).ms() == 7'200'000);
static_assert(Time(-1ms).ms() == 0, "before the origin");
static_assert(Time(-1ns).ms() == 0);
static_assert(Time(std::chrono::milliseconds::max()).ms() == 0x7fff'ffff'ffff'ffff);
static_assert(Time(std::chrono::duration<int>(2'000'000'000)).ms() == 2'000'000'000'000, "int seconds do not overflow");
static_assert(Time(std::chrono::duration<std::uint8_t>(200)).ms() == 200'000);
static_assert(Time(std::chrono::system_clock::time_point(3s)).ms() == 3000);
static_assert(Time(std::chrono::steady_clock::time_point(3s)).ms() == 3000);
static_assert(Time::from_ms(UINT64_MAX).ms() == UINT64_MAX);
static_assert(std::is_trivially_copyable_v<Time> && sizeof(Time) == 8);
static_assert(!std::is_convertible_v<std::uint64_t, Time> && !std::is_convertible_v<int, Time>, "a number has no unit");

static_assert(Principal() == Principal(0) && Principal(1) != Principal(2));
static_assert(Principal(TOLLGATE_PRINCIPAL_OVERFLOW).is_overflow() && !Principal().is_overflow());
static_assert(std::is_trivially_copyable_v<Principal> && sizeof(Principal) == 4);
static_assert(!std::is_convertible_v<std::uint32_t, Principal>, "a PID is not taken for a principal");

static_assert(Decision(0).known() && !Decision(0).retry_after());
static_assert(Decision(1).admitted() && !Decision(1).retry_after());
static_assert(Decision(2 | std::uint64_t{7} << 32).throttled());
static_assert(Decision(2 | std::uint64_t{7} << 32).retry_after() == 7ms);
static_assert(Decision(2 | std::uint64_t{UINT32_MAX} << 32).retry_after() == 4'294'967'295ms);
static_assert(Decision(3).stale() && !Decision(3 | std::uint64_t{7} << 32).retry_after());
static_assert(Decision(255).kind() == Kind::Fault);
static_assert(Decision(4).kind() == Kind::New && Decision(4).packed() == 4);
static_assert(std::is_trivially_copyable_v<Decision> && sizeof(Decision) == 8);

static_assert(std::is_convertible_v<std::vector<std::uint8_t>, Bytes>);
static_assert(std::is_convertible_v<std::string, Bytes> && std::is_convertible_v<std::string_view, Bytes>);
static_assert(std::is_convertible_v<std::array<std::byte, 3>, Bytes>);
static_assert(!std::is_convertible_v<std::vector<int>, Bytes> && !std::is_convertible_v<std::vector<bool>, Bytes>);
#if __cplusplus >= 202002L
static_assert(std::is_convertible_v<std::span<const std::byte>, Bytes>);
static_assert(std::is_convertible_v<Bytes, std::span<const std::uint8_t>>);
#endif

} // namespace

void time_and_values() {
    CHECK(Time(BeforeItsOrigin::now()).ms() == 0);
    const auto before = Time(std::chrono::steady_clock::now()).ms();
    CHECK(before > 0);
    CHECK(Time(std::chrono::system_clock::now()).ms() > 1'600'000'000'000);

    std::unordered_map<Principal, int> counted;
    counted[Principal(7)]++;
    counted[Principal(7)]++;
    CHECK(counted.size() == 1 && counted[Principal(7)] == 2);

    const std::string text = "abc";
    const Bytes bytes = text;
    CHECK(bytes.size() == 3 && bytes.data()[2] == 'c' && bytes.end() - bytes.begin() == 3);
    CHECK(Bytes().empty() && Bytes().data() == nullptr && Bytes().begin() == Bytes().end());

    CHECK(tollgate::to_string(tollgate::Status::Ok) == "ok");
    CHECK(tollgate::to_string(static_cast<tollgate::Status>(-7)) == "unknown status");
}
