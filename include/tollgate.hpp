/*
 * Tollgate for C++17 and later: tollgate.h as types that free themselves. Header only; link the same library.
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *     tollgate::Engine gate(tollgate::Config().window(1h).default_quota({100.0, 0.0}));
 *     const tollgate::Principal alice = gate.intern("alice", std::chrono::steady_clock::now());
 *     const tollgate::Decision decision = gate.track(alice, device, std::chrono::steady_clock::now());
 *     if (const auto wait = decision.retry_after()) { ... refuse, and say so: *wait ... }
 *
 * Failures. What can fail comes twice: `name` throws tollgate::Error, `try_name` returns a tollgate::Result. Where
 * exceptions are off (-fno-exceptions, or TOLLGATE_NO_EXCEPTIONS defined before this header) there is only the second.
 * What can't fail is noexcept. Memory that C++ can't get is std::bad_alloc, as everywhere.
 *
 * Beside the Engine stand the parts of it that serve alone: WindowedRate (how fast), TokenBucket and Gcra (how long to
 * wait), DispatchEstimator (how much to read).
 *
 * Deciding (track, touch, remember, contains, is_live) is noexcept and allocates nothing here; inside the library, only
 * what is remembered anew may, and a thread's first call.
 *
 * Threads. const means: any number of threads at once, and so for all of an Engine, of a rate, a bucket or an estimator
 * but its move and its destruction. A Config is a plain value. A Snapshot never changes.
 *
 * Ownership. All but the plain values are moved, not copied. One that was moved from may be destroyed and assigned to;
 * its calls answer as the C functions answer NULL: Status::NullPointer, Kind::Fault, false, 0, NaN.
 *
 * Time is an argument of every call, see tollgate::Time. Strings are UTF-8.
 */

#ifndef TOLLGATE_HPP
#define TOLLGATE_HPP

#if defined(_MSVC_LANG) ? _MSVC_LANG < 201703L : __cplusplus < 201703L
#error "tollgate.hpp needs C++17 or later; tollgate.h serves older ones"
#endif

#include "tollgate.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <ratio>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#if !defined(TOLLGATE_NO_EXCEPTIONS) && (defined(__cpp_exceptions) || defined(_CPPUNWIND))
#define TOLLGATE_HAS_EXCEPTIONS 1
#include <stdexcept>
#else
#define TOLLGATE_HAS_EXCEPTIONS 0
#endif

namespace tollgate {
// Programs may have parts of both kinds, whose types differ: each kind has names of its own to the linker.
#if TOLLGATE_HAS_EXCEPTIONS
inline namespace throwing {
#else
inline namespace nonthrowing {
#endif

/// The version of the C ABI that this header was written for.
inline constexpr std::uint32_t header_abi_version = TOLLGATE_ABI_VERSION;

/// The version of the C ABI that the library at hand has. On start, compare it with header_abi_version.
[[nodiscard]] inline std::uint32_t abi_version() noexcept {
    return tollgate_abi_version();
}

/// The library's release, such as "0.1.0".
[[nodiscard]] inline std::string_view version() noexcept {
    return tollgate_version();
}

// ---- Failures

/// Why a call failed. Numbers are those of tollgate_status, and never reused.
enum class Status : std::int32_t {
    /// Done.
    Ok = TOLLGATE_STATUS_OK,
    /// The object was moved from.
    NullPointer = TOLLGATE_STATUS_NULL_POINTER,
    /// A string is not UTF-8.
    NotUtf8 = TOLLGATE_STATUS_NOT_UTF8,
    /// A value is out of its range; the message names it, and the range.
    OutOfRange = TOLLGATE_STATUS_OUT_OF_RANGE,
    /// A limit of the engine (max_principals, max_memory_bytes) leaves no room.
    Full = TOLLGATE_STATUS_FULL,
    /// The principal's handle was reclaimed after a window without a call: intern the name again.
    Stale = TOLLGATE_STATUS_STALE,
    /// The library failed inside, which is a defect. The engine stays usable.
    Fault = TOLLGATE_STATUS_FAULT,
    /// A file could not be read or written; the message says which and why.
    Io = TOLLGATE_STATUS_IO,
    /// The bytes are no snapshot, or one that is cut or damaged; the message says which. Start empty.
    Damaged = TOLLGATE_STATUS_DAMAGED,
};

/// A status in words.
[[nodiscard]] inline std::string_view to_string(Status status) noexcept {
    return tollgate_status_text(static_cast<std::int32_t>(status));
}

/// A status other than Ok, and what the library said about it.
class Failure {
public:
    explicit Failure(Status status, std::string text = {}) noexcept : status_(status), text_(std::move(text)) {}

    [[nodiscard]] Status status() const noexcept { return status_; }

    /// One line: the library's text, such as "layers = 2: must be 3 to 64", or the status in words. Lives as long as
    /// this object.
    [[nodiscard]] std::string_view message() const noexcept {
        return text_.empty() ? to_string(status_) : std::string_view(text_);
    }

private:
    Status status_;
    std::string text_;
};

#if TOLLGATE_HAS_EXCEPTIONS
/// What the throwing form of a call throws; what() is Failure::message().
class Error : public std::runtime_error {
public:
    explicit Error(const Failure& failure)
        : std::runtime_error(std::string(failure.message())), status_(failure.status()) {}

    [[nodiscard]] Status status() const noexcept { return status_; }

private:
    Status status_;
};
#endif

/// A T, or why there is none. As with std::optional, `*` and `->` are for one that is ok; failure() is for another.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) noexcept(std::is_nothrow_move_constructible_v<T>)
        : held_(std::in_place_index<0>, std::move(value)) {}
    Result(Failure failure) noexcept : held_(std::in_place_index<1>, std::move(failure)) {}

    [[nodiscard]] bool ok() const noexcept { return held_.index() == 0; }
    explicit operator bool() const noexcept { return ok(); }

    T& operator*() & noexcept { return *std::get_if<0>(&held_); }
    const T& operator*() const& noexcept { return *std::get_if<0>(&held_); }
    T&& operator*() && noexcept { return std::move(*std::get_if<0>(&held_)); }
    T* operator->() noexcept { return std::get_if<0>(&held_); }
    const T* operator->() const noexcept { return std::get_if<0>(&held_); }

    [[nodiscard]] const Failure& failure() const noexcept { return *std::get_if<1>(&held_); }

    /// Status::Ok, or the failure's.
    [[nodiscard]] Status status() const noexcept { return ok() ? Status::Ok : failure().status(); }

#if TOLLGATE_HAS_EXCEPTIONS
    /// The T. Throws Error where there is none.
    T value() && {
        if (!ok()) {
            throw Error(failure());
        }
        return std::move(**this);
    }
#endif

private:
    std::variant<T, Failure> held_;
};

/// Done, or why not.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() noexcept = default;
    Result(Failure failure) noexcept : failure_(std::move(failure)) {}

    [[nodiscard]] bool ok() const noexcept { return !failure_; }
    explicit operator bool() const noexcept { return ok(); }
    [[nodiscard]] const Failure& failure() const noexcept { return *failure_; }
    [[nodiscard]] Status status() const noexcept { return ok() ? Status::Ok : failure_->status(); }

#if TOLLGATE_HAS_EXCEPTIONS
    /// Throws Error where it was not done.
    void value() const {
        if (!ok()) {
            throw Error(*failure_);
        }
    }
#endif

private:
    std::optional<Failure> failure_;
};

// ---- Values

/// A moment: milliseconds since any origin that the caller keeps to for one object. Made from a time_point of any
/// clock, or from a duration since an origin of one's own; finer ones are cut to milliseconds, moments before the
/// origin are the origin.
///
/// Going back is harmless (the latest moment seen counts), a jump past the window forgets all. Take one clock per
/// engine: steady_clock, or system_clock where snapshots outlive the machine's uptime.
class Time {
public:
    template <class Rep, class Period>
    constexpr Time(std::chrono::duration<Rep, Period> since_origin) noexcept
        : ms_(since_origin.count() > 0
                  ? std::chrono::duration_cast<std::chrono::duration<std::uint64_t, std::milli>>(since_origin).count()
                  : 0) {
        static_assert(!std::chrono::treat_as_floating_point<Rep>::value, "cast to whole milliseconds first");
    }

