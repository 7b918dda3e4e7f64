// One thread of the gateway: the connections that it accepted, and what it answers them. Part of gateway.
#ifndef WORKER_HPP
#define WORKER_HPP

#include "gateway_options.hpp"
#include "siphash.hpp"
#include "socket.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <tollgate.hpp>
#include <unordered_map>
#include <utility>

#include <sys/epoll.h>

using Clock = std::chrono::steady_clock;

inline constexpr std::size_t longest_line = 512;
/// A client that sends without reading is not read from beyond this.
inline constexpr std::size_t most_unsent = 64 << 10;

/// What all threads have.
struct Gateway {
    const tollgate::Engine engine;
    const SipKey session_key;
    const Options options;
    const Socket listener;
    const Socket stop; // an eventfd that, once written, stays readable: all threads see it
    std::atomic<std::size_t> connections{0};
};

struct Connection {
    Socket socket;
    Clock::time_point last_heard;
    std::string in, out;
    bool is_ending = false;      // gets what is in `out`, then is closed
    std::uint32_t awaited = 0;   // the epoll events asked for
    std::string tenant;          // the last one, and its handle: interning it for each line would cost a look-up
    tollgate::Principal principal;
};

/// Written by one thread, read by the main one.
class Counter {
public:
    void add(std::uint64_t more) { value_.store(get() + more, std::memory_order_relaxed); }
    std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

class Worker {
public:
    explicit Worker(Gateway& gateway) : gateway_(gateway), epoll_(epoll_create1(EPOLL_CLOEXEC)) {
        // Exclusive: a connection wakes one thread, not all.
        watch(gateway_.listener.fd(), EPOLLIN | EPOLLEXCLUSIVE, EPOLL_CTL_ADD);
        watch(gateway_.stop.fd(), EPOLLIN, EPOLL_CTL_ADD);
    }

    void run() {
        std::array<epoll_event, 64> events;
        for (;;) {
            const int count = epoll_wait(epoll_.fd(), events.data(), static_cast<int>(events.size()), 1000);
            for (int i = 0; i < count; i++) {
                const int fd = events[static_cast<std::size_t>(i)].data.fd;
                if (fd == gateway_.stop.fd()) {
                    return;
                }
                if (fd == gateway_.listener.fd()) {
                    accept();
                } else if (const auto found = connections_.find(fd); found != connections_.end()) {
                    serve(found->second, events[static_cast<std::size_t>(i)].events);
                }
            }
            end_idle();
        }
    }

    Counter calls, malformed, faults, track_ns;

private:
    void watch(int fd, std::uint32_t events, int operation) {
        epoll_event event{};
        event.events = events;
        event.data.fd = fd;
        epoll_ctl(epoll_.fd(), operation, fd, &event);
    }

    void accept() {
        Socket socket = gateway_.listener.accept();
        if (!socket) {
            return; // another thread had it, or it is gone
        }
        if (gateway_.connections.fetch_add(1) >= gateway_.options.connections) {
            gateway_.connections.fetch_sub(1);
            socket.send("ERR too many connections\n");
            return;
        }
        const int fd = socket.fd();
        Connection& made = connections_[fd];
        made.socket = std::move(socket);
        made.last_heard = Clock::now();
        made.awaited = EPOLLIN;
        watch(fd, EPOLLIN, EPOLL_CTL_ADD);
    }

    void end(Connection& connection) {
        connections_.erase(connection.socket.fd()); // closes it, which takes it out of the epoll set
        gateway_.connections.fetch_sub(1);
    }

    void end_idle() {
        const auto now = Clock::now();
        if (now - looked_for_idle_ < std::chrono::seconds(1)) {
            return;
        }
        looked_for_idle_ = now;
        for (auto at = connections_.begin(); at != connections_.end();) {
            auto& connection = (at++)->second; // end() takes it out
            if (now - connection.last_heard > gateway_.options.idle) {
                end(connection);
            }
        }
    }

    void serve(Connection& connection, std::uint32_t events) {
        if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0 && !connection.is_ending) {
            std::array<char, 16384> bytes;
            const auto got = connection.socket.receive(bytes.data(), bytes.size());
            if (got < 0) {
                return end(connection);
            }
            connection.last_heard = Clock::now();
            connection.in.append(bytes.data(), static_cast<std::size_t>(got));
            connection.is_ending = connection.socket.is_at_end();
            answer_lines(connection);
        }
        const auto sent = connection.socket.send(connection.out);
        if (sent < 0) {
            return end(connection);
        }
        connection.out.erase(0, static_cast<std::size_t>(sent));
        if (connection.out.empty() && connection.is_ending) {
            return end(connection);
        }
        const bool reads = !connection.is_ending && connection.out.size() < most_unsent;
        const std::uint32_t awaited = (reads ? EPOLLIN : 0U) | (connection.out.empty() ? 0U : EPOLLOUT);
        if (awaited != connection.awaited) {
            connection.awaited = awaited;
            watch(connection.socket.fd(), awaited, EPOLL_CTL_MOD);
        }
    }

    void answer_lines(Connection& connection) {
        std::string_view rest = connection.in;
        for (auto end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
            answer(connection, rest.substr(0, end));
            rest.remove_prefix(end + 1);
        }
        if (rest.size() > longest_line) {
            malformed.add(1);
            connection.out += "ERR line too long\n";
            connection.is_ending = true;
            rest = {};
        }
        connection.in.erase(0, connection.in.size() - rest.size());
    }

    void answer(Connection& connection, std::string_view line) {
        constexpr std::string_view hello = "HELLO ";
        const auto space = line.find(' ', hello.size());
        if (line.substr(0, hello.size()) != hello || space == line.npos || space == hello.size() ||
            space + 1 == line.size() || line.find(' ', space + 1) != line.npos || line.size() > longest_line) {
            malformed.add(1);
            connection.out += "ERR expected HELLO tenant session\n";
            return;
        }
        const auto tenant = line.substr(hello.size(), space - hello.size());
        const auto session = siphash(gateway_.session_key, line.substr(space + 1));
        const auto now = Clock::now();
        if (tenant != connection.tenant && !intern(connection, tenant, now)) {
            malformed.add(1);
            connection.out += "ERR tenant is not UTF-8\n";
            return;
        }
        auto decision = gateway_.engine.track(connection.principal, session, now);
        if (decision.stale()) { // the tenant was away for a window, this connection was not
            intern(connection, tenant, now);
            decision = gateway_.engine.track(connection.principal, session, now);
        }
        track_ns.add(static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - now).count()));
        calls.add(1);
        switch (decision.kind()) {
        case tollgate::Kind::Known: connection.out += "KNOWN\n"; break;
        case tollgate::Kind::Throttled:
            connection.out += "WAIT " + std::to_string(decision.retry_after()->count()) + '\n';
            break;
        case tollgate::Kind::Admitted: connection.out += "OK\n"; break;
        default: // a defect inside must not keep anyone out
            faults.add(1);
            connection.out += "OK\n";
        }
    }

    bool intern(Connection& connection, std::string_view tenant, Clock::time_point now) {
        const auto principal = gateway_.engine.try_intern(tenant, now);
        if (!principal) {
            return false;
        }
        connection.principal = *principal;
        // The overflow gate's handle is not to be kept: there may be room next time.
        connection.tenant = principal->is_overflow() ? std::string_view() : tenant;
        return true;
    }

    Gateway& gateway_;
    Socket epoll_;
    std::unordered_map<int, Connection> connections_;
    Clock::time_point looked_for_idle_ = Clock::now();
};

#endif
