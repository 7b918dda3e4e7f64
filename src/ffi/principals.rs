//! Who is there.

use super::boundary::{guard, put, say, shared, writable};
use super::engine::tollgate_engine;
use super::status::tollgate_status;
use crate::PrincipalId;
use std::os::raw::c_char;

/// Writes the handles of the principals now held into `principals`, as many as `capacity` takes, and their number into
/// `count`, which may be larger: ask again with more. `principals` may be NULL with capacity 0. The overflow gate is not
/// among them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_list_principals(
    engine: *const tollgate_engine,
    principals: *mut u32,
    capacity: usize,
    count: *mut usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        // SAFETY: NULL or live, by the caller's promise.
        let Some(engine) = (unsafe { shared(engine) }) else {
            return tollgate_status::NullPointer;
        };
        if count.is_null() {
            return tollgate_status::NullPointer;
        }
        // SAFETY: NULL or `capacity` writable numbers that nobody else uses now, by the caller's promise.
        let Some(places) = (unsafe { writable(principals, capacity) }) else {
            return tollgate_status::NullPointer;
        };
        let mut held = 0;
        engine.0.for_each_principal(|id, _| {
            if let Some(place) = places.get_mut(held) {
                place.write(id.raw());
            }
            held += 1;
        });
        // SAFETY: NULL or writable, by the caller's promise.
        tollgate_status::from_written(unsafe { put(count, held) })
    })
}

/// Writes a principal's name into `name`, terminated, cut at a character where it doesn't fit, and its whole length in bytes
/// into `length`, which may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_principal_name(
    engine: *const tollgate_engine,
    principal: u32,
    name: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        // SAFETY: NULL or live, by the caller's promise.
        let Some(engine) = (unsafe { shared(engine) }) else {
            return tollgate_status::NullPointer;
        };
        let Some(held) = engine.0.name(PrincipalId::from_raw(principal)) else {
            return tollgate_status::Stale;
        };
        // SAFETY: NULL or writable, by the caller's promise; NULL is one who does not want to know.
        unsafe {
            say(name, capacity, &held);
            let _ = put(length, held.len());
        }
        tollgate_status::Ok
    })
}
