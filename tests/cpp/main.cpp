// Every part of tollgate.hpp, one file each. Prints "cpp: N checks" or names the one that failed.
#include "check.hpp"

void time_and_values();
void ownership();
void failures();
void decisions();
void snapshots();
void rates_and_buckets();

int main() {
    CHECK(tollgate::abi_version() == tollgate::header_abi_version);
    CHECK(tollgate::version() == TOLLGATE_VERSION);
    time_and_values();
    ownership();
    failures();
    decisions();
    snapshots();
    rates_and_buckets();
    std::printf("cpp: %d checks\n", checks.load());
}
