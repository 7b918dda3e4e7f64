//! One principal under one setting, and where its engine is.
//!
//! How many principals come is not known before, and an engine has a fixed number of places, each of which costs a look. So the
//! first come into a small engine, more into larger ones of their own. Principals share nothing but the memory's bound, which is
//! out of reach here, so each has the answers that it would have alone.

use tollgate::PrincipalId;

/// Places of the first engine; each next one has [`GROWTH`] times as many.
const FIRST_PLACES: u32 = 128;
const GROWTH: u32 = 8;
const MOST_PLACES: u32 = 1 << 19;

/// One principal under this setting.
#[derive(Clone)]
pub struct Tally {
    /// Which of the lane's it is in.
    pub engine: usize,
    pub handle: PrincipalId,
    pub admitted: u64,
    pub throttled: u64,
    pub throttled_ids: u64,
    /// The filter's false-positive rate at the last look.
    pub rate: f64,
    /// Unknown IDs asked for since then; one that was asked before counts in part.
    pub asked: f64,
    /// When the filter has changed so much that the rate is another.
    pub look_at_admitted: u64,
    pub look_at_ms: u64,
}

impl Tally {
    /// Of the principal with this number.
    pub fn new(principal: usize) -> Self {
        Self {
            engine: engine_of(principal),
            // Nobody's: interned at the first call.
            handle: PrincipalId::from_raw(u32::MAX - 1),
            admitted: 0,
            throttled: 0,
            throttled_ids: 0,
            rate: 0.0,
            asked: 0.0,
            look_at_admitted: 1,
            look_at_ms: 0,
        }
    }
}

/// Places of an engine, by its number.
pub fn places_of(engine: usize) -> u32 {
    let times = GROWTH.saturating_pow(u32::try_from(engine).unwrap_or(u32::MAX));
    FIRST_PLACES.saturating_mul(times).min(MOST_PLACES)
}

/// The engine that a principal is in.
fn engine_of(principal: usize) -> usize {
    let (mut engine, mut end) = (0, places_of(0) as usize);
    while principal >= end {
        engine += 1;
        end += places_of(engine) as usize;
    }
    engine
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_engine_has_as_many_principals_as_places() {
        for (principal, engine) in
            [(0, 0), (127, 0), (128, 1), (1_151, 1), (1_152, 2), (9_343, 2), (9_344, 3)]
        {
            assert_eq!(engine_of(principal), engine, "{principal}");
        }
        let first_of_the_sixth = (0..5).map(|engine| places_of(engine) as usize).sum();
        assert_eq!((engine_of(first_of_the_sixth - 1), engine_of(first_of_the_sixth)), (4, 5));
        assert_eq!(
            (places_of(4), places_of(5), places_of(usize::MAX)),
            (MOST_PLACES, MOST_PLACES, MOST_PLACES)
        );
    }
}
