/*
 * Tollgate: is this key new to its owner, how fast do new ones come, may this one pass?
 *
 * Generated from src/ffi by cbindgen; do not edit.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A key is a 64-bit PID (a producer id, a session, a login), its owner a principal (a user, a tenant). A principal is
 * interned by name once; the calls that decide then take integers only.
 *
 * Beside the engine stand the parts of it that serve alone: tollgate_windowed_rate (how fast), tollgate_token_bucket and
 * tollgate_gcra (how long to wait), tollgate_dispatch_estimator (how much to read).
 *
 * Objects are opaque. What a _new, _restore or _starting_at function gives is the caller's, until it goes to the
 * matching _free; NULL may be freed. The first parameter is the object; const means that it is not changed in a way that
 * a caller must guard.
 *
 * Threads. An engine may be used by any number of threads at once, all functions but tollgate_engine_free; free it when
 * no call is under way. So may rates, buckets and estimators. A snapshot never changes. A config is for one thread at a
 * time. Nothing here depends on the calling thread.
 *
 * NULL. Every function answers NULL: TOLLGATE_STATUS_NULL_POINTER, or a packed Fault, or the value that its comment
 * names (0, NaN), which it then returns after a defect too. A pointer that is not NULL must be what it says: that can't be
 * checked.
 *
 * Outputs come last but for the error text, and are written only with TOLLGATE_STATUS_OK.
 *
 * Strings in are a pointer and a length in bytes, UTF-8, not terminated, and are copied where they are kept; NULL with
 * length 0 is the empty string. Strings out are terminated; those that come back as a pointer are static.
 *
 * Error text goes to the caller's buffer (error, error_capacity), terminated, cut where it doesn't fit, and only when
 * the status is TOLLGATE_STATUS_OUT_OF_RANGE, _FULL, _IO or _DAMAGED. NULL or 0: no text. 160 bytes hold every text that
 * names no file.
 *
 * Time is an argument: milliseconds from any origin within a century that the caller keeps to for one object. Going back
 * is harmless (the latest time seen counts); a jump past the window forgets all.
 *
 * Defects. No function exits, lets a panic out, or aborts, but where the system has no memory left: a defect inside is
 * TOLLGATE_STATUS_FAULT, a packed Fault or what NULL gives, and a line on stderr. A Fault should pass: Tollgate must not
 * be what stops a service.
 *
 * Versions. Numbers are never reused. On start, compare tollgate_abi_version() with TOLLGATE_ABI_VERSION.
 */

#ifndef TOLLGATE_H
#define TOLLGATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOLLGATE_VERSION "0.1.0"

/// Raised whenever a function, a struct or a number of this header changes in a way that a compiled caller would notice.
#define TOLLGATE_ABI_VERSION 1

/// The handle of the gate that all principals beyond max_principals share: never stale, but not to be kept, since there may
/// be room when the name is interned again.
#define TOLLGATE_PRINCIPAL_OVERFLOW 4294967295

/// What a call that can fail returns. Numbers are never reused.
enum tollgate_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// Done; outputs are written.
    TOLLGATE_STATUS_OK = 0,
    /// A pointer that must not be NULL was.
    TOLLGATE_STATUS_NULL_POINTER = 1,
    /// A string is not UTF-8.
    TOLLGATE_STATUS_NOT_UTF8 = 2,
    /// A value is out of its range; the error text names it, and the range.
    TOLLGATE_STATUS_OUT_OF_RANGE = 3,
    /// A limit of the engine (max_principals, max_memory_bytes) leaves no room.
    TOLLGATE_STATUS_FULL = 4,
    /// The principal's handle was reclaimed after a window without a call: intern the name again.
    TOLLGATE_STATUS_STALE = 5,
    /// The library failed inside, which is a defect. The engine stays usable.
    TOLLGATE_STATUS_FAULT = 6,
    /// A file could not be read or written; the error text says which and why.
    TOLLGATE_STATUS_IO = 7,
    /// The bytes are no snapshot, or one that is cut or damaged; the error text says which. Start empty.
    TOLLGATE_STATUS_DAMAGED = 8,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tollgate_status tollgate_status;
