//! The panic boundary, and every step between a caller's pointer and a Rust reference.
//!
//! Contract: nothing here allocates for the caller, and nothing unwinds out of [`guard`].

use std::mem::{self, MaybeUninit};
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::{ptr, slice, str};

/// Runs `call`; a panic inside becomes `on_panic`.
///
/// The engine stays usable: it holds no lock across user code and each of its steps is one atomic operation, so a call
/// that ends early leaves what another thread might have seen at that moment anyway.
#[inline(always)]
pub(crate) fn guard<T>(on_panic: T, call: impl FnOnce() -> T) -> T {
    let call = || {
        #[cfg(feature = "inject-panics")]
        super::inject::panic_if_asked();
        call()
    };
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(value) => value,
        Err(payload) => {
            // Dropping a payload may panic again, and this time nobody would catch it; a defect may leak.
            mem::forget(payload);
            on_panic
        }
    }
}

/// The object behind a caller's pointer; `None` for NULL.
///
/// # Safety
/// `object` is NULL, or points to a live `T` that nobody has exclusive access to during `'a`.
#[inline(always)]
pub(crate) unsafe fn shared<'a, T>(object: *const T) -> Option<&'a T> {
    // SAFETY: this function's own contract is the one that `as_ref` asks for.
    unsafe { object.as_ref() }
}

/// As [`shared`], for objects that one thread at a time changes.
///
/// # Safety
/// `object` is NULL, or points to a live `T` that nobody else has access to during `'a`.
pub(crate) unsafe fn exclusive<'a, T>(object: *mut T) -> Option<&'a mut T> {
    // SAFETY: this function's own contract is the one that `as_mut` asks for.
    unsafe { object.as_mut() }
}

/// One call that can't fail: `otherwise` for NULL and after a panic.
///
/// # Safety
/// As for [`shared`], for as long as the call runs.
#[inline(always)]
pub(crate) unsafe fn ask<T, A: Copy>(object: *const T, otherwise: A, call: impl FnOnce(&T) -> A) -> A {
    // SAFETY: this function's own contract.
    guard(otherwise, || unsafe { shared(object) }.map_or(otherwise, call))
}

/// Hands an object to the caller, who owns it until [`take`].
pub(crate) fn give<T>(object: T) -> *mut T {
    Box::into_raw(Box::new(object))
}

/// Takes an object back and drops it; NULL does nothing.
///
/// # Safety
/// `object` is NULL, or came from [`give`], was not taken yet, and nobody uses it any more.
pub(crate) unsafe fn take<T>(object: *mut T) {
    if !object.is_null() {
        // SAFETY: not NULL, so by this function's contract it came from `Box::into_raw` and is ours alone.
        drop(unsafe { Box::from_raw(object) });
    }
}

/// Writes an output; false, and nothing written, for NULL.
///
/// # Safety
/// `output` is NULL, or valid for writing one `T` and aligned for it.
pub(crate) unsafe fn put<T>(output: *mut T, value: T) -> bool {
    if output.is_null() {
        return false;
    }
    // SAFETY: not NULL, so by this function's contract valid for one write; what was there is plain data, not dropped.
    unsafe { ptr::write(output, value) };
    true
}

/// What is wrong with a caller's string.
pub(crate) enum Unreadable {
    /// NULL with a length above 0.
    Null,
    NotUtf8,
    /// Longer than any object can be.
    TooLong,
}

/// A caller's string, `length` bytes of UTF-8 without a terminator. NULL with length 0 is the empty string.
///
/// # Safety
/// `text` is NULL, or valid for reading `length` bytes that nobody writes during `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char, length: usize) -> Result<&'a str, Unreadable> {
    // SAFETY: this function's own contract.
    let bytes = unsafe { bytes(text.cast(), length) }?;
    str::from_utf8(bytes).map_err(|_| Unreadable::NotUtf8)
}

