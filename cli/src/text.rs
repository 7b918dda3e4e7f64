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
    fn milliseconds_keep_what_is_significant() {
        for (ms, text) in
            [(Some(1.567), "1.57 ms"), (Some(14.55), "14.6 ms"), (Some(305.92), "306 ms"), (None, "\u{2013}")]
        {
            assert_eq!(milliseconds(ms), text);
        }
    }
}
