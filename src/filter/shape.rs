//! Sizes: from ids and a false-positive rate to blocks.
//!
//! A layer is a row of 512-bit blocks; an id has one bit in each of its block's eight 64-bit words. With `j` ids in a
//! block a new one finds its eight bits set with probability `(1 - (63/64)^j)^8`, and `j` varies from block to block
//! as a Poisson number around the mean load `m`. So a layer's rate is
//!
//! ```text
//! rate(m) = sum over j of  e^-m m^j / j!  (1 - (63/64)^j)^8
//! ```
//!
//! which is above the textbook formula at equal size: that one under-sizes blocked filters (B7). Putze, Sanders,
//! Singler, "Cache-, Hash- and Space-Efficient Bloom Filters" (2007), section 3, is the source of the sum.
//!
//! Shares: P is for the whole filter (S4). A layer period gets `p = 1 - (1-P)^(1/L)`, and its layers share that: the first
//! three quarters of it, the i-th growth layer `2^-(i+2)`, in sum less than one. So however often a period grows, L
//! periods stay within P.

/// 512 bits.
pub(crate) const BLOCK_BYTES: u64 = 64;
const WORDS: i32 = 8;
const WORD_BITS: f64 = 64.0;
/// The part of a period's rate that its first layer may use.
const FIRST_SHARE: f64 = 0.75;
/// The part of the largest layer that a principal may start with.
const START_PART: f64 = 1.0 / 8.0;
/// A block with this many ids has all its bits set but for one in 10^26.
const FULL_BLOCK: f64 = 64.0 * WORD_BITS;
/// Growth layers for which a load is computed; beyond (a millionfold), the last one's share is used.
const GROWTH_STEPS: usize = 21;

/// Rate of a layer whose blocks hold `load` ids on average.
pub(crate) fn rate_of_load(load: f64) -> f64 {
    if load <= 0.0 {
        return 0.0;
    }
    // Every bit is set; a restored snapshot may say any number, and the sum below has as many terms.
    if load > FULL_BLOCK {
        return 1.0;
    }
    let last = (load + 20.0 * load.sqrt() + 40.0) as u32;
    let mut rate = 0.0;
    // Kept as a logarithm: e^-m alone underflows for very full blocks.
    let mut ln_probability = -load;
    for ids in 0..=last {
        if ids > 0 {
            ln_probability += (load / f64::from(ids)).ln();
        }
        let missing = (1.0 - 1.0 / WORD_BITS).powi(ids as i32);
        rate += ln_probability.exp() * (1.0 - missing).powi(WORDS);
    }
    rate.min(1.0)
}

