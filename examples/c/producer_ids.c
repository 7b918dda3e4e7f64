/* Watches from outside how many new producer IDs a Kafka cluster gets, topic by topic, and what a quota would do to them.
 *
 * librdkafka says which broker leads which partition; each leader is asked for the producer IDs that it holds
 * (describe_producers.h); Tollgate, with the topic as principal and the ID as key, says which of them are new. The IDs
 * that are there at the start are taken in uncharged, as the broker has paid for them already. One that is over the
 * quota is counted once and remembered: nothing is refused here.
 *
 * Of new IDs one in a thousand may count as known, once a topic has more than 64 (the false-positive rate). An ID that
 * comes and goes between two reports is not seen, but a broker holds each for a day. */
#define _POSIX_C_SOURCE 200809L
#include "describe_producers.h"

#include <errno.h>
#include <getopt.h>
#include <librdkafka/rdkafka.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tollgate.h>
#include <unistd.h>

enum { TIMEOUT_MS = 10000, WINDOW_MS = 3600000 };

static const char HELP[] =
    "Usage: producer_ids [OPTION]... --bootstrap HOST:PORT[,HOST:PORT]...\n"
    "Reports the producer IDs that a Kafka cluster holds, which of them are new, and how many come an hour.\n"
    "\n"
    "  --topic NAME      watch this topic; may be repeated (default: all but those that begin with __)\n"
    "  --interval N      seconds between two reports (default: 30; at most 2000)\n"
    "  --reports N       end after so many (default: on SIGTERM or Ctrl-C)\n"
    "  --quota N         the quota to try, in new IDs an hour and topic, an hour's worth at once (default: 100)\n"
    "  --ids             name each new ID\n"
    "  --help            this text\n"
    "\n"
    "The first report is what is there at the start: none of it counts as new. The brokers' listeners must take\n"
    "connections without TLS and log-in; Kafka 2.8 or later. Exit status: 0; 1 when it cannot run.\n";

struct options {
    const char *bootstrap, **topics;
    size_t topic_count;
    long interval_s, reports;
    double quota;
    bool names_ids;
};

struct watch {
    const struct options *options;
    rd_kafka_t *kafka;
    tollgate_engine *gate;
    uint64_t now_ms, last_ms; /* of this report and the one before */
    bool is_first;
};

/* What one report says of a topic. */
struct counts {
    size_t known, new, over;
};

static uint64_t clock_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

