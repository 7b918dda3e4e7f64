//! A sequence of calls of the C ABI with random arguments: NULL, wrong lengths, stale handles, huge values, in any order. What a
//! caller must keep to (pointers that are what they say) is kept; all else is not.

use super::input::Input;
use std::ffi::c_char;
use std::ptr;
use tollgate::ffi::exported::*;

/// What a caller holds.
struct Caller {
    config: *mut tollgate_config,
    engine: *mut tollgate_engine,
    snapshot: *mut tollgate_snapshot,
    rate: *mut tollgate_windowed_rate,
    bucket: *mut tollgate_token_bucket,
    gcra: *mut tollgate_gcra,
    estimator: *mut tollgate_dispatch_estimator,
    principal: u32,
    error: [u8; 64],
}

const OK: tollgate_status = tollgate_status::Ok;

/// Runs the calls that `data` spells; no crash, no output of a failed call, and answers that agree with each other.
pub fn abi(data: &[u8]) {
    let mut input = Input(data);
    let mut caller = Caller {
        config: ptr::null_mut(),
        engine: ptr::null_mut(),
        snapshot: ptr::null_mut(),
        rate: ptr::null_mut(),
        bucket: ptr::null_mut(),
        gcra: ptr::null_mut(),
        estimator: ptr::null_mut(),
        principal: 0,
        error: [0; 64],
    };
    let mut calls = 0;
    while !input.is_empty() && calls < 400 {
        // SAFETY: each object is NULL or live and used by this thread alone; buffers are as long as said.
        unsafe { caller.call(&mut input) };
        calls += 1;
    }
    // SAFETY: each object is NULL or live, and this is the last use of it.
    unsafe {
        tollgate_windowed_rate_free(caller.rate);
        tollgate_token_bucket_free(caller.bucket);
        tollgate_gcra_free(caller.gcra);
        tollgate_dispatch_estimator_free(caller.estimator);
        tollgate_snapshot_free(caller.snapshot);
        tollgate_engine_free(caller.engine);
        tollgate_config_free(caller.config);
    }
}

impl Caller {
    /// Error buffer and capacity: NULL, empty, short or whole.
    fn error(&mut self, input: &mut Input<'_>) -> (*mut c_char, usize) {
        match input.byte() % 4 {
            0 => (ptr::null_mut(), usize::from(input.byte())),
            1 => (self.error.as_mut_ptr().cast(), 0),
            2 => (self.error.as_mut_ptr().cast(), usize::from(input.byte() % 65)),
            _ => (self.error.as_mut_ptr().cast(), 64),
        }
    }

    /// A string: NULL with any length, or bytes with theirs.
    fn name(input: &mut Input<'_>) -> (*const c_char, usize) {
        match input.byte() {
            0 => (ptr::null(), input.number() as usize),
            1..=127 => (c"alice bob".as_ptr(), usize::from(input.byte() % 10)),
            _ => {
                let bytes = input.bytes();
                (bytes.as_ptr().cast(), bytes.len())
            }
        }
    }

    /// # Safety
    /// The objects are NULL or live, and used by this thread alone.
    unsafe fn call(&mut self, input: &mut Input<'_>) {
        // SAFETY: this function's own contract; every pointer made here is NULL or points to what the call asks for.
        unsafe {
            match input.byte() {
                // From the end, so that most of an older corpus spells what it did.
                byte @ 240.. => match byte % 4 {
                    0 => self.makes(input),
                    1 => self.measures(input),
                    2 => self.charges(input),
                    _ => self.dispatches(input),
                },
                byte => match byte % 8 {
                    0 => self.set(input),
                    1 => self.objects(input),
                    2 => self.quotas(input),
                    3 => self.reads(input),
                    _ => self.decides(input),
                },
            }
        }
    }

    unsafe fn set(&mut self, input: &mut Input<'_>) {
        let (config, value) = (self.config, input.some_number());
        // SAFETY: as in call.
        unsafe {
            let set = match input.byte() % 8 {
                0 => tollgate_config_set_window_ms(config, value),
                1 => tollgate_config_set_layers(config, value as u32),
                2 => tollgate_config_set_false_positive_rate(config, input.double()),
                3 => tollgate_config_set_max_throttle_ms(config, value as u32),
                4 => tollgate_config_set_max_principals(config, value as u32),
                // What this process has: a larger number within the range would be allocated.
                5 if value <= 1 << 40 => tollgate_config_set_max_memory_bytes(config, value % (4 << 20)),
                5 => tollgate_config_set_max_memory_bytes(config, value),
                6 => tollgate_config_set_seed(config, value),
                _ => {
                    let (error, capacity) = self.error(input);
                    tollgate_config_set_default_quota(
                        config,
                        input.double(),
                        input.double(),
                        error,
                        capacity,
                    );
                    return;
                }
            };
            assert_eq!(set == OK, !config.is_null());
        }
    }