#else
typedef int32_t tollgate_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// The low byte of a packed decision; see tollgate_decision_kind. Numbers are never reused.
enum tollgate_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint8_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// Seen within the window. Let it pass.
    TOLLGATE_KIND_KNOWN = 0,
    /// New; the quota was charged, and it is remembered from now on. Let it pass.
    TOLLGATE_KIND_ADMITTED = 1,
    /// New, and the quota is spent. Nothing was charged or remembered. Refuse it.
    TOLLGATE_KIND_THROTTLED = 2,
    /// The principal's handle was reclaimed after a window without a call: intern the name again and repeat.
    TOLLGATE_KIND_STALE = 3,
    /// New, and nothing was changed. Only from tollgate_touch.
    TOLLGATE_KIND_NEW = 4,
    /// A NULL engine or a defect inside. Let it pass, and count it.
    TOLLGATE_KIND_FAULT = 255,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tollgate_kind tollgate_kind;
#else
typedef uint8_t tollgate_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// What enforces the quotas of an engine, and with that what a burst means. Numbers are never reused.
enum tollgate_limiter
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// Tokens come at the rate, up to the burst: after an idle time a burst, and at once the rate again.
    TOLLGATE_LIMITER_TOKEN_BUCKET = 0,
    /// At most the burst in any stretch of time in which that many come at the rate: with a burst of 1, at most a window's worth
    /// in any window.
    TOLLGATE_LIMITER_WINDOWED = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tollgate_limiter tollgate_limiter;
#else
typedef uint32_t tollgate_limiter;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Which time a sample stands for, and what it counts for in a reading. Numbers are never reused.
enum tollgate_policy
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /// Samples follow one another without gaps, on the grid of the first event.
    TOLLGATE_POLICY_GRID = 0,
    /// A sample starts at its first event and counts as long as its last event is in the window. What Kafka ships.
    TOLLGATE_POLICY_OVERLAP = 1,
    /// The window slides: the oldest sample counts by the share of it still inside. Never rises without an event.
    TOLLGATE_POLICY_SLIDING = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum tollgate_policy tollgate_policy;
#else
typedef uint32_t tollgate_policy;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/// Settings of an engine to be made. One thread at a time.
typedef struct tollgate_config tollgate_config;

/// Messages per entry of one consumer, as its pushes show it. Any number of threads at once.
typedef struct tollgate_dispatch_estimator tollgate_dispatch_estimator;

/// An engine. Any number of threads at once.
typedef struct tollgate_engine tollgate_engine;

/// A strict token bucket: one token at a time, never below zero. It is what keeps an engine's quotas by itself. Any number of
/// threads at once.
typedef struct tollgate_gcra tollgate_gcra;

/// What an engine remembered at one moment, as bytes. Never changed, so any number of threads may read it.
typedef struct tollgate_snapshot tollgate_snapshot;

/// A token bucket for amounts whose level may go below zero (KIP-599's). Any number of threads at once.
typedef struct tollgate_token_bucket tollgate_token_bucket;

/// Events per second, measured over N samples of W milliseconds each. Any number of threads at once.
typedef struct tollgate_windowed_rate tollgate_windowed_rate;

/// The size of one principal's filter, once it is past the exact set of 64 PIDs.
typedef struct tollgate_filter_size {
    /// PIDs that one layer takes.
    uint64_t layer_pids;
    /// Bits of one layer.
    uint64_t layer_bits;
    /// Bytes of one layer.
    uint64_t layer_bytes;
    /// Layers held at once, with the one kept to count ghosts.
    uint64_t layers;
    /// Bytes of all layers.
    uint64_t bytes;
    /// Share of never-seen PIDs that would be called Known with all layers full.
    double false_positive_rate;
} tollgate_filter_size;

