/* Asks a Kafka broker which producer IDs it holds. Part of producer_ids.
 *
 * librdkafka has no call for it (up to 2.16), and a consumer's messages do not carry their producer's ID. The broker itself
 * answers DescribeProducers (API key 61, Kafka 2.8 and later), as `kafka-transactions.sh describe-producers` asks it:
 * so this speaks that one request, version 0, over a connection of its own, without TLS and without a log-in. Where
 * the broker has an authorizer, it wants READ on the topic. */
#ifndef DESCRIBE_PRODUCERS_H
#define DESCRIBE_PRODUCERS_H

#include <stddef.h>
#include <stdint.h>

/* Producer IDs, as found: one that writes to several partitions is there several times. */
struct producer_ids {
    int64_t *ids;
    size_t count, capacity;
    size_t refused;        /* partitions for which the broker answered with an error */
    int16_t last_error;    /* Kafka's number of the last one: 6 not the leader any more, 29 not allowed */
};

/* A connection to give to close(), or -1 and why. */
int broker_connect(const char *host, int port, int timeout_ms, char *error, size_t error_capacity);

/* Adds what the broker holds of these partitions. 0, or -1 and why: the connection is then to be closed. */
int describe_producers(int connection, const char *topic, const int32_t *partitions, size_t count,
                       struct producer_ids *found, char *error, size_t error_capacity);

#endif
