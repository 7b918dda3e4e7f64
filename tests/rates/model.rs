//! The three policies as plainly as they can be told: a list of samples, or of events, and no atomics.

use tollgate::rate::Policy;

#[derive(Clone, Copy, Debug)]
struct Sample {
    start: u64,
    last: u64,
    count: u64,
}

/// A rate by a list of all samples there ever were.
pub struct Model {
    policy: Policy,
    samples: u64,
    sample_ms: u64,
    list: Vec<Sample>,
}

impl Model {
    pub fn new(policy: Policy, samples: u64, sample_ms: u64) -> Self {
        Self { policy, samples, sample_ms, list: Vec::new() }
    }

    /// A time before the newest sample's start is taken as that.
    fn time(&self, now: u64) -> u64 {
        self.list.last().map_or(now, |newest| newest.start.max(now))
    }

    pub fn record(&mut self, amount: u64, now: u64) {
        let now = self.time(now);
        let width = self.sample_ms;
        let start = match self.list.last() {
            Some(newest) if now < newest.start + width => None,
            Some(newest) if self.policy == Policy::Grid => {
                let previous_end = newest.start + width;
                Some(now - (now - previous_end) % width)
            }
            _ if self.policy == Policy::Sliding => Some(now / width * width),
            _ => Some(now),
        };
        self.list.extend(start.map(|start| Sample { start, last: start, count: 0 }));
        let newest = self.list.last_mut().expect("one was there or was added");
        newest.count += amount;
        newest.last = newest.last.max(now);
    }

    /// What counts at `now`, and over which time.
    pub fn read(&self, now: u64) -> (f64, u64) {
        let now = self.time(now);
        let span = self.samples * self.sample_ms;
        if self.policy == Policy::Sliding {
            // A sample of which some lies after the window's start counts by how much.
            let share = |sample: &Sample| {
                let out = (now + self.sample_ms).saturating_sub(sample.start + span + self.sample_ms);
                // The newest sample has its part still to come: the window ends with it for whole ones.
                let inside = self.sample_ms.saturating_sub(out);
                sample.count as f64 * inside as f64 / self.sample_ms as f64
            };
            return (self.list.iter().map(share).sum(), span);
        }
        let counts = |sample: &&Sample| match self.policy {
            Policy::Grid => now - sample.start < span,
            _ => now - sample.last.min(now) < span,
        };
        let live: Vec<_> = self.list.iter().filter(counts).collect();
        let oldest = live.iter().map(|sample| sample.start).min().unwrap_or(now);
        let mut over = now - oldest;
        let whole = over / self.sample_ms;
        over += self.sample_ms * (self.samples - 1).saturating_sub(whole);
        (live.iter().map(|sample| sample.count).sum::<u64>() as f64, over.max(1))
    }

    pub fn per_second(&self, now: u64) -> f64 {
        let (count, over) = self.read(now);
        // As Kafka reckons it, so that a throttle time is rounded the same way.
        count / (over as f64 / 1000.0)
    }

    pub fn throttle_ms(&self, limit: f64, now: u64) -> u64 {
        let over = self.read(now).1 as f64;
        ((self.per_second(now) - limit) / limit * over).round().max(0.0) as u64
    }
}

/// All events there ever were, and the window taken at its word.
#[derive(Default)]
pub struct Events(Vec<(u64, u64)>);

impl Events {
    pub fn record(&mut self, amount: u64, now: u64) {
        self.0.push((now, amount));
    }

    /// Events after `from`, up to and with `to`.
    pub fn between(&self, from: Option<u64>, to: u64) -> u64 {
        let inside = |&&(at, _): &&(u64, u64)| at <= to && from.is_none_or(|from| at > from);
        self.0.iter().filter(inside).map(|(_, amount)| amount).sum()
    }
}
