#define _POSIX_C_SOURCE 200809L
#include "describe_producers.h"

#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { API_KEY = 61, API_VERSION = 0, LARGEST_RESPONSE = 256 << 20 };

static const char CLIENT_ID[] = "tollgate-producer-ids";

/* --- Numbers are big-endian; lengths are "unsigned varints": seven bits a byte, the lowest first, one more than the
 * length where it may be null, which is 0. */

struct writer {
    unsigned char *bytes;
    size_t count;
};

static void put(struct writer *to, const void *bytes, size_t count) {
    memcpy(to->bytes + to->count, bytes, count);
    to->count += count;
}

static void put_number(struct writer *to, uint32_t number, int bytes) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
        to->bytes[to->count++] = (unsigned char)(number >> shift);
    }
}

static void put_varint(struct writer *to, uint64_t number) {
    for (; number >= 0x80; number >>= 7) {
        to->bytes[to->count++] = (unsigned char)(number | 0x80);
    }
    to->bytes[to->count++] = (unsigned char)number;
}

/* Reads as if there were zeros once the end was passed; `broken` says that it was. */
struct reader {
    const unsigned char *at, *end;
    bool broken;
};

static void skip(struct reader *from, uint64_t count) {
    if (count > (uint64_t)(from->end - from->at)) {
        from->broken = true;
        from->at = from->end;
    } else {
        from->at += count;
    }
}

static uint64_t get_number(struct reader *from, int bytes) {
    const unsigned char *at = from->at;
    uint64_t number = 0;
    skip(from, (uint64_t)bytes);
    for (int i = 0; i < bytes && !from->broken; i++) {
        number = number << 8 | at[i];
    }
    return number;
}

static uint64_t get_varint(struct reader *from) {
    uint64_t number = 0;
    for (int shift = 0; shift < 35; shift += 7) {
        uint64_t byte = get_number(from, 1);
        number |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            return number;
        }
    }
    from->broken = true;
    return 0;
}

/* A length that is written one too large; null counts as empty. */
static uint64_t get_length(struct reader *from) {
    uint64_t length = get_varint(from);
    return length == 0 ? 0 : length - 1;
}

/* Fields that a later Kafka may add. */
static void skip_tags(struct reader *from) {
    for (uint64_t tags = get_varint(from); tags > 0 && !from->broken; tags--) {
        get_varint(from);
        skip(from, get_varint(from));
    }
}

/* --- The connection. */

int broker_connect(const char *host, int port, int timeout_ms, char *error, size_t error_capacity) {
    struct addrinfo *addresses, wanted;
    char service[16];
    int connection = -1, failed = 0;
    struct timeval timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000};
    memset(&wanted, 0, sizeof wanted);
    wanted.ai_socktype = SOCK_STREAM;
    snprintf(service, sizeof service, "%d", port);
    int status = getaddrinfo(host, service, &wanted, &addresses);
    if (status != 0) {
        snprintf(error, error_capacity, "%s", gai_strerror(status));
        return -1;
    }
    for (struct addrinfo *address = addresses; address != NULL && connection < 0; address = address->ai_next) {
        connection = socket(address->ai_family, address->ai_socktype, address->ai_protocol);
        if (connection < 0) {
            failed = errno;
            continue;
        }
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
        setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof timeout);
        if (connect(connection, address->ai_addr, address->ai_addrlen) != 0) {
            failed = errno;
            close(connection);
            connection = -1;
        }
    }
    freeaddrinfo(addresses);
    if (connection < 0) {
        snprintf(error, error_capacity, "%s", strerror(failed));
    }
    return connection;
}

