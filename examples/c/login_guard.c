/* Reads a login log, `time user ip` a line, and says which logins come from a place that is new to their user, and which
 * new ones are more than the quota lets in. The user is the principal, the address is the key (log_line.h says how).
 *
 * Time is the log's, so a log of last month gives the same answers as the live one did. One thread; `tail -F | login_guard`
 * works, and SIGTERM or Ctrl-C end it as the end of the log does. */
#define _POSIX_C_SOURCE 200809L
#include "log_line.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tollgate.h>
#include <unistd.h>

enum { ALL_WELL = 0, CANNOT_RUN = 1, BAD_LINES = 2 };

static const char HELP[] =
    "Usage: login_guard [OPTION]... < LOG\n"
    "Reads lines `time user ip` and says of each login whether its address is new to the user.\n"
    "\n"
    "  --rate N         new addresses an hour and user (default: 6; 0.5 is one every two hours)\n"
    "  --window TIME    how long an address is remembered, such as 90s, 10m, 1h, 7d (default: 1h)\n"
    "  --burst SHARE    share of a window's worth of the rate that may come at once, 0 to 1 (default: 1)\n"
    "  --snapshot FILE  goes on from FILE, if it is there, and writes it at the end, on SIGTERM and on Ctrl-C\n"
    "  --seed N         makes a run repeatable, and predictable: not for a log that strangers write\n"
    "  --help           this text\n"
    "\n"
    "time: RFC 3339, or seconds or milliseconds since 1970. An IPv6 address counts as its /64. Empty lines and\n"
    "those that begin with # are comments.\n"
    "Each login is answered on standard output with the time in UTC, the user, the address, and\n"
    "  known           the address was seen within the window\n"
    "  admitted        it is new, and within the quota\n"
    "  throttled until TIME\n"
    "                  it is new, and over the quota: refuse it, and let it come again then\n"
    "Exit status: 0; 1 when it cannot run; 2 when lines were malformed (they are named and skipped).\n";

struct options {
    double rate, burst;
    uint64_t window_ms, seed;
    bool seeded;
    const char *snapshot;
};

struct counts {
    unsigned long lines, comments, malformed, known, admitted, throttled, faults;
};

/* A signal becomes a byte in a pipe, which is waited for beside the input: none is missed between a look and a wait. */
static int stop_pipe[2];

static void on_signal(int signal) {
    int kept = errno;
    (void)signal;
    (void)!write(stop_pipe[1], "", 1);
    errno = kept;
}

static bool catch_signals(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = on_signal;
    if (pipe(stop_pipe) != 0 || sigaction(SIGTERM, &action, NULL) != 0 || sigaction(SIGINT, &action, NULL) != 0) {
        return false;
    }
    /* A reader that goes away must not cost the snapshot; the failed write is seen instead. */
    action.sa_handler = SIG_IGN;
    return sigaction(SIGPIPE, &action, NULL) == 0;
}

struct reader {
    char bytes[65536];
    size_t begin, end;
    bool at_end, in_long_line;
};

enum next { LINE, LONG_LINE, END, UNREADABLE };

/* Waits for input and takes what there is. False when it cannot be read, or the answers not be written. */
static bool fill(struct reader *reader) {
    struct pollfd inputs[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.fd = stop_pipe[0], .events = POLLIN}};
    fflush(stdout); /* whoever watches sees each answer before the next wait */
    if (ferror(stdout)) {
        return false;
    }
    if (poll(inputs, 2, -1) < 0) {
        return errno == EINTR;
    }
    if (inputs[1].revents != 0) {
        reader->begin = reader->end = 0; /* what was cut off in the middle is no line */
        reader->in_long_line = false;
        reader->at_end = true;
        return true;
    }
    ssize_t got = read(STDIN_FILENO, reader->bytes + reader->end, sizeof reader->bytes - 1 - reader->end);
    reader->at_end = got == 0;
    reader->end += got > 0 ? (size_t)got : 0;
    return got >= 0 || errno == EINTR || errno == EAGAIN;
}

/* The next line, terminated in place of its newline. One that does not fit into the buffer is told without its text. */
static enum next next_line(struct reader *reader, char **line, size_t *length) {
    for (;;) {
        char *begin = reader->bytes + reader->begin;
        char *newline = memchr(begin, '\n', reader->end - reader->begin);
        if (newline == NULL && reader->at_end && (reader->begin != reader->end || reader->in_long_line)) {
            newline = reader->bytes + reader->end; /* the last line has no newline */
        }
        if (newline != NULL) {
            bool was_long = reader->in_long_line;
            reader->in_long_line = false;
            reader->begin = (size_t)(newline - reader->bytes);
            reader->begin += reader->begin != reader->end;
            *line = begin;
            *length = (size_t)(newline - begin);
            *length -= *length > 0 && newline[-1] == '\r';
            begin[*length] = '\0';
            return was_long ? LONG_LINE : LINE;
        }
        if (reader->at_end) {
            return END;
        }
        memmove(reader->bytes, begin, reader->end - reader->begin);
        reader->end -= reader->begin;
        reader->begin = 0;
        if (reader->end == sizeof reader->bytes - 1) {
            reader->in_long_line = true;
            reader->end = 0;
        }
        if (!fill(reader)) {
            return UNREADABLE;
        }
    }
}

