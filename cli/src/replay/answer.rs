//! What a replay says. In JSON as it stands here.

use serde::Serialize;

use super::outcome::Outcome;
use super::ranking;
use super::reading::Reading;
use super::table;

#[derive(Serialize)]
pub struct Answer {
    pub trace: String,
    pub bytes: u64,
    pub skipped_lines: u64,
    pub sights: u64,
    /// The first sight's time and the last one's, milliseconds since 1970.
    pub from_ms: u64,
    pub to_ms: u64,
    /// In words; none where nothing was ranked: of one setting alone, and of rates and bursts alone.
    pub ranked_by: Option<String>,
    /// The best of each rate and burst.
    pub taken: Vec<Taken>,
    /// In the order of the settings.
    pub outcomes: Vec<Outcome>,
    /// What an operator has to know beside the numbers, sentences.
    pub notes: Vec<String>,
}

/// One of the settings, and those that it was ranked with.
#[derive(Serialize)]
pub struct Taken {
    /// Its place in `outcomes`.
    pub outcome: usize,
    /// None where nothing was to be chosen, or could be.
    pub reason: Option<String>,
    /// Why nothing can be chosen, a sentence; `outcome` is then no better than the others.
    pub undecided: Option<String>,
    /// All of the same rate and burst, the best first: places in `outcomes`.
    pub ranking: Vec<usize>,
}

impl Answer {
    pub fn of(reading: Reading) -> Self {
        let Reading {
            trace, bytes, sights, from_ms, to_ms, skipped_lines, longest_pause_ms, outcomes, ..
        } = reading;
        let taken = ranking::groups(&outcomes).into_iter().filter_map(|ranking| {
            let outcome = *ranking.first()?;
            let undecided = ranking::undecided(&outcomes, &ranking, longest_pause_ms);
            let reason = if undecided.is_some() { None } else { ranking::reason(&outcomes, &ranking) };
            Some(Taken { outcome, reason, undecided, ranking })
        });
        let taken: Vec<_> = taken.collect();
        let is_ranked = taken.iter().any(|taken| taken.ranking.len() > 1);
        let ranked_by = is_ranked.then(|| ranking::RULE.to_owned());
        let notes = table::notes(from_ms, &outcomes);
        Self { trace, bytes, skipped_lines, sights, from_ms, to_ms, ranked_by, taken, outcomes, notes }
    }

    /// The outcomes with their groups, in the order in which they are listed: the best of each rate and burst first.
    pub fn ranked(&self) -> impl Iterator<Item = (&Taken, &Outcome)> {
        let of = |index: &usize| self.outcomes.get(*index);
        self.taken.iter().flat_map(move |taken| taken.ranking.iter().filter_map(of).map(move |o| (taken, o)))
    }
}
