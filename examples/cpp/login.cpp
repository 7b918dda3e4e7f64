// Admits logins: three new ones an hour per user, ten minutes' memory. docs/c.md shows this file.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <tollgate.hpp>

int main() try {
    using namespace std::chrono_literals;
    const tollgate::Engine gate(tollgate::Config().window(10min).default_quota({3.0, 0.0}));
    const auto now = std::chrono::steady_clock::now();
    const tollgate::Principal alice = gate.intern("alice", now);
    for (const std::uint64_t device : {4711U, 4711U, 815U}) {
        if (const auto wait = gate.track(alice, device, now).retry_after()) {
            std::printf("refused, again in %d ms\n", static_cast<int>(wait->count()));
        } else {
            std::puts("welcome");
        }
    }
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what()); // such as "layers = 2: must be 3 to 64"
    return 1;
}
