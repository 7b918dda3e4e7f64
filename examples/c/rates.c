/* How fast they come, how long one waits, how much to read. docs/c.md shows this file. */
#include <stdio.h>
#include <tollgate.h>

int main(void) {
    char error[160] = "", json[80];
    tollgate_windowed_rate *rate = NULL;
    tollgate_token_bucket *bucket = NULL;
    tollgate_dispatch_estimator *estimator = NULL;
    if (tollgate_windowed_rate_new(TOLLGATE_POLICY_OVERLAP, 11, 1000, &rate, error, sizeof error) ||
        tollgate_token_bucket_new(5.0, 500.0, 0, &bucket, error, sizeof error) ||
        tollgate_dispatch_estimator_new(true, &estimator)) {
        fprintf(stderr, "%s\n", error); /* such as "samples = 0: must be 1 to 1000" */
        return 1;
    }

    /* 400 requests in each of ten seconds, then 2,300 at once; the quota is 500 a second. */
    for (uint64_t second = 0; second < 10; second++) {
        tollgate_windowed_rate_record(rate, 400, 1000 * second);
    }
    tollgate_windowed_rate_record(rate, 2300, 10500);
    printf("%.0f a second, too fast: wait %d ms\n", tollgate_windowed_rate_per_second(rate, 10500),
           (int)tollgate_windowed_rate_throttle_ms(rate, 500.0, 10500));

    /* 5 a second, 500 at once; 560 are taken all the same, and who sent them waits until the debt is paid. */
    int wait_ms = (int)tollgate_token_bucket_charge(bucket, 560.0, 0);
    printf("%.0f tokens: wait %d ms\n", tollgate_token_bucket_tokens(bucket, 0), wait_ms);

    /* A consumer got 25 messages in 2 entries, and has permits for 100 more. */
    tollgate_dispatch_estimator_record_push(estimator, 25, 2);
    tollgate_dispatch_estimator_to_json(estimator, json, sizeof json, NULL);
    printf("%s: read %u entries\n", json, (unsigned)tollgate_dispatch_estimator_entries_to_read(estimator, 100, 500));

    tollgate_dispatch_estimator_free(estimator);
    tollgate_token_bucket_free(bucket);
    tollgate_windowed_rate_free(rate);
    return 0;
}
