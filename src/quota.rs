//! How many new ids an hour, and what keeps it.
//!
//! Contract: S12 (shape). The gate that keeps a quota stands in src/gate.rs, the limiters in src/rate.

use crate::config::{ConfigError, Double};

/// What enforces the quotas of an engine, and with that what a burst means.
///
/// Both let as many through at once as [`Quota::capacity`] says, and on the mean no more than the quota's rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Limiter {
    /// Tokens come at the rate, up to the capacity: after an idle time a burst, and at once the rate again. A window may see
    /// a capacity more than its rate.
    #[default]
    TokenBucket,
    /// At most a capacity in any stretch of time in which that many come at the rate: with a burst of 1, at most a window's
    /// worth in any window. What comes evenly and is
    /// asked all the time gets eight ninths of the rate at least.
    Windowed,
}

/// How a gate makes its limiters.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    pub(crate) limiter: Limiter,
    pub(crate) window_ms: u64,
}

/// New ids per hour, and how many of them may come at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quota {
    per_hour: f64,
    burst: f64,
}

impl Quota {
    /// `rate` new ids per hour; fractions work (0.5 is one every two hours). `burst` is the share of a window's
    /// worth that may come at once: 1 all of it (Kafka's habit), 0 one at a time, evenly spaced.
    ///
    /// # Errors
    /// A rate that is not finite and above 0, a burst outside 0 to 1.
    pub fn per_hour(rate: f64, burst: f64) -> Result<Self, ConfigError> {
        if !(rate.is_finite() && rate > 0.0) {
            return Err(ConfigError {
                field: "quota",
                value: Double(rate).to_string(),
                range: "a finite number above 0 (new ids per hour)".to_owned(),
            });
        }
        if !(0.0..=1.0).contains(&burst) {
            return Err(ConfigError {
                field: "burst",
                value: Double(burst).to_string(),
                range: "0 to 1 (share of a window's worth)".to_owned(),
            });
        }
        Ok(Self { per_hour: rate, burst })
    }

    /// New ids per hour.
    #[must_use]
    pub fn rate_per_hour(&self) -> f64 {
        self.per_hour
    }

    /// The share of a window's worth that may come at once.
    #[must_use]
    pub fn burst(&self) -> f64 {
        self.burst
    }

    /// Ids that may come at once under a window: at least 1.
    #[must_use]
    pub fn capacity(&self, window_ms: u64) -> f64 {
        (self.per_hour * (window_ms as f64 / 3_600_000.0) * self.burst).clamp(1.0, f64::MAX)
    }
}

/// Where a principal's quota comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Source {
    /// The engine's default, in the version that was copied.
    Default { version: u64 },
    /// Set for this principal.
    Own,
}

impl Source {
    /// A default that was replaced since it was read must not come back.
    pub(crate) fn is_older_than(self, held: Self) -> bool {
        matches!((self, held), (Self::Default { version: new }, Self::Default { version: held }) if new < held)
    }
}

/// The engine's default quota; the version tells principals that they hold an old one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DefaultQuota {
    pub(crate) quota: Option<Quota>,
    pub(crate) version: u64,
    /// When it was set: the old refill ends there, however late a principal notices.
    pub(crate) since_ms: u64,
}

impl DefaultQuota {
    /// The quota of a name: its own, if one is set, or this.
    pub(crate) fn unless(&self, own: Option<Option<Quota>>) -> (Option<Quota>, Source) {
        match own {
            Some(quota) => (quota, Source::Own),
            None => (self.quota, Source::Default { version: self.version }),
        }
    }
}

#[cfg(all(test, not(tollgate_loom)))]
mod tests {
    use super::*;

    #[test]
    fn s12_refused_rates_are_named() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let said = Quota::per_hour(rate, 1.0).unwrap_err().to_string();
            assert_eq!(said, format!("quota = {rate}: must be a finite number above 0 (new ids per hour)"));
        }
        for burst in [-0.1, 1.1, f64::NAN] {
            let said = Quota::per_hour(1.0, burst).unwrap_err().to_string();
            assert_eq!(said, format!("burst = {burst}: must be 0 to 1 (share of a window's worth)"));
        }
    }
}
