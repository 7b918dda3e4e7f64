//! Options that several commands take.

use clap::Args;
use tollgate::ConfigError;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_what_people_write() {
        assert_eq!(milliseconds("1h 30m"), Ok(5_400_000));
        assert_eq!(milliseconds("3000000000y"), Ok(u64::MAX));
        assert!(milliseconds("90").unwrap_err().ends_with("; a duration is such as 90m or 24h"));
    }
}