/// A caller's bytes. NULL with length 0 is none.
///
/// # Safety
/// `bytes` is NULL, or valid for reading `length` bytes that nobody writes during `'a`.
pub(crate) unsafe fn bytes<'a>(bytes: *const u8, length: usize) -> Result<&'a [u8], Unreadable> {
    if length == 0 {
        return Ok(&[]);
    }
    if bytes.is_null() {
        return Err(Unreadable::Null);
    }
    if length > isize::MAX as usize {
        return Err(Unreadable::TooLong);
    }
    // SAFETY: not NULL and not longer than isize::MAX, so by this function's contract valid for `length` bytes.
    Ok(unsafe { slice::from_raw_parts(bytes, length) })
}

/// A caller's places for `capacity` values; `None` for NULL with a capacity above 0, or for more than any object can hold.
///
/// # Safety
/// `places` is NULL, or aligned and valid for writing `capacity` values, and nobody else uses it during `'a`.
pub(crate) unsafe fn writable<'a, T>(places: *mut T, capacity: usize) -> Option<&'a mut [MaybeUninit<T>]> {
    if capacity == 0 {
        return Some(&mut []);
    }
    if places.is_null() || capacity > isize::MAX as usize / size_of::<T>().max(1) {
        return None;
    }
    // SAFETY: not NULL and not larger than any object, so by this function's contract `capacity` places that are ours; they
    // need not hold values yet.
    Some(unsafe { slice::from_raw_parts_mut(places.cast(), capacity) })
}

/// Writes `message` and a terminating zero into a caller's buffer, cut at a character where it doesn't fit. NULL or no
/// capacity: nothing is written.
///
/// # Safety
/// `buffer` is NULL, or valid for writing `capacity` bytes.
pub(crate) unsafe fn say(buffer: *mut c_char, capacity: usize, message: &str) {
    if buffer.is_null() || capacity == 0 {
        return;
    }
    let mut end = message.len().min(capacity - 1);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    // SAFETY: `end` is at most `message.len()` and at most `capacity - 1`, so both the bytes and the zero after them lie
    // within what this function's contract makes writable; a Rust string and a caller's buffer can't overlap.
    unsafe {
        ptr::copy_nonoverlapping(message.as_ptr(), buffer.cast::<u8>(), end);
        buffer.add(end).write(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(capacity: usize, message: &str) -> Vec<u8> {
        let mut buffer = vec![0x7f_u8; 8];
        assert!(capacity <= buffer.len());
        // SAFETY: `capacity` is at most the buffer's length.
        unsafe { say(buffer.as_mut_ptr().cast(), capacity, message) };
        buffer
    }

    #[test]
    fn a_panic_becomes_the_answer_for_one() {
        assert_eq!(guard(7, || 1), 1);
        assert_eq!(guard(7, || panic!("expected by this test")), 7);
    }

    #[test]
    fn a_payload_that_panics_when_dropped_does_not_escape() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("dropped");
            }
        }
        assert_eq!(guard(7, || std::panic::panic_any(Bomb)), 7);
    }

    #[test]
    fn messages_are_cut_at_a_character_and_always_terminated() {
        assert_eq!(said(8, "abc")[..4], *b"abc\0");
        assert_eq!(said(3, "abc"), *b"ab\0\x7f\x7f\x7f\x7f\x7f");
        assert_eq!(said(3, "aé")[..2], *b"a\0", "é does not fit whole");
        assert_eq!(said(1, "abc")[..2], *b"\0\x7f");
        assert_eq!(said(0, "abc")[0], 0x7f);
    }

    #[test]
    fn strings_are_checked_before_they_are_read() {
        // SAFETY: NULL, or a literal with its own length; the huge length is refused before anything is read.
        unsafe {
            assert!(matches!(text(ptr::null(), 0), Ok("")));
            assert!(matches!(text(ptr::null(), 1), Err(Unreadable::Null)));
            assert!(matches!(text(b"a\xff".as_ptr().cast(), 2), Err(Unreadable::NotUtf8)));
            assert!(matches!(text(b"ok".as_ptr().cast(), 2), Ok("ok")));
            assert!(matches!(text(b"ok".as_ptr().cast(), usize::MAX), Err(Unreadable::TooLong)));
            assert!(writable(ptr::null_mut::<u32>(), 0).is_some_and(|places| places.is_empty()));
            assert!(writable(ptr::null_mut::<u32>(), 1).is_none());
            assert!(writable(ptr::dangling_mut::<u32>(), usize::MAX / 4).is_none());
        }
    }
}
