/* Remembers logins across its own restarts: run it twice. docs/c.md shows this file. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <tollgate.h>

static const char PATH[] = "logins.tollgate"; /* holds the hash seed: for the service's own eyes */

/* Snapshots want a clock that goes on across the restart. */
static uint64_t now_ms(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

int main(void) {
    char error[512];
    uint32_t alice;
    tollgate_engine *gate = NULL;
    tollgate_restored restored;
    tollgate_config *config = tollgate_config_new();

    tollgate_status status = tollgate_engine_restore_file(config, PATH, strlen(PATH), now_ms(), &gate, &restored, error,
                                                          sizeof error);
    if (status == TOLLGATE_STATUS_OK) {
        printf("restored %d users\n", (int)restored.principals);
    } else if (status == TOLLGATE_STATUS_IO || status == TOLLGATE_STATUS_DAMAGED) {
        printf("starting empty: %s\n", error); /* a service must not stay down over it */
        status = tollgate_engine_new(config, &gate, error, sizeof error);
    }
    tollgate_config_free(config);
    if (status != TOLLGATE_STATUS_OK) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    if (tollgate_intern(gate, "alice", 5, now_ms(), &alice) == TOLLGATE_STATUS_OK) {
        uint64_t decision = tollgate_track(gate, alice, 4711, now_ms());
        puts(tollgate_decision_kind(decision) == TOLLGATE_KIND_KNOWN ? "known" : "new");
    }

    /* Also every few minutes, while calls go on: what is written replaces the old file whole, or not at all. */
    tollgate_snapshot *snapshot = tollgate_snapshot_new(gate, now_ms());
    status = tollgate_snapshot_write(snapshot, PATH, strlen(PATH), error, sizeof error);
    if (status != TOLLGATE_STATUS_OK) {
        fprintf(stderr, "%s\n", error);
    }
    tollgate_snapshot_free(snapshot);
    tollgate_engine_free(gate);
    return status == TOLLGATE_STATUS_OK ? 0 : 1;
}
