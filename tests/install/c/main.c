/* A program outside the tree, in C. tests/install/run builds it in every way that an installed library is found. */
#include <stdio.h>
#include <string.h>
#include <tollgate.h>

int main(void) {
    tollgate_config *config = tollgate_config_new();
    tollgate_engine *engine = NULL;
    uint32_t alice = 0;
    if (tollgate_abi_version() != TOLLGATE_ABI_VERSION || strcmp(tollgate_version(), TOLLGATE_VERSION) != 0 ||
        tollgate_engine_new(config, &engine, NULL, 0) != TOLLGATE_STATUS_OK ||
        tollgate_intern(engine, "alice", 5, 0, &alice) != TOLLGATE_STATUS_OK) {
        return 1;
    }
    tollgate_config_free(config);
    int first = tollgate_decision_kind(tollgate_track(engine, alice, 1, 0));
    int second = tollgate_decision_kind(tollgate_track(engine, alice, 1, 0));
    tollgate_engine_free(engine);
    printf("%s %d %d\n", tollgate_version(), first, second);
    return 0;
}
