/* Every part of the C ABI once, through the header alone. Prints "smoke: N checks" or names the one that failed. */
#include <tollgate.h>
#include <tollgate.h> /* twice on purpose */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HOUR 3600000u

static int checks;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        checks++;                                                                                                      \
        if (!(condition)) {                                                                                            \
            printf("smoke: %s:%d: %s\n", __FILE__, __LINE__, #condition);                                              \
            return 1;                                                                                                  \
        }                                                                                                              \
    } while (0)

#define NAME(text) (text), sizeof(text) - 1

static tollgate_kind kind(uint64_t decision) {
    return tollgate_decision_kind(decision);
}

static int versions(void) {
    CHECK(tollgate_abi_version() == TOLLGATE_ABI_VERSION);
    CHECK(strcmp(tollgate_version(), TOLLGATE_VERSION) == 0);
    CHECK(strcmp(tollgate_status_text(TOLLGATE_STATUS_OK), "ok") == 0);
    CHECK(strcmp(tollgate_status_text(-7), "unknown status") == 0);
    for (int32_t status = 0; status <= 8; status++) {
        CHECK(strcmp(tollgate_status_text(status), "unknown status") != 0);
    }
    CHECK(strcmp(tollgate_status_text(9), "unknown status") == 0);
    return 0;
}

static int settings(void) {
    char error[160];
    tollgate_engine *engine = NULL;
    tollgate_config *config = tollgate_config_new();
    CHECK(config != NULL);

    CHECK(tollgate_config_set_window_ms(config, 5) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_engine_new(config, &engine, error, sizeof error) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strcmp(error, "window_ms = 5: must be 1000 to 2592000000 (milliseconds)") == 0);
    CHECK(engine == NULL);
    CHECK(tollgate_engine_new(config, &engine, error, 10) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strcmp(error, "window_ms") == 0);
    CHECK(tollgate_engine_new(config, &engine, NULL, 0) == TOLLGATE_STATUS_OUT_OF_RANGE);

    CHECK(tollgate_config_set_window_ms(config, HOUR) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_config_set_layers(config, 2) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_engine_new(config, &engine, error, sizeof error) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strncmp(error, "layers = 2: ", 12) == 0);
    CHECK(tollgate_config_set_layers(config, 4) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_config_set_false_positive_rate(config, NAN) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_engine_new(config, &engine, error, sizeof error) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strncmp(error, "false_positive_rate = NaN: ", 27) == 0);
    CHECK(tollgate_config_set_false_positive_rate(config, 0.001) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_config_set_max_throttle_ms(config, 500) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_config_set_max_principals(config, 100) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_config_set_max_memory_bytes(config, 4u << 20) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_config_set_seed(config, 42) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_config_set_default_quota(config, -1.0, 1.0, error, sizeof error) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strstr(error, "= -1: must be ") != NULL);
    CHECK(tollgate_config_set_default_quota(config, 2.0, 1.0, NULL, 0) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_engine_new(config, &engine, error, sizeof error) == TOLLGATE_STATUS_OK);
    tollgate_config_free(config);

    /* The settings arrived: two an hour, and no one waits longer than 500 ms. */
    uint32_t alice = 0;
    CHECK(tollgate_intern(engine, NAME("alice"), 0, &alice) == TOLLGATE_STATUS_OK);
    CHECK(kind(tollgate_track(engine, alice, 1, 0)) == TOLLGATE_KIND_ADMITTED);
    CHECK(kind(tollgate_track(engine, alice, 2, 0)) == TOLLGATE_KIND_ADMITTED);
    uint64_t refused = tollgate_track(engine, alice, 3, 0);
    CHECK(kind(refused) == TOLLGATE_KIND_THROTTLED);
    CHECK(tollgate_decision_retry_after_ms(refused) >= 1);
    CHECK(tollgate_decision_retry_after_ms(refused) <= 500);
    tollgate_engine_free(engine);
    return 0;
}

