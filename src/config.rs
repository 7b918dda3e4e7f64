//! The settings of an engine, checked once when it is built.
//!
//! Every limit the engine keeps (S8) is set here. A refused value is named with its field, its value and the range
//! that would be accepted; the JVM and C doors hand the same words on.

use crate::quota::{Limiter, Quota, Terms};
use std::fmt;

/// Shortest window: a second.
pub const MIN_WINDOW_MS: u64 = 1_000;
/// Longest window: thirty days.
pub const MAX_WINDOW_MS: u64 = 30 * 24 * 3_600_000;
/// With two layers every recurring id stands in both; three is the least that forgets in steps.
pub const MIN_LAYERS: u32 = 3;
/// Most layers.
pub const MAX_LAYERS: u32 = 64;
/// Smallest false-positive rate.
pub const MIN_FALSE_POSITIVE_RATE: f64 = 1e-6;
/// Largest false-positive rate.
pub const MAX_FALSE_POSITIVE_RATE: f64 = 0.5;
/// Longest retry time: a day.
pub const MAX_THROTTLE_MS: u32 = 24 * 3_600_000;
/// Most principals.
pub const MAX_PRINCIPALS: u32 = 1_000_000;
/// Least memory: one mebibyte.
#[cfg(not(tollgate_loom))]
pub const MIN_MEMORY_BYTES: u64 = 1 << 20;
/// Under a model checker two kibibytes, so that a few calls fill it.
#[cfg(tollgate_loom)]
pub const MIN_MEMORY_BYTES: u64 = 1 << 11;
/// Most memory: one tebibyte.
pub const MAX_MEMORY_BYTES: u64 = 1 << 40;
/// What the registry costs for each principal it could hold, held or not: its slot and its place in the free queue (32), a
/// counter in each of twelve rows (96), its place in the map of names, which does not shrink (up to 20), and what allocators
/// round up.
pub(crate) const BYTES_PER_PRINCIPAL_SLOT: u64 = 160;
/// What an engine costs besides: itself, its maps while they are empty, what they keep for threads that read them.
#[cfg(not(tollgate_loom))]
pub(crate) const BYTES_PER_ENGINE: u64 = 48 << 10;
/// As [`MIN_MEMORY_BYTES`], smaller under a model checker.
#[cfg(tollgate_loom)]
pub(crate) const BYTES_PER_ENGINE: u64 = 1 << 10;

/// A setting that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// The builder's method.
    pub field: &'static str,
    /// The value given.
    pub value: String,
    /// What would have been accepted, with its unit.
    pub range: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}: must be {}", self.field, self.value, self.range)
    }
}

impl std::error::Error for ConfigError {}

/// Checked settings. Made by [`Config::builder`].
#[derive(Clone, Debug)]
pub struct Config {
    window_ms: u64,
    layers: u32,
    false_positive_rate: f64,
    default_quota: Option<Quota>,
    limiter: Limiter,
    max_throttle_ms: u32,
    max_principals: u32,
    max_memory_bytes: u64,
    seed: u64,
}

impl Config {
    /// A builder with the defaults of its methods' docs.
    #[must_use]
    pub fn builder() -> ConfigBuilder {
        ConfigBuilder::default()
    }

    /// W: how long an id is remembered at most, milliseconds.
    #[must_use]
    pub fn window_ms(&self) -> u64 {
        self.window_ms
    }

    /// L: the steps in which the window forgets.
    #[must_use]
    pub fn layers(&self) -> u32 {
        self.layers
    }

    /// W/L rounded up, milliseconds.
    #[must_use]
    pub fn layer_period_ms(&self) -> u64 {
        self.window_ms.div_ceil(u64::from(self.layers))
    }

    /// P: the share of never-seen ids that may be called Known, over all layers together.
    #[must_use]
    pub fn false_positive_rate(&self) -> f64 {
        self.false_positive_rate
    }

    /// The quota of principals without one of their own.
    #[must_use]
    pub fn default_quota(&self) -> Option<Quota> {
        self.default_quota
    }

    /// What enforces the quotas.
    #[must_use]
    pub fn limiter(&self) -> Limiter {
        self.limiter
    }