/* Answers one login. False when the user cannot be a principal. */
static bool answer(const tollgate_engine *gate, const struct login *login, struct counts *counts) {
    uint32_t user;
    char time[TIME_TEXT], until[TIME_TEXT];
    /* Interned for each line: one thread sweeps and asks, so the handle cannot go stale in between. */
    tollgate_status status = tollgate_intern(gate, login->user, login->user_length, login->time_ms, &user);
    if (status == TOLLGATE_STATUS_NOT_UTF8) {
        return false;
    }
    uint64_t decision =
        status == TOLLGATE_STATUS_OK ? tollgate_track(gate, user, login->key, login->time_ms) : TOLLGATE_KIND_FAULT;
    format_time(login->time_ms, time);
    printf("%s %.*s %s ", time, (int)login->user_length, login->user, login->ip);
    switch (tollgate_decision_kind(decision)) {
    case TOLLGATE_KIND_KNOWN:
        counts->known++;
        puts("known");
        break;
    case TOLLGATE_KIND_ADMITTED:
        counts->admitted++;
        puts("admitted");
        break;
    case TOLLGATE_KIND_THROTTLED:
        counts->throttled++;
        format_time(login->time_ms + tollgate_decision_retry_after_ms(decision), until);
        printf("throttled until %s\n", until);
        break;
    default: /* a defect inside: a login must not fail over it */
        counts->faults++;
        puts("passed");
    }
    return true;
}

static int guard(const tollgate_engine *gate, uint64_t sweep_ms, struct counts *counts) {
    static struct reader reader;
    char *line;
    size_t length;
    uint64_t swept_ms = 0;
    for (;;) {
        enum next next = next_line(&reader, &line, &length);
        if (next == END) {
            return counts->malformed == 0 ? ALL_WELL : BAD_LINES;
        }
        if (next == UNREADABLE) {
            fprintf(stderr, "login_guard: %s\n", ferror(stdout) ? "standard output is closed" : strerror(errno));
            return CANNOT_RUN;
        }
        counts->lines++;
        if (next == LINE && (length == 0 || line[0] == '#')) {
            counts->comments++;
            continue;
        }
        struct login login;
        const char *wrong = next == LONG_LINE ? "is too long" : parse_login(line, length, &login);
        if (wrong == NULL && !answer(gate, &login, counts)) {
            wrong = "has a user that is not UTF-8";
        }
        if (wrong != NULL) {
            counts->malformed++;
            fprintf(stderr, "login_guard: line %lu %s\n", counts->lines, wrong);
        } else if (login.time_ms >= swept_ms + sweep_ms) {
            tollgate_sweep(gate, login.time_ms);
            swept_ms = login.time_ms;
        }
    }
}

static bool parse_double(const char *text, double *number) {
    char *end;
    *number = strtod(text, &end);
    return end != text && *end == '\0';
}

static bool parse_u64(const char *text, uint64_t *number) {
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 0);
    return end != text && *end == '\0' && errno == 0 && text[0] != '-';
}

static bool parse_window(const char *text, uint64_t *ms) {
    static const char units[] = "smhd";
    static const uint64_t unit_ms[] = {1000, 60000, 3600000, 86400000};
    char *end;
    double number = strtod(text, &end);
    const char *unit = *end != '\0' && end[1] == '\0' ? strchr(units, *end) : NULL;
    if (end == text || unit == NULL || !(number > 0 && number < 1e6)) {
        return false;
    }
    *ms = (uint64_t)(number * (double)unit_ms[unit - units]);
    return true;
}