/// What was counted for one principal; in tollgate_totals, for all together.
typedef struct tollgate_stats {
    /// Calls answered Known.
    uint64_t known;
    /// PIDs admitted: new, and charged.
    uint64_t admitted;
    /// Calls answered Throttled.
    uint64_t throttled;
    /// PIDs recorded again in the newest layer, and PIDs that tollgate_remember took in; never charged.
    uint64_t re_recorded;
    /// New PIDs that the last expired layer still held: forgotten too soon. If it climbs, raise the window or the layers.
    uint64_t ghost_hits;
    /// PIDs remembered now; an estimate beyond 64.
    uint64_t live_pids;
    /// Layers now held; none while up to 64 PIDs are kept exactly.
    uint64_t layers;
    /// Memory held, in bytes.
    uint64_t bytes;
    /// Recorded PIDs over capacity of the newest layer.
    double fill;
    /// Estimated share of never-seen PIDs that would be called Known; in totals, the highest of any principal.
    double false_positive_rate;
    /// New PIDs admitted per hour, over the last window.
    double rate_per_hour;
    /// New PIDs that may still come at once; NaN without a quota, and in totals.
    double tokens;
    /// The quota, in new PIDs per hour; NaN without one, and in totals.
    double quota_per_hour;
} tollgate_stats;

/// What was counted in all.
typedef struct tollgate_totals {
    /// Sums over all principals, gone ones included in the counts.
    struct tollgate_stats stats;
    /// Principals now live.
    uint64_t principals;
    /// Names that came beyond max_principals and share one gate.
    uint64_t overflow_interns;
    /// Layers that went early to stay under max_memory_bytes.
    uint64_t evicted_layers;
    /// Memory that the engine now accounts for, in bytes.
    uint64_t memory_bytes;
} tollgate_totals;

/// What a restore kept, and what it could not.
typedef struct tollgate_restored {
    /// Principals that are back.
    uint64_t principals;
    /// Layers that are back.
    uint64_t layers;
    /// Principals left out: beyond max_principals, or their memory.
    uint64_t principals_left_out;
    /// Layers left out: expired under this window, or beyond max_memory_bytes.
    uint64_t layers_left_out;
} tollgate_restored;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/// A status in words: static, terminated, never NULL; also for numbers that are no status.
const char *tollgate_status_text(int32_t status);

/// TOLLGATE_ABI_VERSION as the library at hand was built with; compare it with the header's on start.
uint32_t tollgate_abi_version(void);

/// The library's release, such as "0.1.0": static, terminated, never NULL.
const char *tollgate_version(void);

/// Settings with the defaults named below. NULL only after a defect. Free with tollgate_config_free.
struct tollgate_config *tollgate_config_new(void);

/// Frees settings; engines made from them are not touched. NULL does nothing.
void tollgate_config_free(struct tollgate_config *config);

/// How long a PID that is not seen again stays known, in milliseconds. Default: 3,600,000.
tollgate_status tollgate_config_set_window_ms(struct tollgate_config *config,
                                              uint64_t window_ms);

/// Layers that the window is cut into. Default: 4.
tollgate_status tollgate_config_set_layers(struct tollgate_config *config,
                                           uint32_t layers);

/// Share of never-seen PIDs that may be called Known, over all layers together. Default: 0.001.
tollgate_status tollgate_config_set_false_positive_rate(struct tollgate_config *config,
                                                        double share);

/// The quota of principals that have none of their own: new PIDs per hour (above 0), and a burst from 0 (spaced evenly)
/// to 1 (a window's worth at once). Default: no limit. Out of range: nothing is set, and the error text says why.
tollgate_status tollgate_config_set_default_quota(struct tollgate_config *config,
                                                  double per_hour,
                                                  double burst,
                                                  char *error,
                                                  size_t error_capacity);

/// What enforces the quotas, the default one and those of principals: a tollgate_limiter. Default:
/// TOLLGATE_LIMITER_TOKEN_BUCKET. Another number: nothing is set, and the error text says why.
tollgate_status tollgate_config_set_limiter(struct tollgate_config *config,
                                            uint32_t limiter,
                                            char *error,
                                            size_t error_capacity);

