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
            match input.byte() % 8 {
                0 => self.set(input),
                1 => self.objects(input),
                2 => self.quotas(input),
                3 => self.reads(input),
                _ => self.decides(input),
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
}
