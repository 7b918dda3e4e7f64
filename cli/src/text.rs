//! How numbers and texts are written.

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
    } else if value >= 100.0 || value.fract() == 0.0 {
        thousands(value.round() as u64)
    } else {
        format!("{value:.2}")
    }
}

/// Bytes in the largest unit of 1,000 that leaves a number above 1.
pub fn bytes(value: f64) -> String {
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
        for (value, text) in [(0.5, "0.50"), (7.0, "7"), (1_234.5, "1,235"), (1e18, "1.00e18")] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn bytes_take_the_largest_unit() {
        for (value, text) in [
            (0.0, "0 bytes"),
            (999.0, "999 bytes"),
            (1_488.0, "1.49 kB"),
            (5e7, "50.0 MB"),
            (2e18, "2000.0 PB"),
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
}
