//! Which setting would be taken, and why.
//!
//! Ranked are settings that differ in what they remember, window and layers, among those with the same rate and burst: how much a
//! quota throttles is the operator's wish, and one that throttles more has less to remember.

use std::cmp::Ordering;

use super::outcome::Outcome;
use crate::text::{bytes, count, duration, number, thousands};

/// The measures in words, first to last.
pub const RULE: &str = "fewest IDs charged again (less than one in a thousand new IDs is no difference), then fewest wrongly known \
                        beyond chance, then least memory; what a quota throttles is your choice";

/// How long ago an ID may have been seen that counts as charged again: the longest window and its layer period.
pub fn horizon_ms<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> u64 {
    let horizon =
        |o: &Outcome| o.setting.window_ms + o.setting.window_ms.div_ceil(u64::from(o.setting.layers.max(1)));
    outcomes.into_iter().map(horizon).max().unwrap_or(0)
}

/// Why a trace can't tell the windows of a group apart: no setting charged an ID again, as none came back after a pause that one
/// of them bridges and another does not.
pub fn undecided(outcomes: &[Outcome], group: &[usize], longest_pause_ms: u64) -> Option<String> {
    let of_group = || group.iter().filter_map(|index| outcomes.get(*index));
    let windows = || of_group().map(|o| o.setting.window_ms);
    let (shortest, longest) = (windows().min()?, windows().max()?);
    let is_told = longest_pause_ms > shortest || of_group().any(|o| o.charged_again > 0);
    if shortest == longest || is_told {
        return None;
    }
    Some(format!(
        "the trace can't tell these windows apart: no ID came back after a pause between {} and {}",
        duration(shortest as f64),
        duration(horizon_ms(outcomes) as f64)
    ))
}

/// Wrong answers above what chance allows: those expected, five standard deviations and five more, so that a handful is none.
pub fn beyond_chance(outcome: &Outcome) -> u64 {
    let expected = outcome.wrongly_known_expected;
    outcome.wrongly_known.saturating_sub((expected + 5.0 * expected.sqrt() + 5.0) as u64)
}

/// What is no difference in IDs charged again: a thousandth of the new IDs, or a handful would be bought with any memory.
fn grain(outcomes: &[Outcome], group: &[usize]) -> u64 {
    let of = |index: &usize| outcomes.get(*index).map_or(0, |o| o.admitted.saturating_add(o.throttled_ids));
    (group.iter().map(of).max().unwrap_or(0) / 1_000).max(1)
}

fn compare(a: &Outcome, b: &Outcome, grain: u64) -> Ordering {
    let key = |o: &Outcome| {
        let again = o.charged_again / grain;
        (again, beyond_chance(o), o.bytes_most, o.charged_again, o.setting.layers, o.setting.window_ms)
    };
    key(a).cmp(&key(b))
}

fn is_same_wish(a: &Outcome, b: &Outcome) -> bool {
    (a.setting.rate_per_hour, a.setting.burst) == (b.setting.rate_per_hour, b.setting.burst)
}

/// Groups of the same rate and burst, in the order of the settings; in each the best first. Numbers are those of the outcomes.
pub fn groups(outcomes: &[Outcome]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, outcome) in outcomes.iter().enumerate() {
        match groups.iter_mut().find(|group| is_same_wish(&outcomes[group[0]], outcome)) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    for group in &mut groups {
        // Stable: of two that are equal in all, the one that was named first.
        let grain = grain(outcomes, group);
        group.sort_by(|a, b| compare(&outcomes[*a], &outcomes[*b], grain));
    }
    groups
}

/// A setting as texts name it.
pub fn name(outcome: &Outcome) -> String {
    let setting = &outcome.setting;
    format!("window {}, {} layers", duration(setting.window_ms as f64), setting.layers)
}

/// The quota that a group shares.
pub fn wish(outcome: &Outcome) -> String {
    let setting = &outcome.setting;
    let burst = if setting.burst == 1.0 { String::new() } else { format!(", burst {}", setting.burst) };
    match setting.rate_per_hour {
        Some(rate) => format!("{} an hour{burst}", number(rate)),
        None => "no quota".to_owned(),
    }
}

