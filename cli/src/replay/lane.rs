//! One setting on its way through a trace: the real engine, asked at each sight, and judged by the exact set.
//!
//! What is looked at only now and then, since it costs more than a call:
//! - the false-positive rate of a principal's filter: as its IDs become a thirty-second more, and after a sixteenth of a window.
//!   The calls between two looks are taken at the mean of both rates. The rate is the engine's own estimate, which is high for
//!   a filter of a few hundred IDs.
//! - its layers: then, and twice a window, which is as long as a layer lives.
//! - live IDs, layers and bytes of all: at each end of a step and of a layer period, before what expired is swept.

use tollgate::{ConfigError, Decision, Engine, PrincipalId, Touch};

use super::exact::Mark;
use super::outcome::{Outcome, Throttled};
use super::over_time::{OverTime, Point};
use super::setting::Setting;
use super::tally::{places_of, Tally};

/// Sweeps are not more frequent, however short the layer period.
const LEAST_SWEEP_MS: u64 = 1_000;
const WORST: usize = 10;
/// A sweep walks over all principals: from so many on they are no more frequent than the points over time.
const MANY_PRINCIPALS: usize = 500;
/// At a filter that is asked for unknown IDs, in a window.
const LOOKS: u64 = 16;

/// `touch` as a decision: Known, Stale, or any other for one that is not known.
fn known_or_stale(engine: &Engine, id: PrincipalId, producer_id: u64, now_ms: u64) -> Decision {
    match engine.touch(id, producer_id, now_ms) {
        Touch::Known => Decision::Known,
        Touch::New => Decision::Admitted,
        Touch::Stale => Decision::Stale,
    }
}

/// A sight, and what the exact set knows of its ID.
pub struct Met<'a> {
    pub now_ms: u64,
    pub principal: u32,
    pub name: &'a str,
    pub producer_id: u64,
    /// Since its last sight, within the horizon.
    pub ago_ms: Option<u64>,
    /// A partition has it, unless this setting refused it: it passes uncharged.
    pub is_held: bool,
}

/// See the module's head.
pub struct Lane {
    setting: Setting,
    seed: u64,
    /// This setting's in a mark.
    bit: u64,
    window_ms: u64,
    period_ms: u64,
    engines: Vec<Engine>,
    tallies: Vec<Tally>,
    latest_ms: u64,
    swept_ms: u64,
    /// No step and no layer period ends before.
    quiet_until_ms: u64,
    over_time: OverTime,
    held: u64,
    known: u64,
    wrongly_known: u64,
    wrongly_known_expected: f64,
    forgotten_too_soon_found: u64,
    charged_again: u64,
    forgotten_against_promise: u64,
    layers_most: u64,
    bytes_most: u64,
}

impl Lane {
    /// # Errors
    /// The setting's first field out of its range, in the engine's words.
    pub fn new(setting: &Setting, index: usize, seed: u64) -> Result<Self, ConfigError> {
        let config = setting.config(places_of(0), seed)?;
        Ok(Self {
            setting: setting.clone(),
            seed,
            bit: 1 << index,
            window_ms: config.window_ms(),
            period_ms: config.layer_period_ms(),
            engines: Vec::new(),
            tallies: Vec::new(),
            latest_ms: 0,
            swept_ms: 0,
            quiet_until_ms: 0,
            over_time: OverTime::new(),
            held: 0,
            known: 0,
            wrongly_known: 0,
            wrongly_known_expected: 0.0,
            forgotten_too_soon_found: 0,
            charged_again: 0,
            forgotten_against_promise: 0,
            layers_most: 0,
            bytes_most: 0,
        })
    }

    /// How long ago an ID may have been seen and still be of interest.
    pub fn horizon_ms(&self) -> u64 {
        self.window_ms + self.period_ms
    }