    template <class Clock, class Duration>
    constexpr Time(std::chrono::time_point<Clock, Duration> moment) noexcept : Time(moment.time_since_epoch()) {}

    /// From a number of milliseconds.
    [[nodiscard]] static constexpr Time from_ms(std::uint64_t ms) noexcept { return Time(ms); }

    [[nodiscard]] constexpr std::uint64_t ms() const noexcept { return ms_; }

private:
    constexpr explicit Time(std::uint64_t ms) noexcept : ms_(ms) {}

    std::uint64_t ms_;
};

/// A principal's handle; a plain number to copy and keep. It is good until the principal was idle for a window and was
/// swept. One made without a value is stale.
class Principal {
public:
    constexpr Principal() noexcept = default;
    constexpr explicit Principal(std::uint32_t raw) noexcept : raw_(raw) {}

    /// The number that the C functions take.
    [[nodiscard]] constexpr std::uint32_t raw() const noexcept { return raw_; }

    /// Whether this is the gate that all principals beyond max_principals share: never stale, but not to be kept, since
    /// there may be room when the name is interned again.
    [[nodiscard]] constexpr bool is_overflow() const noexcept { return raw_ == TOLLGATE_PRINCIPAL_OVERFLOW; }

    friend constexpr bool operator==(Principal a, Principal b) noexcept { return a.raw_ == b.raw_; }
    friend constexpr bool operator!=(Principal a, Principal b) noexcept { return a.raw_ != b.raw_; }

private:
    std::uint32_t raw_ = 0;
};

/// What was decided. Numbers are those of tollgate_kind, and never reused.
enum class Kind : std::uint8_t {
    /// Seen within the window. Let it pass.
    Known = TOLLGATE_KIND_KNOWN,
    /// New; the quota was charged, and it is remembered from now on. Let it pass.
    Admitted = TOLLGATE_KIND_ADMITTED,
    /// New, and the quota is spent. Nothing was charged or remembered. Refuse it.
    Throttled = TOLLGATE_KIND_THROTTLED,
    /// The principal's handle was reclaimed after a window without a call: intern the name again and repeat.
    Stale = TOLLGATE_KIND_STALE,
    /// New, and nothing was changed. Only from Engine::touch.
    New = TOLLGATE_KIND_NEW,
    /// A moved-from engine or a defect inside. Let it pass, and count it.
    Fault = TOLLGATE_KIND_FAULT,
};

/// The answer to one PID; a 64-bit word.
class [[nodiscard]] Decision {
public:
    /// From the word that the C functions return.
    constexpr explicit Decision(std::uint64_t packed) noexcept : packed_(packed) {}

    [[nodiscard]] constexpr std::uint64_t packed() const noexcept { return packed_; }
    [[nodiscard]] constexpr Kind kind() const noexcept { return static_cast<Kind>(packed_ & 0xff); }

    [[nodiscard]] constexpr bool known() const noexcept { return kind() == Kind::Known; }
    [[nodiscard]] constexpr bool admitted() const noexcept { return kind() == Kind::Admitted; }
    [[nodiscard]] constexpr bool throttled() const noexcept { return kind() == Kind::Throttled; }
    [[nodiscard]] constexpr bool stale() const noexcept { return kind() == Kind::Stale; }

    /// How long a throttled caller is to wait before the next try, from 1 ms to max_throttle; nothing for other kinds.
    [[nodiscard]] constexpr std::optional<std::chrono::milliseconds> retry_after() const noexcept {
        if (!throttled()) {
            return std::nullopt;
        }
        return std::chrono::milliseconds(static_cast<std::int64_t>(packed_ >> 32));
    }