static int decisions(tollgate_engine *engine) {
    uint32_t bob = 0, again = 0;
    CHECK(tollgate_intern(engine, NAME("bob"), 1000, &bob) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_intern(engine, NAME("bob"), 1000, &again) == TOLLGATE_STATUS_OK);
    CHECK(bob == again);
    CHECK(tollgate_is_live(engine, bob));

    CHECK(kind(tollgate_touch(engine, bob, 7, 1000)) == TOLLGATE_KIND_NEW);
    CHECK(!tollgate_contains(engine, bob, 7, 1000));
    uint64_t first = tollgate_track(engine, bob, 7, 1000);
    CHECK(kind(first) == TOLLGATE_KIND_ADMITTED);
    CHECK(tollgate_decision_retry_after_ms(first) == 0);
    CHECK(kind(tollgate_track(engine, bob, 7, 1000)) == TOLLGATE_KIND_KNOWN);
    CHECK(kind(tollgate_touch(engine, bob, 7, 1000)) == TOLLGATE_KIND_KNOWN);
    CHECK(tollgate_contains(engine, bob, 7, 1000));
    CHECK(kind(tollgate_remember(engine, bob, UINT64_MAX, 1000)) == TOLLGATE_KIND_KNOWN);
    CHECK(tollgate_contains(engine, bob, UINT64_MAX, 1000));

    tollgate_stats stats;
    CHECK(tollgate_read_stats(engine, bob, 1000, &stats) == TOLLGATE_STATUS_OK);
    CHECK(stats.admitted == 1);
    CHECK(stats.throttled == 0);
    CHECK(stats.live_pids == 2);
    CHECK(stats.bytes > 0);
    CHECK(isnan(stats.quota_per_hour));

    /* A quota of one an hour, spaced evenly, holds from the next call on; unlimited and cleared ones do too. */
    char error[160] = "";
    CHECK(tollgate_set_quota(engine, NAME("bob"), 0.0, 0.0, 1000, error, sizeof error) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strstr(error, "= 0: must be ") != NULL);
    CHECK(tollgate_set_quota(engine, NAME("bob"), 1.0, 0.0, 1000, error, sizeof error) == TOLLGATE_STATUS_OK);
    CHECK(kind(tollgate_track(engine, bob, 8, 1000)) == TOLLGATE_KIND_ADMITTED);
    CHECK(kind(tollgate_track(engine, bob, 9, 1000)) == TOLLGATE_KIND_THROTTLED);
    CHECK(tollgate_read_stats(engine, bob, 1000, &stats) == TOLLGATE_STATUS_OK);
    CHECK(stats.quota_per_hour == 1.0);
    CHECK(stats.throttled == 1);
    CHECK(tollgate_set_unlimited(engine, NAME("bob"), 1000) == TOLLGATE_STATUS_OK);
    CHECK(kind(tollgate_track(engine, bob, 9, 1000)) == TOLLGATE_KIND_ADMITTED);
    CHECK(tollgate_set_default_quota(engine, 1.0, 0.0, 1000, NULL, 0) == TOLLGATE_STATUS_OK);
    CHECK(kind(tollgate_track(engine, bob, 10, 1000)) == TOLLGATE_KIND_ADMITTED);
    CHECK(tollgate_clear_quota(engine, NAME("bob"), 1000) == TOLLGATE_STATUS_OK);
    CHECK(kind(tollgate_track(engine, bob, 11, 1000)) == TOLLGATE_KIND_ADMITTED);
    CHECK(kind(tollgate_track(engine, bob, 12, 1000)) == TOLLGATE_KIND_THROTTLED);
    CHECK(tollgate_clear_default_quota(engine, 1000) == TOLLGATE_STATUS_OK);
    CHECK(kind(tollgate_track(engine, bob, 12, 1000)) == TOLLGATE_KIND_ADMITTED);

    tollgate_totals totals;
    CHECK(tollgate_read_totals(engine, 1000, &totals) == TOLLGATE_STATUS_OK);
    CHECK(totals.principals == 1);
    CHECK(totals.stats.throttled == 2);
    CHECK(totals.stats.admitted == 6);
    CHECK(totals.memory_bytes > 0);

    /* Idle for more than a window: swept, and the handle is stale. */
    CHECK(tollgate_sweep(engine, 1000 + 3 * (uint64_t)HOUR) == 1);
    CHECK(!tollgate_is_live(engine, bob));
    CHECK(kind(tollgate_track(engine, bob, 7, 1000 + 3 * (uint64_t)HOUR)) == TOLLGATE_KIND_STALE);
    CHECK(tollgate_read_stats(engine, bob, 1000, &stats) == TOLLGATE_STATUS_STALE);
    return 0;
}