    unsafe fn objects(&mut self, input: &mut Input<'_>) {
        let (error, capacity) = self.error(input);
        let now = input.some_number();
        // SAFETY: as in call.
        unsafe {
            match input.byte() % 6 {
                0 => {
                    tollgate_config_free(self.config);
                    self.config = tollgate_config_new();
                    // The default, 64 MiB for 10,000 principals, would be slow to make again and again.
                    assert_eq!(tollgate_config_set_max_memory_bytes(self.config, 1 << 20), OK);
                    assert_eq!(tollgate_config_set_max_principals(self.config, 50), OK);
                }
                1 => {
                    let mut made = ptr::null_mut();
                    let status = tollgate_engine_new(self.config, &raw mut made, error, capacity);
                    self.adopt(status, made);
                }
                2 => {
                    tollgate_snapshot_free(self.snapshot);
                    self.snapshot = tollgate_snapshot_new(self.engine, now);
                    assert_eq!(self.snapshot.is_null(), self.engine.is_null());
                }
                3 => {
                    let mut length = 7;
                    let bytes = tollgate_snapshot_bytes(self.snapshot, &raw mut length);
                    assert_eq!(bytes.is_null(), length == 0);
                    let length =
                        if input.byte() < 200 { length } else { length.min(input.number() as usize) };
                    self.restore(bytes, length, now, (error, capacity));
                }
                4 => {
                    let bytes = input.bytes();
                    let status = self.restore(bytes.as_ptr(), bytes.len(), now, (error, capacity));
                    assert!(status != OK, "random bytes are no snapshot");
                }
                _ => {
                    tollgate_engine_free(self.engine);
                    self.engine = ptr::null_mut();
                }
            }
        }
    }

    /// # Safety
    /// As in call; `bytes` is NULL or `length` readable bytes.
    unsafe fn restore(
        &mut self,
        bytes: *const u8,
        length: usize,
        now: u64,
        (error, capacity): (*mut c_char, usize),
    ) -> tollgate_status {
        let (config, mut made) = (self.config, ptr::null_mut());
        // SAFETY: this function's own contract; `made` is this function's own.
        unsafe {
            let status = tollgate_engine_restore(
                config,
                bytes,
                length,
                now,
                &raw mut made,
                ptr::null_mut(),
                error,
                capacity,
            );
            self.adopt(status, made);
            status
        }
    }

    /// Takes over an engine that was made; a failed call has written none.
    unsafe fn adopt(&mut self, status: tollgate_status, made: *mut tollgate_engine) {
        assert_eq!(status == OK, !made.is_null());
        if status == OK {
            // SAFETY: as in call; this is the last use of the old one.
            unsafe { tollgate_engine_free(self.engine) };
            self.engine = made;
        }
    }

    unsafe fn quotas(&mut self, input: &mut Input<'_>) {
        let (engine, now) = (self.engine, input.some_number());
        let (error, capacity) = self.error(input);
        let (name, length) = Self::name(input);
        // SAFETY: as in call.
        unsafe {
            match input.byte() % 5 {
                0 => {
                    let (rate, burst) = (input.double(), input.double());
                    tollgate_set_quota(engine, name, length, rate, burst, now, error, capacity)
                }
                1 => tollgate_set_unlimited(engine, name, length, now),
                2 => tollgate_clear_quota(engine, name, length, now),
                3 => tollgate_set_default_quota(engine, input.double(), input.double(), now, error, capacity),
                _ => tollgate_clear_default_quota(engine, now),
            };
        }
    }