static bool send_all(int connection, const unsigned char *bytes, size_t count) {
    while (count > 0) {
        ssize_t sent = send(connection, bytes, count, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) {
            return false;
        }
        bytes += sent > 0 ? sent : 0;
        count -= sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static bool receive_all(int connection, unsigned char *bytes, size_t count) {
    while (count > 0) {
        ssize_t got = recv(connection, bytes, count, 0);
        if (got == 0) {
            errno = ECONNRESET;
        } else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            errno = ETIMEDOUT; /* SO_RCVTIMEO */
        }
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        bytes += got > 0 ? got : 0;
        count -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* --- The request and its response. */

static bool send_request(int connection, uint32_t number, const char *topic, const int32_t *partitions, size_t count) {
    size_t name = strlen(topic);
    struct writer to = {malloc(64 + sizeof CLIENT_ID + name + 4 * count), 4};
    if (to.bytes == NULL) {
        return false;
    }
    put_number(&to, API_KEY, 2);
    put_number(&to, API_VERSION, 2);
    put_number(&to, number, 4);
    put_number(&to, sizeof CLIENT_ID - 1, 2);
    put(&to, CLIENT_ID, sizeof CLIENT_ID - 1);
    put_varint(&to, 0); /* the header's tags */
    put_varint(&to, 2); /* one topic */
    put_varint(&to, name + 1);
    put(&to, topic, name);
    put_varint(&to, count + 1);
    for (size_t i = 0; i < count; i++) {
        put_number(&to, (uint32_t)partitions[i], 4);
    }
    put_varint(&to, 0); /* the topic's tags */
    put_varint(&to, 0); /* the request's tags */
    struct writer length = {to.bytes, 0};
    put_number(&length, (uint32_t)(to.count - 4), 4);
    bool sent = send_all(connection, to.bytes, to.count);
    free(to.bytes);
    return sent;
}

static bool add(struct producer_ids *found, int64_t id) {
    if (found->count == found->capacity) {
        size_t capacity = found->capacity == 0 ? 256 : 2 * found->capacity;
        int64_t *ids = realloc(found->ids, capacity * sizeof *ids);
        if (ids == NULL) {
            return false;
        }
        found->ids = ids;
        found->capacity = capacity;
    }
    found->ids[found->count++] = id;
    return true;
}

/* The broker's answer. False when it is none. */
static bool read_response(struct reader *from, uint32_t number, struct producer_ids *found) {
    bool expected = get_number(from, 4) == number;
    skip_tags(from);
    get_number(from, 4); /* throttle_time_ms: the next request comes an interval later anyway */
    for (uint64_t topics = get_length(from); topics > 0 && !from->broken; topics--) {
        skip(from, get_length(from)); /* its name: one was asked for */
        for (uint64_t partitions = get_length(from); partitions > 0 && !from->broken; partitions--) {
            get_number(from, 4); /* its index */
            int16_t error = (int16_t)get_number(from, 2);
            skip(from, get_length(from)); /* the error in words */
            for (uint64_t producers = get_length(from); producers > 0 && !from->broken; producers--) {
                int64_t id = (int64_t)get_number(from, 8);
                skip(from, 4 + 4 + 8 + 4 + 8); /* epoch, last sequence and time, coordinator, open transaction */
                skip_tags(from);
                if (!from->broken && !add(found, id)) {
                    return false;
                }
            }
            skip_tags(from);
            if (error != 0 && !from->broken) {
                found->refused++;
                found->last_error = error;
            }
        }
        skip_tags(from);
    }
    skip_tags(from);
    return expected && !from->broken && from->at == from->end;
}

int describe_producers(int connection, const char *topic, const int32_t *partitions, size_t count,
                       struct producer_ids *found, char *error, size_t error_capacity) {
    static uint32_t number;
    unsigned char length_bytes[4], *bytes = NULL;
    number++;
    errno = 0;
    if (!send_request(connection, number, topic, partitions, count) ||
        !receive_all(connection, length_bytes, sizeof length_bytes)) {
        /* A broker answers a request that it does not know by closing, a TLS listener likewise. */
        bool closed = errno == ECONNRESET || errno == EPIPE;
        snprintf(error, error_capacity, "%s%s", strerror(errno),
                 closed ? " (it needs Kafka 2.8 or later, and a listener without TLS and log-in)" : "");
        return -1;
    }
    struct reader head = {length_bytes, length_bytes + sizeof length_bytes, false};
    uint64_t length = get_number(&head, 4);
    if (length > LARGEST_RESPONSE || (bytes = malloc(length > 0 ? length : 1)) == NULL) {
        snprintf(error, error_capacity, "an answer of %lu bytes is too large", (unsigned long)length);
        return -1;
    }
    int status = 0;
    if (!receive_all(connection, bytes, length)) {
        snprintf(error, error_capacity, "%s", strerror(errno));
        status = -1;
    } else {
        struct reader from = {bytes, bytes + length, false};
        if (!read_response(&from, number, found)) {
            snprintf(error, error_capacity, "the answer is not one to DescribeProducers");
            status = -1;
        }
    }
    free(bytes);
    return status;
}
