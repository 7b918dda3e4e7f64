/* What a principal costs, by the keys that it has in one window. docs/c.md shows this file. */
#include <stdio.h>
#include <tollgate.h>

int main(void) {
    static const uint64_t keys[] = {1000, 100000, 10000000};
    tollgate_config *config = tollgate_config_new(); /* with the settings of the engine to be made */
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char error[160];
        tollgate_filter_size size;
        if (tollgate_config_size(config, keys[i], &size, error, sizeof error) != TOLLGATE_STATUS_OK) {
            fprintf(stderr, "%s\n", error);
            return 1;
        }
        printf("%8d keys: %d layers, %8d bytes, false positives %.4f\n", (int)keys[i], (int)size.layers,
               (int)size.bytes, size.false_positive_rate);
    }
    tollgate_config_free(config);
    return 0;
}