    unsafe fn reads(&mut self, input: &mut Input<'_>) {
        let (engine, now) = (self.engine, input.some_number());
        let id = if input.byte() < 200 { self.principal } else { input.number() as u32 };
        // SAFETY: as in call; outputs are this function's own.
        unsafe {
            match input.byte() % 6 {
                0 => {
                    let mut stats = std::mem::zeroed();
                    tollgate_read_stats(engine, id, now, &raw mut stats);
                }
                1 => {
                    let mut totals = std::mem::zeroed();
                    let status = tollgate_read_totals(engine, now, &raw mut totals);
                    assert_eq!(status == OK, !engine.is_null());
                }
                2 => {
                    let mut handles = [0; 8];
                    let (mut count, capacity) = (0, usize::from(input.byte() % 9));
                    let status =
                        tollgate_list_principals(engine, handles.as_mut_ptr(), capacity, &raw mut count);
                    for &handle in handles.iter().take(count.min(capacity)) {
                        assert!(status == OK && tollgate_is_live(engine, handle));
                    }
                }
                3 => {
                    let (name, capacity) = self.error(input);
                    let mut length = 0;
                    tollgate_principal_name(engine, id, name, capacity, &raw mut length);
                }
                4 => {
                    let mut size = std::mem::zeroed();
                    let (error, capacity) = self.error(input);
                    tollgate_config_size(self.config, input.some_number(), &raw mut size, error, capacity);
                }
                _ => {
                    let text = tollgate_status_text(input.number() as i32);
                    assert!(!text.is_null());
                    tollgate_sweep(engine, now);
                }
            }
        }
    }

    unsafe fn decides(&mut self, input: &mut Input<'_>) {
        let (engine, now, pid) = (self.engine, input.some_number(), input.some_number());
        let id = if input.byte() < 240 { self.principal } else { input.number() as u32 };
        // SAFETY: as in call.
        unsafe {
            match input.byte() % 8 {
                0 => {
                    let (name, length) = Self::name(input);
                    let before = self.principal;
                    let status = tollgate_intern(engine, name, length, now, &raw mut self.principal);
                    assert!(status == OK || self.principal == before, "written though it failed");
                }
                1 => {
                    let known = tollgate_touch(engine, id, pid, now) & 0xff;
                    assert!([0, 3, 4, 255].contains(&known), "{known}");
                }
                2 => {
                    let known = tollgate_remember(engine, id, pid, now) & 0xff;
                    assert!([0, 3, 255].contains(&known), "{known}");
                }
                3 => {
                    tollgate_contains(engine, id, pid, now);
                }
                _ => {
                    let decision = tollgate_track(engine, id, pid, now);
                    let (kind, wait) = (decision & 0xff, decision >> 32);
                    assert_eq!(kind == 2, wait > 0, "{decision:#x}");
                    assert_eq!(kind == 255, engine.is_null(), "{decision:#x}");
                    assert!(kind <= 3 || kind == 255, "{decision:#x}");
                }
            }
        }
    }

    /// What serves beside an engine, anew; the old one stays where the values are refused.
    unsafe fn makes(&mut self, input: &mut Input<'_>) {
        let (error, capacity) = self.error(input);
        let now = input.some_number();
        // SAFETY: as in call; outputs are this function's own, and each free is the last use of the old object.
        unsafe {
            match input.byte() % 6 {
                0 => {
                    let (samples, sample_ms) = (input.some_number() as u32, input.some_number());
                    let (policy, mut made) = (u32::from(input.byte() % 4), ptr::null_mut());
                    let status = tollgate_windowed_rate_new(
                        policy,
                        samples,
                        sample_ms,
                        &raw mut made,
                        error,
                        capacity,
                    );
                    let is_within = policy < 3
                        && (1..=1000).contains(&samples)
                        && (1..=2_592_000_000).contains(&sample_ms);
                    assert_eq!((status == OK, made.is_null()), (is_within, !is_within));
                    if is_within {
                        tollgate_windowed_rate_free(self.rate);
                        self.rate = made;
                    }
                }
                1 => {
                    let (rate, most, mut made) = (input.double(), input.double(), ptr::null_mut());
                    let status = tollgate_token_bucket_new(rate, most, now, &raw mut made, error, capacity);
                    assert_eq!(status == OK, !made.is_null());
                    if status == OK {
                        tollgate_token_bucket_free(self.bucket);
                        self.bucket = made;
                    }
                }
                2 => {
                    let (rate, most, mut made) = (input.double(), input.double(), ptr::null_mut());
                    let status = tollgate_gcra_new(rate, most, now, &raw mut made, error, capacity);
                    assert_eq!(status == OK, !made.is_null());
                    if status == OK {
                        tollgate_gcra_free(self.gcra);
                        self.gcra = made;
                    }
                }
                3 => {
                    let (precise, mut made) = (input.byte().is_multiple_of(2), ptr::null_mut());
                    let average = input.double();
                    let status = if average == 0.0 {
                        tollgate_dispatch_estimator_new(precise, &raw mut made)
                    } else {
                        tollgate_dispatch_estimator_starting_at(
                            precise,
                            average,
                            &raw mut made,
                            error,
                            capacity,
                        )
                    };
                    assert_eq!(status == OK, !made.is_null());
                    if status == OK {
                        tollgate_dispatch_estimator_free(self.estimator);
                        self.estimator = made;
                    }
                }
                4 => {
                    let none = ptr::null_mut();
                    let status = tollgate_windowed_rate_new(0, 1, 1, none, error, capacity);
                    assert_eq!(status, tollgate_status::NullPointer);
                }
                _ => {
                    let limiter = u32::from(input.byte() % 3);
                    let status = tollgate_config_set_limiter(self.config, limiter, error, capacity);
                    assert_eq!(status == OK, limiter < 2 && !self.config.is_null());
                }
            }
        }
    }

