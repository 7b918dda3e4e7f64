//! What is tried on a trace.

use serde::Serialize;
use tollgate::{Config, ConfigError, Quota};

/// More than any trace needs: a replay reports what a setting takes and does not cut it short.
const MEMORY_BYTES: u64 = 1 << 40;

/// One setting of the engine, of which all principals have the same quota. In JSON as it stands here.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Setting {
    /// New producer IDs per hour and principal; none: nothing is throttled, all is counted.
    pub rate_per_hour: Option<f64>,
    /// How long an ID is remembered at most, milliseconds.
    pub window_ms: u64,
    /// The steps in which the window forgets.
    pub layers: u32,
    /// Share of new IDs that pass uncharged.
    pub false_positive_rate: f64,
    /// Share of a window's worth that may come at once.
    pub burst: f64,
}

impl Default for Setting {
    /// The engine's defaults, and no quota.
    fn default() -> Self {
        Self { rate_per_hour: None, window_ms: 3_600_000, layers: 4, false_positive_rate: 0.001, burst: 1.0 }
    }
}

impl Setting {
    /// For an engine of at most `principals`.
    ///
    /// # Errors
    /// The first field out of its range, in the engine's words.
    pub fn config(&self, principals: u32, seed: u64) -> Result<Config, ConfigError> {
        // Without a rate a burst that is out of range is to be refused as well.
        let quota = Quota::per_hour(self.rate_per_hour.unwrap_or(1.0), self.burst)?;
        Config::builder()
            .window_ms(self.window_ms)
            .layers(self.layers)
            .false_positive_rate(self.false_positive_rate)
            .default_quota(self.rate_per_hour.map(|_| quota))
            .max_principals(principals)
            .max_memory_bytes(MEMORY_BYTES)
            .seed(seed)
            .build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_out_of_range_is_refused_in_the_engines_words() {
        let refused = |setting: Setting| setting.config(1, 0).unwrap_err().to_string();
        let setting = Setting::default;
        assert_eq!(refused(Setting { layers: 2, ..setting() }), "layers = 2: must be 3 to 64");
        assert_eq!(
            refused(Setting { rate_per_hour: Some(0.0), ..setting() }),
            "quota = 0: must be a finite number above 0 (new ids per hour)"
        );
        assert_eq!(
            refused(Setting { burst: 2.0, ..setting() }),
            "burst = 2: must be 0 to 1 (share of a window's worth)"
        );
        assert_eq!(setting().config(1, 0).unwrap().default_quota(), None);
    }
}
