//! Whose an ID is. A log does not say: by itself each topic counts as one principal, since mostly one service writes to it; a file
//! of the operator's own says it better.

use std::path::Path;

use hashbrown::HashMap;

/// Kafka's own topics begin so; what stands in them belongs to whom the ID belongs.
pub fn is_internal(topic: &str) -> bool {
    topic.starts_with("__")
}

/// A name, or its beginning and `*`.
fn fits(pattern: &str, topic: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => topic.starts_with(beginning),
        None => topic == pattern,
    }
}

/// Whose each topic is.
pub enum Principals {
    ByTopic,
    /// All of the directory is one's.
    One,
    /// Pattern (a name, or its beginning and `*`) and principal, in the order of the file: the first that fits.
    Listed(Vec<(String, String)>),
}

impl Principals {
    /// Reads `topic,principal` lines.
    ///
    /// # Errors
    /// A sentence that names file and line.
    pub fn read(path: &Path) -> Result<Self, String> {
        let wrong = |e: &dyn std::fmt::Display| format!("can't read {}: {e}", path.display());
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .comment(Some(b'#'))
            .trim(csv::Trim::All)
            .from_path(path)
            .map_err(|e| wrong(&e))?;
        let mut listed = Vec::new();
        for (index, record) in reader.records().enumerate() {
            let record = record.map_err(|e| wrong(&e))?;
            let fields: Vec<&str> = record.iter().collect();
            if index == 0 && fields == ["topic", "principal"] {
                continue;
            }
            let line = record.position().map_or(0, csv::Position::line);
            let pair = match fields[..] {
                [topic, principal] if !topic.is_empty() && !principal.is_empty() => Some((topic, principal)),
                _ => None,
            };
            let pair = pair.filter(|(topic, _)| !topic.strip_suffix('*').unwrap_or(topic).contains('*'));
            let Some((topic, principal)) = pair else {
                return Err(format!(
                    "{}, line {line}: '{}' must be a topic and a principal, such as orders,alice; a topic may end in *",
                    path.display(),
                    fields.join(",")
                ));
            };
            listed.push((topic.to_owned(), principal.to_owned()));
        }
        Ok(Self::Listed(listed))
    }

    /// The principal of a topic.
    pub fn of<'a>(&'a self, topic: &'a str) -> &'a str {
        match self {
            Self::ByTopic => topic,
            Self::One => "all",
            Self::Listed(listed) => listed
                .iter()
                .find(|(pattern, _)| fits(pattern, topic))
                .map_or(topic, |(_, principal)| principal),
        }
    }

    /// Patterns that no topic fits: misspelled, mostly.
    pub fn unused<'a>(&'a self, topics: &'a [String]) -> impl Iterator<Item = &'a str> {
        let listed: &[(String, String)] = if let Self::Listed(listed) = self { listed } else { &[] };
        let patterns = listed.iter().map(|(pattern, _)| pattern.as_str());
        patterns.filter(|pattern| !topics.iter().any(|topic| fits(pattern, topic)))
    }

    /// Numbers for the principals of topics, and their names.
    pub fn number(&self, topics: &[String]) -> (Vec<u32>, Vec<String>) {
        let mut names: Vec<String> = Vec::new();
        let mut numbers: HashMap<&str, u32> = HashMap::new();
        let of_topic = topics.iter().map(|topic| {
            let name = self.of(topic);
            *numbers.entry(name).or_insert_with(|| {
                names.push(name.to_owned());
                u32::try_from(names.len() - 1).unwrap_or(u32::MAX)
            })
        });
        let of_topic = of_topic.collect();
        (of_topic, names)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(test: &str, content: &str) -> Result<Principals, String> {
        let path =
            std::env::temp_dir().join(format!("tollgate-principals-{test}-{}.csv", std::process::id()));
        std::fs::write(&path, content).unwrap();
        let read = Principals::read(&path);
        std::fs::remove_file(&path).unwrap();
        read.map_err(|e| e.replace(&path.display().to_string(), "FILE"))
    }

    #[test]
    fn the_first_that_fits_and_else_the_topic_itself() {
        let principals = read("fits", "topic,principal\n# shops\norders-eu,alice\norders-*, bob\n").unwrap();
        for (topic, principal) in [("orders-eu", "alice"), ("orders-us", "bob"), ("orders", "orders")] {
            assert_eq!(principals.of(topic), principal);
        }
        let topics = ["orders-us", "logs", "orders-eu", "orders-x"].map(str::to_owned);
        let (numbers, names) = principals.number(&topics);
        assert_eq!(numbers, [0, 1, 2, 0]);
        assert_eq!(names, ["bob", "logs", "alice"]);
        assert_eq!(Principals::One.number(&topics), (vec![0; 4], vec!["all".to_owned()]));
    }

    #[test]
    fn a_line_that_is_no_pair_is_named() {
        let refused = |test, text| read(test, text).err().unwrap();
        let told = "must be a topic and a principal, such as orders,alice; a topic may end in *";
        for (test, text, said) in [
            ("star", "a*b,alice\n", "FILE, line 1: 'a*b,alice' "),
            ("one", "topic,principal\nalice\n", "FILE, line 2: 'alice' "),
            ("three", "a,b\norders,a,b\n", "FILE, line 2: 'orders,a,b' "),
            ("empty", "a,\n", "FILE, line 1: 'a,' "),
        ] {
            assert_eq!(refused(test, text), format!("{said}{told}"));
        }
    }

    #[test]
    fn what_fits_no_topic_is_told() {
        let principals = read("unused", "odrers,a\norders*,b\n").unwrap();
        let topics = ["orders-eu".to_owned()];
        assert_eq!(principals.unused(&topics).collect::<Vec<_>>(), ["odrers"]);
    }
}