    friend constexpr bool operator==(Decision a, Decision b) noexcept { return a.packed_ == b.packed_; }
    friend constexpr bool operator!=(Decision a, Decision b) noexcept { return a.packed_ != b.packed_; }

private:
    std::uint64_t packed_;
};

/// How many new PIDs a principal may bring.
struct Quota {
    /// New PIDs per hour, above 0; 0.5 is one every two hours.
    double per_hour;
    /// From 0 (spaced evenly) to 1 (a window's worth at once).
    double burst;
};

/// What enforces the quotas of an engine, and with that what a burst means. Numbers are those of tollgate_limiter.
enum class Limiter : std::uint32_t {
    /// Tokens come at the rate, up to the burst: after an idle time a burst, and at once the rate again.
    TokenBucket = TOLLGATE_LIMITER_TOKEN_BUCKET,
    /// At most the burst in any stretch of time in which that many come at the rate: with a burst of 1, at most a
    /// window's worth in any window.
    Windowed = TOLLGATE_LIMITER_WINDOWED,
};

/// Which time a sample stands for, and what it counts for in a reading. Numbers are those of tollgate_policy.
enum class Policy : std::uint32_t {
    /// Samples follow one another without gaps, on the grid of the first event.
    Grid = TOLLGATE_POLICY_GRID,
    /// A sample starts at its first event and counts as long as its last event is in the window. What Kafka ships.
    Overlap = TOLLGATE_POLICY_OVERLAP,
    /// The window slides: the oldest sample counts by the share of it still inside. Never rises without an event.
    Sliding = TOLLGATE_POLICY_SLIDING,
};

/// Bytes that someone else holds: made from anything contiguous whose elements are bytes.
class Bytes {
public:
    constexpr Bytes() noexcept = default;
    constexpr Bytes(const std::uint8_t* data, std::size_t size) noexcept : data_(data), size_(size) {}

    /// From a std::vector<std::uint8_t>, std::string_view, std::array<std::byte, N>, std::span<const std::byte>, ...
    template <class Container, class Element = std::remove_pointer_t<decltype(std::declval<const Container&>().data())>,
              class = std::enable_if_t<sizeof(Element) == 1 && std::is_trivially_copyable_v<Element> &&
                                       !std::is_same_v<std::remove_cv_t<Element>, bool>>,
              class = decltype(std::declval<const Container&>().size())>
    Bytes(const Container& held) noexcept
        : data_(reinterpret_cast<const std::uint8_t*>(held.data())), size_(held.size()) {}

    [[nodiscard]] constexpr const std::uint8_t* data() const noexcept { return data_; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] constexpr const std::uint8_t* begin() const noexcept { return data_; }
    [[nodiscard]] constexpr const std::uint8_t* end() const noexcept { return data_ + size_; }

private:
    const std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
};

/// The size of one principal's filter: layer_pids, layer_bits, layer_bytes, layers, bytes, false_positive_rate.
using FilterSize = tollgate_filter_size;

/// What a restore kept, and what it could not: principals, layers, principals_left_out, layers_left_out.
using Restored = tollgate_restored;

/// What was counted for one principal; in Totals, for all together.
struct Stats {
    /// Calls answered Known.
    std::uint64_t known;
    /// PIDs admitted: new, and charged.
    std::uint64_t admitted;
    /// Calls answered Throttled.
    std::uint64_t throttled;
    /// PIDs recorded again in the newest layer, and PIDs that remember() took in; never charged.
    std::uint64_t re_recorded;
    /// New PIDs that the last expired layer still held: forgotten too soon. If it climbs, raise window or layers.
    std::uint64_t ghost_hits;
    /// PIDs remembered now; an estimate beyond 64.
    std::uint64_t live_pids;
    /// Layers now held; none while up to 64 PIDs are kept exactly.
    std::uint64_t layers;
    /// Memory held, in bytes.
    std::uint64_t bytes;
    /// Recorded PIDs over capacity of the newest layer.
    double fill;
    /// Estimated share of never-seen PIDs that would be called Known; in Totals, the highest of any principal.
    double false_positive_rate;
    /// New PIDs admitted per hour, over the last window.
    double rate_per_hour;
    /// New PIDs that may still come at once; nothing without a quota, and in Totals.
    std::optional<double> tokens;
    /// The quota, in new PIDs per hour; nothing without one, and in Totals.
    std::optional<double> quota_per_hour;
};

/// What was counted in all.
struct Totals {
    /// Sums over all principals, gone ones included in the counts.
    Stats stats;
    /// Principals now live.
    std::uint64_t principals;
    /// Names that came beyond max_principals and share one gate.
    std::uint64_t overflow_interns;
    /// Layers that went early to stay under max_memory_bytes.
    std::uint64_t evicted_layers;
    /// Memory that the engine now accounts for, in bytes.
    std::uint64_t memory_bytes;
};

namespace detail {

struct Free {
    void operator()(tollgate_config* config) const noexcept { tollgate_config_free(config); }
    void operator()(tollgate_engine* engine) const noexcept { tollgate_engine_free(engine); }
    void operator()(tollgate_snapshot* snapshot) const noexcept { tollgate_snapshot_free(snapshot); }
    void operator()(tollgate_windowed_rate* rate) const noexcept { tollgate_windowed_rate_free(rate); }
    void operator()(tollgate_token_bucket* bucket) const noexcept { tollgate_token_bucket_free(bucket); }
    void operator()(tollgate_gcra* gcra) const noexcept { tollgate_gcra_free(gcra); }
    void operator()(tollgate_dispatch_estimator* estimator) const noexcept {
        tollgate_dispatch_estimator_free(estimator);
    }
};

template <class Object>
using Owned = std::unique_ptr<Object, Free>;

[[nodiscard]] inline Result<void> done(tollgate_status status) noexcept {
    if (status == TOLLGATE_STATUS_OK) {
        return {};
    }
    return Failure(static_cast<Status>(status));
}

/// Runs `call(error, capacity)`, and keeps what it says. 160 bytes hold every text; a file's name comes on top.
template <class Call>
[[nodiscard]] Result<void> heard(std::size_t name, Call call) {
    std::string text(160 + name, '\0');
    const tollgate_status status = call(text.data(), text.size());
    if (status == TOLLGATE_STATUS_OK) {
        return {};
    }
    text.resize(std::strlen(text.c_str()));
    return Failure(static_cast<Status>(status), std::move(text));
}

/// Runs `make(&object, error, capacity)`, and takes over what it gave.
template <class T, class Object, class Make>
[[nodiscard]] Result<T> made(Make make) {
    Object* object = nullptr;
    auto done = heard(0, [&](char* error, std::size_t capacity) { return make(&object, error, capacity); });
    if (!done) {
        return done.failure();
    }
    return T::adopt(object);
}

/// Milliseconds as chrono counts them, which has half as many.
[[nodiscard]] constexpr std::chrono::milliseconds wait(std::uint64_t ms) noexcept {
    const auto most = static_cast<std::uint64_t>(std::chrono::milliseconds::max().count());
    return std::chrono::milliseconds(static_cast<std::int64_t>(ms < most ? ms : most));
}

/// What a charge that may be refused says: nothing where it took.
[[nodiscard]] constexpr std::optional<std::chrono::milliseconds> refusal(std::uint64_t ms) noexcept {
    if (ms == 0) {
        return std::nullopt;
    }
    return wait(ms);
}

[[nodiscard]] inline std::optional<double> number(double value) noexcept {
    // NaN, said so that -ffast-math, which assumes that there is none, does not fold it away.
    std::uint64_t bits = 0;
    static_assert(sizeof bits == sizeof value);
    std::memcpy(&bits, &value, sizeof bits);
    if ((bits & 0x7fff'ffff'ffff'ffff) > 0x7ff0'0000'0000'0000) {
        return std::nullopt;
    }
    return value;
}

[[nodiscard]] inline Stats stats(const tollgate_stats& c) noexcept {
    return {c.known,
            c.admitted,
            c.throttled,
            c.re_recorded,
            c.ghost_hits,
            c.live_pids,
            c.layers,
            c.bytes,
            c.fill,
            c.false_positive_rate,
            c.rate_per_hour,
            number(c.tokens),
            number(c.quota_per_hour)};
}

} // namespace detail

// ---- Objects

/// Settings of an engine to be made: a plain value. Setters take anything; what is out of range is refused where the
/// engine is made, with a message that names the setting, the value and the range.
class Config {
public:
    /// How long a PID that is not seen again stays known. Default: one hour.
    Config& window(std::chrono::milliseconds length) noexcept {
        window_ms_ = length.count() > 0 ? static_cast<std::uint64_t>(length.count()) : 0;
        return *this;
    }

