//! Options that several commands take.

use clap::Args;
use tollgate::ConfigError;

use crate::text;

/// How producer IDs are remembered, and how many may come at once: the engine's settings but for the quota itself.
#[derive(Args)]
pub struct Shape {
    /// How long a producer ID is remembered at most
    #[arg(long, default_value = "1h", value_parser = milliseconds)]
    pub window: u64,
    /// The steps in which the window forgets
    #[arg(long, default_value_t = 4)]
    pub layers: u32,
    /// Share of new producer IDs that pass uncharged
    #[arg(long, default_value_t = 0.001)]
    pub false_positive_rate: f64,
    /// Share of a window's worth that may come at once
    #[arg(long, default_value_t = 1.0)]
    pub burst: f64,
}

/// What the engine refuses, with the option in place of its own field.
pub fn refused(said: &ConfigError) -> String {
    let option = match said.field {
        "quota" => "rate".to_owned(),
        "window_ms" => "window".to_owned(),
        field => field.replace('_', "-"),
    };
    format!("--{option} = {}: must be {}", said.value, said.range)
}

/// A duration as people write it, `90m` or `24h`, in milliseconds.
///
/// # Errors
/// What is wrong with it, and how one looks.
pub fn milliseconds(text: &str) -> Result<u64, String> {
    let duration =
        humantime::parse_duration(text).map_err(|e| format!("{e}; a duration is such as 90m or 24h"))?;
    Ok(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX))
}

/// New producer IDs per hour, as people write it and as the tool prints it: `50`, `0.5`, `1,000`. Whether a quota can have it, the
/// engine says.
///
/// # Errors
/// A sentence that names the value and says how a rate looks.
pub fn rate(text: &str) -> Result<f64, String> {
    let said = || format!("'{text}' is no rate; one is such as 50 or 1,000");
    // Thousands only: `1,5` is one and a half to some.
    let (whole, _) = text.split_once('.').unwrap_or((text, ""));
    if let Some((first, rest)) = whole.split_once(',') {
        let is_number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_first = (1..=3).contains(&first.len()) && is_number(first);
        if !is_first || !rest.split(',').all(|group| group.len() == 3 && is_number(group)) {
            return Err(said());
        }
        return text.replacen(',', "", whole.matches(',').count()).parse().map_err(|_| said());
    }
    text.parse().map_err(|_| said())
}

/// A duration as [`milliseconds`] takes it in one word.
pub fn duration(ms: u64) -> String {
    text::duration(ms as f64).replace(' ', "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_what_people_write_and_what_the_tool_prints() {
        for (text, value) in [
            ("50", 50.0),
            ("0.5", 0.5),
            ("1,000", 1_000.0),
            ("12,345,678.25", 12_345_678.25),
            ("1e30", 1e30),
            ("-1", -1.0),
        ] {
            assert_eq!(rate(text), Ok(value), "{text}");
        }
        for text in
            ["", "abc", "1,5", "1,00", "1000,000", ",100", "1,,000", "1,000,", "1,000.0,0", "-,100", "1,+00"]
        {
            assert_eq!(rate(text), Err(format!("'{text}' is no rate; one is such as 50 or 1,000")));
        }
        let all = |n: u64| rate(&crate::text::thousands(n)) == Ok(n as f64);
        assert!((0..2_000_000).step_by(997).all(all));
    }

    #[test]
    fn durations_are_what_people_write() {
        assert_eq!(milliseconds("1h 30m"), Ok(5_400_000));
        assert_eq!(milliseconds("3000000000y"), Ok(u64::MAX));
        assert!(milliseconds("90").unwrap_err().ends_with("; a duration is such as 90m or 24h"));
    }
}
