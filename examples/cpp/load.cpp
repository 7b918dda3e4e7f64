// Load for the gateway: so many connections, each on a thread of its own, each for one tenant, with sessions drawn at
// random. Prints what was answered, calls a second, and how long the answers took.
//
// Closed (the default), a connection asks again as soon as it is answered: that shows how much goes through. Its
// latencies are flattering, since a slow answer holds back the calls that would have met the slow moment too. With
// --rate the calls have a schedule that no answer delays, and a latency runs from the moment that the schedule names.
#include "socket.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <getopt.h>

using Clock = std::chrono::steady_clock;

namespace {

constexpr char help[] =
    "Usage: load --port N [OPTION]...\n"
    "Asks the gateway on 127.0.0.1:N, and prints calls a second and how long the answers took.\n"
    "\n"
    "  --connections N   default: 4, each with a thread of its own\n"
    "  --tenants N       named tenant-0, tenant-1 ..; connection i is for tenant i modulo N (default: 2)\n"
    "  --sessions N      that a tenant draws from (default: 1000)\n"
    "  --seconds N       ends after so long (default: 2)\n"
    "  --calls N         and after so many calls of a connection (default: 1000000)\n"
    "  --rate N          calls a second of all connections, by a schedule (default: as fast as the answers come)\n"
    "  --seed N          for the sessions drawn (default: 1)\n"
    "  --help            this text\n";

struct Options {
    std::uint16_t port = 0;
    unsigned connections = 4, tenants = 2;
    std::uint64_t sessions = 1000, calls = 1'000'000, seed = 1;
    double seconds = 2, rate = 0;
};

/// What one connection saw.
struct Seen {
    std::uint64_t ok = 0, known = 0, wait = 0;
    std::vector<std::uint32_t> tenth_us; // latencies, in tenths of a microsecond
    std::string error;
};

std::string line(Socket& socket, std::string& rest) {
    std::array<char, 512> bytes;
    for (;;) {
        if (const auto end = rest.find('\n'); end != rest.npos) {
            auto found = rest.substr(0, end);
            rest.erase(0, end + 1);
            return found;
        }
        const auto got = socket.receive(bytes.data(), bytes.size());
        if (got <= 0) {
            throw std::runtime_error("the gateway closed the connection, or said nothing for ten seconds");
        }
        rest.append(bytes.data(), static_cast<std::size_t>(got));
    }
}

void ask(const Options& options, unsigned number, Clock::time_point begin, Seen& seen) {
    Socket socket = Socket::connect_to(options.port);
    std::mt19937_64 random(options.seed * 1'000'003 + number);
    const std::string hello = "HELLO tenant-" + std::to_string(number % options.tenants) + " session-";
    const auto end = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
    const std::chrono::duration<double> interval(options.rate > 0 ? options.connections / options.rate : 0);
    std::string rest;
    for (std::uint64_t call = 0; call < options.calls; call++) {
        auto from = Clock::now();
        if (options.rate > 0) {
            const double turns = static_cast<double>(call) + static_cast<double>(number) / options.connections;
            from = begin + std::chrono::duration_cast<Clock::duration>(interval * turns);
            std::this_thread::sleep_until(from);
        }
        if (from >= end) {
            return;
        }
        const auto request = hello + std::to_string(random() % options.sessions) + '\n';
        if (socket.send(request) != static_cast<ssize_t>(request.size())) {
            throw std::runtime_error("the gateway does not read");
        }
        const auto answer = line(socket, rest);
        seen.tenth_us.push_back(static_cast<std::uint32_t>(std::chrono::nanoseconds(Clock::now() - from).count() / 100));
        if (answer == "OK") {
            seen.ok++;
        } else if (answer == "KNOWN") {
            seen.known++;
        } else if (answer.substr(0, 5) == "WAIT ") {
            seen.wait++;
        } else {
            throw std::runtime_error("the gateway answered " + answer);
        }
    }
}

double quantile_us(const std::vector<std::uint32_t>& sorted, double share) {
    const auto at = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
    return sorted[std::min(at, sorted.size() - 1)] / 10.0;
}

/// @return whether each connection was answered to the end
bool print(const Options& options, const std::vector<Seen>& all, double seconds) {
    std::map<std::string, Seen> tenants;
    std::vector<std::uint32_t> latencies;
    bool good = true;
    for (unsigned i = 0; i < all.size(); i++) {
        auto& tenant = tenants["tenant-" + std::to_string(i % options.tenants)];
        tenant.ok += all[i].ok;
        tenant.known += all[i].known;
        tenant.wait += all[i].wait;
        latencies.insert(latencies.end(), all[i].tenth_us.begin(), all[i].tenth_us.end());
        if (!all[i].error.empty()) {
            std::fprintf(stderr, "load: connection %u: %s\n", i, all[i].error.c_str());
            good = false;
        }
    }
    for (const auto& [name, seen] : tenants) {
        std::printf("%s: %llu OK, %llu KNOWN, %llu WAIT\n", name.c_str(), static_cast<unsigned long long>(seen.ok),
                    static_cast<unsigned long long>(seen.known), static_cast<unsigned long long>(seen.wait));
    }
    std::printf("%zu calls in %.2f s, %.0f a second, by %u connections\n", latencies.size(), seconds,
                static_cast<double>(latencies.size()) / seconds, options.connections);
    if (!latencies.empty()) {
        std::sort(latencies.begin(), latencies.end());
        std::printf("latency: p50 %.1f us, p99 %.1f us, p99.9 %.1f us, longest %.1f us%s\n",
                    quantile_us(latencies, 0.5), quantile_us(latencies, 0.99), quantile_us(latencies, 0.999),
                    latencies.back() / 10.0, options.rate > 0 ? ", from the schedule" : "");
    }
    return good;
}

Options parse(int count, char** arguments) {
    constexpr option known[] = {
        {"port", required_argument, nullptr, 'p'},     {"connections", required_argument, nullptr, 'c'},
        {"tenants", required_argument, nullptr, 't'},  {"sessions", required_argument, nullptr, 's'},
        {"seconds", required_argument, nullptr, 'd'},  {"calls", required_argument, nullptr, 'n'},
        {"rate", required_argument, nullptr, 'r'},     {"seed", required_argument, nullptr, 'x'},
        {"help", no_argument, nullptr, 'h'},           {nullptr, 0, nullptr, 0},
    };
    Options options;
    int which = 0;
    for (int chosen; (chosen = getopt_long(count, arguments, "", known, &which)) != -1;) {
        const auto number = [&](double least, double most) {
            char* end = nullptr;
            const double value = std::strtod(optarg, &end);
            if (end == optarg || *end != '\0' || !(value >= least && value <= most)) {
                std::fprintf(stderr, "load: --%s %s: must be a number from %g to %g; see --help\n", known[which].name,
                             optarg, least, most);
                std::exit(1);
            }
            return value;
        };
        switch (chosen) {
        case 'p': options.port = static_cast<std::uint16_t>(number(1, 65535)); break;
        case 'c': options.connections = static_cast<unsigned>(number(1, 1000)); break;
        case 't': options.tenants = static_cast<unsigned>(number(1, 1000)); break;
        case 's': options.sessions = static_cast<std::uint64_t>(number(1, 1e12)); break;
        case 'd': options.seconds = number(0.1, 3600); break;
        case 'n': options.calls = static_cast<std::uint64_t>(number(1, 1e8)); break;
        case 'r': options.rate = number(0.1, 1e7); break;
        case 'x': options.seed = static_cast<std::uint64_t>(number(0, 1e15)); break;
        case 'h': std::fputs(help, stdout); std::exit(0);
        default: std::exit(1); // getopt has said why
        }
    }
    if (options.port == 0 || optind != count) {
        std::fputs("load: --port N, and nothing without a --; see --help\n", stderr);
        std::exit(1);
    }
    return options;
}

} // namespace

int main(int count, char** arguments) {
    const Options options = parse(count, arguments);
    std::vector<Seen> seen(options.connections);
    std::vector<std::thread> threads;
    const auto begin = Clock::now();
    for (unsigned i = 0; i < options.connections; i++) {
        threads.emplace_back([&options, i, begin, &mine = seen[i]] {
            try {
                ask(options, i, begin, mine);
            } catch (const std::exception& error) {
                mine.error = error.what();
            }
        });
    }
    for (auto& thread : threads) {
        thread.join();
    }
    return print(options, seen, std::chrono::duration<double>(Clock::now() - begin).count()) ? 0 : 1;
}
