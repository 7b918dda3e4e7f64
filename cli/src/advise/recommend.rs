//! Which quota to set, and why, in words.

use serde::Serialize;

use super::counts::{Counts, Summary};
use crate::text::{duration, number, share};

/// Below this nobody asks for a quota.
const LEAST_RATE: f64 = 10.0;
/// Where no principal shows what an ordinary one needs.
const RATE_WITHOUT_EXAMPLE: f64 = 100.0;
/// Room above the busiest hour that an ordinary principal had.
const ROOM: f64 = 2.0;
/// A principal with this share of IDs that were gone within a minute makes a producer per request or message ...
const SHORT_LIVED: f64 = 0.5;
/// ... and it matters from so many an hour on: fewer cost a broker next to nothing.
const MANY_PER_HOUR: u64 = 100;
/// Fewer pauses say nothing about a window.
const FEW_PAUSES: usize = 20;
/// Share of the pauses that a window is to bridge.
const BRIDGED: f64 = 0.95;

const HOUR_MS: u64 = 3_600_000;
const WINDOWS_H: [u64; 6] = [1, 2, 4, 8, 12, 24];
const LAYERS: [u32; 3] = [4, 8, 16];

#[derive(Clone, Debug, Serialize)]
pub struct Recommendation {
    pub producer_ids_rate: f64,
    pub window_ms: u64,
    pub layers: u32,
    /// Share of a window's worth that may come at once: an hour's.
    pub burst: f64,
    pub reasons: Vec<String>,
}

/// A principal's name and what was counted of it.
pub type Named<'a> = (&'a str, &'a Counts);

/// Whether most of a principal's IDs live for a message or a request, and there are many.
pub fn makes_short_lived(counts: &Counts) -> bool {
    counts.new_per_hour.most >= MANY_PER_HOUR
        && counts.short_lived as f64 >= SHORT_LIVED * counts.producer_ids.max(1) as f64
}