/// The longest that a throttled caller is told to wait, in milliseconds. Default: 30,000.
tollgate_status tollgate_config_set_max_throttle_ms(struct tollgate_config *config,
                                                    uint32_t max_throttle_ms);

/// Principals beyond which further ones share one gate. Default: 10,000.
tollgate_status tollgate_config_set_max_principals(struct tollgate_config *config,
                                                   uint32_t max_principals);

/// Memory beyond which the oldest layers of the largest principals go early, in bytes. Default: 67,108,864.
tollgate_status tollgate_config_set_max_memory_bytes(struct tollgate_config *config,
                                                     uint64_t max_memory_bytes);

/// The hash seed; whoever knows it can make PIDs that collide. Default: drawn at random. Set it only where a run must be
/// repeatable.
tollgate_status tollgate_config_set_seed(struct tollgate_config *config,
                                         uint64_t seed);

/// The filter that remembers `pids` PIDs at once under these settings, spread evenly over a window. Settings are checked as in
/// tollgate_engine_new.
tollgate_status tollgate_config_size(const struct tollgate_config *config,
                                     uint64_t pids,
                                     struct tollgate_filter_size *size,
                                     char *error,
                                     size_t error_capacity);

/// Makes an engine from settings, which may be freed or used again afterwards. Free with tollgate_engine_free. A setting
/// out of range: TOLLGATE_STATUS_OUT_OF_RANGE, and the error text names the setting, the value and the range.
tollgate_status tollgate_engine_new(const struct tollgate_config *config,
                                    struct tollgate_engine **engine,
                                    char *error,
                                    size_t error_capacity);

/// Frees an engine. No other call on it may be under way or come later. NULL does nothing.
void tollgate_engine_free(struct tollgate_engine *engine);

/// The handle of a principal, made if need be; beyond max_principals, TOLLGATE_PRINCIPAL_OVERFLOW. The same name gives the
/// same handle until the principal was idle for a window and was swept.
tollgate_status tollgate_intern(const struct tollgate_engine *engine,
                                const char *name,
                                size_t name_length,
                                uint64_t now_ms,
                                uint32_t *principal);

/// Whether the handle still stands for its principal. False for NULL.
bool tollgate_is_live(const struct tollgate_engine *engine,
                      uint32_t principal);

/// Decides on one PID: a packed Known, Admitted, Throttled, Stale or Fault.
uint64_t tollgate_track(const struct tollgate_engine *engine,
                        uint32_t principal,
                        uint64_t pid,
                        uint64_t now_ms);

/// The first half of tollgate_track: a packed Known (and recorded again if that is due), New (and nothing changed), Stale or
/// Fault. For callers that can tell in another way whether a New PID should be charged.
uint64_t tollgate_touch(const struct tollgate_engine *engine,
                        uint32_t principal,
                        uint64_t pid,
                        uint64_t now_ms);

/// Records a PID without charging for it: a packed Known, Stale or Fault.
uint64_t tollgate_remember(const struct tollgate_engine *engine,
                           uint32_t principal,
                           uint64_t pid,
                           uint64_t now_ms);

/// Whether the PID is known; changes nothing. False for NULL and for a stale handle.
bool tollgate_contains(const struct tollgate_engine *engine,
                       uint32_t principal,
                       uint64_t pid,
                       uint64_t now_ms);

/// Drops expired layers, and principals that were idle for a window; once per layer period is enough. Returns the
/// principals dropped, 0 for NULL.
uint32_t tollgate_sweep(const struct tollgate_engine *engine,
                        uint64_t now_ms);

/// Gives a principal a quota of its own: new PIDs per hour (above 0), and a burst from 0 (spaced evenly) to 1 (a window's
/// worth at once). Tokens above the new capacity go, others stay.
tollgate_status tollgate_set_quota(const struct tollgate_engine *engine,
                                   const char *name,
                                   size_t name_length,
                                   double per_hour,
                                   double burst,
                                   uint64_t now_ms,
                                   char *error,
                                   size_t error_capacity);

