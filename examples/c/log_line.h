/* One line of a login log, `time user ip`, taken apart. Part of login_guard. */
#ifndef LOG_LINE_H
#define LOG_LINE_H

#include <stddef.h>
#include <stdint.h>

struct login {
    uint64_t time_ms; /* since 1970 */
    const char *user; /* in the line, not terminated */
    size_t user_length;
    const char *ip; /* in the line, terminated */
    uint64_t key;   /* the address in 64 bits; see key_of_ip */
};

/* Takes apart `length` bytes behind which there is room for a terminator. NULL when all went well; otherwise what is
 * wrong, a static string. */
const char *parse_login(char *line, size_t length, struct login *login);

/* The key of an IPv4 or IPv6 address; -1 when it is neither.
 *
 * An IPv4 address is its 32 bits. An IPv6 address is its first 64 bits, the network: the other half is chosen by the
 * device, which changes it daily, and by an attacker, who has 2^64 of them. An IPv4 address mapped into IPv6
 * (::ffff:192.0.2.1) is that IPv4 address. The two kinds cannot meet: an IPv6 network below 2^32 lies in ::/32, which is
 * not routed. Nothing needs to be mixed here: the engine hashes each key with its secret seed. */
int key_of_ip(const char *ip, uint64_t *key);

/* Milliseconds as RFC 3339 in UTC, such as 2026-03-02T08:00:00.000Z. */
#define TIME_TEXT 32
void format_time(uint64_t time_ms, char text[TIME_TEXT]);

#endif
