// Counts checks; the first that fails says where, and ends the program. Twice on purpose: the header must bear it.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <tollgate.hpp>

inline std::atomic<int> checks{0};

inline void check(bool holds, const char* file, int line, const char* what) {
    checks++;
    if (!holds) {
        std::printf("failed: %s:%d: %s\n", file, line, what);
        std::exit(1);
    }
}

#define CHECK(...) check(static_cast<bool>(__VA_ARGS__), __FILE__, __LINE__, #__VA_ARGS__)

/// What the `try_` form gave; for a test, it must have.
template <class T>
T must(tollgate::Result<T> result) {
    CHECK(result.ok());
    return *std::move(result);
}