static int by_id(const void *one, const void *other) {
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

/* One that writes to several partitions is one. */
static void sort_and_thin(struct producer_ids *found) {
    size_t kept = 0;
    if (found->count > 1) { /* qsort takes no NULL */
        qsort(found->ids, found->count, sizeof *found->ids, by_id);
    }
    for (size_t i = 0; i < found->count; i++) {
        if (kept == 0 || found->ids[kept - 1] != found->ids[i]) {
            found->ids[kept++] = found->ids[i];
        }
    }
    found->count = kept;
}

/* Asks each leader of the topic's partitions. Connections stay in `connections`, one for each of the brokers. False when
 * some of the topic was not told. */
static bool ask_leaders(const rd_kafka_metadata_t *cluster, const rd_kafka_metadata_topic_t *topic, int *connections,
                        struct producer_ids *found) {
    char error[160];
    int32_t *led = malloc((size_t)topic->partition_cnt * sizeof *led + 1);
    bool whole = led != NULL;
    for (int b = 0; led != NULL && b < cluster->broker_cnt; b++) {
        const rd_kafka_metadata_broker_t *broker = &cluster->brokers[b];
        size_t count = 0;
        for (int p = 0; p < topic->partition_cnt; p++) {
            if (topic->partitions[p].leader == broker->id) {
                led[count++] = topic->partitions[p].id;
            }
        }
        if (count == 0) {
            continue;
        }
        if (connections[b] < 0) {
            connections[b] = broker_connect(broker->host, broker->port, TIMEOUT_MS, error, sizeof error);
        }
        if (connections[b] < 0 ||
            describe_producers(connections[b], topic->topic, led, count, found, error, sizeof error) != 0) {
            fprintf(stderr, "producer_ids: %s: broker %d (%s:%d): %s\n", topic->topic, (int)broker->id, broker->host,
                    broker->port, error);
            if (connections[b] >= 0) {
                close(connections[b]);
            }
            connections[b] = -1;
            whole = false;
        }
    }
    free(led);
    if (found->refused > 0) {
        whole = false;
        fprintf(stderr, "producer_ids: %s: %zu partitions were not told, Kafka's error %d\n", topic->topic,
                found->refused, found->last_error);
    }
    return whole;
}

/* Charges the IDs of one topic. */
static struct counts charge(const struct watch *watch, const char *topic, const struct producer_ids *found) {
    struct counts counts = {0, 0, 0};
    uint32_t principal;
    if (tollgate_intern(watch->gate, topic, strlen(topic), watch->now_ms, &principal) != TOLLGATE_STATUS_OK) {
        return counts;
    }
    for (size_t i = 0; i < found->count; i++) {
        uint64_t id = (uint64_t)found->ids[i];
        if (watch->is_first) {
            tollgate_remember(watch->gate, principal, id, watch->now_ms);
            counts.known++;
            continue;
        }
        switch (tollgate_decision_kind(tollgate_track(watch->gate, principal, id, watch->now_ms))) {
        case TOLLGATE_KIND_THROTTLED:
            counts.over++;
            tollgate_remember(watch->gate, principal, id, watch->now_ms);
            /* fall through */
        case TOLLGATE_KIND_ADMITTED:
            counts.new++;
            if (watch->options->names_ids) {
                printf("%s: new producer ID %lld\n", topic, (long long)found->ids[i]);
            }
            break;
        default:
            counts.known++;
        }
    }
    return counts;
}

static void report_topic(const struct watch *watch, const char *topic, const struct producer_ids *found) {
    struct counts counts = charge(watch, topic, found);
    char time_text[32];
    time_t now = time(NULL);
    struct tm parts;
    gmtime_r(&now, &parts);
    strftime(time_text, sizeof time_text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    printf("%s %s: %zu producer IDs", time_text, topic, counts.known + counts.new);
    if (watch->is_first) {
        puts(" at the start");
    } else {
        double hours = (double)(watch->now_ms - watch->last_ms) / 3600000.0;
        printf(", %zu known, %zu new (%.1f an hour), %zu over the quota of %g an hour\n", counts.known, counts.new,
               (double)counts.new / hours, counts.over, watch->options->quota);
    }
}

static bool is_watched(const struct options *options, const char *topic) {
    for (size_t i = 0; i < options->topic_count; i++) {
        if (strcmp(options->topics[i], topic) == 0) {
            return true;
        }
    }
    return options->topic_count == 0 && strncmp(topic, "__", 2) != 0;
}

/* One report. False when the cluster does not say what it has; what one broker does not say is only missing from its
 * report, but from the first, where it would make old IDs look new later. */
static bool report(struct watch *watch) {
    const rd_kafka_metadata_t *cluster;
    rd_kafka_resp_err_t status = rd_kafka_metadata(watch->kafka, 1, NULL, &cluster, TIMEOUT_MS);
    if (status != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fprintf(stderr, "producer_ids: %s: %s\n", watch->options->bootstrap, rd_kafka_err2str(status));
        return false;
    }
    int *connections = malloc((size_t)cluster->broker_cnt * sizeof *connections + 1);
    if (connections == NULL) {
        rd_kafka_metadata_destroy(cluster);
        return false;
    }
    for (int b = 0; b < cluster->broker_cnt; b++) {
        connections[b] = -1;
    }
    watch->now_ms = clock_ms();
    bool whole = true;
    size_t topics = 0;
    for (int t = 0; t < cluster->topic_cnt; t++) {
        struct producer_ids found = {0};
        if (is_watched(watch->options, cluster->topics[t].topic)) {
            topics++;
            whole = ask_leaders(cluster, &cluster->topics[t], connections, &found) && whole;
            sort_and_thin(&found);
            report_topic(watch, cluster->topics[t].topic, &found);
            free(found.ids);
        }
    }
    tollgate_sweep(watch->gate, watch->now_ms);
    for (int b = 0; b < cluster->broker_cnt; b++) {
        if (connections[b] >= 0) {
            close(connections[b]);
        }
    }
    free(connections);
    rd_kafka_metadata_destroy(cluster);
    fflush(stdout);
    if (topics < watch->options->topic_count) {
        fprintf(stderr, "producer_ids: %zu of the topics are not there\n", watch->options->topic_count - topics);
    }
    bool good = whole || !watch->is_first;
    watch->last_ms = watch->now_ms;
    watch->is_first = false;
    return good;
}

static bool open_watch(struct watch *watch, const struct options *options) {
    char error[512] = "";
    rd_kafka_conf_t *settings = rd_kafka_conf_new();
    if (rd_kafka_conf_set(settings, "bootstrap.servers", options->bootstrap, error, sizeof error) != RD_KAFKA_CONF_OK ||
        (watch->kafka = rd_kafka_new(RD_KAFKA_PRODUCER, settings, error, sizeof error)) == NULL) {
        fprintf(stderr, "producer_ids: %s\n", error);
        rd_kafka_conf_destroy(settings); /* rd_kafka_new takes it only when it succeeds */
        return false;
    }
    tollgate_config *config = tollgate_config_new();
    tollgate_config_set_window_ms(config, WINDOW_MS);
    tollgate_status status = tollgate_config_set_default_quota(config, options->quota, 1.0, error, sizeof error);
    if (status == TOLLGATE_STATUS_OK) {
        status = tollgate_engine_new(config, &watch->gate, error, sizeof error);
    }
    tollgate_config_free(config);
    if (status != TOLLGATE_STATUS_OK) {
        fprintf(stderr, "producer_ids: %s\n", error);
    }
    watch->options = options;
    watch->is_first = true;
    return status == TOLLGATE_STATUS_OK;
}

static bool parse_whole(const char *text, long least, long most, long *number) {
    char *end;
    errno = 0;
    *number = strtol(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *number >= least && *number <= most;
}

static void parse_options(int count, char **arguments, struct options *options) {
    static const struct option known[] = {
        {"bootstrap", required_argument, NULL, 'b'}, {"topic", required_argument, NULL, 't'},
        {"interval", required_argument, NULL, 'i'},  {"reports", required_argument, NULL, 'r'},
        {"quota", required_argument, NULL, 'q'},     {"ids", no_argument, NULL, 'n'},
        {"help", no_argument, NULL, 'h'},            {NULL, 0, NULL, 0},
    };
    bool good = true;
    int which = 0;
    char *end = NULL;
    for (int option; good && (option = getopt_long(count, arguments, "", known, &which)) != -1;) {
        switch (option) {
        case 'b': options->bootstrap = optarg; break;
        case 't': options->topics[options->topic_count++] = optarg; break;
        /* An ID is asked for several times in a window, or it would be forgotten in between. */
        case 'i': good = parse_whole(optarg, 1, 2000, &options->interval_s); break;
        case 'r': good = parse_whole(optarg, 1, 1000000000, &options->reports); break;
        case 'q':
            options->quota = strtod(optarg, &end);
            good = end != optarg && *end == '\0';
            break;
        case 'n': options->names_ids = true; break;
        case 'h': fputs(HELP, stdout); exit(0);
        default: exit(1); /* getopt has said why */
        }
        if (!good) {
            fprintf(stderr, "producer_ids: `%s` is no value for --%s; see --help\n", optarg, known[which].name);
        }
    }
    if (good && (options->bootstrap == NULL || optind != count)) {
        fputs("producer_ids: --bootstrap HOST:PORT, and nothing without a --; see --help\n", stderr);
        good = false;
    }
    if (!good) {
        exit(1);
    }
}

int main(int count, char **arguments) {
    struct options options = {.interval_s = 30, .quota = 100, .topics = calloc((size_t)count, sizeof *options.topics)};
    struct watch watch = {0};
    sigset_t ending;
    if (options.topics == NULL) {
        return 1;
    }
    parse_options(count, arguments, &options);
    /* Before librdkafka makes its threads, which take the mask over. */
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGINT);
    sigprocmask(SIG_BLOCK, &ending, NULL);
    bool good = open_watch(&watch, &options) && report(&watch);
    for (long done = 1; good && done != options.reports;) {
        struct timespec interval = {options.interval_s, 0};
        if (sigtimedwait(&ending, NULL, &interval) != -1) {
            break;
        }
        done += errno == EAGAIN && report(&watch); /* a cluster that is away for a while is asked again */
    }
    if (watch.kafka != NULL) {
        rd_kafka_destroy(watch.kafka);
    }
    tollgate_engine_free(watch.gate);
    free(options.topics);
    return good ? 0 : 1;
}