/// The largest mean load whose rate is at most `rate`; the inverse of [`rate_of_load`] by bisection.
fn load_of_rate(rate: f64) -> f64 {
    let (mut low, mut high) = (0.0, 8.0 * WORD_BITS);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if rate_of_load(middle) <= rate {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// Ids per block by growth step, where a layer period gets the rate `period`.
fn loads(period: f64) -> [f64; GROWTH_STEPS] {
    std::array::from_fn(|growth| {
        let share = if growth == 0 { FIRST_SHARE } else { 0.5f64.powi(growth as i32 + 2) };
        load_of_rate(period * share)
    })
}

/// As [`loads`], computed once a thread: a model makes an engine for each schedule.
#[cfg(tollgate_loom)]
fn loads_once(period: f64) -> [f64; GROWTH_STEPS] {
    thread_local! {
        static LAST: std::cell::Cell<Option<(f64, [f64; GROWTH_STEPS])>> = const { std::cell::Cell::new(None) };
    }
    let known = LAST.get().filter(|&(of, _)| of == period);
    let (_, loads) = known.unwrap_or_else(|| (period, loads(period)));
    LAST.set(Some((period, loads)));
    loads
}

/// The size of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Distinct ids it takes before it is full.
    pub(crate) capacity: u64,
    /// 512-bit blocks.
    pub(crate) blocks: u64,
    /// Its place in its period: 0 for the first, then 1, 2, ...
    pub(crate) growth: u32,
}

impl Shape {
    pub(crate) fn bytes(self) -> u64 {
        self.blocks.saturating_mul(BLOCK_BYTES)
    }
}

/// Sizes layers for one engine.
#[derive(Clone, Debug)]
pub(crate) struct Sizing {
    /// Ids per block, by growth step.
    loads: [f64; GROWTH_STEPS],
    /// No layer is larger than this, so that one layer never is the whole budget.
    most_blocks: u64,
    /// No principal starts with more than this, whatever its quota allows.
    most_at_start: u64,
}

impl Sizing {
    /// For a filter of `layers` periods with `rate` in all, no layer above `most_bytes`.
    pub(crate) fn new(rate: f64, layers: u32, most_bytes: u64) -> Self {
        let period = -((-rate).ln_1p() / f64::from(layers)).exp_m1();
        #[cfg(not(tollgate_loom))]
        let loads = loads(period);
        #[cfg(tollgate_loom)]
        let loads = loads_once(period);
        let most_blocks = (most_bytes / BLOCK_BYTES).max(1);
        let most_at_start = ((most_blocks as f64 * START_PART * loads[0]) as u64).max(1);
        Self { loads, most_blocks, most_at_start }
    }

    /// A layer for at least `capacity` ids, or the largest allowed one.
    pub(crate) fn shape(&self, capacity: u64, growth: u32) -> Shape {
        let load = self.loads[(growth as usize).min(GROWTH_STEPS - 1)];
        let blocks = ((capacity.max(1) as f64 / load).ceil() as u64).clamp(1, self.most_blocks);
        // What the whole blocks hold; a load under one id per block still takes one.
        let holds = ((blocks as f64 * load) as u64).max(1);
        Shape { capacity: holds, blocks, growth }
    }

    /// S5: where a principal under `rate_per_hour` starts: its ids of one layer period, at least 1, and at most an eighth of
    /// the largest layer. A quota may be far above what is used ("a billion: no limit"), and what it would take must not
    /// push out what others have recorded; a principal that does use it grows.
    pub(crate) fn start_capacity(&self, rate_per_hour: Option<f64>, window_ms: u64, layers: u32) -> u64 {
        let hours = window_ms as f64 / 3_600_000.0;
        rate_per_hour
            .map_or(1, |rate| ((rate * hours / f64::from(layers)).ceil() as u64).clamp(1, self.most_at_start))
    }

    /// S5: the capacity a new period starts with: `start` doubled until it holds `needed`. On this grid growth adds up:
    /// layers alive stay within L + log2(peak/start) + 1.
    pub(crate) fn grid_capacity(start: u64, needed: u64) -> u64 {
        let mut capacity = start.max(1);
        while capacity < needed {
            capacity = capacity.saturating_mul(2);
        }
        capacity
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizing(rate: f64, layers: u32) -> Sizing {
        Sizing::new(rate, layers, u64::MAX)
    }

    #[test]
    fn s4_all_layers_together_stay_within_the_rate() {
        for rate in [0.5, 0.05, 0.01, 0.001, 0.0001, 1e-6] {
            for layers in [3, 4, 8, 16, 64] {
                let sizing = sizing(rate, layers);
                for first in [1u64, 25, 250, 250_000] {
                    let mut passes = 1.0;
                    for _ in 0..layers {
                        for growth in 0..12 {
                            let shape = sizing.shape(first << growth, growth);
                            passes *= 1.0 - rate_of_load(shape.capacity as f64 / shape.blocks as f64);
                        }
                    }
                    assert!(1.0 - passes <= rate * (1.0 + 1e-9), "P {rate}, L {layers}: {}", 1.0 - passes);
                }
            }
        }
    }

    #[test]
    fn b4_ten_million_ids_get_at_least_the_textbook_size() {
        // One layer at 0.001: the textbook says 143,775,876 bits.
        let load = load_of_rate(0.001);
        assert!((1e7 / load).ceil() * 512.0 >= 143_775_876.0);
    }

    #[test]
    fn b7_a_layer_sized_for_a_rate_has_that_rate() {
        for rate in [0.1, 0.01, 0.001, 0.0001] {
            let load = load_of_rate(rate);
            assert!(rate_of_load(load) <= rate);
            assert!(rate_of_load(load * 1.01) > rate);
        }
    }

    #[test]
    fn bytes_per_id_meet_the_target() {
        // design.md section 7: at most 2.8 bytes per id and layer at P = 0.001, L = 4.
        let shape = sizing(0.001, 4).shape(250_000, 0);
        let bytes = shape.bytes() as f64 / shape.capacity as f64;
        assert!(bytes <= 2.8, "{bytes}");
    }

    #[test]
    fn s5_start_capacity_multiplies_by_the_window() {
        let start = |rate, window_ms| sizing(0.001, 4).start_capacity(rate, window_ms, 4);
        assert_eq!(start(Some(1000.0), 3_600_000), 250);
        assert_eq!(start(Some(100.0), 3_600_000), 25);
        assert_eq!(start(Some(1000.0), 7_200_000), 500);
        assert_eq!(start(Some(1.0), 3_600_000), 1);
        assert_eq!(start(Some(0.5), 3_600_000), 1);
        assert_eq!(start(None, 3_600_000), 1);
    }

    #[test]
    fn s5_no_quota_starts_with_more_than_an_eighth_of_the_largest_layer() {
        let sizing = Sizing::new(0.001, 4, 8 << 20);
        for rate in [1e9, 1e300, f64::MAX] {
            let start = sizing.start_capacity(Some(rate), 3_600_000, 4);
            assert!(sizing.shape(start, 0).bytes() <= 1 << 20);
            assert!(start > 390_000, "{start}");
        }
    }

    #[test]
    fn a_load_beyond_all_measure_has_rate_one_at_once() {
        assert!(rate_of_load(FULL_BLOCK) > 0.999_999_9);
        assert_eq!(rate_of_load(u64::MAX as f64), 1.0);
        assert_eq!(rate_of_load(f64::INFINITY), 1.0);
    }

    #[test]
    fn b9_b10_no_capacity_is_zero() {
        let shape = sizing(0.001, 4).shape(0, 0);
        assert!(shape.capacity >= 1 && shape.blocks == 1);
        let strict = sizing(1e-6, 64).shape(1, 20);
        assert!(strict.capacity >= 1);
    }

    #[test]
    fn s5_grid_doubles_until_it_fits() {
        assert_eq!(Sizing::grid_capacity(25, 25), 25);
        assert_eq!(Sizing::grid_capacity(25, 26), 50);
        assert_eq!(Sizing::grid_capacity(25, 10_000), 12_800);
        assert_eq!(Sizing::grid_capacity(u64::MAX, 5), u64::MAX);
        assert_eq!(Sizing::grid_capacity(3, u64::MAX), u64::MAX);
    }
}
