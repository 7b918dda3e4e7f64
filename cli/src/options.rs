//! Values that several commands take as options.

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
