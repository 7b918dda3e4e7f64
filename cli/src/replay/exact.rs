//! The exact set beside the engines: when each producer ID of each principal was last seen, and what each setting said.
//!
//! One set serves all settings, since the time is the same for all: an engine remembers an ID from the last time that it said
//! Known or Admitted, which is the last sight unless that was refused. So a bit for each setting is enough.
//!
//! Bounded: what was not seen for the horizon is dropped whenever the set has doubled, so that it holds at most twice the IDs of a
//! horizon and a little more; 40 to 80 bytes each.

use hashbrown::hash_map::Entry;
use hashbrown::HashMap;

/// Settings that one set serves.
pub const MOST_SETTINGS: usize = 64;
/// Not looked through below this.
const LEAST: usize = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    principal: u32,
    producer_id: u64,
}

/// What is known of one ID; a bit for each setting.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mark {
    /// Its last sight.
    last_ms: u64,
    /// The last answer was Throttled: the engine does not hold it.
    pub refused: u64,
    /// Some answer was Throttled since it came.
    pub ever_refused: u64,
}

/// See the module's head.
pub struct Exact {
    marks: HashMap<Key, Mark>,
    horizon_ms: u64,
    look_through_at: usize,
}

impl Exact {
    /// That forgets what was not seen for the horizon.
    pub fn new(horizon_ms: u64) -> Self {
        Self { marks: HashMap::new(), horizon_ms, look_through_at: LEAST }
    }

    /// Notes a sight: how long ago the ID was last seen, or none for one that is new or was not seen for the horizon, and its mark
    /// with the answers up to then. Times do not go back.
    pub fn meet(&mut self, principal: u32, producer_id: u64, now_ms: u64) -> (Option<u64>, &mut Mark) {
        let horizon_ms = self.horizon_ms;
        if self.marks.len() >= self.look_through_at {
            self.marks.retain(|_, mark| now_ms.saturating_sub(mark.last_ms) < horizon_ms);
            self.look_through_at = LEAST.max(2 * self.marks.len());
        }
        match self.marks.entry(Key { principal, producer_id }) {
            Entry::Vacant(place) => (None, place.insert(Mark { last_ms: now_ms, ..Mark::default() })),
            Entry::Occupied(place) => {
                let mark = place.into_mut();
                let ago = now_ms.saturating_sub(mark.last_ms);
                mark.last_ms = now_ms;
                if ago < horizon_ms {
                    return (Some(ago), mark);
                }
                // As if it had been looked through just now.
                (mark.refused, mark.ever_refused) = (0, 0);
                (None, mark)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_its_principals_own_and_is_forgotten_after_the_horizon() {
        let mut exact = Exact::new(100);
        assert_eq!(exact.meet(1, 7, 1_000), (None, &mut Mark { last_ms: 1_000, ..Mark::default() }));
        exact.meet(1, 7, 1_099).1.refused = 5;
        assert_eq!(exact.meet(2, 7, 1_099).0, None);
        let (ago, mark) = exact.meet(1, 7, 1_198);
        assert_eq!((ago, mark.refused), (Some(99), 5));
        let (ago, mark) = exact.meet(1, 7, 1_298);
        assert_eq!((ago, mark.refused), (None, 0));
    }

    #[test]
    fn a_long_trace_takes_no_more_than_two_horizons_worth() {
        let mut exact = Exact::new(10_000);
        for now in 0..1_000_000 {
            exact.meet(0, now, now);
            assert!(exact.marks.len() <= 20_001, "{}", exact.marks.len());
        }
        assert!(exact.marks.capacity() < 60_000, "{}", exact.marks.capacity());
    }
}
