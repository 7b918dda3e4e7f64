//! What a filter takes, before there is one.

use super::boundary::{guard, put, say, shared};
use super::config::tollgate_config;
use super::status::tollgate_status;
use crate::FilterSize;
use std::os::raw::c_char;

/// The size of one principal's filter, once it is past the exact set of 64 PIDs.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct tollgate_filter_size {
    /// PIDs that one layer takes.
    pub layer_pids: u64,
    /// Bits of one layer.
    pub layer_bits: u64,
    /// Bytes of one layer.
    pub layer_bytes: u64,
    /// Layers held at once, with the one kept to count ghosts.
    pub layers: u64,
    /// Bytes of all layers.
    pub bytes: u64,
    /// Share of never-seen PIDs that would be called Known with all layers full.
    pub false_positive_rate: f64,
}

impl From<FilterSize> for tollgate_filter_size {
    fn from(size: FilterSize) -> Self {
        Self {
            layer_pids: size.layer_pids,
            layer_bits: size.layer_bits,
            layer_bytes: size.layer_bytes,
            layers: size.layers,
            bytes: size.bytes,
            false_positive_rate: size.false_positive_rate,
        }
    }
}

/// The filter that remembers `pids` PIDs at once under these settings, spread evenly over a window. Settings are checked as in
/// tollgate_engine_new.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tollgate_config_size(
    config: *const tollgate_config,
    pids: u64,
    size: *mut tollgate_filter_size,
    error: *mut c_char,
    error_capacity: usize,
) -> tollgate_status {
    guard(tollgate_status::Fault, || {
        // SAFETY: NULL or live, by the caller's promise.
        let Some(config) = (unsafe { shared(config) }) else {
            return tollgate_status::NullPointer;
        };
        match config.builder().build() {
            Ok(config) => {
                let filter = config.size_of_filter(pids).into();
                // SAFETY: NULL or writable, by the caller's promise.
                tollgate_status::from_written(unsafe { put(size, filter) })
            }
            Err(refused) => {
                // SAFETY: NULL or writable, by the caller's promise.
                unsafe { say(error, error_capacity, &refused.to_string()) };
                tollgate_status::OutOfRange
            }
        }
    })
}
