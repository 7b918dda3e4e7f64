//! A trace's course under several settings at once: each sight is asked of each setting's engine, and judged by the exact set
//! beside them. No file, no clock: the time is the trace's.
//!
//! Memory: the IDs seen within the longest window and its layer period (`exact`), each engine's own, and a hundred bytes or so
//! for each principal and setting.

use super::exact::{Exact, MOST_SETTINGS};
use super::lane::{Lane, Met};
pub use super::outcome::{Outcome, Throttled};
pub use super::over_time::Point;
pub use super::setting::Setting;

/// See the module's head.
pub struct Course {
    exact: Exact,
    lanes: Vec<Lane>,
    /// By the principals' numbers; none yet for one that was not seen.
    names: Vec<Box<str>>,
    latest_ms: u64,
    /// The longest pause after which an ID came back, of those shorter than `horizon_ms`.
    longest_pause_ms: u64,
    /// The longest window and its layer period.
    horizon_ms: u64,
    /// How long a partition keeps a silent ID; 0: there is none that keeps any.
    expiration_ms: u64,
}

impl Course {
    /// Begins with engines that know nobody. `seed` mixes the IDs; the same gives the same answers.
    ///
    /// # Errors
    /// A sentence that names a setting's field, its value and the range; no settings, or more than 64.
    pub fn new(settings: &[Setting], seed: u64) -> Result<Self, String> {
        if !(1..=MOST_SETTINGS).contains(&settings.len()) {
            return Err(format!("settings = {}: must be 1 to {MOST_SETTINGS}", settings.len()));
        }
        let lanes = settings.iter().enumerate().map(|(index, setting)| Lane::new(setting, index, seed));
        let lanes: Vec<_> = lanes.collect::<Result<_, _>>().map_err(|e| e.to_string())?;
        let horizon_ms = lanes.iter().map(Lane::horizon_ms).max().unwrap_or(0);
        Ok(Self {
            exact: Exact::new(horizon_ms),
            lanes,
            names: Vec::new(),
            latest_ms: 0,
            longest_pause_ms: 0,
            horizon_ms,
            expiration_ms: 0,
        })
    }

    /// As on a Kafka broker with the agent: what a partition still has passes uncharged, and a partition keeps an ID that passed
    /// for `expiration_ms` after it was last seen. To be called before the first sight.
    #[must_use]
    pub fn on_a_broker(mut self, expiration_ms: u64) -> Self {
        self.exact = Exact::new(self.horizon_ms.max(expiration_ms));
        self.expiration_ms = expiration_ms;
        self
    }

    /// A broker sees an ID at `time_ms`, milliseconds from any origin; a time before the latest counts as the latest (S9).
    /// `principal` is a small number, `name` the one that belongs to it.
    pub fn sight(&mut self, time_ms: u64, principal: u32, name: &str, producer_id: u64) {
        self.meet(time_ms, principal, name, producer_id, false);
    }

    /// The same of an ID that a partition has from before the first sight.
    pub fn held(&mut self, time_ms: u64, principal: u32, name: &str, producer_id: u64) {
        self.meet(time_ms, principal, name, producer_id, true);
    }

    fn meet(&mut self, time_ms: u64, principal: u32, name: &str, producer_id: u64, is_older: bool) {
        self.latest_ms = self.latest_ms.max(time_ms);
        let now_ms = self.latest_ms;
        let index = principal as usize;
        if self.names.len() <= index {
            self.names.resize(index + 1, Box::from(""));
        }
        if self.names[index].is_empty() && !name.is_empty() {
            self.names[index] = Box::from(name);
        }
        let (ago_ms, mark) = self.exact.meet(principal, producer_id, now_ms);
        let pause_ms = ago_ms.filter(|ago| *ago < self.horizon_ms);
        self.longest_pause_ms = self.longest_pause_ms.max(pause_ms.unwrap_or(0));
        let is_held = is_older || ago_ms.is_some_and(|ago| ago < self.expiration_ms);
        let met = Met { now_ms, principal, name, producer_id, ago_ms, is_held };
        for lane in &mut self.lanes {
            lane.sight(&met, mark);
        }
    }

    /// The longest pause after which an ID came back, milliseconds; of those shorter than the longest window and its layer period,
    /// since what comes back later is new under each setting.
    #[must_use]
    pub fn longest_pause_ms(&self) -> u64 {
        self.longest_pause_ms
    }

    /// What it came to, in the order of the settings.
    #[must_use]
    pub fn finish(self) -> Vec<Outcome> {
        let Self { lanes, names, .. } = self;
        lanes.into_iter().map(|lane| lane.finish(&names)).collect()
    }
}