    /// Layers that the window is cut into. Default: 4.
    Config& layers(std::uint32_t number) noexcept {
        layers_ = number;
        return *this;
    }

    /// Share of never-seen PIDs that may be called Known, over all layers together. Default: 0.001.
    Config& false_positive_rate(double share) noexcept {
        false_positive_rate_ = share;
        return *this;
    }

    /// The quota of principals that have none of their own. Default: no limit.
    Config& default_quota(Quota quota) noexcept {
        default_quota_ = quota;
        return *this;
    }

    /// Takes the default quota away again.
    Config& no_default_quota() noexcept {
        default_quota_.reset();
        return *this;
    }

    /// What enforces the quotas, the default one and those of principals. Default: Limiter::TokenBucket.
    Config& limiter(Limiter limiter) noexcept {
        limiter_ = limiter;
        return *this;
    }

    /// The longest that a throttled caller is told to wait. Default: 30 seconds.
    Config& max_throttle(std::chrono::milliseconds wait) noexcept {
        const auto ms = wait.count() > 0 ? static_cast<std::uint64_t>(wait.count()) : 0;
        max_throttle_ms_ = ms < UINT32_MAX ? static_cast<std::uint32_t>(ms) : UINT32_MAX;
        return *this;
    }

    /// Principals beyond which further ones share one gate. Default: 10,000.
    Config& max_principals(std::uint32_t number) noexcept {
        max_principals_ = number;
        return *this;
    }

    /// Memory beyond which the oldest layers of the largest principals go early. Default: 67,108,864.
    Config& max_memory_bytes(std::uint64_t bytes) noexcept {
        max_memory_bytes_ = bytes;
        return *this;
    }

    /// The hash seed; whoever knows it can make PIDs that collide. Default: drawn at random for each engine. Set it
    /// only where a run must be repeatable.
    Config& seed(std::uint64_t seed) noexcept {
        seed_ = seed;
        return *this;
    }

    /// The filter that remembers `pids` PIDs at once, spread evenly over a window. OutOfRange: a setting.
    [[nodiscard]] Result<FilterSize> try_size(std::uint64_t pids) const {
        auto config = try_c();
        if (!config) {
            return config.failure();
        }
        FilterSize size{};
        auto done = detail::heard(0, [&](char* error, std::size_t capacity) {
            return tollgate_config_size(config->get(), pids, &size, error, capacity);
        });
        if (!done) {
            return done.failure();
        }
        return size;
    }

#if TOLLGATE_HAS_EXCEPTIONS
    /// As try_size.
    [[nodiscard]] FilterSize size(std::uint64_t pids) const { return try_size(pids).value(); }
#endif

private:
    friend class Engine;

    /// These settings as the C functions take them.
    [[nodiscard]] Result<detail::Owned<tollgate_config>> try_c() const {
        detail::Owned<tollgate_config> c(tollgate_config_new());
        auto done = detail::heard(0, [&](char* error, std::size_t capacity) { return set(c.get(), error, capacity); });
        if (!done) {
            return done.failure();
        }
        return c;
    }

    tollgate_status set(tollgate_config* c, char* error, std::size_t capacity) const noexcept {
        if (c == nullptr) {
            return TOLLGATE_STATUS_FAULT;
        }
        tollgate_status status = TOLLGATE_STATUS_OK;
        const auto apply = [&](const auto& setting, auto setter) {
            if (setting && status == TOLLGATE_STATUS_OK) {
                status = setter(c, *setting);
            }
        };
        apply(window_ms_, tollgate_config_set_window_ms);
        apply(layers_, tollgate_config_set_layers);
        apply(false_positive_rate_, tollgate_config_set_false_positive_rate);
        apply(max_throttle_ms_, tollgate_config_set_max_throttle_ms);
        apply(max_principals_, tollgate_config_set_max_principals);
        apply(max_memory_bytes_, tollgate_config_set_max_memory_bytes);
        apply(seed_, tollgate_config_set_seed);
        apply(limiter_, [&](tollgate_config* held, Limiter limiter) {
            return tollgate_config_set_limiter(held, static_cast<std::uint32_t>(limiter), error, capacity);
        });
        apply(default_quota_, [&](tollgate_config* held, const Quota& quota) {
            return tollgate_config_set_default_quota(held, quota.per_hour, quota.burst, error, capacity);
        });
        return status;
    }

