// The gateway's command line. Part of gateway.
#ifndef GATEWAY_OPTIONS_HPP
#define GATEWAY_OPTIONS_HPP

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <tollgate.hpp>
#include <utility>
#include <vector>

#include <getopt.h>
#include <sys/resource.h>

inline constexpr char help[] =
    "Usage: gateway [OPTION]...\n"
    "Answers `HELLO tenant session` on 127.0.0.1 with OK, KNOWN or WAIT ms.\n"
    "\n"
    "  --port N              default: 0, a free one, which is printed\n"
    "  --threads N           default: one for each core\n"
    "  --rate N              new sessions an hour and tenant (default: 3600)\n"
    "  --burst SHARE         share of a window's worth that may come at once, 0 to 1 (default: 1)\n"
    "  --quota TENANT=RATE   another rate for this tenant; may be repeated\n"
    "  --window SECONDS      how long a session is remembered (default: 3600)\n"
    "  --connections N       most at once (default: 1000)\n"
    "  --idle SECONDS        ends a connection that says nothing for so long (default: 60)\n"
    "  --help                this text\n"
    "\n"
    "SIGUSR1 prints what was counted for each tenant; SIGINT and SIGTERM print it and end.\n";

struct Options {
    std::uint16_t port = 0;
    unsigned threads = std::max(1U, std::thread::hardware_concurrency());
    tollgate::Quota quota{3600, 1};
    std::vector<std::pair<std::string, double>> quotas;
    std::chrono::seconds window = std::chrono::hours(1);
    std::chrono::seconds idle = std::chrono::minutes(1);
    std::size_t connections = 1000;
};

[[noreturn]] inline void refuse(const std::string& what) {
    std::fprintf(stderr, "gateway: %s; see --help\n", what.c_str());
    std::exit(1);
}

inline double number(const char* text, const char* name, double least, double most) {
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= least && value <= most)) {
        std::array<char, 64> range;
        std::snprintf(range.data(), range.size(), "%.0f to %.0f", least, most);
        refuse(std::string("--") + name + " " + text + ": must be a number from " + range.data());
    }
    return value;
}

inline Options parse(int count, char** arguments) {
    constexpr option known[] = {
        {"port", required_argument, nullptr, 'p'},   {"threads", required_argument, nullptr, 't'},
        {"rate", required_argument, nullptr, 'r'},   {"burst", required_argument, nullptr, 'b'},
        {"quota", required_argument, nullptr, 'q'},  {"connections", required_argument, nullptr, 'c'},
        {"window", required_argument, nullptr, 'w'}, {"idle", required_argument, nullptr, 'i'},
        {"help", no_argument, nullptr, 'h'},         {nullptr, 0, nullptr, 0},
    };
    Options options;
    int which = 0;
    for (int chosen; (chosen = getopt_long(count, arguments, "", known, &which)) != -1;) {
        const auto value = [&](double least, double most) { return number(optarg, known[which].name, least, most); };
        switch (chosen) {
        case 'p': options.port = static_cast<std::uint16_t>(value(0, 65535)); break;
        case 't': options.threads = static_cast<unsigned>(value(1, 256)); break;
        case 'r': options.quota.per_hour = value(0, 1e12); break;
        case 'b': options.quota.burst = value(0, 1); break;
        case 'w': options.window = std::chrono::seconds(static_cast<long>(value(1, 1e9))); break;
        case 'c': options.connections = static_cast<std::size_t>(value(1, 1e6)); break;
        case 'i': options.idle = std::chrono::seconds(static_cast<long>(value(1, 1e9))); break;
        case 'q': {
            const std::string text = optarg;
            const auto equals = text.rfind('=');
            if (equals == text.npos) {
                refuse("--quota " + text + ": must be TENANT=RATE");
            }
            options.quotas.emplace_back(text.substr(0, equals), number(text.c_str() + equals + 1, "quota", 0, 1e12));
            break;
        }
        case 'h': std::fputs(help, stdout); std::exit(0);
        default: std::exit(1); // getopt has said why
        }
    }
    if (optind != count) {
        refuse(arguments[optind] + std::string(" is no option"));
    }
    // Each connection is a file, and an accept that fails for want of one would be tried again and again.
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    options.connections = std::min<std::size_t>(options.connections, std::max<rlim_t>(files.rlim_cur, 65) - 64);
    return options;
}

#endif
