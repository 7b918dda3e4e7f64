//! How numbers and texts are written.

use crate::calendar::Date;

/// `1234567` as `1,234,567`.
pub fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number for people: whole ones with commas, small ones with what is significant.
pub fn number(value: f64) -> String {
    if value >= 1e15 {
        format!("{value:.2e}")
    } else if value > 0.0 && value < 0.01 {
        format!("{value}")
    } else if value >= 100.0 || value.fract() == 0.0 {
        thousands(value.round() as u64)
    } else {
        format!("{value:.2}")
    }
}

/// Bytes in the largest unit of 1,000 that leaves a number above 1; beyond these as a power.
pub fn bytes(value: f64) -> String {
    if value >= 1e18 {
        return format!("{value:.2e} bytes");
    }
    let units = ["kB", "MB", "GB", "TB", "PB"];
    let mut rest = value;
    let mut unit = "bytes";
    for next in units {
        if rest < 1_000.0 {
            break;
        }
        rest /= 1_000.0;
        unit = next;
    }
    if unit == "bytes" {
        format!("{rest:.0} {unit}")
    } else {
        format!("{} {unit}", if rest < 10.0 { format!("{rest:.2}") } else { format!("{rest:.1}") })
    }
}

/// Milliseconds to three significant digits or so; a dash for none.
pub fn milliseconds(value: Option<f64>) -> String {
    match value {
        None => "\u{2013}".to_owned(),
        Some(ms) if ms >= 100.0 => format!("{ms:.0} ms"),
        Some(ms) if ms >= 10.0 => format!("{ms:.1} ms"),
        Some(ms) => format!("{ms:.2} ms"),
    }
}

/// `1 ID`, `2 IDs`.
pub fn count(n: u64, thing: &str) -> String {
    format!("{} {thing}{}", thousands(n), if n == 1 { "" } else { "s" })
}

/// A paragraph in lines of at most `width` characters where words allow it: the first begins with `first`, the others with `others`.
pub fn wrapped(paragraph: &str, (first, others): (&str, &str), width: usize) -> String {
    let mut out = first.to_owned();
    let mut column = first.chars().count();
    for (index, word) in paragraph.split_whitespace().enumerate() {
        let length = word.chars().count();
        if index > 0 && column + 1 + length > width {
            out.push('\n');
            out += others;
            column = others.chars().count();
        } else if index > 0 {
            out.push(' ');
            column += 1;
        }
        out += word;
        column += length;
    }
    out
}

/// A duration in its two largest units, as the options take it too: `45m`, `1day 12h`, `3s 600ms`.
pub fn duration(ms: f64) -> String {
    // Whole seconds from ten on: nobody reads more.
    let whole = if ms < 10_000.0 { ms.round() } else { (ms / 1_000.0).round() * 1_000.0 };
    if whole.is_nan() || whole < 1.0 {
        return if ms > 0.0 { format!("{ms:.3}ms") } else { "0s".to_owned() };
    }
    let units = [("day", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)];
    let mut rest = whole as u64;
    let mut parts = Vec::new();
    for (index, (unit, size)) in units.into_iter().enumerate() {
        if parts.len() == 2 || (parts.len() == 1 && rest < size && index > 0) {
            // What follows the second largest unit is left out, a gap counts as one: `1day`, not `1day 5m`.
            break;
        }
        let n = rest / size;
        rest %= size;
        if n > 0 {
            let plural = if unit == "day" && n > 1 { "s" } else { "" };
            parts.push(format!("{n}{unit}{plural}"));
        }
    }
    parts.join(" ")
}

/// A moment to the minute, UTC: `2026-11-30 18:25`. Milliseconds since 1970.
pub fn time(ms: i64) -> String {
    let Date { year, month, day } = Date::of(ms);
    let minutes = ms.rem_euclid(86_400_000) / 60_000;
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02}", minutes / 60, minutes % 60)
}

/// A share of one in per cent, never rounded to none or to all of it: `0.12 %`.
pub fn share(of_one: f64) -> String {
    let percent = of_one * 100.0;
    if percent == 0.0 || percent == 100.0 {
        format!("{percent:.0} %")
    } else if percent > 0.0 && percent < 0.01 {
        "below 0.01 %".to_owned()
    } else if percent > 99.9 && percent < 100.0 {
        "above 99.9 %".to_owned()
    } else if percent < 10.0 {
        format!("{percent:.2} %")
    } else {
        format!("{percent:.1} %")
    }
}

/// Values as a row of at most `width` blocks from 0 to the largest; each stands for the largest of its part of them. What is
/// above nothing is never drawn as nothing.
pub fn sparkline(values: &[f64], width: usize) -> String {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let width = width.min(values.len());
    // Also what is no number: `max` passes it over.
    let most = |part: &[f64]| part.iter().copied().filter(|value| value.is_finite()).fold(0.0, f64::max);
    let highest = most(values);
    (0..width)
        .map(|i| {
            let (from, to) = (i * values.len() / width, (i + 1) * values.len() / width);
            let value = most(&values[from..to]);
            let level = if value > 0.0 { ((value / highest * 7.0).round() as usize).clamp(1, 7) } else { 0 };
            BLOCKS[level]
        })
        .collect()
}

