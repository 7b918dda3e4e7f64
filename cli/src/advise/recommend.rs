//! Which quota to set, and why, in words.

use serde::Serialize;

use super::counts::{Counts, Summary};
use crate::options;
use crate::text::{count, duration, number, share};

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

/// A shorter log has no usual hour.
const SHORT_LOG_S: u32 = 20 * 3_600;

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

/// A principal's name and what came out of it.
pub type Named<'a> = (&'a str, &'a Summary);

/// Whether most of a principal's IDs live for a message or a request, and there are many.
pub fn makes_short_lived(counts: &Counts) -> bool {
    counts.new_per_hour.most >= MANY_PER_HOUR && short_lived_share(counts) >= SHORT_LIVED
}

/// Of the IDs that are not too young to tell.
pub fn short_lived_share(counts: &Counts) -> f64 {
    counts.short_lived as f64 / counts.producer_ids.saturating_sub(counts.too_young).max(1) as f64
}

/// What there is to go by.
pub struct Evidence<'a> {
    pub principals: &'a [Named<'a>],
    /// Of all of them together.
    pub all: &'a Summary,
    /// How long a broker keeps a silent ID.
    pub expiration_s: u32,
    /// From the first batch to the last.
    pub log_s: u32,
    /// Things that could not be read.
    pub skipped: u64,
    /// What the tables of IDs may take.
    pub memory_mib: u64,
}

/// None when no ID was read at all.
pub fn recommend(evidence: &Evidence<'_>) -> Option<Recommendation> {
    let &Evidence { principals, all, expiration_s, log_s, skipped, memory_mib } = evidence;
    if all.counts.producer_ids == 0 {
        return None;
    }
    let mut reasons = Vec::new();
    if log_s < SHORT_LOG_S {
        reasons.push(format!(
            "Only {} of log: take this for a place to start from, and watch first (producer.id.quota.mode=observe). A day and more \
             tells what is usual.",
            duration(f64::from(log_s) * 1e3)
        ));
    }
    if skipped > 0 {
        reasons.push(format!("{} could not be read: this is from the rest.", count(skipped, "thing")));
    }
    if all.one_in > 1 {
        reasons.push(format!(
            "One in {} IDs was kept, and what a principal with few of them makes is a guess: --memory {} has room for all.",
            number(all.one_in as f64),
            memory_mib.saturating_mul(all.one_in)
        ));
    }
    // Kafka's own topics mostly have no producer of their own; they are nobody's example.
    let seen: Vec<Named<'_>> =
        principals.iter().filter(|(_, it)| it.counts.producer_ids > 0).copied().collect();
    let producer_ids_rate = rate(&seen, &mut reasons);
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
             passes uncharged, whatever the window{}.",
            number(returns.count as f64),
            duration(f64::from(expiration_s) * 1e3),
            if beyond == 0 {
                String::new()
            } else {
                format!("; {} of the pauses were longer, and are charged as new", number(beyond as f64))
            },
        ));
    }
    Some(Recommendation { producer_ids_rate, window_ms, layers, burst, reasons })
}

/// New IDs in an hour that a principal should be able to make: twice its busiest, or all that it has, once more.
fn needs(summary: &Summary) -> f64 {
    (ROOM * summary.counts.new_per_hour.most as f64).max(summary.lasting as f64)
}

