// A program outside the tree, in C++; see consumer.c.
#include <cstdio>
#include <tollgate.hpp>

int main() {
    using namespace std::chrono_literals;
    const tollgate::Engine engine{tollgate::Config()};
    const auto alice = engine.intern("alice", 0ms);
    const auto first = engine.track(alice, 1, 0ms);
    const auto second = engine.track(alice, 1, 0ms);
    std::printf("%s %d %d\n", tollgate_version(), static_cast<int>(first.kind()), static_cast<int>(second.kind()));
}