/// A share of one as a horizontal bar of at most `width` blocks, to an eighth of one. What is above nothing is never drawn as
/// nothing.
pub fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if !(share > 0.0 && width > 0) {
        return String::new();
    }
    let eighths = ((share.min(1.0) * width as f64 * 8.0).round() as usize).max(1);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// A name from outside with its control characters shown as U+FFFD: a terminal would obey them, and XML refuses them.
pub fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

/// A text as it has to stand in HTML and XML, in attributes too.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_off_by_commas() {
        for (n, text) in
            [(0, "0"), (999, "999"), (1_000, "1,000"), (612_698, "612,698"), (1_234_567, "1,234,567")]
        {
            assert_eq!(thousands(n), text);
        }
    }

    #[test]
    fn numbers_show_what_is_significant() {
        for (value, text) in
            [(0.001, "0.001"), (0.5, "0.50"), (7.0, "7"), (1_234.5, "1,235"), (1e18, "1.00e18")]
        {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn a_paragraph_wraps_between_words() {
        assert_eq!(wrapped("one two three", ("- ", "  "), 9), "- one two\n  three");
        assert_eq!(wrapped("unbreakable", ("- ", "  "), 5), "- unbreakable");
        assert_eq!(count(1, "ID") + &count(1_000, "ID"), "1 ID1,000 IDs");
    }

    #[test]
    fn bytes_take_the_largest_unit() {
        for (value, text) in [
            (0.0, "0 bytes"),
            (999.0, "999 bytes"),
            (1_488.0, "1.49 kB"),
            (5e7, "50.0 MB"),
            (9e17, "900.0 PB"),
            (1.107e34, "1.11e34 bytes"),
        ] {
            assert_eq!(bytes(value), text);
        }
    }

    #[test]
    fn milliseconds_keep_what_is_significant() {
        for (ms, text) in
            [(Some(1.567), "1.57 ms"), (Some(14.55), "14.6 ms"), (Some(305.92), "306 ms"), (None, "\u{2013}")]
        {
            assert_eq!(milliseconds(ms), text);
        }
    }

    #[test]
    fn a_duration_has_its_two_largest_units_and_is_one_that_options_take() {
        for (ms, text) in [
            (0.0, "0s"),
            (0.36, "0.360ms"),
            (7.0, "7ms"),
            (3_600.0, "3s 600ms"),
            (45.0 * 60e3, "45m"),
            (5_400e3, "1h 30m"),
            (5_407e3, "1h 30m"),
            (86_400e3, "1day"),
            (86_700e3, "1day"),
            (60.0 * 86_400e3 + 7_200e3, "60days 2h"),
        ] {
            assert_eq!(duration(ms), text);
            assert!(humantime::parse_duration(text).is_ok() || ms == 0.36, "{text}");
        }
        assert_eq!([f64::NAN, -1.0].map(duration), ["0s", "0s"]);
    }

    #[test]
    fn a_time_is_utc_to_the_minute() {
        for (ms, text) in [
            (0, "1970-01-01 00:00"),
            (1_796_063_159_999, "2026-11-30 18:25"),
            (951_782_400_000, "2000-02-29 00:00"),
            (-1, "1969-12-31 23:59"),
        ] {
            assert_eq!(time(ms), text);
        }
        assert!(!time(i64::MAX).is_empty() && !time(i64::MIN).is_empty());
    }

    #[test]
    fn a_share_is_never_rounded_to_none_or_all() {
        for (of_one, text) in [
            (0.0, "0 %"),
            (1e-9, "below 0.01 %"),
            (0.001_2, "0.12 %"),
            (0.1234, "12.3 %"),
            (0.999_99, "above 99.9 %"),
            (1.0, "100 %"),
            (1.5, "150.0 %"),
        ] {
            assert_eq!(share(of_one), text);
        }
    }

    #[test]
    fn a_sparkline_shows_the_largest_of_each_part() {
        assert_eq!(sparkline(&[], 10), "");
        assert_eq!(sparkline(&[1.0], 0), "");
        assert_eq!(sparkline(&[0.0, 0.0], 10), "▁▁");
        assert_eq!(sparkline(&[0.0, 0.001, 4.0, 7.0], 10), "▁▂▅█");
        assert_eq!(sparkline(&[0.0, 7.0, 0.0, 0.0, 0.0, 1.0], 3), "█▁▂");
        assert_eq!(sparkline(&[f64::NAN, f64::INFINITY, -3.0, 2.0], 4), "▁▁▁█");
        assert_eq!(sparkline(&vec![1.0; 1_000], 60).chars().count(), 60);
    }

    #[test]
    fn a_bar_is_as_long_as_its_share() {
        for (share, text) in [
            (0.0, ""),
            (f64::NAN, ""),
            (-1.0, ""),
            (1e-9, "▏"),
            (0.5, "██"),
            (0.53, "██▏"),
            (1.0, "████"),
            (9.0, "████"),
        ] {
            assert_eq!(bar(share, 4), text);
        }
        assert_eq!(bar(1.0, 0), "");
    }

    #[test]
    fn a_name_cannot_command_the_terminal() {
        assert_eq!(printable("User:a\u{1b}[2J\r\né"), "User:a\u{fffd}[2J\u{fffd}\u{fffd}é");
    }
}
