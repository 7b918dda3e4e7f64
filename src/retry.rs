//! When a throttled caller may come again (S13).

/// S13: a moment between the next token and one interval later, by the id, so that a crowd comes back one after the
/// other. Where the limit cuts that stretch off, the stretch before the limit is used: coming early only asks again.
pub(crate) fn retry_after(wait_ms: u64, interval_ms: u64, spread: u16, most_ms: u32) -> u32 {
    let most = u64::from(most_ms);
    let stretch = interval_ms.clamp(1, most);
    let latest = wait_ms.saturating_add(stretch).min(most);
    let earliest = wait_ms.min(latest - stretch.min(latest) / 2).max(1);
    let offset = (latest - earliest.min(latest)) * u64::from(spread) / u64::from(u16::MAX);
    u32::try_from(earliest + offset).unwrap_or(u32::MAX).clamp(1, most_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s13_retry_is_within_one_and_the_limit() {
        for wait in [1, 2, 999, 36_000, u64::MAX] {
            for interval in [1, 36_000, u64::MAX] {
                for most in [1, 2, 30_000, u32::MAX] {
                    for spread in [0, 1, u16::MAX] {
                        let retry = retry_after(wait, interval, spread, most);
                        assert!(retry >= 1 && retry <= most, "{wait} {interval} {spread} {most}: {retry}");
                    }
                }
            }
        }
    }

    #[test]
    fn s13_retry_does_not_come_before_the_token_where_the_limit_allows() {
        assert_eq!(retry_after(500, 1000, 0, 30_000), 500);
        assert_eq!(retry_after(500, 1000, u16::MAX, 30_000), 1500);
    }

    #[test]
    fn s13_a_crowd_at_the_limit_is_spread() {
        assert_eq!(retry_after(3_600_000, 3_600_000, 0, 30_000), 15_000);
        assert_eq!(retry_after(3_600_000, 3_600_000, u16::MAX, 30_000), 30_000);
    }
}