    pub(crate) fn terms(&self) -> Terms {
        Terms { limiter: self.limiter, window_ms: self.window_ms }
    }

    /// Longest retry time, milliseconds.
    #[must_use]
    pub fn max_throttle_ms(&self) -> u32 {
        self.max_throttle_ms
    }

    /// Principals held at once; the rest share one overflow gate.
    #[must_use]
    pub fn max_principals(&self) -> u32 {
        self.max_principals
    }

    /// Bytes held at once.
    #[must_use]
    pub fn max_memory_bytes(&self) -> u64 {
        self.max_memory_bytes
    }

    pub(crate) fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }
}

/// Builds a [`Config`].
#[derive(Clone, Debug)]
pub struct ConfigBuilder {
    window_ms: u64,
    layers: u32,
    false_positive_rate: f64,
    default_quota: Option<Quota>,
    limiter: Limiter,
    max_throttle_ms: u32,
    max_principals: u32,
    max_memory_bytes: u64,
    seed: Option<u64>,
}

impl Default for ConfigBuilder {
    fn default() -> Self {
        Self {
            window_ms: 3_600_000,
            layers: 4,
            false_positive_rate: 0.001,
            default_quota: None,
            limiter: Limiter::TokenBucket,
            max_throttle_ms: 30_000,
            max_principals: 10_000,
            max_memory_bytes: 64 << 20,
            seed: None,
        }
    }
}

impl ConfigBuilder {
    /// The window W in milliseconds; default 3,600,000.
    #[must_use]
    pub fn window_ms(mut self, window_ms: u64) -> Self {
        self.window_ms = window_ms;
        self
    }

    /// The layer count L; default 4.
    #[must_use]
    pub fn layers(mut self, layers: u32) -> Self {
        self.layers = layers;
        self
    }

    /// The false-positive rate P of the whole filter; default 0.001.
    #[must_use]
    pub fn false_positive_rate(mut self, rate: f64) -> Self {
        self.false_positive_rate = rate;
        self
    }

    /// The quota of principals without one of their own; default none: nothing is throttled, all is counted.
    #[must_use]
    pub fn default_quota(mut self, quota: Option<Quota>) -> Self {
        self.default_quota = quota;
        self
    }

    /// What enforces the quotas, the default one and those of names; default a token bucket. A quota's burst chooses between
    /// bursts and even spacing under each.
    #[must_use]
    pub fn limiter(mut self, limiter: Limiter) -> Self {
        self.limiter = limiter;
        self
    }

    /// The longest retry time handed out, in milliseconds; default 30,000.
    #[must_use]
    pub fn max_throttle_ms(mut self, max_throttle_ms: u32) -> Self {
        self.max_throttle_ms = max_throttle_ms;
        self
    }

    /// Principals held at once; default 10,000.
    #[must_use]
    pub fn max_principals(mut self, max_principals: u32) -> Self {
        self.max_principals = max_principals;
        self
    }

    /// Bytes held at once; default 64 MiB.
    #[must_use]
    pub fn max_memory_bytes(mut self, max_memory_bytes: u64) -> Self {
        self.max_memory_bytes = max_memory_bytes;
        self
    }

