/* Calls each function named on the command line while every exported function panics inside. Prints "name panics", where
 * panics is how many the call met: it must be one, and the process must live. Arguments are zeros: the panic comes before
 * any of them is read. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef uint64_t (*any)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
typedef void (*inject)(bool);
typedef uint64_t (*injected)(void);

/* ISO C has no cast from an object's address to a function's. */
static int find(void *library, const char *name, void *function) {
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "panics: %s is not there\n", name);
        return 1;
    }
    memcpy(function, &symbol, sizeof symbol);
    return 0;
}

int main(int argc, char **argv) {
    inject ask;
    injected count;
    void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
    if (library == NULL) {
        fprintf(stderr, "panics: usage: panics LIBRARY FUNCTION...\n");
        return 1;
    }
    if (find(library, "tollgate_test_inject", &ask) || find(library, "tollgate_test_injected", &count)) {
        return 1;
    }
    for (int i = 2; i < argc; i++) {
        any function;
        if (find(library, argv[i], &function)) {
            return 1;
        }
        uint64_t before = count();
        ask(true);
        function(0, 0, 0, 0, 0, 0, 0, 0);
        ask(false);
        printf("%s %u\n", argv[i], (unsigned)(count() - before));
    }
    return 0;
}