    unsafe fn measures(&mut self, input: &mut Input<'_>) {
        let (rate, now) = (self.rate, input.some_number());
        // SAFETY: as in call.
        unsafe {
            match input.byte() % 4 {
                0 => {
                    let window = tollgate_windowed_rate_window_ms(rate, now);
                    assert_eq!(window > 0, !rate.is_null());
                }
                1 => {
                    let per_second = tollgate_windowed_rate_per_second(rate, now);
                    assert!(
                        per_second.is_nan() == rate.is_null() && per_second.is_finite() != rate.is_null()
                    );
                    assert!(rate.is_null() || per_second >= 0.0, "{per_second}");
                    assert_eq!(tollgate_windowed_rate_throttle_ms(rate, per_second, now), 0);
                }
                2 => {
                    tollgate_windowed_rate_throttle_ms(rate, input.double(), now);
                }
                _ => tollgate_windowed_rate_record(rate, input.some_number(), now),
            }
        }
    }

    unsafe fn charges(&mut self, input: &mut Input<'_>) {
        let (bucket, gcra, now) = (self.bucket, self.gcra, input.some_number());
        // SAFETY: as in call.
        unsafe {
            match input.byte() % 4 {
                0 => {
                    tollgate_token_bucket_charge(bucket, input.double(), now);
                }
                1 => {
                    let level = tollgate_token_bucket_tokens(bucket, now);
                    let wait = tollgate_token_bucket_charge_strict(bucket, input.double(), now);
                    assert_eq!(wait > 0, level < 0.0, "{wait} at {level}");
                }
                2 => {
                    let tokens = tollgate_gcra_tokens(gcra, now);
                    assert!(tokens >= 0.0 || gcra.is_null(), "{tokens}");
                }
                _ => {
                    let wait = tollgate_gcra_charge(gcra, now);
                    assert!(wait == 0 || !gcra.is_null(), "{wait}");
                }
            }
        }
    }

    unsafe fn dispatches(&mut self, input: &mut Input<'_>) {
        let estimator = self.estimator;
        // SAFETY: as in call; outputs are this function's own.
        unsafe {
            match input.byte() % 4 {
                0 => {
                    let (permits, batch) = (input.some_number() as i64, input.some_number() as u32);
                    let entries = tollgate_dispatch_estimator_entries_to_read(estimator, permits, batch);
                    assert!(entries <= batch.max(1), "{entries} of {batch}");
                    assert_eq!(entries > 0, permits > 0 && !estimator.is_null());
                }
                1 => {
                    let (json, capacity) = self.error(input);
                    let mut length = 0;
                    let status =
                        tollgate_dispatch_estimator_to_json(estimator, json, capacity, &raw mut length);
                    assert_eq!((status == OK, length > 0), (!estimator.is_null(), !estimator.is_null()));
                }
                2 => {
                    let average = tollgate_dispatch_estimator_average(estimator);
                    assert!(average.is_nan() || average > 0.0, "{average}");
                    assert!(!(tollgate_dispatch_estimator_is_precise(estimator) && estimator.is_null()));
                }
                _ => tollgate_dispatch_estimator_record_push(
                    estimator,
                    input.some_number(),
                    input.some_number(),
                ),
            }
        }
    }
}