/// Why the first of a group is the first; none for one alone.
pub fn reason(outcomes: &[Outcome], group: &[usize]) -> Option<String> {
    let (first, rest) = group.split_first()?;
    let (first, next) = (&outcomes[*first], &outcomes[*rest.first()?]);
    let ids = |n: u64| match n {
        0 => "no ID".to_owned(),
        n => count(n, "ID"),
    };
    let grain = grain(outcomes, group);
    let is_equal = |o: &Outcome| o.charged_again / grain == first.charged_again / grain;
    if !is_equal(next) {
        let (again, next) = (ids(first.charged_again), thousands(next.charged_again));
        return Some(format!("it charges the fewest again, {again}; the next one {next}"));
    }
    let equals: Vec<_> = group.iter().filter_map(|i| outcomes.get(*i)).filter(|o| is_equal(o)).collect();
    let again = equals.iter().map(|o| o.charged_again);
    let (least, most) = (again.clone().min().unwrap_or(0), again.max().unwrap_or(0));
    let again = if least == most { ids(least) } else { format!("{} to {}", thousands(least), ids(most)) };
    let equals = format!("{} of {} charge {again} again", equals.len(), group.len());
    if beyond_chance(first) < beyond_chance(next) {
        return Some(format!("{equals}, and it keeps best to its false-positive rate"));
    }
    if first.bytes_most < next.bytes_most {
        let (least, more) = (bytes(first.bytes_most as f64), bytes(next.bytes_most as f64));
        return Some(format!(
            "{equals}, and it takes the least memory of these, {least}; the next one {more}"
        ));
    }
    Some(format!("{equals}, and none of these takes less memory than {}", bytes(first.bytes_most as f64)))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::replay::setting::Setting;

    /// An outcome of which only what is ranked is filled in.
    pub fn outcome(rate_per_hour: Option<f64>, layers: u32, charged_again: u64, bytes_most: u64) -> Outcome {
        Outcome {
            setting: Setting { rate_per_hour, layers, ..Setting::default() },
            charged_again,
            bytes_most,
            ..Outcome::default()
        }
    }

    #[test]
    fn first_counts_what_is_charged_again_then_mistakes_then_memory() {
        let mistaken = Outcome { wrongly_known: 100, wrongly_known_expected: 4.0, ..outcome(None, 5, 0, 10) };
        // Two more than expected is chance.
        let lucky = Outcome { wrongly_known: 6, wrongly_known_expected: 4.0, ..outcome(None, 6, 0, 300) };
        let outcomes = [outcome(None, 3, 7, 1), mistaken, lucky, outcome(None, 8, 0, 200)];
        assert_eq!(outcomes.each_ref().map(beyond_chance), [0, 81, 0, 0]);
        let groups = groups(&outcomes);
        assert_eq!(groups, [[3, 2, 1, 0]]);
        let said = "3 of 4 charge no ID again, and it takes the least memory of these, 200 bytes; the next one 300 bytes";
        assert_eq!(reason(&outcomes, &groups[0]).unwrap(), said);
    }

    #[test]
    fn what_throttles_more_is_not_better_for_having_less_to_remember() {
        let outcomes =
            [outcome(Some(100.0), 4, 9, 90), outcome(Some(10.0), 4, 1, 10), outcome(Some(100.0), 8, 5, 95)];
        let groups = groups(&outcomes);
        assert_eq!(groups, [vec![2, 0], vec![1]]);
        assert_eq!(
            reason(&outcomes, &groups[0]).unwrap(),
            "it charges the fewest again, 5 IDs; the next one 9"
        );
        assert_eq!(reason(&outcomes, &groups[1]), None);
    }

    #[test]
    fn a_handful_in_many_thousands_is_no_difference() {
        let of_many = |layers, charged_again, bytes_most| Outcome {
            admitted: 40_000,
            throttled_ids: 10_000,
            ..outcome(None, layers, charged_again, bytes_most)
        };
        let outcomes = [of_many(16, 2, 300), of_many(8, 49, 200), of_many(4, 50, 100)];
        let groups = groups(&outcomes);
        assert_eq!(groups, [[1, 0, 2]]);
        let said = "2 of 3 charge 2 to 49 IDs again, and it takes the least memory of these, 200 bytes; the next one 300 bytes";
        assert_eq!(reason(&outcomes, &groups[0]).unwrap(), said);
    }

    #[test]
    fn windows_are_chosen_only_where_an_id_came_back_after_the_shortest() {
        let of = |window_ms, charged_again| {
            let outcome = outcome(None, 4, charged_again, window_ms);
            Outcome { setting: Setting { window_ms, ..outcome.setting.clone() }, ..outcome }
        };
        let (half, whole) = (1_800_000, 3_600_000);
        let none = [of(half, 0), of(whole, 0)];
        let said =
            "the trace can't tell these windows apart: no ID came back after a pause between 30m and 1h 15m";
        assert_eq!(undecided(&none, &[0, 1], half), Some(said.to_owned()));
        assert_eq!(undecided(&none, &[0, 1], half + 1), None);
        // A pause just below a window, which fewer layers do not bridge.
        assert_eq!(undecided(&[of(half, 1), of(whole, 0)], &[0, 1], half), None);
        assert_eq!(undecided(&[of(half, 0), of(half, 0)], &[0, 1], 0), None, "one window");
    }

    #[test]
    fn of_equals_the_one_with_fewer_layers_is_taken() {
        let outcomes = [outcome(None, 8, 1, 10), outcome(None, 4, 1, 10)];
        let groups = groups(&outcomes);
        assert_eq!(groups, [[1, 0]]);
        let said = "2 of 2 charge 1 ID again, and none of these takes less memory than 10 bytes";
        assert_eq!(reason(&outcomes, &groups[0]).unwrap(), said);
    }
}