    std::optional<std::uint64_t> window_ms_;
    std::optional<std::uint32_t> layers_;
    std::optional<double> false_positive_rate_;
    std::optional<Quota> default_quota_;
    std::optional<Limiter> limiter_;
    std::optional<std::uint32_t> max_throttle_ms_;
    std::optional<std::uint32_t> max_principals_;
    std::optional<std::uint64_t> max_memory_bytes_;
    std::optional<std::uint64_t> seed_;
};

/// What an engine remembered at one moment, as bytes. It holds the hash seed: keep it as secret.
class Snapshot {
public:
    /// The bytes, which live as long as this object.
    [[nodiscard]] Bytes bytes() const noexcept {
        std::size_t length = 0;
        const std::uint8_t* data = tollgate_snapshot_bytes(owned_.get(), &length);
        return {data, length};
    }

    /// Writes the bytes into a file so that, whenever the process stops, the file holds the old ones or the new ones,
    /// whole. Io: the old file is as it was, and the message says why.
    [[nodiscard]] Result<void> try_write(std::string_view path) const {
        return detail::heard(path.size(), [&](char* error, std::size_t capacity) {
            return tollgate_snapshot_write(owned_.get(), path.data(), path.size(), error, capacity);
        });
    }

#if TOLLGATE_HAS_EXCEPTIONS
    /// As try_write.
    void write(std::string_view path) const { try_write(path).value(); }
#endif

    /// For C functions; this object goes on owning it.
    [[nodiscard]] const tollgate_snapshot* handle() const noexcept { return owned_.get(); }

private:
    friend class Engine;
    explicit Snapshot(detail::Owned<tollgate_snapshot> owned) noexcept : owned_(std::move(owned)) {}

    detail::Owned<tollgate_snapshot> owned_;
};

struct Restoration;

/// Decides for each principal which PIDs are new, how fast new ones come, and which may pass.
class Engine {
public:
    /// Makes an engine from settings. OutOfRange: a setting.
    [[nodiscard]] static Result<Engine> try_make(const Config& config) {
        return made(config, 0,
                    [](const tollgate_config* c, tollgate_engine** engine, char* error, std::size_t capacity) {
                        return tollgate_engine_new(c, engine, error, capacity);
                    });
    }

    /// Makes an engine that knows what a snapshot's bytes hold, for what is left of its window; `now` is on the clock
    /// of the engine that made it. Settings may differ from that one's: what no longer fits is left out and counted.
    /// Quotas of principals are to be set anew. Damaged: the message says how; make an empty one with try_make.
    /// OutOfRange: a setting.
    [[nodiscard]] static Result<Restoration> try_restore(const Config& config, Bytes snapshot, Time now);

    /// As try_restore, from a file that Snapshot::write wrote. Io: it can't be read.
    [[nodiscard]] static Result<Restoration> try_restore_file(const Config& config, std::string_view path, Time now);

    /// Takes over what tollgate_engine_new gave.
    [[nodiscard]] static Engine adopt(tollgate_engine* engine) noexcept { return Engine(engine); }

    /// The handle of a principal, made if need be; beyond max_principals, one that is_overflow(). The same name gives
    /// the same handle until the principal was idle for a window and was swept. NotUtf8: the name.
    [[nodiscard]] Result<Principal> try_intern(std::string_view name, Time now) const noexcept {
        std::uint32_t raw = 0;
        const auto status = tollgate_intern(owned_.get(), name.data(), name.size(), now.ms(), &raw);
        if (status != TOLLGATE_STATUS_OK) {
            return Failure(static_cast<Status>(status));
        }
        return Principal(raw);
    }

    /// Whether the handle still stands for its principal.
    [[nodiscard]] bool is_live(Principal principal) const noexcept {
        return tollgate_is_live(owned_.get(), principal.raw());
    }

    /// Decides on one PID: Known, Admitted, Throttled, Stale or Fault.
    Decision track(Principal principal, std::uint64_t pid, Time now) const noexcept {
        return Decision(tollgate_track(owned_.get(), principal.raw(), pid, now.ms()));
    }

    /// The first half of track: Known (and recorded again if that is due), New (and nothing changed), Stale or Fault.
    /// For callers that can tell in another way whether a New PID should be charged.
    Decision touch(Principal principal, std::uint64_t pid, Time now) const noexcept {
        return Decision(tollgate_touch(owned_.get(), principal.raw(), pid, now.ms()));
    }

    /// Records a PID without charging for it: Known, Stale or Fault.
    Decision remember(Principal principal, std::uint64_t pid, Time now) const noexcept {
        return Decision(tollgate_remember(owned_.get(), principal.raw(), pid, now.ms()));
    }

    /// Whether the PID is known; changes nothing. False for a stale handle.
    [[nodiscard]] bool contains(Principal principal, std::uint64_t pid, Time now) const noexcept {
        return tollgate_contains(owned_.get(), principal.raw(), pid, now.ms());
    }

    /// Drops expired layers, and principals that were idle for a window; once per layer period is enough. Returns the
    /// principals dropped.
    std::uint32_t sweep(Time now) const noexcept { return tollgate_sweep(owned_.get(), now.ms()); }

    /// Gives a principal a quota of its own. Tokens above the new capacity go, others stay. OutOfRange: the quota;
    /// Full: no room for a further principal; NotUtf8: the name.
    [[nodiscard]] Result<void> try_set_quota(std::string_view name, Quota quota, Time now) const {
        return detail::heard(0, [&](char* error, std::size_t capacity) {
            return tollgate_set_quota(owned_.get(), name.data(), name.size(), quota.per_hour, quota.burst, now.ms(),
                                      error, capacity);
        });
    }

    /// Exempts a principal from every quota, the default one included. It is still counted. Full and NotUtf8 as in
    /// try_set_quota.
    [[nodiscard]] Result<void> try_set_unlimited(std::string_view name, Time now) const noexcept {
        return detail::done(tollgate_set_unlimited(owned_.get(), name.data(), name.size(), now.ms()));
    }

    /// Puts a principal back under the default quota. NotUtf8: the name.
    [[nodiscard]] Result<void> try_clear_quota(std::string_view name, Time now) const noexcept {
        return detail::done(tollgate_clear_quota(owned_.get(), name.data(), name.size(), now.ms()));
    }

