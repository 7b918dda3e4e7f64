//! What a filter of some size takes, before there is one.

use crate::config::Config;
use crate::filter::{rate_of_load, Sizing};

/// The size of one principal's filter under a [`Config`], once it is past the exact set of 64 ids. What an engine really
/// holds is in its [`Stats`](crate::Stats).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FilterSize {
    /// Ids that one layer takes, at least those asked for.
    pub layer_pids: u64,
    /// Bits of one layer.
    pub layer_bits: u64,
    /// Bytes of one layer's bits.
    pub layer_bytes: u64,
    /// Layers held at once: L, and the one kept to count ghosts.
    pub layers: u64,
    /// Bytes of all of them.
    pub bytes: u64,
    /// The share of never-seen ids called Known with L full layers; at most the config's.
    pub false_positive_rate: f64,
}

impl Config {
    /// The filter that remembers `pids` ids at once, spread evenly over a window. Not cut to `max_memory_bytes`: compare.
    ///
    /// Source: the sum over blocks in src/filter/shape.rs; docs/sizing.md holds the same numbers, measured.
    #[must_use]
    pub fn size_of_filter(&self, pids: u64) -> FilterSize {
        let layers = self.layers();
        let sizing = Sizing::new(self.false_positive_rate(), layers, u64::MAX);
        let shape = sizing.shape(pids.div_ceil(u64::from(layers)), 0);
        let passes = 1.0 - rate_of_load(shape.capacity as f64 / shape.blocks as f64);
        let held = u64::from(layers) + 1;
        FilterSize {
            layer_pids: shape.capacity,
            layer_bits: shape.bytes().saturating_mul(8),
            layer_bytes: shape.bytes(),
            layers: held,
            bytes: shape.bytes().saturating_mul(held),
            false_positive_rate: 1.0 - passes.powi(layers as i32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thousand_ids_an_hour() {
        let config = Config::builder().seed(1).build().unwrap();
        let size = config.size_of_filter(1000);
        assert!((250..275).contains(&size.layer_pids), "{size:?}");
        assert_eq!((size.layers, size.layer_bits), (5, size.layer_bytes * 8));
        assert_eq!(size.bytes, 5 * size.layer_bytes);
        assert!(size.layer_bytes as f64 <= 2.8 * size.layer_pids as f64, "{size:?}");
        assert!(size.false_positive_rate > 0.0005 && size.false_positive_rate <= 0.001, "{size:?}");
    }

    #[test]
    fn b9_the_ends_are_legal() {
        let config = Config::builder().seed(1).layers(64).false_positive_rate(1e-6).build().unwrap();
        assert!(config.size_of_filter(0).layer_pids >= 1);
        assert_eq!(config.size_of_filter(u64::MAX).bytes, u64::MAX);
    }
}
