//! A time as a trace gives it.

use std::time::UNIX_EPOCH;

/// What [`parse`] takes, for messages.
pub const ACCEPTED: &str = "must be milliseconds since 1970, or a time such as 2026-11-30T18:25:00Z";

/// Milliseconds since 1970, from just these or from RFC 3339 with any offset. None for anything else, and for times
/// before 1970.
pub fn parse(text: &str) -> Option<u64> {
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    let (date, ahead_minutes) = without_offset(text)?;
    // One offset is enough.
    if !date.ends_with(|last: char| last.is_ascii_digit()) || date.contains('+') {
        return None;
    }
    let moment = humantime::parse_rfc3339_weak(date).ok()?.duration_since(UNIX_EPOCH).ok()?;
    let ms = i64::try_from(moment.as_millis()).ok()?;
    u64::try_from(ms.checked_sub(ahead_minutes.checked_mul(60_000)?)?).ok()
}

/// `2026-11-30T18:25:00` and how many minutes its clock is ahead of UTC. An offset is not optional: a local time would be taken
/// for another by hours.
fn without_offset(text: &str) -> Option<(&str, i64)> {
    if let Some(date) = text.strip_suffix(['Z', 'z']) {
        return Some((date, 0));
    }
    let (date, offset) = text.split_at_checked(text.len().checked_sub("+00:00".len())?)?;
    let (sign, clock) = offset.split_at_checked(1)?;
    let (hours, minutes) = clock.split_once(':')?;
    let number = |digits: &str, most: i64| {
        let is_number = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        digits.parse::<i64>().ok().filter(|n| is_number && *n <= most)
    };
    let ahead = number(hours, 23)? * 60 + number(minutes, 59)?;
    match sign {
        "+" => Some((date, ahead)),
        "-" => Some((date, -ahead)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_milliseconds_or_rfc_3339_with_any_offset() {
        for (text, ms) in [
            ("0", 0),
            ("1796063100000", 1_796_063_100_000),
            ("18446744073709551615", u64::MAX),
            ("1970-01-01T00:00:00Z", 0),
            ("2026-11-30T18:25:00Z", 1_796_063_100_000),
            ("2026-11-30T18:25:00.250Z", 1_796_063_100_250),
            ("2026-11-30T18:25:00z", 1_796_063_100_000),
            ("2026-11-30 18:25:00Z", 1_796_063_100_000),
            ("2026-11-30T20:25:00+02:00", 1_796_063_100_000),
            ("2026-11-30T12:55:00-05:30", 1_796_063_100_000),
            ("1970-01-01T01:00:00+01:00", 0),
        ] {
            assert_eq!(parse(text), Some(ms), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "-1",
            "1.5",
            "18446744073709551616",
            "2026-11-30",
            "2026-11-30T18:25:00",
            "2026-13-30T18:25:00Z",
            "2026-11-30T18:25:00+2:00",
            "2026-11-30T18:25:00+99:00",
            "2026-11-30T18:25:00+00:00Z",
            "2026-11-30T18:25:00ZZ",
            "1970-01-01T00:30:00+01:00",
            "1969-12-31T23:59:59Z",
            "\u{20ac}\u{20ac}\u{20ac}\u{20ac}\u{20ac}",
            "yesterday",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
