//! Which moments get a tick, and what stands below them: clock times with the day below, days with the year below, or months or
//! years, all UTC.

use crate::calendar::{Date, DAY_MS};

/// Years 1 to 9999: what is beyond is no time that anyone meant, and would only have to be computed with care.
pub const EARLIEST: i64 = -62_135_596_800_000;
pub const LATEST: i64 = 253_402_300_799_999;

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60_000;
const HOUR: i64 = 3_600_000;

#[derive(Debug, PartialEq)]
pub struct Tick {
    pub ms: i64,
    pub text: String,
    /// What `text` leaves open, at the first tick and where it changes.
    pub below: Option<String>,
}

#[derive(Clone, Copy)]
enum Step {
    /// All of them divide a day, or are days.
    Ms(i64),
    Months(i64),
}

const STEPS: [Step; 33] = [
    Step::Ms(SECOND),
    Step::Ms(2 * SECOND),
    Step::Ms(5 * SECOND),
    Step::Ms(10 * SECOND),
    Step::Ms(15 * SECOND),
    Step::Ms(30 * SECOND),
    Step::Ms(MINUTE),
    Step::Ms(2 * MINUTE),
    Step::Ms(5 * MINUTE),
    Step::Ms(10 * MINUTE),
    Step::Ms(15 * MINUTE),
    Step::Ms(30 * MINUTE),
    Step::Ms(HOUR),
    Step::Ms(2 * HOUR),
    Step::Ms(3 * HOUR),
    Step::Ms(6 * HOUR),
    Step::Ms(12 * HOUR),
    Step::Ms(DAY_MS),
    Step::Ms(2 * DAY_MS),
    Step::Ms(7 * DAY_MS),
    Step::Ms(14 * DAY_MS),
    Step::Months(1),
    Step::Months(2),
    Step::Months(3),
    Step::Months(6),
    Step::Months(12),
    Step::Months(24),
    Step::Months(60),
    Step::Months(120),
    Step::Months(240),
    Step::Months(1_200),
    Step::Months(6_000),
    Step::Months(24_000),
];

impl Step {
    /// The shortest that it can be.
    fn ms(self) -> i64 {
        match self {
            Step::Ms(ms) => ms,
            Step::Months(n) => n * 28 * DAY_MS,
        }
    }

    fn moments(self, from: i64, to: i64) -> Vec<i64> {
        match self {
            Step::Ms(ms) => {
                // Weeks begin on Mondays; 1970 began on a Thursday.
                let origin = if ms % (7 * DAY_MS) == 0 { 4 * DAY_MS } else { 0 };
                let before = (from - origin).rem_euclid(ms);
                let first = if before == 0 { from } else { from - before + ms };
                (first..=to).step_by(ms as usize).collect()
            }
            Step::Months(n) => {
                let Date { year, month, .. } = Date::of(from);
                let first = (year * 12 + month - 1).div_euclid(n);
                (first..)
                    .map(|i| {
                        Date { year: (i * n).div_euclid(12), month: (i * n).rem_euclid(12) + 1, day: 1 }.ms()
                    })
                    .skip_while(|ms| *ms < from)
                    .take_while(|ms| *ms <= to)
                    .collect()
            }
        }
    }

    /// A moment's text, and the one below it.
    fn texts(self, ms: i64) -> (String, Option<String>) {
        let date = Date::of(ms);
        let day = format!("{} {}", date.day, date.month_name());
        let year = date.year.to_string();
        let clock = |unit: i64, most: i64| ms.div_euclid(unit).rem_euclid(most);
        match self {
            Step::Ms(step) if step < MINUTE => (
                format!("{:02}:{:02}:{:02}", clock(HOUR, 24), clock(MINUTE, 60), clock(SECOND, 60)),
                Some(format!("{day} {year}")),
            ),
            Step::Ms(step) if step < DAY_MS => {
                (format!("{:02}:{:02}", clock(HOUR, 24), clock(MINUTE, 60)), Some(format!("{day} {year}")))
            }
            Step::Ms(_) => (day, Some(year)),
            Step::Months(n) if n < 12 => (date.month_name().to_owned(), Some(year)),
            Step::Months(_) => (year, None),
        }
    }
}

/// At most `most` ticks from one moment to a later one, both within [`EARLIEST`] to [`LATEST`].
pub fn ticks(from: i64, to: i64, most: i64) -> Vec<Tick> {
    let most = most.max(1);
    let step = STEPS.into_iter().find(|step| (to - from) / step.ms() < most);
    let step = step.unwrap_or(Step::Months(24_000));
    let mut last = None;
    step.moments(from, to)
        .into_iter()
        .map(|ms| {
            let (text, below) = step.texts(ms);
            let changed = (below != last).then(|| below.clone()).flatten();
            last = below;
            Tick { ms, text, below: changed }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-11-30 18:25:30.
    const AT: i64 = 1_796_063_130_000;

    fn texts(span: i64) -> Vec<(String, Option<String>)> {
        ticks(AT, AT + span, 9).into_iter().map(|tick| (tick.text, tick.below)).collect()
    }

    fn tick(text: &str, below: &str) -> (String, Option<String>) {
        (text.to_owned(), (!below.is_empty()).then(|| below.to_owned()))
    }

    #[test]
    fn minutes_are_clock_times_with_their_day() {
        let texts = texts(10 * MINUTE);
        assert_eq!(texts[0], tick("18:26", "30 Nov 2026"));
        assert_eq!(texts[1], tick("18:28", ""));
        assert_eq!(texts.len(), 5);
    }

    #[test]
    fn a_day_and_more_names_each_day_once() {
        let texts = texts(30 * HOUR);
        assert_eq!(texts[..2], [tick("00:00", "1 Dec 2026"), tick("06:00", "")]);
        assert_eq!(texts[4], tick("00:00", "2 Dec 2026"));
    }

    #[test]
    fn weeks_are_days_that_begin_on_mondays() {
        assert_eq!(texts(10 * DAY_MS)[..2], [tick("1 Dec", "2026"), tick("3 Dec", "")]);
        let weeks = texts(60 * DAY_MS);
        assert_eq!(weeks[0], tick("7 Dec", "2026"));
        assert_eq!(weeks[4], tick("4 Jan", "2027"));
    }

    #[test]
    fn months_are_their_firsts_whatever_their_length() {
        let months = ticks(AT, AT + 200 * DAY_MS, 9);
        let texts: Vec<_> = months.iter().map(|tick| tick.text.as_str()).collect();
        assert_eq!(texts, ["Dec", "Jan", "Feb", "Mar", "Apr", "May", "Jun"]);
        assert_eq!(months[1].below.as_deref(), Some("2027"));
        assert!(months.iter().all(|tick| Date::of(tick.ms).day == 1));
        assert_eq!(ticks(AT, AT + 4_000 * DAY_MS, 9)[0].text, "2028");
    }

    #[test]
    fn any_span_has_a_few_ticks_in_order() {
        for from in [EARLIEST, -1, 0, AT] {
            for span in (0..54).map(|bits| 1_i64 << bits) {
                let to = from.saturating_add(span).min(LATEST);
                let ticks = ticks(from, to, 9);
                assert!(ticks.len() <= 10, "{from} {span}: {}", ticks.len());
                assert!(ticks.windows(2).all(|pair| pair[0].ms < pair[1].ms));
                assert!(ticks.iter().all(|tick| (from..=to).contains(&tick.ms)));
                assert!(span < 20 * SECOND || to == LATEST || ticks.len() >= 2, "{from} {span}: {ticks:?}");
            }
        }
    }
}
