/* Admits logins: three new ones an hour per user, ten minutes' memory. README.md shows this file. */
#include <stdio.h>
#include <string.h>
#include <tollgate.h>

int main(void) {
    char error[160];
    tollgate_engine *gate = NULL;
    tollgate_config *config = tollgate_config_new();
    tollgate_config_set_window_ms(config, 600000);
    tollgate_config_set_default_quota(config, 3.0, 0.0, NULL, 0);
    if (tollgate_engine_new(config, &gate, error, sizeof error) != TOLLGATE_STATUS_OK) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    tollgate_config_free(config);

    const char *user = "alice";
    uint64_t now_ms = 1000; /* any clock that only goes forward */
    uint32_t alice;
    tollgate_intern(gate, user, strlen(user), now_ms, &alice);

    uint64_t devices[] = {4711, 4711, 815};
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        uint64_t decision = tollgate_track(gate, alice, devices[i], now_ms);
        if (tollgate_decision_kind(decision) == TOLLGATE_KIND_THROTTLED) {
            printf("refused, again in %u ms\n", (unsigned)tollgate_decision_retry_after_ms(decision));
        } else {
            puts("welcome");
        }
    }
    tollgate_engine_free(gate);
    return 0;
}
