/* The C ABI through the sequences of tests/vectors, whose folder is the argument. Prints "vectors: N checks", or names the
 * first reading that is not the written one. What the files hold is said in tests/vectors/main.rs. */
#include <cjson/cJSON.h>
#include <tollgate.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks;
/* Where in the file we are. */
static const char *name;
static int step_number;

static void fail(const char *what, double measured) {
    printf("vectors: %s, step %d: %s is %.17g\n", name, step_number, what, measured);
    exit(1);
}

static const cJSON *member(const cJSON *object, const char *field) {
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, field);
    if (found == NULL) {
        fail(field, NAN);
    }
    return found;
}

static double number(const cJSON *object, const char *field) {
    const cJSON *found = member(object, field);
    if (!cJSON_IsNumber(found)) {
        fail(field, NAN);
    }
    return found->valuedouble;
}

/* Whole numbers in the files are below 2^53, so that a double holds them. */
static uint64_t whole(const cJSON *object, const char *field) {
    return (uint64_t)number(object, field);
}

static bool says(const cJSON *object, const char *field, const char *text) {
    return strcmp(member(object, field)->valuestring, text) == 0;
}

static void is(const cJSON *step, const char *field, uint64_t measured) {
    checks++;
    if (measured != whole(step, field)) {
        fail(field, (double)measured);
    }
}

static void is_close(const cJSON *step, const char *field, double measured) {
    double expected = number(step, field);
    checks++;
    if (!(fabs(measured - expected) <= 1e-9 * fmax(fabs(expected), 1))) {
        fail(field, measured);
    }
}

static void made(tollgate_status status) {
    if (status != TOLLGATE_STATUS_OK) {
        fail("status", status);
    }
}

/* The steps of a case, counted. */
#define EACH_STEP(step, one)                                                                                           \
    step_number = -1;                                                                                                  \
    cJSON_ArrayForEach(step, member(one, "steps")) if (step_number++, true)

static void windowed_rate(const cJSON *one) {
    const cJSON *step;
    tollgate_windowed_rate *rate = NULL;
    uint32_t policy = says(one, "policy", "grid")      ? TOLLGATE_POLICY_GRID
                      : says(one, "policy", "overlap") ? TOLLGATE_POLICY_OVERLAP
                                                       : TOLLGATE_POLICY_SLIDING;
    made(tollgate_windowed_rate_new(policy, (uint32_t)whole(one, "samples"), whole(one, "sample_ms"), &rate, NULL, 0));
    EACH_STEP(step, one) {
        uint64_t at = whole(step, "at");
        if (cJSON_HasObjectItem(step, "record")) {
            tollgate_windowed_rate_record(rate, whole(step, "record"), at);
        }
        is_close(step, "per_second", tollgate_windowed_rate_per_second(rate, at));
        is(step, "window_ms", tollgate_windowed_rate_window_ms(rate, at));
        is(step, "throttle_ms", tollgate_windowed_rate_throttle_ms(rate, number(step, "limit"), at));
    }
    tollgate_windowed_rate_free(rate);
}

static void token_bucket(const cJSON *one) {
    const cJSON *step;
    tollgate_token_bucket *bucket = NULL;
    made(tollgate_token_bucket_new(number(one, "per_second"), number(one, "capacity"), whole(one, "first_ms"), &bucket,
                                   NULL, 0));
    EACH_STEP(step, one) {
        uint64_t at = whole(step, "at");
        is(step, "wait_ms",
           cJSON_HasObjectItem(step, "charge")
               ? tollgate_token_bucket_charge(bucket, number(step, "charge"), at)
               : tollgate_token_bucket_charge_strict(bucket, number(step, "charge_strict"), at));
        is_close(step, "tokens", tollgate_token_bucket_tokens(bucket, at));
    }
    tollgate_token_bucket_free(bucket);
}

static void gcra(const cJSON *one) {
    const cJSON *step;
    tollgate_gcra *bucket = NULL;
    made(tollgate_gcra_new(number(one, "per_hour"), number(one, "capacity"), whole(one, "first_ms"), &bucket, NULL, 0));
    EACH_STEP(step, one) {
        uint64_t at = whole(step, "at");
        is(step, "wait_ms", tollgate_gcra_charge(bucket, at));
        is_close(step, "tokens", tollgate_gcra_tokens(bucket, at));
    }
    tollgate_gcra_free(bucket);
}

