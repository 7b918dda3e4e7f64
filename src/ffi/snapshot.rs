//! What an engine remembers, to memory and file and back (S14).

use super::boundary::{bytes, give, guard, put, say, shared, take, text};
use super::config::tollgate_config;
use super::engine::tollgate_engine;
use super::status::tollgate_status;
use crate::snapshot::{read_file, write_file, Restored};
use crate::Engine;
use std::os::raw::c_char;
use std::path::Path;
use std::ptr;

/// What an engine remembered at one moment, as bytes. Never changed, so any number of threads may read it.
pub struct tollgate_snapshot(Vec<u8>);

/// What a restore kept, and what it could not.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct tollgate_restored {
    /// Principals that are back.
    pub principals: u64,
    /// Layers that are back.
    pub layers: u64,
    /// Principals left out: beyond max_principals, or their memory.
    pub principals_left_out: u64,
    /// Layers left out: expired under this window, or beyond max_memory_bytes.
    pub layers_left_out: u64,
}

impl From<Restored> for tollgate_restored {
    fn from(restored: Restored) -> Self {
        Self {
            principals: restored.principals,
            layers: restored.layers,
            principals_left_out: restored.principals_left_out,
            layers_left_out: restored.layers_left_out,
        }
    }
}

/// Takes a snapshot while calls may go on; a PID admitted meanwhile is in it or not. It holds the hash seed: keep it as
/// secret. NULL for NULL, or after a defect. Free with tollgate_snapshot_free.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_snapshot_new(
    engine: *const tollgate_engine,
    now_ms: u64,
) -> *mut tollgate_snapshot {
    guard(ptr::null_mut(), || {
        // SAFETY: NULL or live, by the caller's promise.
        unsafe { shared(engine) }
            .map_or(ptr::null_mut(), |engine| give(tollgate_snapshot(engine.0.snapshot(now_ms))))
    })
}

/// Frees a snapshot. NULL does nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_snapshot_free(snapshot: *mut tollgate_snapshot) {
    // SAFETY: the caller hands over what tollgate_snapshot_new gave.
    guard((), || unsafe { take(snapshot) });
}

/// The snapshot's bytes, which live as long as it does, and their number in `length`. NULL, and 0, for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_snapshot_bytes(
    snapshot: *const tollgate_snapshot,
    length: *mut usize,
) -> *const u8 {
    guard(ptr::null(), || {
        // SAFETY: NULL or live, by the caller's promise.
        let held = unsafe { shared(snapshot) };
        // SAFETY: NULL or writable, by the caller's promise.
        let written = unsafe { put(length, held.map_or(0, |snapshot| snapshot.0.len())) };
        held.filter(|_| written).map_or(ptr::null(), |snapshot| snapshot.0.as_ptr())
    })
}

/// Writes the snapshot into a file so that, whenever the process stops, the file holds the old one or the new one, whole.
/// TOLLGATE_STATUS_IO: the old file is as it was, and the error text says why.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_snapshot_write(
    snapshot: *const tollgate_snapshot,
    path: *const c_char,
    path_length: usize,
    error: *mut c_char,
    error_capacity: usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        // SAFETY: NULL or live, by the caller's promise.
        let Some(snapshot) = (unsafe { shared(snapshot) }) else {
            return tollgate_status::NullPointer;
        };
        // SAFETY: NULL or readable, by the caller's promise.
        let path = match unsafe { text(path, path_length) } {
            Ok(path) => path,
            Err(problem) => return problem.into(),
        };
        match write_file(Path::new(path), &snapshot.0) {
            Ok(()) => tollgate_status::Ok,
            Err(failed) => {
                // SAFETY: NULL or writable, by the caller's promise.
                unsafe { say(error, error_capacity, &format!("{path}: {failed}")) };
                tollgate_status::Io
            }
        }
    })
}

/// Where a restore's results go.
struct Outputs {
    engine: *mut *mut tollgate_engine,
    restored: *mut tollgate_restored,
    error: *mut c_char,
    error_capacity: usize,
}

