// Deciding on what is known, or throttled, allocates nothing: every malloc of the process, the library's included, and
// every operator new is counted. For glibc, whose malloc this program replaces; not for sanitizers or valgrind, which
// do so themselves.
#include <atomic>
#include <cerrno>
#include <new>

#include "check.hpp"

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

static std::atomic<long> mallocs;
static std::atomic<long> news;

void* malloc(std::size_t size) {
    mallocs++;
    return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
    mallocs++;
    return __libc_calloc(count, size);
}
void* realloc(void* old, std::size_t size) {
    mallocs++;
    return __libc_realloc(old, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
    mallocs++;
    return __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    mallocs++;
    return __libc_memalign(alignment, size);
}
int posix_memalign(void** place, std::size_t alignment, std::size_t size) {
    mallocs++;
    *place = __libc_memalign(alignment, size);
    return *place == nullptr ? ENOMEM : 0;
}
}

void* operator new(std::size_t size) {
    news++;
    if (void* place = malloc(size)) {
        return place;
    }
    std::abort();
}
void operator delete(void* place) noexcept {
    std::free(place);
}
void operator delete(void* place, std::size_t) noexcept {
    std::free(place);
}

using namespace std::chrono_literals;
using tollgate::Config;
using tollgate::Engine;
using tollgate::Principal;

namespace {

struct Count {
    long mallocs;
    long news;
};

/// What `call` allocates.
template <class Call>
Count allocated(Call call) {
    const Count before{mallocs.load(), news.load()};
    call();
    return {mallocs.load() - before.mallocs, news.load() - before.news};
}

template <class Call>
bool allocates_nothing(Call call) {
    const Count count = allocated(call);
    if (count.mallocs != 0 || count.news != 0) {
        std::printf("%ld mallocs, %ld news\n", count.mallocs, count.news);
    }
    return count.mallocs == 0 && count.news == 0;
}

constexpr int CALLS = 10'000;

/// All calls that decide, on a principal that remembers PIDs 0 to `pids` - 1 and may have no more.
void decide(const Engine& engine, Principal principal, std::uint64_t pids) {
    int counted = 0;
    // A thread's first Known may: it is when the thread gets its counters.
    CHECK(engine.track(principal, 0, 0ms).known());
    CHECK(allocates_nothing([&] {
        for (std::uint64_t i = 0; i < CALLS; i++) {
            counted += engine.track(principal, i % pids, std::chrono::milliseconds(i % 7)).known();
        }
    }));
    CHECK(counted == CALLS);
    CHECK(allocates_nothing([&] {
        for (std::uint64_t i = 0; i < CALLS; i++) {
            const auto decision = engine.track(principal, (1U << 30) + i, 7ms);
            counted += decision.retry_after() > 0ms;
        }
    }));
    CHECK(counted > 2 * CALLS - CALLS / 100); // throttled, less the share that is taken for known
    CHECK(allocates_nothing([&] {
        for (std::uint64_t i = 0; i < CALLS; i++) {
            counted += engine.touch(principal, i, 7ms).known() && engine.contains(principal, i % pids, 7ms);
        }
    }));
    CHECK(allocates_nothing([&] { counted += engine.remember(principal, pids - 1, 7ms).known(); }));
    CHECK(allocates_nothing([&] { counted += engine.is_live(principal); }));
    CHECK(allocates_nothing([&] { counted += engine.try_intern("alice", 7ms).ok(); }));
    CHECK(allocates_nothing([&] { counted += engine.try_stats(principal, 7ms).ok(); }));
    CHECK(counted > 2 * CALLS);
}

} // namespace

int main() {
    // The counters see C++, C and the library, or the rest would prove nothing.
    int* volatile kept = nullptr;
    CHECK(allocated([&] { kept = new int(1); }).news == 1);
    delete kept;
    void* volatile raw = nullptr;
    CHECK(allocated([&] { raw = std::malloc(100); }).mallocs == 1);
    std::free(raw);
    const Engine engine = must(Engine::try_make(Config().default_quota({100'000.0, 1.0})));
    Principal alice;
    CHECK(allocated([&] { alice = must(engine.try_intern("alice", 0ms)); }).mallocs > 0);

    // The small set, then the filter; each with the quota spent.
    for (std::uint64_t pid = 0; pid < 50; pid++) {
        CHECK(engine.track(alice, pid, 0ms).admitted());
    }
    CHECK(engine.try_set_quota("alice", {1e-6, 0.0}, 0ms).ok());
    (void)engine.track(alice, 50, 0ms);
    decide(engine, alice, 50);
    CHECK(engine.try_set_unlimited("alice", 7ms).ok());
    for (std::uint64_t pid = 0; pid < 5000; pid++) {
        (void)engine.track(alice, pid, 7ms);
    }
    CHECK(engine.try_set_quota("alice", {1e-6, 0.0}, 7ms).ok());
    (void)engine.track(alice, 1U << 31, 7ms);
    decide(engine, alice, 5000);
    std::printf("allocations: %d checks\n", checks.load());
}