static void limiter(const cJSON *one) {
    static const char *const decisions[] = {"known", "admitted", "throttled"};
    const cJSON *step;
    tollgate_engine *engine = NULL;
    uint32_t alice = 0;
    tollgate_config *config = tollgate_config_new();
    made(tollgate_config_set_window_ms(config, whole(one, "window_ms")));
    made(tollgate_config_set_layers(config, (uint32_t)whole(one, "layers")));
    made(tollgate_config_set_default_quota(config, number(one, "per_hour"), number(one, "burst"), NULL, 0));
    made(tollgate_config_set_limiter(
        config, says(one, "limiter", "windowed") ? TOLLGATE_LIMITER_WINDOWED : TOLLGATE_LIMITER_TOKEN_BUCKET, NULL, 0));
    made(tollgate_engine_new(config, &engine, NULL, 0));
    tollgate_config_free(config);
    made(tollgate_intern(engine, "alice", 5, whole(member(one, "steps")->child, "at"), &alice));
    EACH_STEP(step, one) {
        tollgate_kind kind =
            tollgate_decision_kind(tollgate_track(engine, alice, whole(step, "pid"), whole(step, "at")));
        checks++;
        if (kind > TOLLGATE_KIND_THROTTLED || !says(step, "decision", decisions[kind])) {
            fail("decision", kind);
        }
    }
    tollgate_engine_free(engine);
}

static void dispatch_estimator(const cJSON *one) {
    const cJSON *step;
    tollgate_dispatch_estimator *estimator = NULL;
    bool precise = cJSON_IsTrue(member(one, "precise"));
    made(cJSON_IsNull(member(one, "starting_at"))
             ? tollgate_dispatch_estimator_new(precise, &estimator)
             : tollgate_dispatch_estimator_starting_at(precise, number(one, "starting_at"), &estimator, NULL, 0));
    EACH_STEP(step, one) {
        tollgate_dispatch_estimator_record_push(estimator, whole(step, "messages"), whole(step, "entries"));
        double average = tollgate_dispatch_estimator_average(estimator);
        if (!cJSON_IsNull(member(step, "average"))) {
            is_close(step, "average", average);
        } else if (checks++, !isnan(average)) {
            fail("average", average);
        }
        is(step, "entries_to_read",
           tollgate_dispatch_estimator_entries_to_read(estimator, (int64_t)number(step, "permits"),
                                                       (uint32_t)whole(step, "read_batch_size")));
    }
    tollgate_dispatch_estimator_free(estimator);
}

/* The parsed file; whoever parses frees. */
static cJSON *parsed(const char *folder, const char *file) {
    static char text[1 << 21];
    name = file;
    size_t room = sizeof text, length = 0;
    if (snprintf(text, room, "%s/%s", folder, file) >= (int)room) {
        fail("path", NAN);
    }
    FILE *in = fopen(text, "rb");
    if (in != NULL) {
        length = fread(text, 1, room, in);
        fclose(in);
    }
    cJSON *json = length < room ? cJSON_ParseWithLength(text, length) : NULL;
    if (json == NULL) {
        fail("length", (double)length);
    }
    return json;
}

/* Every case of a kind; one with none is a file that was cut. */
static void each(const cJSON *file, const char *kind, void (*run)(const cJSON *)) {
    name = kind;
    step_number = -1;
    const cJSON *one, *cases = member(file, kind);
    if (cJSON_GetArraySize(cases) == 0) {
        fail("cases", 0);
    }
    cJSON_ArrayForEach(one, cases) {
        name = member(one, "name")->valuestring;
        run(one);
    }
}

int main(int argc, char **argv) {
    const char *folder = argc > 1 ? argv[1] : "tests/vectors";
    cJSON *rates = parsed(folder, "rates.json");
    each(rates, "windowed_rate", windowed_rate);
    each(rates, "token_bucket", token_bucket);
    each(rates, "gcra", gcra);
    each(rates, "limiter", limiter);
    cJSON_Delete(rates);
    cJSON *dispatch = parsed(folder, "dispatch.json");
    each(dispatch, "dispatch_estimator", dispatch_estimator);
    cJSON_Delete(dispatch);
    printf("vectors: %d checks\n", checks);
    return 0;
}