    pub fn sight(&mut self, met: &Met<'_>, mark: &mut Mark) {
        if met.now_ms >= self.quiet_until_ms {
            self.tick(met.now_ms);
        }
        self.latest_ms = met.now_ms;
        let was_refused = mark.refused & self.bit != 0;
        let ago_ms = met.ago_ms.filter(|ago| *ago < self.horizon_ms());
        if ago_ms.is_none() && !met.is_held {
            mark.refused &= !self.bit;
            mark.ever_refused &= !self.bit;
        }
        // Since the engine last said Known or Admitted: what it refuses it does not hold.
        let told_ms = if was_refused { None } else { ago_ms };
        if met.is_held && !was_refused {
            // As the agent asks: the engine first, then the partition, which has it.
            if self.ask(met, known_or_stale) == Decision::Known {
                self.known += 1;
            } else {
                self.held += 1;
                // Known, by its contract.
                let _ = self.ask(met, Engine::remember);
            }
            return;
        }
        let decision = self.ask(met, Engine::track);
        let may_be_known = told_ms.is_some_and(|ago| ago < self.window_ms);
        let index = met.principal as usize;
        if may_be_known {
            let tally = &self.tallies[index];
            if met.now_ms >= tally.look_at_ms.saturating_add(self.window_ms / 2) {
                self.look(index, met.now_ms);
            }
        } else {
            if met.now_ms >= self.tallies[index].look_at_ms {
                self.look(index, met.now_ms);
            }
            // A filter's answer is the same until it changes: an ID asked again can only be caught by what came since.
            let again = if was_refused { ago_ms } else { None };
            let part = again.map_or(1.0, |ago| (ago as f64 / self.window_ms as f64).min(1.0));
            self.tallies[index].asked += part;
        }
        match decision {
            Decision::Admitted => {
                mark.refused &= !self.bit;
                let tally = &mut self.tallies[index];
                tally.admitted += 1;
                if tally.admitted >= tally.look_at_admitted {
                    self.look(index, met.now_ms);
                }
                self.over_time.note(&Point { new_admitted: 1, ..Point::default() });
            }
            Decision::Throttled { .. } => {
                let is_first = mark.ever_refused & self.bit == 0;
                mark.refused |= self.bit;
                mark.ever_refused |= self.bit;
                let tally = &mut self.tallies[index];
                tally.throttled += 1;
                tally.throttled_ids += u64::from(is_first);
                self.over_time.note(&Point { throttled: 1, ..Point::default() });
            }
            // Stale does not come: who is asked has just been interned.
            Decision::Known | Decision::Stale => {
                mark.refused &= !self.bit;
                self.known += 1;
                self.wrongly_known += u64::from(!may_be_known);
            }
        }
        if !matches!(decision, Decision::Known | Decision::Stale) {
            self.charged_again += u64::from(met.ago_ms.is_some() && !was_refused);
            self.forgotten_too_soon_found += u64::from(told_ms.is_some());
            // S2: known at every moment up to W(L-1)/L after that.
            let promised = told_ms.is_some_and(|ago| ago <= self.window_ms - self.period_ms);
            self.forgotten_against_promise += u64::from(promised);
        }
    }

    fn ask(&mut self, met: &Met<'_>, call: fn(&Engine, PrincipalId, u64, u64) -> Decision) -> Decision {
        let index = met.principal as usize;
        if self.tallies.len() <= index {
            let met_first = self.tallies.len()..=index;
            self.tallies.extend(met_first.map(Tally::new));
        }
        let tally = &mut self.tallies[index];
        if let Some(engine) = self.engines.get(tally.engine) {
            let decision = call(engine, tally.handle, met.producer_id, met.now_ms);
            if decision != Decision::Stale {
                return decision;
            }
        }
        // The first call, or swept as idle.
        while self.engines.len() <= tally.engine {
            let seed = self.seed.wrapping_add(self.engines.len() as u64);
            let places = places_of(self.engines.len());
            match self.setting.config(places, seed) {
                Ok(config) => self.engines.push(Engine::new(config)),
                // Was built before, with fewer places.
                Err(_) => return Decision::Stale,
            }
        }
        let engine = &self.engines[tally.engine];
        tally.handle = engine.intern(met.name, met.now_ms);
        call(engine, tally.handle, met.producer_id, met.now_ms)
    }