/// `all`: of all principals together; `expiration_s`: how long a broker keeps a silent ID.
pub fn recommend(principals: &[Named<'_>], all: &Summary, expiration_s: u32) -> Recommendation {
    let mut reasons = Vec::new();
    let producer_ids_rate = rate(principals, &mut reasons);
    let pauses = &all.transactional_pauses;
    let pauses = &pauses[..pauses.partition_point(|pause| *pause <= expiration_s)];
    let (window_ms, layers) = window(pauses, &mut reasons);
    // In thousandths, as people set it.
    let burst = (1e3 * HOUR_MS as f64 / window_ms as f64).round() / 1e3;
    if window_ms > HOUR_MS {
        reasons.push(format!(
            "A longer window would let more come at once: a burst of {burst} keeps it to an hour's worth."
        ));
    }
    let returns = &all.counts.returns;
    if returns.count > 0 {
        let beyond = all.pauses.len() - all.pauses.partition_point(|pause| *pause < expiration_s);
        let beyond = beyond as u64 * all.one_in;
        reasons.push(format!(
            "IDs came back {} times after more than a minute. A partition keeps an ID for {} (--expiration), and what it has \
             passes uncharged, whatever the window; {} of the pauses were longer, and count as new.",
            number(returns.count as f64),
            duration(f64::from(expiration_s) * 1e3),
            if beyond == 0 { "none".to_owned() } else { number(beyond as f64) },
        ));
    }
    Recommendation { producer_ids_rate, window_ms, layers, burst, reasons }
}

fn rate(principals: &[Named<'_>], reasons: &mut Vec<String>) -> f64 {
    let (rogue, ordinary): (Vec<&Named<'_>>, Vec<&Named<'_>>) =
        principals.iter().partition(|(_, counts)| makes_short_lived(counts));
    let busiest = ordinary.iter().max_by_key(|(_, counts)| counts.new_per_hour.most);
    let rate = if let Some((name, counts)) = busiest {
        let most = counts.new_per_hour.most;
        reasons.push(format!(
            "{name} had the busiest hour among those who keep their producers: {} new IDs. Twice that, rounded up, leaves room \
             for a deployment that restarts all of them; {} is the least that is recommended.",
            number(most as f64),
            number(LEAST_RATE),
        ));
        round_up(ROOM * most as f64).max(LEAST_RATE)
    } else {
        reasons.push(format!(
            "No principal here shows what an ordinary one needs: {} is a place to start from, with producer.id.quota.mode=observe \
             first.",
            number(RATE_WITHOUT_EXAMPLE),
        ));
        RATE_WITHOUT_EXAMPLE
    };
    for (name, counts) in rogue {
        let most = counts.new_per_hour.most as f64;
        let told = if most > rate {
            "The quota bounds what that costs; the cure is one producer that lives as long as its program."
        } else {
            "It stays below this quota all the same; a quota of its own would hold it."
        };
        reasons.push(format!(
            "{name} makes producers that it soon throws away: {} of its IDs were gone within a minute, up to {} new ones came in an \
             hour. {told}",
            share(counts.short_lived as f64 / counts.producer_ids.max(1) as f64),
            number(most),
        ));
    }
    rate
}

/// `pauses`: of transactional IDs, in order, seconds.
fn window(pauses: &[u32], reasons: &mut Vec<String>) -> (u64, u32) {
    let (window_ms, layers) = (WINDOWS_H[0] * HOUR_MS, LAYERS[0]);
    if pauses.len() < FEW_PAUSES {
        reasons.push(
            "No need for another window than an hour: it matters to transactional producers that rest, whose coordinator may be \
             another broker than the one that keeps their IDs, and hardly any did."
                .to_owned(),
        );
        return (window_ms, layers);
    }
    let bridged = |seconds: f64| {
        pauses.partition_point(|pause| f64::from(*pause) <= seconds) as f64 / pauses.len() as f64
    };
    let promised = |window_h: u64, layers: u32| {
        (window_h * HOUR_MS) as f64 / 1e3 * f64::from(layers - 1) / f64::from(layers)
    };
    let longest = WINDOWS_H[WINDOWS_H.len() - 1];
    // The shortest window, then the fewest layers in it: each doubles memory at most.
    let (window_h, layers) = WINDOWS_H
        .iter()
        .flat_map(|window| LAYERS.map(|layers| (*window, layers)))
        .find(|(window, layers)| bridged(promised(*window, *layers)) >= BRIDGED)
        .unwrap_or((longest, LAYERS[0]));
    let promise = promised(window_h, layers);
    reasons.push(format!(
        "Of {} pauses of transactional IDs, {} are within the {} for which a window of {} in {layers} layers remembers an ID for sure.",
        number(pauses.len() as f64),
        share(bridged(promise)),
        duration(promise * 1e3),
        duration((window_h * HOUR_MS) as f64),
    ));
    (window_h * HOUR_MS, layers)
}

/// To 1, 2 or 5 and zeros.
pub fn round_up(value: f64) -> f64 {
    if value <= 1.0 {
        return 1.0;
    }
    let decade = 10f64.powf(value.log10().floor());
    [1.0, 2.0, 5.0]
        .into_iter()
        .map(|step| step * decade)
        .find(|round| *round >= value)
        .unwrap_or(10.0 * decade)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::counts::PerHour;

    fn counts(most: u64, short_lived: u64, producer_ids: u64) -> Counts {
        Counts {
            producer_ids,
            short_lived,
            new_per_hour: PerHour { most, ..PerHour::default() },
            ..Counts::default()
        }
    }

    fn told(principals: &[Named<'_>], transactional_pauses: Vec<u32>) -> Recommendation {
        recommend(principals, &Summary { transactional_pauses, one_in: 1, ..Summary::default() }, 86_400)
    }

    #[test]
    fn numbers_round_up_to_what_people_set() {
        for (value, round) in
            [(0.0, 1.0), (1.0, 1.0), (2.1, 5.0), (60.0, 100.0), (100.0, 100.0), (1_001.0, 2_000.0)]
        {
            assert_eq!(round_up(value), round);
        }
    }

    #[test]
    fn who_throws_producers_away_does_not_set_the_quota() {
        let (rogue, service) = (counts(9_000, 8_000, 9_000), counts(60, 2, 70));
        let told = told(&[("clicks", &rogue), ("orders", &service)], Vec::new());
        assert_eq!((told.producer_ids_rate, told.window_ms, told.layers), (200.0, 3_600_000, 4));
        assert!(told.reasons[0].starts_with("orders had the busiest hour"), "{:?}", told.reasons);
        assert!(
            told.reasons[1].starts_with("clicks makes producers that it soon throws away: 88.9 %"),
            "{:?}",
            told.reasons
        );
    }

    #[test]
    fn a_few_short_lived_ones_are_no_rogue() {
        let tests = counts(99, 99, 99);
        assert_eq!(told(&[("tests", &tests)], Vec::new()).producer_ids_rate, 200.0);
        assert_eq!(told(&[("quiet", &counts(0, 0, 0))], Vec::new()).producer_ids_rate, 10.0);
        assert_eq!(told(&[("clicks", &counts(100, 100, 100))], Vec::new()).producer_ids_rate, 100.0);
        assert_eq!(told(&[], Vec::new()).producer_ids_rate, 100.0);
    }

    #[test]
    fn pauses_of_transactions_choose_the_window_then_the_layers() {
        for (pause_s, window_h, layers) in
            [(2_700, 1, 4), (3_000, 1, 8), (3_300, 1, 16), (3_600, 2, 4), (80_000, 24, 16), (86_400, 24, 4)]
        {
            let told = told(&[], vec![pause_s; 20]);
            assert_eq!((told.window_ms, told.layers), (window_h * HOUR_MS, layers), "{pause_s}");
        }
        assert_eq!(told(&[], vec![50_000; 19]).window_ms, HOUR_MS);
    }
}