    /// Sets the quota of all principals that have none of their own. OutOfRange: the quota.
    [[nodiscard]] Result<void> try_set_default_quota(Quota quota, Time now) const {
        return detail::heard(0, [&](char* error, std::size_t capacity) {
            return tollgate_set_default_quota(owned_.get(), quota.per_hour, quota.burst, now.ms(), error, capacity);
        });
    }

    /// Takes the default quota away: principals without one of their own are not limited.
    [[nodiscard]] Result<void> try_clear_default_quota(Time now) const noexcept {
        return detail::done(tollgate_clear_default_quota(owned_.get(), now.ms()));
    }

    /// What was counted for one principal. Stale: the handle.
    [[nodiscard]] Result<Stats> try_stats(Principal principal, Time now) const noexcept {
        tollgate_stats c{};
        const auto status = tollgate_read_stats(owned_.get(), principal.raw(), now.ms(), &c);
        if (status != TOLLGATE_STATUS_OK) {
            return Failure(static_cast<Status>(status));
        }
        return detail::stats(c);
    }

    /// What was counted in all.
    [[nodiscard]] Result<Totals> try_totals(Time now) const noexcept {
        tollgate_totals c{};
        const auto status = tollgate_read_totals(owned_.get(), now.ms(), &c);
        if (status != TOLLGATE_STATUS_OK) {
            return Failure(static_cast<Status>(status));
        }
        return Totals{detail::stats(c.stats), c.principals, c.overflow_interns, c.evicted_layers, c.memory_bytes};
    }

    /// The principals now held, in no order; the overflow gate is not among them.
    [[nodiscard]] Result<std::vector<Principal>> try_principals() const {
        std::vector<std::uint32_t> raw;
        for (;;) {
            std::size_t count = 0;
            const auto status = tollgate_list_principals(owned_.get(), raw.data(), raw.size(), &count);
            if (status != TOLLGATE_STATUS_OK) {
                return Failure(static_cast<Status>(status));
            }
            if (count <= raw.size()) {
                return std::vector<Principal>(raw.begin(), raw.begin() + static_cast<std::ptrdiff_t>(count));
            }
            // Some more than were there, since others may come before the next look.
            raw.resize(count + count / 8 + 8);
        }
    }

    /// A principal's name. Stale: the handle.
    [[nodiscard]] Result<std::string> try_name(Principal principal) const {
        std::string name(62, '\0');
        for (;;) {
            std::size_t length = 0;
            const auto status =
                tollgate_principal_name(owned_.get(), principal.raw(), name.data(), name.size() + 1, &length);
            if (status != TOLLGATE_STATUS_OK) {
                return Failure(static_cast<Status>(status));
            }
            const bool whole = length <= name.size();
            name.resize(length);
            if (whole) {
                return name;
            }
        }
    }

    /// Takes a snapshot while calls may go on; a PID admitted meanwhile is in it or not.
    [[nodiscard]] Result<Snapshot> try_snapshot(Time now) const noexcept {
        detail::Owned<tollgate_snapshot> snapshot(tollgate_snapshot_new(owned_.get(), now.ms()));
        if (!snapshot) {
            return Failure(owned_ ? Status::Fault : Status::NullPointer);
        }
        return Snapshot(std::move(snapshot));
    }

#if TOLLGATE_HAS_EXCEPTIONS
    /// As try_make.
    explicit Engine(const Config& config) : Engine(try_make(config).value()) {}

    /// As try_restore.
    [[nodiscard]] static Restoration restore(const Config& config, Bytes snapshot, Time now);
    /// As try_restore_file.
    [[nodiscard]] static Restoration restore_file(const Config& config, std::string_view path, Time now);

    /// As try_intern.
    [[nodiscard]] Principal intern(std::string_view name, Time now) const { return try_intern(name, now).value(); }
    /// As try_set_quota.
    void set_quota(std::string_view name, Quota quota, Time now) const { try_set_quota(name, quota, now).value(); }
    /// As try_set_unlimited.
    void set_unlimited(std::string_view name, Time now) const { try_set_unlimited(name, now).value(); }
    /// As try_clear_quota.
    void clear_quota(std::string_view name, Time now) const { try_clear_quota(name, now).value(); }
    /// As try_set_default_quota.
    void set_default_quota(Quota quota, Time now) const { try_set_default_quota(quota, now).value(); }
    /// As try_clear_default_quota.
    void clear_default_quota(Time now) const { try_clear_default_quota(now).value(); }
    /// As try_stats.
    [[nodiscard]] Stats stats(Principal principal, Time now) const { return try_stats(principal, now).value(); }
    /// As try_totals.
    [[nodiscard]] Totals totals(Time now) const { return try_totals(now).value(); }
    /// As try_principals.
    [[nodiscard]] std::vector<Principal> principals() const { return try_principals().value(); }
    /// As try_name.
    [[nodiscard]] std::string name(Principal principal) const { return try_name(principal).value(); }
    /// As try_snapshot.
    [[nodiscard]] Snapshot snapshot(Time now) const { return try_snapshot(now).value(); }
#endif

    /// For C functions; this object goes on owning it.
    [[nodiscard]] tollgate_engine* handle() const noexcept { return owned_.get(); }

    /// Gives the C object to the caller, who frees it; this one is as moved from.
    [[nodiscard]] tollgate_engine* release() noexcept { return owned_.release(); }

private:
    explicit Engine(tollgate_engine* engine) noexcept : owned_(engine) {}

    /// Runs `make(c_config, &engine, error, capacity)`.
    template <class Make>
    [[nodiscard]] static Result<Engine> made(const Config& config, std::size_t name, Make make) {
        auto c = config.try_c();
        if (!c) {
            return c.failure();
        }
        tollgate_engine* engine = nullptr;
        auto done = detail::heard(
            name, [&](char* error, std::size_t capacity) { return make(c->get(), &engine, error, capacity); });
        if (!done) {
            return done.failure();
        }
        return Engine(engine);
    }