    /// Settles what was asked since the last look at a principal's filter.
    fn look(&mut self, index: usize, now_ms: u64) {
        let tally = &mut self.tallies[index];
        let stats = self
            .engines
            .get(tally.engine)
            .and_then(|engine| engine.stats(tally.handle, now_ms))
            // Idle for a window: nothing is held.
            .unwrap_or_default();
        let rate = stats.false_positive_rate;
        // Long after, it is no longer the filter that was asked.
        let is_long_ago = now_ms > tally.look_at_ms.saturating_add(self.window_ms / LOOKS);
        let rate_then = if is_long_ago { tally.rate } else { f64::midpoint(tally.rate, rate) };
        self.wrongly_known_expected += tally.asked * rate_then;
        tally.rate = rate;
        tally.asked = 0.0;
        tally.look_at_admitted = tally.admitted + (stats.live_pids / 32).max(1);
        tally.look_at_ms = now_ms.saturating_add(self.window_ms / LOOKS);
        self.layers_most = self.layers_most.max(stats.layers);
    }

    /// Looks at all engines as they are.
    fn observe(&mut self) {
        let mut point = Point::default();
        for engine in &self.engines {
            let stats = engine.totals(self.latest_ms).stats;
            point.live += stats.live_pids;
            point.layers += stats.layers;
            point.bytes += stats.bytes;
        }
        self.bytes_most = self.bytes_most.max(point.bytes);
        self.over_time.note(&point);
    }

    fn sweep(&mut self, now_ms: u64) {
        for engine in &self.engines {
            engine.sweep(now_ms);
        }
        self.swept_ms = now_ms;
    }

    /// A step or a layer period has ended, or many.
    fn tick(&mut self, now_ms: u64) {
        // As it was after the last sight.
        self.observe();
        self.over_time.make_room(now_ms);
        while self.over_time.add_step(now_ms) {
            let end_ms = self.over_time.end_ms();
            // Of a step without sights; the one that now begins is looked at when it ends.
            if end_ms <= now_ms {
                self.latest_ms = end_ms - 1;
                self.sweep(self.latest_ms);
                self.observe();
            }
        }
        let mut sweep_every_ms = self.period_ms.max(LEAST_SWEEP_MS);
        if self.tallies.len() > MANY_PRINCIPALS {
            sweep_every_ms = sweep_every_ms.max(self.over_time.step_ms());
        }
        if now_ms.saturating_sub(self.swept_ms) >= sweep_every_ms {
            self.sweep(now_ms);
        }
        self.quiet_until_ms = self.over_time.end_ms().min(self.swept_ms.saturating_add(sweep_every_ms));
    }

    /// `names` by the principals' numbers.
    pub fn finish(mut self, names: &[Box<str>]) -> Outcome {
        self.observe();
        for index in 0..self.tallies.len() {
            if self.tallies[index].asked > 0.0 {
                self.look(index, self.latest_ms);
            }
        }
        let sum = |count: fn(&Tally) -> u64| self.tallies.iter().map(count).sum::<u64>();
        let (admitted, throttled) = (sum(|tally| tally.admitted), sum(|tally| tally.throttled));
        let ghosts = self.engines.iter().map(|engine| engine.totals(self.latest_ms).stats.ghost_hits).sum();
        let mut worst: Vec<_> = self
            .tallies
            .iter()
            .zip(names)
            .filter(|(tally, _)| tally.throttled > 0)
            .map(|(tally, name)| (tally.throttled, name, tally))
            .collect();
        let principals_throttled = worst.len() as u64;
        worst.sort_by(|(a, a_name, _), (b, b_name, _)| b.cmp(a).then(a_name.cmp(b_name)));
        worst.truncate(WORST);
        let worst = worst
            .into_iter()
            .map(|(throttled, name, tally)| Throttled {
                principal: name.to_string(),
                throttled,
                throttled_ids: tally.throttled_ids,
                admitted: tally.admitted,
            })
            .collect();
        Outcome {
            sights: self.held + self.known + admitted + throttled,
            held: self.held,
            known: self.known,
            admitted,
            throttled,
            throttled_ids: sum(|tally| tally.throttled_ids),
            wrongly_known: self.wrongly_known,
            wrongly_known_expected: self.wrongly_known_expected,
            forgotten_too_soon: ghosts,
            forgotten_too_soon_found: self.forgotten_too_soon_found,
            charged_again: self.charged_again,
            forgotten_against_promise: self.forgotten_against_promise,
            principals: names.len() as u64,
            principals_throttled,
            layers_most: self.layers_most,
            bytes_most: self.bytes_most,
            step_ms: self.over_time.step_ms(),
            over_time: self.over_time.into_points(),
            worst,
            setting: self.setting,
        }
    }
}
