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
    int failed = versions() || settings() || sizes() || principals(other) || decisions(engine) || snapshots() || nulls(engine);
    tollgate_engine_free(engine);
    tollgate_engine_free(other);
    if (failed) {
        return 1;
    }
    printf("smoke: %d checks\n", checks);
    return 0;
}