/// Exempts a principal from every quota, the default one included. It is still counted.
tollgate_status tollgate_set_unlimited(const struct tollgate_engine *engine,
                                       const char *name,
                                       size_t name_length,
                                       uint64_t now_ms);

/// Puts a principal back under the default quota.
tollgate_status tollgate_clear_quota(const struct tollgate_engine *engine,
                                     const char *name,
                                     size_t name_length,
                                     uint64_t now_ms);

/// Sets the quota of all principals that have none of their own; arguments as in tollgate_set_quota.
tollgate_status tollgate_set_default_quota(const struct tollgate_engine *engine,
                                           double per_hour,
                                           double burst,
                                           uint64_t now_ms,
                                           char *error,
                                           size_t error_capacity);

/// Takes the default quota away: principals without one of their own are not limited.
tollgate_status tollgate_clear_default_quota(const struct tollgate_engine *engine,
                                             uint64_t now_ms);

/// Reads one principal's stats into `stats`.
tollgate_status tollgate_read_stats(const struct tollgate_engine *engine,
                                    uint32_t principal,
                                    uint64_t now_ms,
                                    struct tollgate_stats *stats);

/// Reads the engine's totals into `totals`.
tollgate_status tollgate_read_totals(const struct tollgate_engine *engine,
                                     uint64_t now_ms,
                                     struct tollgate_totals *totals);

/// Writes the handles of the principals now held into `principals`, as many as `capacity` takes, and their number into
/// `count`, which may be larger: ask again with more. `principals` may be NULL with capacity 0. The overflow gate is not
/// among them.
tollgate_status tollgate_list_principals(const struct tollgate_engine *engine,
                                         uint32_t *principals,
                                         size_t capacity,
                                         size_t *count);

/// Writes a principal's name into `name`, terminated, cut at a character where it doesn't fit, and its whole length in bytes
/// into `length`, which may be NULL.
tollgate_status tollgate_principal_name(const struct tollgate_engine *engine,
                                        uint32_t principal,
                                        char *name,
                                        size_t capacity,
                                        size_t *length);

/// Takes a snapshot while calls may go on; a PID admitted meanwhile is in it or not. It holds the hash seed: keep it as
/// secret. NULL for NULL, or after a defect. Free with tollgate_snapshot_free.
struct tollgate_snapshot *tollgate_snapshot_new(const struct tollgate_engine *engine,
                                                uint64_t now_ms);

/// Frees a snapshot. NULL does nothing.
void tollgate_snapshot_free(struct tollgate_snapshot *snapshot);

/// The snapshot's bytes, which live as long as it does, and their number in `length`. NULL, and 0, for NULL.
const uint8_t *tollgate_snapshot_bytes(const struct tollgate_snapshot *snapshot,
                                       size_t *length);

/// Writes the snapshot into a file so that, whenever the process stops, the file holds the old one or the new one, whole.
/// TOLLGATE_STATUS_IO: the old file is as it was, and the error text says why.
tollgate_status tollgate_snapshot_write(const struct tollgate_snapshot *snapshot,
                                        const char *path,
                                        size_t path_length,
                                        char *error,
                                        size_t error_capacity);

/// Makes an engine that knows what a snapshot's bytes hold, for what is left of its window; `now_ms` is on the clock of the
/// engine that made it. Settings may differ from that one's: what no longer fits is left out and counted in `restored`,
/// which may be NULL. Quotas of principals are to be set anew. TOLLGATE_STATUS_DAMAGED, with the reason in the error text:
/// make an empty one with tollgate_engine_new. Free with tollgate_engine_free.
tollgate_status tollgate_engine_restore(const struct tollgate_config *config,
                                        const uint8_t *snapshot,
                                        size_t length,
                                        uint64_t now_ms,
                                        struct tollgate_engine **engine,
                                        struct tollgate_restored *restored,
                                        char *error,
                                        size_t error_capacity);

