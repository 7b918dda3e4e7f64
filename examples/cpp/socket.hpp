// A socket, or another file descriptor, that closes itself. 127.0.0.1 only. Part of gateway and load.
#ifndef SOCKET_HPP
#define SOCKET_HPP

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

class Socket {
public:
    Socket() = default;
    /// Takes what a system call gave, -1 if it failed.
    explicit Socket(int fd) : fd_(fd) {
        if (fd < 0) {
            throw std::system_error(errno, std::generic_category());
        }
    }
    Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)), at_end_(other.at_end_) {}
    Socket& operator=(Socket&& other) noexcept {
        std::swap(fd_, other.fd_);
        std::swap(at_end_, other.at_end_);
        return *this;
    }
    ~Socket() {
        if (fd_ >= 0) {
            close(fd_);
        }
    }

    /// @param port 0 for a free one
    static Socket listen_on(std::uint16_t port) {
        Socket made(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        const int on = 1;
        check(setsockopt(made.fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
        const auto address = loopback(port);
        check(bind(made.fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address));
        check(listen(made.fd_, SOMAXCONN));
        return made;
    }

    /// Blocks, but for no longer than ten seconds in one call.
    static Socket connect_to(std::uint16_t port) {
        Socket made(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const timeval ten_seconds{10, 0};
        check(setsockopt(made.fd_, SOL_SOCKET, SO_RCVTIMEO, &ten_seconds, sizeof ten_seconds));
        check(setsockopt(made.fd_, SOL_SOCKET, SO_SNDTIMEO, &ten_seconds, sizeof ten_seconds));
        const auto address = loopback(port);
        check(connect(made.fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address));
        made.send_at_once();
        return made;
    }

    /// A connection that does not block; none when there is none to take.
    Socket accept() const {
        Socket made;
        made.fd_ = accept4(fd_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (made) {
            made.send_at_once();
        }
        return made;
    }

    explicit operator bool() const { return fd_ >= 0; }
    int fd() const { return fd_; }

    std::uint16_t port() const {
        sockaddr_in address{};
        socklen_t length = sizeof address;
        check(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &length));
        return ntohs(address.sin_port);
    }

    /// The bytes got; 0 when there are none now, or no more (is_at_end); -1 when the connection broke.
    ssize_t receive(char* bytes, std::size_t capacity) {
        const auto got = recv(fd_, bytes, capacity, 0);
        at_end_ = got == 0;
        return got < 0 && would_block() ? 0 : got;
    }
    bool is_at_end() const { return at_end_; }

    /// The bytes that could be sent now; -1 when the connection broke.
    ssize_t send(std::string_view bytes) const {
        if (bytes.empty()) {
            return 0;
        }
        const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        return sent < 0 && would_block() ? 0 : sent;
    }

private:
    static bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

    static void check(int status) {
        if (status != 0) {
            throw std::system_error(errno, std::generic_category());
        }
    }

    static sockaddr_in loopback(std::uint16_t port) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return address;
    }

    /// Answers are small and awaited: not to be held back until the last one is acknowledged.
    void send_at_once() const {
        const int on = 1;
        setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }

    int fd_ = -1;
    bool at_end_ = false;
};

#endif