    detail::Owned<tollgate_engine> owned_;
};

/// A restored engine, and what a restore kept.
struct Restoration {
    Engine engine;
    Restored restored;
};

inline Result<Restoration> Engine::try_restore(const Config& config, Bytes snapshot, Time now) {
    Restored restored{};
    auto engine =
        made(config, 0, [&](const tollgate_config* c, tollgate_engine** made, char* error, std::size_t capacity) {
            return tollgate_engine_restore(c, snapshot.data(), snapshot.size(), now.ms(), made, &restored, error,
                                           capacity);
        });
    if (!engine) {
        return engine.failure();
    }
    return Restoration{*std::move(engine), restored};
}

inline Result<Restoration> Engine::try_restore_file(const Config& config, std::string_view path, Time now) {
    Restored restored{};
    auto engine = made(config, path.size(),
                       [&](const tollgate_config* c, tollgate_engine** made, char* error, std::size_t capacity) {
                           return tollgate_engine_restore_file(c, path.data(), path.size(), now.ms(), made, &restored,
                                                               error, capacity);
                       });
    if (!engine) {
        return engine.failure();
    }
    return Restoration{*std::move(engine), restored};
}

#if TOLLGATE_HAS_EXCEPTIONS
inline Restoration Engine::restore(const Config& config, Bytes snapshot, Time now) {
    return try_restore(config, snapshot, now).value();
}

inline Restoration Engine::restore_file(const Config& config, std::string_view path, Time now) {
    return try_restore_file(config, path, now).value();
}
#endif

// ---- How fast, and how much to read

/// How many events come per second, measured over N samples of a length each, by one of three policies.
class WindowedRate {
public:
    /// `samples` from 1 to 1,000, of 1 ms to thirty days each. OutOfRange: one of them.
    [[nodiscard]] static Result<WindowedRate> try_make(Policy policy, std::uint32_t samples,
                                                       std::chrono::milliseconds sample) {
        const auto ms = sample.count() > 0 ? static_cast<std::uint64_t>(sample.count()) : 0;
        return detail::made<WindowedRate, tollgate_windowed_rate>(
            [&](tollgate_windowed_rate** rate, char* error, std::size_t capacity) {
                return tollgate_windowed_rate_new(static_cast<std::uint32_t>(policy), samples, ms, rate, error,
                                                  capacity);
            });
    }

    /// Takes over what tollgate_windowed_rate_new gave.
    [[nodiscard]] static WindowedRate adopt(tollgate_windowed_rate* rate) noexcept { return WindowedRate(rate); }

#if TOLLGATE_HAS_EXCEPTIONS
    /// As try_make.
    WindowedRate(Policy policy, std::uint32_t samples, std::chrono::milliseconds sample)
        : WindowedRate(try_make(policy, samples, sample).value()) {}
#endif

    /// Counts `amount` events (or bytes, or what is measured).
    void record(std::uint64_t amount, Time now) const noexcept {
        tollgate_windowed_rate_record(owned_.get(), amount, now.ms());
    }

    /// The rate, per second.
    [[nodiscard]] double per_second(Time now) const noexcept {
        return tollgate_windowed_rate_per_second(owned_.get(), now.ms());
    }

    /// The time over which per_second measures, at least 1 ms.
    [[nodiscard]] std::chrono::milliseconds window(Time now) const noexcept {
        return detail::wait(tollgate_windowed_rate_window_ms(owned_.get(), now.ms()));
    }

    /// Kafka's throttle time: the excess over the limit, as a part of the limit, times the window. 0 at or below the limit; the
    /// longest there is above one of 0 or less. The rate may be above the limit after that time, though nothing comes.
    [[nodiscard]] std::chrono::milliseconds throttle(double per_second_limit, Time now) const noexcept {
        return detail::wait(tollgate_windowed_rate_throttle_ms(owned_.get(), per_second_limit, now.ms()));
    }

    /// For C functions; this object goes on owning it.
    [[nodiscard]] tollgate_windowed_rate* handle() const noexcept { return owned_.get(); }

    /// Gives the C object to the caller, who frees it; this one is as moved from.
    [[nodiscard]] tollgate_windowed_rate* release() noexcept { return owned_.release(); }

private:
    explicit WindowedRate(tollgate_windowed_rate* rate) noexcept : owned_(rate) {}

    detail::Owned<tollgate_windowed_rate> owned_;
};

/// A token bucket for amounts whose level may go below zero (KIP-599's).
class TokenBucket {
public:
    /// `capacity` tokens, all there at `now`, into which `per_second` tokens a second come; both finite and above 0.
    /// OutOfRange: one of them.
    [[nodiscard]] static Result<TokenBucket> try_make(double per_second, double capacity, Time now) {
        return detail::made<TokenBucket, tollgate_token_bucket>(
            [&](tollgate_token_bucket** bucket, char* error, std::size_t error_capacity) {
                return tollgate_token_bucket_new(per_second, capacity, now.ms(), bucket, error, error_capacity);
            });
    }

    /// Takes over what tollgate_token_bucket_new gave.
    [[nodiscard]] static TokenBucket adopt(tollgate_token_bucket* bucket) noexcept { return TokenBucket(bucket); }

#if TOLLGATE_HAS_EXCEPTIONS
    /// As try_make.
    TokenBucket(double per_second, double capacity, Time now)
        : TokenBucket(try_make(per_second, capacity, now).value()) {}
#endif

    /// Takes `amount`, whatever the level. How long until the level is zero again; 0 where it is not below zero.
    std::chrono::milliseconds charge(double amount, Time now) const noexcept {
        return detail::wait(tollgate_token_bucket_charge(owned_.get(), amount, now.ms()));
    }

    /// Takes `amount`, which may bring the level below zero, and gives nothing; but while the level is below zero it
    /// takes nothing, and gives the time until it is zero.
    [[nodiscard]] std::optional<std::chrono::milliseconds> charge_strict(double amount, Time now) const noexcept {
        return detail::refusal(tollgate_token_bucket_charge_strict(owned_.get(), amount, now.ms()));
    }

    /// The level in tokens: at most the capacity, below zero while the bucket owes.
    [[nodiscard]] double tokens(Time now) const noexcept {
        return tollgate_token_bucket_tokens(owned_.get(), now.ms());
    }

    /// For C functions; this object goes on owning it.
    [[nodiscard]] tollgate_token_bucket* handle() const noexcept { return owned_.get(); }

    /// Gives the C object to the caller, who frees it; this one is as moved from.
    [[nodiscard]] tollgate_token_bucket* release() noexcept { return owned_.release(); }

private:
    explicit TokenBucket(tollgate_token_bucket* bucket) noexcept : owned_(bucket) {}

