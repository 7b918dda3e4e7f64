// What tollgate.h asks callers not to do, done on purpose, by the argument's name: the sanitizers and valgrind must
// report each, or their silence about the other programs says nothing. "none" does no wrong.
#include <cstdio>
#include <cstring>
#include <thread>
#include <tollgate.hpp>

namespace {

template <class Call>
void twice(Call call) {
    std::thread other(call);
    call();
    other.join();
}

/// Against "a config is for one thread at a time": a race inside the library.
void config_race() {
    tollgate_config* config = tollgate_config_new();
    twice([=] { tollgate_config_set_layers(config, 4); });
    tollgate_config_free(config);
}

/// One output for two threads: a race of the library's writes into the caller's memory.
void output_race() {
    tollgate_config* config = tollgate_config_new();
    tollgate_filter_size size;
    twice([&] { tollgate_config_size(config, 1000, &size, nullptr, 0); });
    tollgate_config_free(config);
}

/// The caller's own.
void program_race() {
    int plain = 0;
    twice([&] { plain++; });
    std::printf("%d\n", plain);
}

/// A capacity above the buffer's: the library writes past it, on the stack.
void overflow() {
    char error[8];
    tollgate_config* config = tollgate_config_new();
    volatile std::size_t capacity = 160;
    tollgate_config_set_default_quota(config, -1.0, 0.0, error, capacity);
    tollgate_config_free(config);
}

/// A count above the array's: the library writes past it, on the heap.
void heap_overflow() {
    const auto engine = *tollgate::Engine::try_make({});
    for (const char* name : {"a", "b", "c", "d"}) {
        (void)engine.try_intern(name, tollgate::Time::from_ms(0));
    }
    auto* handles = new std::uint32_t[2];
    std::size_t count = 0;
    tollgate_list_principals(engine.handle(), handles, 4, &count);
    delete[] handles;
}

void used_after_free() {
    tollgate_engine* engine = (*tollgate::Engine::try_make({})).release();
    tollgate_engine_free(engine);
    std::printf("%d\n", static_cast<int>(tollgate_is_live(engine, 1)));
}

void leak() {
    (void)(*tollgate::Engine::try_make({})).release();
}

void none() {
    const auto engine = *tollgate::Engine::try_make({});
    twice([&] { (void)engine.try_intern("a", tollgate::Time::from_ms(0)); });
}

} // namespace

int main(int count, char** arguments) {
    const struct {
        const char* name;
        void (*misuse)();
    } misuses[] = {{"config_race", config_race},
                   {"output_race", output_race},
                   {"program_race", program_race},
                   {"overflow", overflow},
                   {"heap_overflow", heap_overflow},
                   {"used_after_free", used_after_free},
                   {"leak", leak},
                   {"none", none}};
    for (const auto& [name, misuse] : misuses) {
        if (count == 2 && std::strcmp(arguments[1], name) == 0) {
            misuse();
            return 0;
        }
    }
    return 2;
}