static void parse_options(int count, char **arguments, struct options *options) {
    static const struct option known[] = {
        {"rate", required_argument, NULL, 'r'},     {"window", required_argument, NULL, 'w'},
        {"burst", required_argument, NULL, 'b'},    {"seed", required_argument, NULL, 's'},
        {"snapshot", required_argument, NULL, 'f'}, {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    bool good = true;
    int which = 0;
    for (int option; good && (option = getopt_long(count, arguments, "", known, &which)) != -1;) {
        switch (option) {
        case 'r': good = parse_double(optarg, &options->rate); break;
        case 'w': good = parse_window(optarg, &options->window_ms); break;
        case 'b': good = parse_double(optarg, &options->burst); break;
        case 's': good = options->seeded = parse_u64(optarg, &options->seed); break;
        case 'f': options->snapshot = optarg; break;
        case 'h': fputs(HELP, stdout); exit(ALL_WELL);
        default: exit(CANNOT_RUN); /* getopt has said why */
        }
        if (!good) {
            fprintf(stderr, "login_guard: `%s` is no value for --%s; see --help\n", optarg, known[which].name);
        }
    }
    if (good && optind != count) {
        fprintf(stderr, "login_guard: `%s`: the log is read from standard input; see --help\n", arguments[optind]);
    }
    if (!good || optind != count) {
        exit(CANNOT_RUN);
    }
}

/* An engine with what the snapshot remembers, or an empty one where there is none. NULL, and said why, when it cannot be. */
static tollgate_engine *open_gate(const struct options *options) {
    char error[512] = "";
    tollgate_engine *gate = NULL;
    tollgate_restored restored;
    tollgate_config *config = tollgate_config_new();
    tollgate_config_set_window_ms(config, options->window_ms);
    /* The longest wait there is: the log says when to come again, nobody holds a connection open until then. */
    tollgate_config_set_max_throttle_ms(config, 86400000);
    if (options->seeded) {
        tollgate_config_set_seed(config, options->seed);
    }
    tollgate_status status =
        tollgate_config_set_default_quota(config, options->rate, options->burst, error, sizeof error);
    bool restores = options->snapshot != NULL && access(options->snapshot, F_OK) == 0;
    if (status == TOLLGATE_STATUS_OK && restores) {
        /* Time 0: the log's time is not known yet, and the engine goes on from the snapshot's. */
        status = tollgate_engine_restore_file(config, options->snapshot, strlen(options->snapshot), 0, &gate, &restored,
                                              error, sizeof error);
        if (status == TOLLGATE_STATUS_OK) {
            fprintf(stderr, "login_guard: %s: %" PRIu64 " users restored\n", options->snapshot, restored.principals);
        } else if (status == TOLLGATE_STATUS_DAMAGED) {
            fprintf(stderr, "login_guard: %s: %s\n", options->snapshot, error);
            restores = false;
        }
    }
    if ((status == TOLLGATE_STATUS_OK && !restores) || status == TOLLGATE_STATUS_DAMAGED) {
        status = tollgate_engine_new(config, &gate, error, sizeof error);
    }
    if (status != TOLLGATE_STATUS_OK) {
        fprintf(stderr, "login_guard: %s\n", error[0] != '\0' ? error : tollgate_status_text(status));
    }
    tollgate_config_free(config);
    return gate;
}

static bool write_snapshot(const tollgate_engine *gate, const char *path) {
    char error[512] = "a defect inside";
    tollgate_snapshot *snapshot = tollgate_snapshot_new(gate, 0);
    tollgate_status status = tollgate_snapshot_write(snapshot, path, strlen(path), error, sizeof error);
    tollgate_snapshot_free(snapshot);
    if (status != TOLLGATE_STATUS_OK) {
        fprintf(stderr, "login_guard: %s\n", error);
    }
    return status == TOLLGATE_STATUS_OK;
}

int main(int count, char **arguments) {
    struct options options = {.rate = 6, .burst = 1, .window_ms = 3600000};
    struct counts counts = {0};
    tollgate_totals totals = {0};
    parse_options(count, arguments, &options);
    if (tollgate_abi_version() != TOLLGATE_ABI_VERSION) {
        fputs("login_guard: libtollgate is not the one this program was built for\n", stderr);
        return CANNOT_RUN;
    }
    tollgate_engine *gate = open_gate(&options);
    if (gate == NULL) {
        return CANNOT_RUN;
    }
    if (!catch_signals()) {
        fprintf(stderr, "login_guard: %s\n", strerror(errno));
        return CANNOT_RUN;
    }
    int exit_status = guard(gate, options.window_ms / 4, &counts);
    fflush(stdout);
    tollgate_read_totals(gate, 0, &totals);
    fprintf(stderr,
            "login_guard: %lu lines: %lu known, %lu admitted, %lu throttled, %lu malformed, %lu comments; "
            "%" PRIu64 " users and %" PRIu64 " addresses remembered in %" PRIu64 " bytes\n",
            counts.lines, counts.known, counts.admitted, counts.throttled, counts.malformed, counts.comments,
            totals.principals, totals.stats.live_pids, totals.stats.bytes);
    if (counts.faults > 0) {
        fprintf(stderr, "login_guard: %lu logins passed over a defect in libtollgate\n", counts.faults);
    }
    if (options.snapshot != NULL && !write_snapshot(gate, options.snapshot)) {
        exit_status = CANNOT_RUN;
    }
    tollgate_engine_free(gate);
    return exit_status;
}