    /// The secret hash seed; required, from the host's source of randomness. Who knows it can make ids that collide.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Checks every field.
    ///
    /// # Errors
    /// The first field out of its range.
    pub fn build(self) -> Result<Config, ConfigError> {
        within("window_ms", self.window_ms, MIN_WINDOW_MS, MAX_WINDOW_MS, " (milliseconds)")?;
        within("layers", self.layers, MIN_LAYERS, MAX_LAYERS, "")?;
        within(
            "false_positive_rate",
            Double(self.false_positive_rate),
            Double(MIN_FALSE_POSITIVE_RATE),
            Double(MAX_FALSE_POSITIVE_RATE),
            "",
        )?;
        within("max_throttle_ms", self.max_throttle_ms, 1, MAX_THROTTLE_MS, " (milliseconds)")?;
        within("max_memory_bytes", self.max_memory_bytes, MIN_MEMORY_BYTES, MAX_MEMORY_BYTES, " (bytes)")?;
        let affordable =
            (self.max_memory_bytes / 4 / BYTES_PER_PRINCIPAL_SLOT).min(u64::from(MAX_PRINCIPALS));
        within(
            "max_principals",
            u64::from(self.max_principals),
            1,
            affordable,
            &format!(" (under max_memory_bytes = {})", self.max_memory_bytes),
        )?;
        let Some(seed) = self.seed else {
            return Err(ConfigError {
                field: "seed",
                value: "unset".to_owned(),
                range: "set to a secret random 64-bit number".to_owned(),
            });
        };
        Ok(Config {
            window_ms: self.window_ms,
            layers: self.layers,
            false_positive_rate: self.false_positive_rate,
            default_quota: self.default_quota,
            limiter: self.limiter,
            max_throttle_ms: self.max_throttle_ms,
            max_principals: self.max_principals,
            max_memory_bytes: self.max_memory_bytes,
            seed,
        })
    }
}

/// A double as a message shows it: one of three hundred digits would push the range out of it.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub(crate) struct Double(pub(crate) f64);

impl fmt::Display for Double {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.0;
        if value == 0.0 || !value.is_finite() || (1e-6..1e16).contains(&value.abs()) {
            write!(f, "{value}")
        } else {
            write!(f, "{value:e}")
        }
    }
}

/// Refuses NaN too: it is within nothing.
fn within<T: Copy + PartialOrd + fmt::Display>(
    field: &'static str,
    value: T,
    least: T,
    most: T,
    unit: &str,
) -> Result<(), ConfigError> {
    if value >= least && value <= most {
        return Ok(());
    }
    Err(ConfigError { field, value: value.to_string(), range: format!("{least} to {most}{unit}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(builder: ConfigBuilder) -> String {
        builder.build().expect_err("out of range").to_string()
    }

    #[test]
    fn defaults_are_the_kips() {
        let config = Config::builder().seed(1).build().unwrap();
        assert_eq!(
            (config.window_ms(), config.layers(), config.false_positive_rate()),
            (3_600_000, 4, 0.001)
        );
        assert_eq!(config.layer_period_ms(), 900_000);
    }

    #[test]
    fn each_field_is_named_with_value_and_range() {
        let b = || Config::builder().seed(1);
        assert_eq!(refused(b().window_ms(5)), "window_ms = 5: must be 1000 to 2592000000 (milliseconds)");
        assert_eq!(refused(b().layers(2)), "layers = 2: must be 3 to 64");
        assert_eq!(refused(b().layers(65)), "layers = 65: must be 3 to 64");
        assert_eq!(
            refused(b().max_throttle_ms(0)),
            "max_throttle_ms = 0: must be 1 to 86400000 (milliseconds)"
        );
        assert_eq!(
            refused(b().max_memory_bytes(1)),
            "max_memory_bytes = 1: must be 1048576 to 1099511627776 (bytes)"
        );
        assert_eq!(
            refused(b().max_principals(0)),
            "max_principals = 0: must be 1 to 104857 (under max_memory_bytes = 67108864)"
        );
        assert_eq!(refused(Config::builder()), "seed = unset: must be set to a secret random 64-bit number");
    }

    #[test]
    fn extreme_doubles_are_shown_short() {
        assert_eq!(
            refused(Config::builder().seed(1).false_positive_rate(1e-300)),
            "false_positive_rate = 1e-300: must be 0.000001 to 0.5"
        );
        let said = Quota::per_hour(-1.5e300, 1.0).unwrap_err().to_string();
        assert_eq!(said, "quota = -1.5e300: must be a finite number above 0 (new ids per hour)");
    }

    #[test]
    fn b8_false_positive_rates_that_mean_nothing_are_refused() {
        for (rate, shown) in
            [(2.0, "2"), (0.0, "0"), (-0.5, "-0.5"), (f64::NAN, "NaN"), (f64::INFINITY, "inf")]
        {
            assert_eq!(
                refused(Config::builder().seed(1).false_positive_rate(rate)),
                format!("false_positive_rate = {shown}: must be 0.000001 to 0.5")
            );
        }
    }
}