/// As tollgate_engine_restore, from a file that tollgate_snapshot_write wrote. TOLLGATE_STATUS_IO when it can't be read.
tollgate_status tollgate_engine_restore_file(const struct tollgate_config *config,
                                             const char *path,
                                             size_t path_length,
                                             uint64_t now_ms,
                                             struct tollgate_engine **engine,
                                             struct tollgate_restored *restored,
                                             char *error,
                                             size_t error_capacity);

/// Makes a rate over `samples` (1 to 1,000) samples of `sample_ms` (1 to 2,592,000,000, thirty days) milliseconds each; `policy`
/// is a tollgate_policy. Free with tollgate_windowed_rate_free. A value out of range: TOLLGATE_STATUS_OUT_OF_RANGE, and the
/// error text names it, and the range.
tollgate_status tollgate_windowed_rate_new(uint32_t policy,
                                           uint32_t samples,
                                           uint64_t sample_ms,
                                           struct tollgate_windowed_rate **rate,
                                           char *error,
                                           size_t error_capacity);

/// Frees a rate. No other call on it may be under way or come later. NULL does nothing.
void tollgate_windowed_rate_free(struct tollgate_windowed_rate *rate);

/// Counts `amount` events (or bytes, or what is measured). A sample holds 2^40 - 1; more stays there. NULL does nothing.
void tollgate_windowed_rate_record(const struct tollgate_windowed_rate *rate,
                                   uint64_t amount,
                                   uint64_t now_ms);

/// The rate, per second. NaN for NULL.
double tollgate_windowed_rate_per_second(const struct tollgate_windowed_rate *rate,
                                         uint64_t now_ms);

/// The time over which tollgate_windowed_rate_per_second measures, in milliseconds, at least 1; 0 for NULL.
uint64_t tollgate_windowed_rate_window_ms(const struct tollgate_windowed_rate *rate,
                                          uint64_t now_ms);

/// Kafka's throttle time, in milliseconds, rounded: the excess over `per_second_limit`, as a part of it, times the window. 0 at or
/// below the limit, and for NULL; UINT64_MAX above one of 0 or less. Samples leave the window whole, so the rate may be above the
/// limit for up to N W after that time, though nothing comes: ask again.
uint64_t tollgate_windowed_rate_throttle_ms(const struct tollgate_windowed_rate *rate,
                                            double per_second_limit,
                                            uint64_t now_ms);

/// Makes a bucket of `capacity` tokens, full at `now_ms`, into which `per_second` tokens a second come; both finite and above 0.
/// Free with tollgate_token_bucket_free. A value out of range: TOLLGATE_STATUS_OUT_OF_RANGE, and the error text names it.
tollgate_status tollgate_token_bucket_new(double per_second,
                                          double capacity,
                                          uint64_t now_ms,
                                          struct tollgate_token_bucket **bucket,
                                          char *error,
                                          size_t error_capacity);

/// Frees a bucket. No other call on it may be under way or come later. NULL does nothing.
void tollgate_token_bucket_free(struct tollgate_token_bucket *bucket);

/// Takes `amount`, whatever the level. Returns the milliseconds until the level is zero again; 0 where it is not below zero, and
/// for NULL. An amount below zero gives tokens back; NaN is taken as 0.
uint64_t tollgate_token_bucket_charge(const struct tollgate_token_bucket *bucket,
                                      double amount,
                                      uint64_t now_ms);

/// Takes `amount`, which may bring the level below zero, and returns 0; but while the level is below zero it takes nothing, and
/// returns the milliseconds until it is zero, at least 1. 0 for NULL.
uint64_t tollgate_token_bucket_charge_strict(const struct tollgate_token_bucket *bucket,
                                             double amount,
                                             uint64_t now_ms);

/// The level in tokens: at most the capacity, below zero while the bucket owes. NaN for NULL.
double tollgate_token_bucket_tokens(const struct tollgate_token_bucket *bucket,
                                    uint64_t now_ms);