    detail::Owned<tollgate_token_bucket> owned_;
};

/// A strict token bucket: one token at a time, never below zero. It is what keeps an engine's quotas by itself.
class Gcra {
public:
    /// `capacity` tokens (less than 1 is taken as 1), all there at `now`, into which `per_hour` tokens an hour come; both
    /// finite and above 0. OutOfRange: one of them.
    [[nodiscard]] static Result<Gcra> try_make(double per_hour, double capacity, Time now) {
        return detail::made<Gcra, tollgate_gcra>([&](tollgate_gcra** gcra, char* error, std::size_t error_capacity) {
            return tollgate_gcra_new(per_hour, capacity, now.ms(), gcra, error, error_capacity);
        });
    }

    /// Takes over what tollgate_gcra_new gave.
    [[nodiscard]] static Gcra adopt(tollgate_gcra* gcra) noexcept { return Gcra(gcra); }

#if TOLLGATE_HAS_EXCEPTIONS
    /// As try_make.
    Gcra(double per_hour, double capacity, Time now) : Gcra(try_make(per_hour, capacity, now).value()) {}
#endif

    /// Takes one token, and gives nothing; where there is none, the time until there is one.
    [[nodiscard]] std::optional<std::chrono::milliseconds> charge(Time now) const noexcept {
        return detail::refusal(tollgate_gcra_charge(owned_.get(), now.ms()));
    }

    /// Tokens, fractions included: 0 to the capacity.
    [[nodiscard]] double tokens(Time now) const noexcept { return tollgate_gcra_tokens(owned_.get(), now.ms()); }

    /// For C functions; this object goes on owning it.
    [[nodiscard]] tollgate_gcra* handle() const noexcept { return owned_.get(); }

    /// Gives the C object to the caller, who frees it; this one is as moved from.
    [[nodiscard]] tollgate_gcra* release() noexcept { return owned_.release(); }

private:
    explicit Gcra(tollgate_gcra* gcra) noexcept : owned_(gcra) {}

    detail::Owned<tollgate_gcra> owned_;
};

/// How many entries hold what a consumer may be sent: messages per entry, as its pushes show it.
class DispatchEstimator {
public:
    /// One that knows nothing yet. `precise`: whether its average decides how much is read.
    [[nodiscard]] static Result<DispatchEstimator> try_make(bool precise) noexcept {
        tollgate_dispatch_estimator* estimator = nullptr;
        const auto status = tollgate_dispatch_estimator_new(precise, &estimator);
        if (status != TOLLGATE_STATUS_OK) {
            return Failure(static_cast<Status>(status));
        }
        return DispatchEstimator(estimator);
    }

    /// One with an average to start from, finite and at least 1. OutOfRange: it is not.
    [[nodiscard]] static Result<DispatchEstimator> try_starting_at(bool precise, double messages_per_entry) {
        return detail::made<DispatchEstimator, tollgate_dispatch_estimator>(
            [&](tollgate_dispatch_estimator** estimator, char* error, std::size_t capacity) {
                return tollgate_dispatch_estimator_starting_at(precise, messages_per_entry, estimator, error,
                                                               capacity);
            });
    }

    /// Takes over what tollgate_dispatch_estimator_new or _starting_at gave.
    [[nodiscard]] static DispatchEstimator adopt(tollgate_dispatch_estimator* estimator) noexcept {
        return DispatchEstimator(estimator);
    }

    /// Notes that `entries` with `messages` in all were sent to the consumer. None of either changes nothing.
    void record_push(std::uint64_t messages, std::uint64_t entries) const noexcept {
        tollgate_dispatch_estimator_record_push(owned_.get(), messages, entries);
    }

    /// Messages per entry, for a consumer's statistics; nothing while it is unknown.
    [[nodiscard]] std::optional<double> average() const noexcept {
        return detail::number(tollgate_dispatch_estimator_average(owned_.get()));
    }

    /// Whether the average decides how much is read.
    [[nodiscard]] bool is_precise() const noexcept { return tollgate_dispatch_estimator_is_precise(owned_.get()); }

    /// Entries to read for `permits` messages: 0 without permits, else at least 1 and at most `read_batch_size`, which is
    /// taken as 1 where it is 0.
    [[nodiscard]] std::uint32_t entries_to_read(std::int64_t permits, std::uint32_t read_batch_size) const noexcept {
        return tollgate_dispatch_estimator_entries_to_read(owned_.get(), permits, read_batch_size);
    }

    /// `{"avgMessagesPerEntry":12.5,"precise":true}`, with null while the average is unknown.
    [[nodiscard]] Result<std::string> try_to_json() const {
        std::string json(127, '\0');
        std::size_t length = 0;
        const auto status =
            tollgate_dispatch_estimator_to_json(owned_.get(), json.data(), json.size() + 1, &length);
        if (status != TOLLGATE_STATUS_OK) {
            return Failure(static_cast<Status>(status));
        }
        json.resize(length);
        return json;
    }

#if TOLLGATE_HAS_EXCEPTIONS
    /// As try_make.
    explicit DispatchEstimator(bool precise) : DispatchEstimator(try_make(precise).value()) {}

    /// As try_starting_at.
    [[nodiscard]] static DispatchEstimator starting_at(bool precise, double messages_per_entry) {
        return try_starting_at(precise, messages_per_entry).value();
    }
    /// As try_to_json.
    [[nodiscard]] std::string to_json() const { return try_to_json().value(); }
#endif

    /// For C functions; this object goes on owning it.
    [[nodiscard]] tollgate_dispatch_estimator* handle() const noexcept { return owned_.get(); }

    /// Gives the C object to the caller, who frees it; this one is as moved from.
    [[nodiscard]] tollgate_dispatch_estimator* release() noexcept { return owned_.release(); }

private:
    explicit DispatchEstimator(tollgate_dispatch_estimator* estimator) noexcept : owned_(estimator) {}

    detail::Owned<tollgate_dispatch_estimator> owned_;
};

} // inline namespace
} // namespace tollgate

template <>
struct std::hash<tollgate::Principal> {
    std::size_t operator()(tollgate::Principal principal) const noexcept {
        return std::hash<std::uint32_t>()(principal.raw());
    }
};

#endif // TOLLGATE_HPP