impl Outputs {
    /// # Safety
    /// `config` is NULL or live; each output is NULL or writable.
    unsafe fn restore(
        &self,
        config: *const tollgate_config,
        snapshot: &[u8],
        now_ms: u64,
    ) -> tollgate_status {
        // SAFETY: this function's own contract.
        let Some(config) = (unsafe { shared(config) }) else {
            return tollgate_status::NullPointer;
        };
        if self.engine.is_null() {
            return tollgate_status::NullPointer;
        }
        let config = match config.builder().build() {
            Ok(config) => config,
            // SAFETY: this function's own contract.
            Err(refused) => return unsafe { self.refuse(tollgate_status::OutOfRange, &refused.to_string()) },
        };
        match Engine::restore(config, snapshot, now_ms) {
            Ok((engine, restored)) => {
                // SAFETY: this function's own contract; NULL is one who does not want to know.
                let _ = unsafe { put(self.restored, restored.into()) };
                // SAFETY: not NULL, so writable by this function's contract.
                tollgate_status::from_written(unsafe { put(self.engine, give(tollgate_engine(engine))) })
            }
            // SAFETY: this function's own contract.
            Err(refused) => unsafe { self.refuse(tollgate_status::Damaged, &refused.to_string()) },
        }
    }

    /// # Safety
    /// `error` is NULL or writable.
    unsafe fn refuse(&self, status: tollgate_status, why: &str) -> tollgate_status {
        // SAFETY: this function's own contract.
        unsafe { say(self.error, self.error_capacity, why) };
        status
    }
}

/// Makes an engine that knows what a snapshot's bytes hold, for what is left of its window; `now_ms` is on the clock of the
/// engine that made it. Settings may differ from that one's: what no longer fits is left out and counted in `restored`,
/// which may be NULL. Quotas of principals are to be set anew. TOLLGATE_STATUS_DAMAGED, with the reason in the error text:
/// make an empty one with tollgate_engine_new. Free with tollgate_engine_free.
#[allow(clippy::too_many_arguments, reason = "C has no slices and no results: two of them take four")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_engine_restore(
    config: *const tollgate_config,
    snapshot: *const u8,
    length: usize,
    now_ms: u64,
    engine: *mut *mut tollgate_engine,
    restored: *mut tollgate_restored,
    error: *mut c_char,
    error_capacity: usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        let outputs = Outputs { engine, restored, error, error_capacity };
        // SAFETY: NULL or readable, by the caller's promise.
        match unsafe { bytes(snapshot, length) } {
            // SAFETY: NULL, live or writable, by the caller's promise.
            Ok(snapshot) => unsafe { outputs.restore(config, snapshot, now_ms) },
            Err(problem) => problem.into(),
        }
    })
}

/// As tollgate_engine_restore, from a file that tollgate_snapshot_write wrote. TOLLGATE_STATUS_IO when it can't be read.
#[allow(clippy::too_many_arguments, reason = "C has no strings and no results: two of them take four")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_engine_restore_file(
    config: *const tollgate_config,
    path: *const c_char,
    path_length: usize,
    now_ms: u64,
    engine: *mut *mut tollgate_engine,
    restored: *mut tollgate_restored,
    error: *mut c_char,
    error_capacity: usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        let outputs = Outputs { engine, restored, error, error_capacity };
        // SAFETY: NULL or readable, by the caller's promise.
        let path = match unsafe { text(path, path_length) } {
            Ok(path) => path,
            Err(problem) => return problem.into(),
        };
        match read_file(Path::new(path)) {
            // SAFETY: NULL, live or writable, by the caller's promise.
            Ok(snapshot) => unsafe { outputs.restore(config, &snapshot, now_ms) },
            // SAFETY: NULL or writable, by the caller's promise.
            Err(failed) => unsafe { outputs.refuse(tollgate_status::Io, &format!("{path}: {failed}")) },
        }
    })
}