/// Makes a bucket of `capacity` tokens (less than 1 is taken as 1), full at `now_ms`, into which `per_hour` tokens an hour come;
/// both finite and above 0. Free with tollgate_gcra_free. A value out of range: TOLLGATE_STATUS_OUT_OF_RANGE, and the error
/// text names it.
tollgate_status tollgate_gcra_new(double per_hour,
                                  double capacity,
                                  uint64_t now_ms,
                                  struct tollgate_gcra **gcra,
                                  char *error,
                                  size_t error_capacity);

/// Frees a bucket. No other call on it may be under way or come later. NULL does nothing.
void tollgate_gcra_free(struct tollgate_gcra *gcra);

/// Takes one token and returns 0; where there is none, the milliseconds until there is one, at least 1. 0 for NULL.
uint64_t tollgate_gcra_charge(const struct tollgate_gcra *gcra,
                              uint64_t now_ms);

/// Tokens, fractions included: 0 to the capacity. NaN for NULL.
double tollgate_gcra_tokens(const struct tollgate_gcra *gcra,
                            uint64_t now_ms);

/// Makes an estimator that knows nothing yet; `precise`: whether its average decides how much is read. Free with
/// tollgate_dispatch_estimator_free.
tollgate_status tollgate_dispatch_estimator_new(bool precise,
                                                struct tollgate_dispatch_estimator **estimator);

/// As tollgate_dispatch_estimator_new, but with an average to start from, finite and at least 1. A value out of range:
/// TOLLGATE_STATUS_OUT_OF_RANGE, and the error text names it.
tollgate_status tollgate_dispatch_estimator_starting_at(bool precise,
                                                        double messages_per_entry,
                                                        struct tollgate_dispatch_estimator **estimator,
                                                        char *error,
                                                        size_t error_capacity);

/// Frees an estimator. No other call on it may be under way or come later. NULL does nothing.
void tollgate_dispatch_estimator_free(struct tollgate_dispatch_estimator *estimator);

/// Notes that `entries` with `messages` in all were sent to the consumer; the average becomes nine tenths of what it was and a
/// tenth of this push. None of either, and NULL, changes nothing.
void tollgate_dispatch_estimator_record_push(const struct tollgate_dispatch_estimator *estimator,
                                             uint64_t messages,
                                             uint64_t entries);

/// Messages per entry, for a consumer's statistics. NaN while it is unknown, and for NULL.
double tollgate_dispatch_estimator_average(const struct tollgate_dispatch_estimator *estimator);

/// Whether the average decides how much is read. False for NULL.
bool tollgate_dispatch_estimator_is_precise(const struct tollgate_dispatch_estimator *estimator);

/// Entries to read for `permits` messages: 0 without permits, else at least 1 and at most `read_batch_size`, which is taken as 1
/// where it is 0. As many as permits while the average is unknown, and where `precise` is false. 0 for NULL.
uint32_t tollgate_dispatch_estimator_entries_to_read(const struct tollgate_dispatch_estimator *estimator,
                                                     int64_t permits,
                                                     uint32_t read_batch_size);

/// Writes `{"avgMessagesPerEntry":12.5,"precise":true}`, with null while the average is unknown, into `json`, terminated, cut
/// where it doesn't fit, and its whole length in bytes into `length`, which may be NULL. 80 bytes hold every one.
tollgate_status tollgate_dispatch_estimator_to_json(const struct tollgate_dispatch_estimator *estimator,
                                                    char *json,
                                                    size_t capacity,
                                                    size_t *length);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

/// What was decided.
static inline tollgate_kind tollgate_decision_kind(uint64_t decision) {
    return (tollgate_kind)(decision & 0xff);
}

/// Milliseconds until a throttled caller may try again, at least 1; 0 for every other kind.
static inline uint32_t tollgate_decision_retry_after_ms(uint64_t decision) {
    return (uint32_t)(decision >> 32);
}

#endif /* TOLLGATE_H */
