#define _POSIX_C_SOURCE 200809L
#include "log_line.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define LAST_MS 253402300799999 /* the end of the year 9999 */
#define MS_FROM 100000000000    /* as seconds the year 5138, as milliseconds 1973 */

/* What is left to read of a field. */
struct text {
    const char *at, *end;
};

static bool take(struct text *text, const char *any_of) {
    if (text->at == text->end || strchr(any_of, *text->at) == NULL) {
        return false;
    }
    text->at++;
    return true;
}

static bool is_digit(const struct text *text) {
    return text->at != text->end && *text->at >= '0' && *text->at <= '9';
}

/* Exactly `digits` digits that make a number from `least` to `most`. */
static bool take_number(struct text *text, int digits, int least, int most, int *number) {
    *number = 0;
    for (int i = 0; i < digits; i++) {
        if (!is_digit(text)) {
            return false;
        }
        *number = *number * 10 + (*text->at++ - '0');
    }
    return *number >= least && *number <= most;
}

/* A point and digits behind it, if there are any, as milliseconds; finer ones are cut off. */
static bool take_fraction(struct text *text, uint64_t *ms) {
    *ms = 0;
    if (!take(text, ".")) {
        return true;
    }
    if (!is_digit(text)) {
        return false;
    }
    for (int unit = 100; is_digit(text); unit /= 10) {
        *ms += (uint64_t)(*text->at++ - '0') * (uint64_t)unit;
    }
    return true;
}

static bool is_leap(int year) {
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/* Days from 1970-01-01 to the first of January, which needs no time zone and no static state, as timegm and mktime do. */
static int64_t days_before_year(int year) {
    int last = year - 1;
    return (int64_t)365 * (year - 1970) + (last / 4 - last / 100 + last / 400) - (1969 / 4 - 1969 / 100 + 1969 / 400);
}

/* RFC 3339: 2026-03-02T08:00:00Z, with a fraction or another offset if need be. */
static bool parse_rfc3339(struct text text, uint64_t *time_ms) {
    static const int month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year, month, day, hour, minute, second, offset_hour = 0, offset_minute = 0, sign = 1;
    uint64_t fraction;
    if (!take_number(&text, 4, 1970, 9999, &year) || !take(&text, "-") || !take_number(&text, 2, 1, 12, &month) ||
        !take(&text, "-") || !take_number(&text, 2, 1, 31, &day) || !take(&text, "Tt") ||
        !take_number(&text, 2, 0, 23, &hour) || !take(&text, ":") || !take_number(&text, 2, 0, 59, &minute) ||
        !take(&text, ":") || !take_number(&text, 2, 0, 60, &second) || !take_fraction(&text, &fraction)) {
        return false;
    }
    if (day > month_days[month - 1] + (month == 2 && is_leap(year))) {
        return false;
    }
    if (!take(&text, "Zz")) {
        sign = take(&text, "-") ? -1 : 1;
        if ((sign == 1 && !take(&text, "+")) || !take_number(&text, 2, 0, 23, &offset_hour) || !take(&text, ":") ||
            !take_number(&text, 2, 0, 59, &offset_minute)) {
            return false;
        }
    }
    int64_t days = days_before_year(year) + day - 1;
    for (int m = 0; m < month - 1; m++) {
        days += month_days[m] + (m == 1 && is_leap(year));
    }
    int64_t minutes = days * 1440 + hour * 60 + minute - sign * (offset_hour * 60 + offset_minute);
    int64_t ms = (minutes * 60 + second) * 1000 + (int64_t)fraction;
    if (text.at != text.end || ms < 0 || ms > LAST_MS) {
        return false;
    }
    *time_ms = (uint64_t)ms;
    return true;
}

/* Seconds since 1970, with a fraction if need be (nginx's $msec); from MS_FROM on, milliseconds. */
static bool parse_unix(struct text text, uint64_t *time_ms) {
    uint64_t number = 0, fraction;
    if (!is_digit(&text)) {
        return false;
    }
    while (is_digit(&text) && number <= LAST_MS) {
        number = number * 10 + (uint64_t)(*text.at++ - '0');
    }
    bool is_ms = number >= MS_FROM;
    if ((!is_ms && !take_fraction(&text, &fraction)) || text.at != text.end || number > LAST_MS) {
        return false;
    }
    *time_ms = is_ms ? number : number * 1000 + fraction;
    return true;
}

int key_of_ip(const char *ip, uint64_t *key) {
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    unsigned char bytes[16];
    const unsigned char *from = bytes;
    int count = 4;
    if (inet_pton(AF_INET, ip, bytes) != 1) {
        if (inet_pton(AF_INET6, ip, bytes) != 1) {
            return -1;
        }
        if (memcmp(bytes, mapped, sizeof mapped) == 0) {
            from = bytes + sizeof mapped;
        } else {
            count = 8;
        }
    }
    *key = 0;
    for (int i = 0; i < count; i++) {
        *key = *key << 8 | from[i];
    }
    return 0;
}

void format_time(uint64_t time_ms, char text[TIME_TEXT]) {
    time_t seconds = (time_t)(time_ms / 1000);
    struct tm parts;
    gmtime_r(&seconds, &parts);
    size_t length = strftime(text, TIME_TEXT, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text + length, TIME_TEXT - length, ".%03uZ", (unsigned)(time_ms % 1000));
}

static struct text next_field(struct text *line) {
    while (take(line, " \t")) {
    }
    struct text field = {line->at, line->at};
    while (field.end != line->end && *field.end != ' ' && *field.end != '\t') {
        field.end++;
    }
    line->at = field.end;
    return field;
}

const char *parse_login(char *line, size_t length, struct login *login) {
    if (memchr(line, '\0', length) != NULL) {
        return "has a NUL byte";
    }
    struct text rest = {line, line + length};
    struct text time = next_field(&rest), user = next_field(&rest), ip = next_field(&rest), more = next_field(&rest);
    if (ip.at == ip.end || more.at != more.end) {
        return "is not `time user ip`";
    }
    line[ip.end - line] = '\0';
    if (!parse_rfc3339(time, &login->time_ms) && !parse_unix(time, &login->time_ms)) {
        return "has no time from 1970 to 9999 that is RFC 3339, seconds or milliseconds";
    }
    if (key_of_ip(ip.at, &login->key) != 0) {
        return "has no IPv4 or IPv6 address";
    }
    login->user = user.at;
    login->user_length = (size_t)(user.end - user.at);
    login->ip = ip.at;
    return NULL;
}
