//! What the names of a broker's files and directories say.

use std::path::Path;

/// The offset in a file's name, 20 digits before `suffix`.
pub(super) fn offset(name: &str, suffix: &str) -> Option<u64> {
    let digits = name.strip_suffix(suffix)?;
    let is_offset = digits.len() == 20 && digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|offset| is_offset && i64::try_from(*offset).is_ok())
}

/// The base offset of a segment from its path; 0 for a name that has none.
pub(super) fn base_offset(path: &Path) -> i64 {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    offset(name, ".log").and_then(|offset| i64::try_from(offset).ok()).unwrap_or(0)
}

/// Topic and partition of a directory `TOPIC-PARTITION`.
pub(super) fn partition(name: &str) -> Option<(&str, u32)> {
    let (topic, number) = name.rsplit_once('-')?;
    let is_number = number.bytes().all(|byte| byte.is_ascii_digit()) && number.parse::<i32>().is_ok();
    (is_topic(topic) && is_number).then(|| number.parse().ok().map(|number| (topic, number)))?
}

/// Kafka's own rule of what a topic may be called.
fn is_topic(topic: &str) -> bool {
    !topic.is_empty()
        && topic.len() <= 249
        && topic != "."
        && topic != ".."
        && topic.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
}

/// What becomes of a directory `TOPIC-PARTITION.ID-WORD`: deleted, stray, or a copy in the making.
pub(super) fn parting_word(name: &str) -> Option<&'static str> {
    let (rest, word) = name.rsplit_once('-')?;
    let (directory, _id) = rest.rsplit_once('.')?;
    partition(directory)?;
    ["delete", "stray", "future"].into_iter().find(|known| *known == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_is_twenty_digits_that_fit() {
        for (name, is) in [
            ("00000000000000000042.log", Some(42)),
            ("09223372036854775807.log", Some(9_223_372_036_854_775_807)),
            ("09223372036854775808.log", None),
            ("99999999999999999999.log", None),
            ("42.log", None),
            ("+0000000000000000042.log", None),
            ("00000000000000000042.log.deleted", None),
            ("00000000000000000042.index", None),
            (".log", None),
        ] {
            assert_eq!(offset(name, ".log"), is, "{name}");
        }
    }

    #[test]
    fn a_partition_is_the_number_behind_the_last_dash() {
        for (name, is) in [
            ("orders-0", Some(("orders", 0))),
            ("a-b.c_d-12", Some(("a-b.c_d", 12))),
            ("__consumer_offsets-49", Some(("__consumer_offsets", 49))),
            ("orders-2147483648", None),
            ("orders-+1", None),
            ("orders-", None),
            ("-1", None),
            ("lost+found", None),
            ("b l a n k-1", None),
            ("orders-0.1b4f0f25cd0c4c3d8a3d4c1e2d0a2f1b-delete", None),
        ] {
            assert_eq!(partition(name), is, "{name}");
        }
    }

    #[test]
    fn a_directory_on_its_way_out_or_in_is_known_by_its_last_word() {
        for (name, is) in [
            ("orders-0.1b4f0f25cd0c4c3d8a3d4c1e2d0a2f1b-delete", Some("delete")),
            ("or.ders-0.1b4f0f25cd0c4c3d8a3d4c1e2d0a2f1b-stray", Some("stray")),
            ("orders-0.1b4f0f25cd0c4c3d8a3d4c1e2d0a2f1b-future", Some("future")),
            ("orders-0", None),
            ("orders-delete", None),
            ("or.ders-delete", None),
        ] {
            assert_eq!(parting_word(name), is, "{name}");
        }
    }
}
