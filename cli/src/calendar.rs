//! Days of the Gregorian calendar, UTC. Kafka's times are milliseconds since 1970 and know no other zone.

pub const DAY_MS: i64 = 86_400_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    pub year: i64,
    /// 1 to 12.
    pub month: i64,
    /// 1 to 31.
    pub day: i64,
}

impl Date {
    /// The day of a moment, any of them.
    ///
    /// By Hinnant's `civil_from_days` (<https://howardhinnant.github.io/date_algorithms.html>): years begin in March, so that a
    /// leap day is the last of its year, and 400 of them are 146,097 days.
    pub fn of(ms: i64) -> Date {
        let days = ms.div_euclid(DAY_MS) + 719_468;
        let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
        let year_of_era =
            (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let from_march = (5 * day_of_year + 2) / 153;
        let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Date { year, month, day: day_of_year - (153 * from_march + 2) / 5 + 1 }
    }

    /// The day's first millisecond; saturating.
    pub fn ms(self) -> i64 {
        let year = self.year - i64::from(self.month <= 2);
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let from_march = if self.month > 2 { self.month - 3 } else { self.month + 9 };
        let day_of_year = (153 * from_march + 2) / 5 + self.day - 1;
        let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
        era.saturating_mul(146_097).saturating_add(day_of_era - 719_468).saturating_mul(DAY_MS)
    }

    pub fn month_name(self) -> &'static str {
        const NAMES: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        NAMES[(self.month - 1).rem_euclid(12) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_day_of_a_thousand_years_follows_the_one_before() {
        let is_leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let first = Date { year: 1600, month: 1, day: 1 };
        let mut expected = first;
        let mut ms = first.ms();
        while expected.year < 2600 {
            assert_eq!(Date::of(ms), expected);
            assert_eq!(Date::of(ms + DAY_MS - 1), expected);
            assert_eq!(expected.ms(), ms);
            let last = match expected.month {
                2 => 28 + i64::from(is_leap(expected.year)),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            let Date { year, month, day } = expected;
            expected = match (month, day) {
                (12, 31) => Date { year: year + 1, month: 1, day: 1 },
                (_, day) if day == last => Date { year, month: month + 1, day: 1 },
                _ => Date { year, month, day: day + 1 },
            };
            ms += DAY_MS;
        }
    }

    #[test]
    fn any_moment_has_a_day() {
        assert_eq!(Date::of(0), Date { year: 1970, month: 1, day: 1 });
        for ms in [i64::MIN, i64::MAX, -1] {
            let date = Date::of(ms);
            assert!((1..=12).contains(&date.month) && (1..=31).contains(&date.day), "{date:?}");
            assert!(!date.month_name().is_empty());
        }
    }
}
