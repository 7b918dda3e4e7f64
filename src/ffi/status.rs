//! Status codes, their text, and the versions.

use super::boundary::{give, guard, put, say, Unreadable};
use crate::ConfigError;
use std::os::raw::c_char;

/// Raised whenever a function, a struct or a number of this header changes in a way that a compiled caller would notice.
pub const TOLLGATE_ABI_VERSION: u32 = 1;

/// What a call that can fail returns. Numbers are never reused.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum tollgate_status {
    /// Done; outputs are written.
    Ok = 0,
    /// A pointer that must not be NULL was.
    NullPointer = 1,
    /// A string is not UTF-8.
    NotUtf8 = 2,
    /// A value is out of its range; the error text names it, and the range.
    OutOfRange = 3,
    /// A limit of the engine (max_principals, max_memory_bytes) leaves no room.
    Full = 4,
    /// The principal's handle was reclaimed after a window without a call: intern the name again.
    Stale = 5,
    /// The library failed inside, which is a defect. The engine stays usable.
    Fault = 6,
    /// A file could not be read or written; the error text says which and why.
    Io = 7,
    /// The bytes are no snapshot, or one that is cut or damaged; the error text says which. Start empty.
    Damaged = 8,
}

impl From<Unreadable> for tollgate_status {
    fn from(problem: Unreadable) -> Self {
        match problem {
            Unreadable::Null => Self::NullPointer,
            Unreadable::NotUtf8 => Self::NotUtf8,
            Unreadable::TooLong => Self::OutOfRange,
        }
    }
}

impl tollgate_status {
    pub(super) fn from_written(written: bool) -> Self {
        if written {
            Self::Ok
        } else {
            Self::NullPointer
        }
    }

    /// Makes an object and gives it to the caller, or says why there is none.
    ///
    /// # Safety
    /// `output` is NULL or writable; `error` is NULL, or valid for writing `capacity` bytes.
    pub(super) unsafe fn from_making<T>(
        make: impl FnOnce() -> Result<T, ConfigError>,
        output: *mut *mut T,
        error: *mut c_char,
        capacity: usize,
    ) -> Self {
        if output.is_null() {
            return Self::NullPointer;
        }
        match make() {
            // SAFETY: this function's own contract.
            Ok(object) => Self::from_written(unsafe { put(output, give(object)) }),
            Err(refused) => {
                // SAFETY: this function's own contract.
                unsafe { say(error, capacity, &refused.to_string()) };
                Self::OutOfRange
            }
        }
    }
}

/// A number that stands for none of an enum's values.
pub(super) fn refused(field: &'static str, number: u32, range: &str) -> ConfigError {
    ConfigError { field, value: number.to_string(), range: range.to_owned() }
}

/// A status in words: static, terminated, never NULL; also for numbers that are no status.
#[unsafe(no_mangle)]
pub extern "C" fn tollgate_status_text(status: i32) -> *const c_char {
    guard(c"unknown status".as_ptr(), || {
        match status {
            0 => c"ok",
            1 => c"a pointer that must not be NULL is NULL",
            2 => c"a string is not UTF-8",
            3 => c"a value is out of range",
            4 => c"a limit of the engine leaves no room",
            5 => c"the principal's handle is stale: intern its name again",
            6 => c"a defect inside the library",
            7 => c"a file could not be read or written",
            8 => c"not a snapshot, or a damaged one: start empty",
            _ => c"unknown status",
        }
        .as_ptr()
    })
}

/// TOLLGATE_ABI_VERSION as the library at hand was built with; compare it with the header's on start.
#[unsafe(no_mangle)]
pub extern "C" fn tollgate_abi_version() -> u32 {
    guard(0, || TOLLGATE_ABI_VERSION)
}

/// The library's release, such as "0.1.0": static, terminated, never NULL.
#[unsafe(no_mangle)]
pub extern "C" fn tollgate_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    guard(c"".as_ptr(), || VERSION.as_ptr().cast())
}