fn rate(principals: &[Named<'_>], reasons: &mut Vec<String>) -> f64 {
    let (rogue, ordinary): (Vec<&Named<'_>>, Vec<&Named<'_>>) =
        principals.iter().partition(|(_, summary)| makes_short_lived(&summary.counts));
    let rate = if let Some((name, summary)) =
        ordinary.iter().max_by(|a, b| f64::total_cmp(&needs(a.1), &needs(b.1)))
    {
        let most = summary.counts.new_per_hour.most;
        let throws_away = short_lived_share(&summary.counts);
        let keepers = ordinary.iter().filter(|(_, it)| short_lived_share(&it.counts) < SHORT_LIVED);
        let without = round_up(keepers.map(|(_, it)| needs(it)).fold(LEAST_RATE, f64::max));
        let rate = round_up(needs(summary).max(LEAST_RATE));
        let though = if throws_away < SHORT_LIVED || without >= rate {
            String::new()
        } else {
            format!(
                " {} of its IDs were gone within a minute, though they were few: without it the quota would be {}.",
                share(throws_away),
                number(without)
            )
        };
        let why = if summary.lasting as f64 > ROOM * most as f64 {
            format!(
                "has {} alive that last: a deployment that restarts all of them brings as many new ones",
                count(summary.lasting, "ID")
            )
        } else {
            format!("had {} in its busiest hour: twice that leaves room", count(most, "new ID"))
        };
        reasons.push(format!(
            "{name}{} needs most: it {why}. Rounded up; {} is the least that is recommended.{though}",
            if rogue.is_empty() { "" } else { ", of those that are not named below," },
            number(LEAST_RATE),
        ));
        rate
    } else {
        reasons.push(format!(
            "No principal here shows what an ordinary one needs: {} is a place to start from, with producer.id.quota.mode=observe \
             first.",
            number(RATE_WITHOUT_EXAMPLE),
        ));
        RATE_WITHOUT_EXAMPLE
    };
    for (name, summary) in rogue {
        let counts = &summary.counts;
        let most = counts.new_per_hour.most as f64;
        let told = if most > rate {
            "The quota bounds what that costs; the cure is one producer that lives as long as its program."
        } else {
            "It stays below this quota all the same; a quota of its own would hold it."
        };
        reasons.push(format!(
            "{name} makes producers that it soon throws away: {} of its IDs were gone within a minute, up to {} new ones came in an \
             hour. {told}",
            share(short_lived_share(counts)),
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

/// To 1, 1.5, 2, 3, 5 or 7.5 and zeros; whole below 10.
pub fn round_up(value: f64) -> f64 {
    if value <= 10.0 {
        return value.ceil().max(1.0);
    }
    let decade = 10f64.powf(value.log10().floor());
    let steps = [1.0, 1.5, 2.0, 3.0, 5.0, 7.5].map(|step| step * decade);
    steps.into_iter().find(|round| *round >= value).unwrap_or(10.0 * decade)
}

impl Recommendation {
    /// In a line.
    pub fn summary(&self) -> String {
        format!(
            "producer_ids_rate={}, a window of {} in {} layers{}",
            self.producer_ids_rate,
            duration(self.window_ms as f64),
            self.layers,
            if self.burst < 1.0 { format!(", a burst of {}", self.burst) } else { String::new() }
        )
    }

    /// What to set beside the agent, by line: what differs from its own defaults.
    pub fn properties(&self) -> Vec<String> {
        let seconds = self.window_ms / 1_000;
        let settings = [
            ("default.rate", self.producer_ids_rate.to_string(), true),
            ("window.size.seconds", seconds.to_string(), seconds != WINDOWS_H[0] * 3_600),
            ("cache.layer.count", self.layers.to_string(), self.layers != LAYERS[0]),
            ("burst", self.burst.to_string(), self.burst < 1.0),
        ];
        let needed = settings.into_iter().filter(|(_, _, is_needed)| *is_needed);
        needed.map(|(name, value, _)| format!("producer.id.quota.{name}={value}")).collect()
    }

    /// The settings as options of `tollgate size` and `tollgate replay`.
    pub fn options(&self) -> String {
        let window = options::duration(self.window_ms);
        let burst = if self.burst < 1.0 { format!(" --burst {}", self.burst) } else { String::new() };
        format!("--rate {} --window {window} --layers {}{burst}", self.producer_ids_rate, self.layers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::counts::PerHour;

    fn summary(most: u64, short_lived: u64, producer_ids: u64) -> Summary {
        Summary { counts: counts(most, short_lived, producer_ids), ..Summary::default() }
    }

    fn counts(most: u64, short_lived: u64, producer_ids: u64) -> Counts {
        Counts {
            producer_ids,
            short_lived,
            new_per_hour: PerHour { most, ..PerHour::default() },
            ..Counts::default()
        }
    }

    fn evidence<'a>(principals: &'a [Named<'a>], all: &'a Summary) -> Evidence<'a> {
        Evidence { principals, all, expiration_s: 86_400, log_s: 86_400, skipped: 0, memory_mib: 256 }
    }

    fn told(principals: &[Named<'_>], transactional_pauses: Vec<u32>) -> Recommendation {
        let counts = counts(0, 0, 1);
        let all = Summary { counts, transactional_pauses, one_in: 1, ..Summary::default() };
        recommend(&evidence(principals, &all)).unwrap()
    }

    #[test]
    fn who_throws_producers_away_does_not_set_the_quota() {
        let (rogue, service) = (summary(9_000, 8_000, 9_000), summary(60, 2, 70));
        let told = told(&[("clicks", &rogue), ("orders", &service)], Vec::new());
        assert_eq!((told.producer_ids_rate, told.window_ms, told.layers), (150.0, 3_600_000, 4));
        assert!(told.reasons[0].starts_with("orders, of those that are not named below, needs most: it had 60 new IDs in its busiest hour"), "{:?}", told.reasons);
        assert!(
            told.reasons[1].starts_with("clicks makes producers that it soon throws away: 88.9 %"),
            "{:?}",
            told.reasons
        );
    }

    #[test]
    fn a_few_short_lived_ones_are_no_rogue() {
        let tests = summary(99, 99, 99);
        assert_eq!(told(&[("tests", &tests)], Vec::new()).producer_ids_rate, 200.0);
        assert_eq!(told(&[("quiet", &summary(0, 0, 0))], Vec::new()).producer_ids_rate, 100.0);
        assert_eq!(told(&[("clicks", &summary(100, 100, 100))], Vec::new()).producer_ids_rate, 100.0);
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

    #[test]
    fn nothing_read_is_nothing_to_recommend() {
        assert!(recommend(&evidence(&[], &Summary::default())).is_none());
    }

    #[test]
    fn little_log_and_what_was_skipped_are_said_first() {
        let all = Summary { counts: counts(0, 0, 1), one_in: 1, ..Summary::default() };
        let evidence = Evidence { log_s: 29, skipped: 2, ..evidence(&[], &all) };
        let reasons = recommend(&evidence).unwrap().reasons;
        assert!(reasons[0].starts_with("Only 29s of log: "), "{reasons:?}");
        assert_eq!(reasons[1], "2 things could not be read: this is from the rest.");
    }

    #[test]
    fn a_restart_of_all_that_last_passes() {
        let quiet = Summary { lasting: 500, ..summary(20, 0, 500) };
        let told = told(&[("orders", &quiet)], Vec::new());
        assert_eq!(told.producer_ids_rate, 500.0);
        assert!(told.reasons[0].contains("has 500 IDs alive that last"), "{:?}", told.reasons);
    }

    #[test]
    fn a_sample_is_said_to_be_one() {
        let all = Summary { counts: counts(0, 0, 1), one_in: 8, ..Summary::default() };
        let reasons = recommend(&evidence(&[], &all)).unwrap().reasons;
        assert!(reasons[0].ends_with("--memory 2048 has room for all."), "{reasons:?}");
    }

    #[test]
    fn who_throws_few_away_sets_the_quota_and_is_named() {
        let (few, service) = (summary(50, 200, 250), summary(5, 0, 5));
        let told = told(&[("events", &few), ("orders", &service)], Vec::new());
        assert_eq!(told.producer_ids_rate, 100.0);
        let reason = &told.reasons[0];
        assert!(reason.contains("events needs most: it had 50 new IDs in its busiest hour"), "{reason}");
        assert!(reason.ends_with("80.0 % of its IDs were gone within a minute, though they were few: without it the quota would be 10."), "{reason}");
    }

    #[test]
    fn settings_are_what_differs_from_the_agents_own() {
        let same = told(&[], Vec::new());
        assert_eq!(same.properties(), ["producer.id.quota.default.rate=100"]);
        assert_eq!(same.options(), "--rate 100 --window 1h --layers 4");
        let other = told(&[], vec![7_000; 20]);
        assert_eq!(
            other.properties()[1..],
            ["producer.id.quota.window.size.seconds=14400", "producer.id.quota.burst=0.25"]
        );
        assert_eq!(other.options(), "--rate 100 --window 4h --layers 4 --burst 0.25");
    }
}
