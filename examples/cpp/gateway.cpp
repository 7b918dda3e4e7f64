// A connection gateway: says for each session of a tenant whether it is let in. Tenants are principals, sessions keys.
//
//   HELLO tenant session\n   ->   OK\n          new, within the tenant's quota
//                                 KNOWN\n       seen within the window
//                                 WAIT ms\n     new, over the quota: come again then
//                                 ERR why\n     not understood; after a line that is too long, the connection ends
//
// Lines may be sent without waiting for answers, which come in order. One listener, and for each thread an epoll set with
// the connections that it accepted: nothing is shared between them but the engine. The main thread takes the signals
// and sweeps.
#include "gateway_options.hpp"
#include "worker.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <tollgate.hpp>
#include <utility>
#include <vector>

#include <sys/eventfd.h>

namespace {

/// What a look at the clock costs, which each measured call has in it once. The least of many rounds: others may run.
double clock_ns() {
    constexpr int rounds = 100, looks = 1000;
    double least = std::numeric_limits<double>::max();
    for (int round = 0; round < rounds; round++) {
        const auto begin = Clock::now();
        for (int i = 0; i < looks - 1; i++) {
            static_cast<void>(Clock::now());
        }
        least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - begin).count() / looks);
    }
    return least;
}

void print_row(const std::string& name, const tollgate::Stats& stats) {
    std::printf("%-20s %10llu %10llu %10llu %8llu %10.1f %9.1f %9llu\n", name.c_str(),
                static_cast<unsigned long long>(stats.known), static_cast<unsigned long long>(stats.admitted),
                static_cast<unsigned long long>(stats.throttled), static_cast<unsigned long long>(stats.live_pids),
                stats.rate_per_hour, stats.tokens.value_or(0), static_cast<unsigned long long>(stats.bytes));
}

void print_stats(const Gateway& gateway, const std::vector<std::unique_ptr<Worker>>& workers, double clock_ns) {
    const auto now = Clock::now();
    std::printf("%-20s %10s %10s %10s %8s %10s %9s %9s\n", "tenant", "known", "admitted", "throttled", "live", "rate/h",
                "tokens", "bytes");
    std::vector<std::pair<std::string, tollgate::Stats>> rows;
    for (const auto principal : gateway.engine.principals()) {
        const auto name = gateway.engine.try_name(principal);
        const auto stats = gateway.engine.try_stats(principal, now);
        if (name && stats) { // one may have been swept since it was listed
            rows.emplace_back(*name, *stats);
        }
    }
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [name, stats] : rows) {
        print_row(name, stats);
    }
    std::uint64_t calls = 0, malformed = 0, faults = 0, track_ns = 0;
    for (const auto& worker : workers) {
        calls += worker->calls.get();
        malformed += worker->malformed.get();
        faults += worker->faults.get();
        track_ns += worker->track_ns.get();
    }
    std::printf("%llu calls, %llu malformed, %llu faults, %zu connections\n", static_cast<unsigned long long>(calls),
                static_cast<unsigned long long>(malformed), static_cast<unsigned long long>(faults),
                gateway.connections.load());
    if (calls > 0) {
        const double track = std::max(0.0, static_cast<double>(track_ns) / static_cast<double>(calls) - clock_ns);
        const double all = 1e9 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC / static_cast<double>(calls);
        std::printf("track: %.0f ns a call (the clock's %.0f ns taken off), %.1f %% of the gateway's %.0f ns CPU a call\n",
                    track, clock_ns, 100 * track / all, all);
    }
    std::fflush(stdout);
}

int run(const Options& options) {
    sigset_t signals;
    sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1}) {
        sigaddset(&signals, signal);
    }
    pthread_sigmask(SIG_BLOCK, &signals, nullptr); // the threads inherit it
    std::random_device random;
    const auto word = [&] { return std::uint64_t{random()} << 32 | random(); };
    Gateway gateway{tollgate::Engine(tollgate::Config().window(options.window).default_quota(options.quota)),
                    SipKey{word(), word()}, options, Socket::listen_on(options.port), Socket(eventfd(0, EFD_CLOEXEC))};
    for (const auto& [tenant, per_hour] : options.quotas) {
        gateway.engine.set_quota(tenant, {per_hour, options.quota.burst}, Clock::now());
    }
    const double look_ns = clock_ns();
    std::vector<std::unique_ptr<Worker>> workers;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < options.threads; i++) {
        Worker& worker = *workers.emplace_back(std::make_unique<Worker>(gateway));
        threads.emplace_back([&worker] { worker.run(); });
    }
    std::printf("gateway: 127.0.0.1:%d, %u threads\n", gateway.listener.port(), options.threads);
    std::fflush(stdout);
    const timespec period{std::max<std::time_t>(1, options.window.count() / 4), 0};
    for (int signal = 0; signal != SIGINT && signal != SIGTERM;) {
        signal = sigtimedwait(&signals, nullptr, &period);
        if (signal == SIGUSR1) {
            print_stats(gateway, workers, look_ns);
        }
        gateway.engine.sweep(Clock::now()); // between periods it finds nothing
    }
    eventfd_write(gateway.stop.fd(), 1);
    for (auto& thread : threads) {
        thread.join();
    }
    print_stats(gateway, workers, look_ns);
    return 0;
}

} // namespace

int main(int count, char** arguments) {
    try {
        if (tollgate::abi_version() != tollgate::header_abi_version) {
            refuse("libtollgate is not the one this program was built for");
        }
        return run(parse(count, arguments));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gateway: %s\n", error.what());
        return 1;
    }
}