static int sizes(void) {
    char error[160] = "";
    tollgate_filter_size size;
    tollgate_config *config = tollgate_config_new();
    CHECK(tollgate_config_size(config, 1000, &size, NULL, 0) == TOLLGATE_STATUS_OK);
    CHECK(size.layer_pids >= 250 && size.layers == 5);
    CHECK(size.layer_bits == 8 * size.layer_bytes && size.bytes == 5 * size.layer_bytes);
    CHECK(size.false_positive_rate > 0 && size.false_positive_rate <= 0.001);
    CHECK(tollgate_config_size(config, UINT64_MAX, &size, NULL, 0) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_config_set_layers(config, 1) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_config_size(config, 1000, &size, error, sizeof error) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strcmp(error, "layers = 1: must be 3 to 64") == 0);
    CHECK(tollgate_config_size(config, 1000, NULL, NULL, 0) != TOLLGATE_STATUS_OK);
    CHECK(tollgate_config_size(NULL, 1000, &size, NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);
    tollgate_config_free(config);
    return 0;
}

static int principals(tollgate_engine *engine) {
    uint32_t handles[3] = {0, 0, 0}, carol = 0;
    size_t count = 77, length = 0;
    char name[8];
    CHECK(tollgate_list_principals(engine, NULL, 0, &count) == TOLLGATE_STATUS_OK);
    CHECK(count == 0);
    CHECK(tollgate_intern(engine, NAME("carol"), 0, &carol) == TOLLGATE_STATUS_OK);
    uint32_t dave = 0;
    CHECK(tollgate_intern(engine, NAME("dave, with a long name"), 0, &dave) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_list_principals(engine, handles, 1, &count) == TOLLGATE_STATUS_OK);
    CHECK(count == 2 && handles[0] != 0 && handles[1] == 0);
    CHECK(tollgate_list_principals(engine, handles, 3, &count) == TOLLGATE_STATUS_OK);
    CHECK(count == 2 && handles[2] == 0);
    CHECK((handles[0] == carol && handles[1] == dave) || (handles[0] == dave && handles[1] == carol));
    CHECK(tollgate_principal_name(engine, carol, name, sizeof name, &length) == TOLLGATE_STATUS_OK);
    CHECK(strcmp(name, "carol") == 0 && length == 5);
    CHECK(tollgate_principal_name(engine, dave, name, sizeof name, &length) == TOLLGATE_STATUS_OK);
    CHECK(strcmp(name, "dave, w") == 0 && length == 22);
    CHECK(tollgate_principal_name(engine, dave, NULL, 0, NULL) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_principal_name(engine, 0x12345, name, sizeof name, NULL) == TOLLGATE_STATUS_STALE);
    CHECK(tollgate_principal_name(NULL, carol, name, sizeof name, NULL) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_list_principals(engine, NULL, 3, &count) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_list_principals(engine, handles, 3, NULL) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_list_principals(NULL, handles, 3, &count) == TOLLGATE_STATUS_NULL_POINTER);
    return 0;
}

static int snapshots(void) {
    char error[200] = "";
    tollgate_engine *engine = NULL, *back = NULL;
    tollgate_restored restored;
    uint32_t erin = 0;
    size_t length = 0;
    tollgate_config *config = tollgate_config_new();
    CHECK(tollgate_engine_new(config, &engine, NULL, 0) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_intern(engine, NAME("erin"), 0, &erin) == TOLLGATE_STATUS_OK);
    for (uint64_t pid = 0; pid < 500; pid++) {
        CHECK(kind(tollgate_track(engine, erin, pid, 0)) <= TOLLGATE_KIND_ADMITTED);
    }
    tollgate_snapshot *snapshot = tollgate_snapshot_new(engine, 1);
    CHECK(snapshot != NULL);
    const uint8_t *bytes = tollgate_snapshot_bytes(snapshot, &length);
    CHECK(bytes != NULL && length > 100 && memcmp(bytes, "TOLLGATE", 8) == 0);

    CHECK(tollgate_engine_restore(config, bytes, length, 2, &back, &restored, error, sizeof error) ==
          TOLLGATE_STATUS_OK);
    CHECK(restored.principals == 1 && restored.layers >= 1 && restored.layers_left_out == 0);
    CHECK(tollgate_intern(back, NAME("erin"), 2, &erin) == TOLLGATE_STATUS_OK);
    CHECK(kind(tollgate_track(back, erin, 499, 2)) == TOLLGATE_KIND_KNOWN);
    tollgate_engine_free(back);

    back = NULL;
    CHECK(tollgate_engine_restore(config, bytes, length - 1, 2, &back, NULL, error, sizeof error) ==
          TOLLGATE_STATUS_DAMAGED);
    CHECK(back == NULL && strstr(error, "checksum") != NULL);
    CHECK(tollgate_engine_restore(config, NULL, 5, 2, &back, NULL, NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_engine_restore(config, NULL, 0, 2, &back, NULL, NULL, 0) == TOLLGATE_STATUS_DAMAGED);
    CHECK(tollgate_engine_restore(config, bytes, length, 2, NULL, NULL, NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_engine_restore(NULL, bytes, length, 2, &back, NULL, NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);

    const char *path = getenv("TOLLGATE_SMOKE_FILE");
    CHECK(path != NULL);
    CHECK(tollgate_snapshot_write(snapshot, path, strlen(path), error, sizeof error) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_engine_restore_file(config, path, strlen(path), 2, &back, NULL, error, sizeof error) ==
          TOLLGATE_STATUS_OK);
    CHECK(tollgate_intern(back, NAME("erin"), 2, &erin) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_contains(back, erin, 0, 2));
    tollgate_engine_free(back);
    back = NULL;
    CHECK(remove(path) == 0);
    CHECK(tollgate_engine_restore_file(config, path, strlen(path), 2, &back, NULL, error, sizeof error) ==
          TOLLGATE_STATUS_IO);
    CHECK(back == NULL && strncmp(error, path, strlen(path)) == 0);
    CHECK(tollgate_snapshot_write(snapshot, NAME("/nowhere/at/all"), error, sizeof error) == TOLLGATE_STATUS_IO);
    CHECK(strncmp(error, "/nowhere/at/all: ", 17) == 0);
    CHECK(tollgate_snapshot_write(NULL, NAME("x"), NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_snapshot_bytes(NULL, &length) == NULL && length == 0);
    CHECK(tollgate_snapshot_bytes(snapshot, NULL) == NULL);
    CHECK(tollgate_snapshot_new(NULL, 0) == NULL);
    tollgate_snapshot_free(snapshot);
    tollgate_snapshot_free(NULL);
    tollgate_engine_free(engine);
    tollgate_config_free(config);
    return 0;
}

/* Engine-wide: what holds the quota. */
static int limiters(void) {
    char error[160] = "";
    tollgate_engine *engine = NULL;
    uint32_t frank = 0;
    tollgate_config *config = tollgate_config_new();
    CHECK(tollgate_config_set_limiter(config, 2, error, sizeof error) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strcmp(error, "limiter = 2: must be 0 (token bucket) or 1 (windowed)") == 0);
    CHECK(tollgate_config_set_limiter(config, UINT32_MAX, NULL, 0) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(tollgate_config_set_limiter(NULL, 0, NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_config_set_default_quota(config, 100, 1, NULL, 0) == TOLLGATE_STATUS_OK);
    const tollgate_limiter each[] = {TOLLGATE_LIMITER_TOKEN_BUCKET, TOLLGATE_LIMITER_WINDOWED};
    const int within_an_hour[] = {199, 100};
    for (int n = 0; n < 2; n++) {
        CHECK(tollgate_config_set_limiter(config, each[n], NULL, 0) == TOLLGATE_STATUS_OK);
        CHECK(tollgate_engine_new(config, &engine, NULL, 0) == TOLLGATE_STATUS_OK);
        CHECK(tollgate_intern(engine, NAME("frank"), 0, &frank) == TOLLGATE_STATUS_OK);
        int admitted = 0;
        for (uint64_t second = 0; second < 3600; second++) {
            admitted += kind(tollgate_track(engine, frank, second, 1000 * second)) == TOLLGATE_KIND_ADMITTED;
        }
        /* A PID that the filter takes for known is not admitted: one in a thousand of the admitted at most. */
        CHECK(admitted <= within_an_hour[n] && admitted >= within_an_hour[n] - 3);
        tollgate_engine_free(engine);
    }
    tollgate_config_free(config);
    return 0;
}

static int rates(void) {
    char error[160] = "";
    tollgate_windowed_rate *rate = NULL;
    CHECK(tollgate_windowed_rate_new(3, 2, 1000, &rate, error, sizeof error) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strcmp(error, "policy = 3: must be 0 (grid), 1 (overlap) or 2 (sliding)") == 0);
    CHECK(tollgate_windowed_rate_new(UINT32_MAX, 2, 1000, &rate, NULL, 0) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(tollgate_windowed_rate_new(0, 0, 1000, &rate, error, sizeof error) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strcmp(error, "samples = 0: must be 1 to 1000") == 0);
    CHECK(tollgate_windowed_rate_new(0, 1001, 1000, &rate, NULL, 0) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(tollgate_windowed_rate_new(0, 2, 0, &rate, error, sizeof error) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strcmp(error, "sample_ms = 0: must be 1 to 2592000000 (milliseconds)") == 0);
    CHECK(rate == NULL);
    CHECK(tollgate_windowed_rate_new(0, 2, 1000, NULL, NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);

    /* R1's worked example at its last event, in each policy's way. */
    static const uint64_t events[] = {0, 30, 995, 1020, 2010};
    static const double last[] = {2 / 1.01, 5 / 2.01, (3 * 0.99 + 2) / 2};
    static const uint64_t window[] = {1010, 2010, 2000};
    for (tollgate_policy policy = TOLLGATE_POLICY_GRID; policy <= TOLLGATE_POLICY_SLIDING; policy++) {
        CHECK(tollgate_windowed_rate_new(policy, 2, 1000, &rate, NULL, 0) == TOLLGATE_STATUS_OK);
        CHECK(tollgate_windowed_rate_per_second(rate, 0) == 0);
        for (int n = 0; n < 5; n++) {
            tollgate_windowed_rate_record(rate, 1, events[n]);
        }
        CHECK(fabs(tollgate_windowed_rate_per_second(rate, 2010) - last[policy]) < 1e-9);
        CHECK(tollgate_windowed_rate_window_ms(rate, 2010) == window[policy]);
        CHECK(tollgate_windowed_rate_throttle_ms(rate, 100, 2010) == 0);
        CHECK(tollgate_windowed_rate_throttle_ms(rate, 0, 2010) == UINT64_MAX);
        tollgate_windowed_rate_free(rate);
    }
    CHECK(tollgate_windowed_rate_new(TOLLGATE_POLICY_OVERLAP, 3, 1000, &rate, NULL, 0) == TOLLGATE_STATUS_OK);
    tollgate_windowed_rate_record(rate, 200, 0);
    CHECK(tollgate_windowed_rate_per_second(rate, 0) == 100);
    CHECK(tollgate_windowed_rate_throttle_ms(rate, 50, 0) == 2000);
    tollgate_windowed_rate_free(rate);

    tollgate_windowed_rate_record(NULL, 1, 0);
    CHECK(isnan(tollgate_windowed_rate_per_second(NULL, 0)));
    CHECK(tollgate_windowed_rate_window_ms(NULL, 0) == 0);
    CHECK(tollgate_windowed_rate_throttle_ms(NULL, 1, 0) == 0);
    tollgate_windowed_rate_free(NULL);
    return 0;
}

static int buckets(void) {
    char error[160] = "";
    tollgate_token_bucket *bucket = NULL;
    CHECK(tollgate_token_bucket_new(0, 1, 0, &bucket, error, sizeof error) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strcmp(error, "rate = 0: must be a finite number above 0 (tokens per second)") == 0);
    CHECK(tollgate_token_bucket_new(1, NAN, 0, &bucket, error, sizeof error) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strcmp(error, "capacity = NaN: must be a finite number above 0 (tokens)") == 0);
    CHECK(bucket == NULL);
    CHECK(tollgate_token_bucket_new(1, 1, 0, NULL, NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_token_bucket_new(5, 500, 7, &bucket, NULL, 0) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_token_bucket_tokens(bucket, 7) == 500);
    CHECK(tollgate_token_bucket_charge(bucket, 560, 7) == 12000);
    CHECK(tollgate_token_bucket_tokens(bucket, 7) == -60);
    CHECK(tollgate_token_bucket_charge_strict(bucket, 1, 7) == 12000);
    CHECK(tollgate_token_bucket_tokens(bucket, 7) == -60);
    CHECK(tollgate_token_bucket_charge_strict(bucket, 10, 12007) == 0);
    CHECK(tollgate_token_bucket_tokens(bucket, 12007) == -10);
    tollgate_token_bucket_free(bucket);
    CHECK(tollgate_token_bucket_charge(NULL, 1, 0) == 0);
    CHECK(tollgate_token_bucket_charge_strict(NULL, 1, 0) == 0);
    CHECK(isnan(tollgate_token_bucket_tokens(NULL, 0)));
    tollgate_token_bucket_free(NULL);

    tollgate_gcra *gcra = NULL;
    CHECK(tollgate_gcra_new(INFINITY, 1, 0, &gcra, error, sizeof error) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strcmp(error, "rate = inf: must be a finite number above 0 (tokens per hour)") == 0);
    CHECK(tollgate_gcra_new(1, -1, 0, &gcra, error, sizeof error) == TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strcmp(error, "capacity = -1: must be a finite number above 0 (tokens)") == 0);
    CHECK(gcra == NULL);
    CHECK(tollgate_gcra_new(1, 1, 0, NULL, NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_gcra_new(3600, 2, 0, &gcra, NULL, 0) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_gcra_charge(gcra, 0) == 0);
    CHECK(tollgate_gcra_charge(gcra, 0) == 0);
    CHECK(tollgate_gcra_charge(gcra, 400) == 600);
    CHECK(fabs(tollgate_gcra_tokens(gcra, 400) - 0.4) < 1e-9);
    CHECK(tollgate_gcra_charge(gcra, 1000) == 0);
    tollgate_gcra_free(gcra);
    CHECK(tollgate_gcra_charge(NULL, 0) == 0);
    CHECK(isnan(tollgate_gcra_tokens(NULL, 0)));
    tollgate_gcra_free(NULL);
    return 0;
}

static int estimators(void) {
    char error[160] = "", json[80];
    size_t length = 0;
    tollgate_dispatch_estimator *estimator = NULL;
    CHECK(tollgate_dispatch_estimator_starting_at(true, 0.5, &estimator, error, sizeof error) ==
          TOLLGATE_STATUS_OUT_OF_RANGE);
    CHECK(strcmp(error, "messages_per_entry = 0.5: must be a finite number from 1") == 0);
    CHECK(estimator == NULL);
    CHECK(tollgate_dispatch_estimator_starting_at(true, 1, NULL, NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_dispatch_estimator_new(true, NULL) == TOLLGATE_STATUS_NULL_POINTER);

    CHECK(tollgate_dispatch_estimator_new(true, &estimator) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_dispatch_estimator_is_precise(estimator));
    CHECK(isnan(tollgate_dispatch_estimator_average(estimator)));
    CHECK(tollgate_dispatch_estimator_to_json(estimator, json, sizeof json, NULL) == TOLLGATE_STATUS_OK);
    CHECK(strcmp(json, "{\"avgMessagesPerEntry\":null,\"precise\":true}") == 0);
    tollgate_dispatch_estimator_record_push(estimator, 25, 2);
    CHECK(tollgate_dispatch_estimator_average(estimator) == 12.5);
    CHECK(tollgate_dispatch_estimator_entries_to_read(estimator, 100, 500) == 8);
    CHECK(tollgate_dispatch_estimator_entries_to_read(estimator, -43, 500) == 0);
    CHECK(tollgate_dispatch_estimator_to_json(estimator, json, sizeof json, &length) == TOLLGATE_STATUS_OK);
    CHECK(strcmp(json, "{\"avgMessagesPerEntry\":12.5,\"precise\":true}") == 0 && length == strlen(json));
    CHECK(tollgate_dispatch_estimator_to_json(estimator, json, 8, &length) == TOLLGATE_STATUS_OK);
    CHECK(strcmp(json, "{\"avgMe") == 0 && length == 43);
    CHECK(tollgate_dispatch_estimator_to_json(estimator, NULL, 0, NULL) == TOLLGATE_STATUS_OK);
    tollgate_dispatch_estimator_free(estimator);

    CHECK(tollgate_dispatch_estimator_starting_at(false, 1000, &estimator, NULL, 0) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_dispatch_estimator_average(estimator) == 1000);
    CHECK(!tollgate_dispatch_estimator_is_precise(estimator));
    CHECK(tollgate_dispatch_estimator_entries_to_read(estimator, 30, 500) == 30);
    tollgate_dispatch_estimator_free(estimator);

    tollgate_dispatch_estimator_record_push(NULL, 1, 1);
    CHECK(isnan(tollgate_dispatch_estimator_average(NULL)));
    CHECK(!tollgate_dispatch_estimator_is_precise(NULL));
    CHECK(tollgate_dispatch_estimator_entries_to_read(NULL, 1, 1) == 0);
    CHECK(tollgate_dispatch_estimator_to_json(NULL, json, sizeof json, &length) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(length == 43); /* outputs only on success */
    tollgate_dispatch_estimator_free(NULL);
    return 0;
}

static int nulls(tollgate_engine *engine) {
    uint32_t id = 77;
    tollgate_stats stats;
    CHECK(kind(tollgate_track(NULL, 1, 2, 3)) == TOLLGATE_KIND_FAULT);
    CHECK(kind(tollgate_touch(NULL, 1, 2, 3)) == TOLLGATE_KIND_FAULT);
    CHECK(kind(tollgate_remember(NULL, 1, 2, 3)) == TOLLGATE_KIND_FAULT);
    CHECK(!tollgate_contains(NULL, 1, 2, 3));
    CHECK(!tollgate_is_live(NULL, 1));
    CHECK(tollgate_sweep(NULL, 1) == 0);
    CHECK(tollgate_intern(NULL, NAME("x"), 0, &id) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_intern(engine, NULL, 3, 0, &id) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_intern(engine, NAME("x"), 0, NULL) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_intern(engine, "\xff", 1, 0, &id) == TOLLGATE_STATUS_NOT_UTF8);
    CHECK(id == 77); /* outputs only on success */
    CHECK(tollgate_intern(engine, NULL, 0, 0, &id) == TOLLGATE_STATUS_OK); /* the empty name */
    CHECK(tollgate_engine_new(NULL, &engine, NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_set_quota(NULL, NAME("x"), 1, 1, 0, NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_set_unlimited(NULL, NAME("x"), 0) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_clear_quota(NULL, NAME("x"), 0) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_set_default_quota(NULL, 1, 1, 0, NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_clear_default_quota(NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_read_stats(NULL, 1, 0, &stats) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_read_stats(engine, id, 0, NULL) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_read_totals(engine, 0, NULL) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_config_set_layers(NULL, 4) == TOLLGATE_STATUS_NULL_POINTER);
    CHECK(tollgate_config_set_default_quota(NULL, 1, 1, NULL, 0) == TOLLGATE_STATUS_NULL_POINTER);
    tollgate_config_free(NULL);
    tollgate_engine_free(NULL);
    return 0;
}

int main(void) {
    tollgate_engine *engine = NULL, *other = NULL;
    tollgate_config *config = tollgate_config_new();
    CHECK(tollgate_engine_new(config, &engine, NULL, 0) == TOLLGATE_STATUS_OK);
    CHECK(tollgate_engine_new(config, &other, NULL, 0) == TOLLGATE_STATUS_OK);
    tollgate_config_free(config);
    int failed = versions() || settings() || sizes() || principals(other) || decisions(engine) || snapshots() ||
                 nulls(engine) || limiters() || rates() || buckets() || estimators();
    tollgate_engine_free(engine);
    tollgate_engine_free(other);
    if (failed) {
        return 1;
    }
    printf("smoke: %d checks\n", checks);
    return 0;
}
