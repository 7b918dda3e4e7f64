//! What the benchmarks left under target/: Criterion's estimates, our own files, JMH's.

use crate::common::target_dir;
use serde_json::Value;
use std::path::Path;

/// Where one number comes from.
#[derive(Clone, Copy)]
pub enum Source {
    /// A Criterion benchmark by its id: the median, in nanoseconds.
    Criterion(&'static str),
    /// A file that a benchmark of ours published, and the key in it.
    Ours(&'static str, &'static str),
    /// A JMH benchmark by class and method, and its perLayer parameter: the median iteration, in nanoseconds.
    Jmh(&'static str, Option<u64>),
    /// There is no such thing.
    Nothing,
}

/// All results of one run.
pub struct Results {
    criterion: std::path::PathBuf,
    ours: std::path::PathBuf,
    jmh: Vec<Value>,
}

fn json(path: &Path) -> Option<Value> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())))
}

impl Results {
    pub fn find() -> Self {
        let target = target_dir();
        let ours = target.join("bench");
        let jmh = match json(&ours.join("jmh.json")) {
            Some(Value::Array(benchmarks)) => benchmarks,
            Some(other) => panic!("jmh.json is no list of benchmarks but {other}"),
            None => Vec::new(),
        };
        let criterion =
            std::env::var_os("CRITERION_HOME").map_or_else(|| target.join("criterion"), Into::into);
        Self { criterion, ours, jmh }
    }

    /// Where the report's own JSON goes.
    pub fn dir(&self) -> &Path {
        &self.ours
    }

    /// The JVM that ran JMH: its name and version.
    pub fn jvm(&self) -> Option<String> {
        let run = self.jmh.first()?;
        Some(format!("{} {}", run["vmName"].as_str()?, run["vmVersion"].as_str()?))
    }

    /// `None` when it was not measured. A number that is there but is none is a mistake, and panics.
    pub fn value(&self, source: Source) -> Option<f64> {
        let (found, name) = match source {
            Source::Nothing => return None,
            Source::Criterion(id) => {
                let estimates = json(&self.criterion.join(id).join("new/estimates.json"))?;
                (estimates["median"]["point_estimate"].clone(), id.to_owned())
            }
            Source::Ours(file, key) => {
                let path = self.ours.join(format!("{file}.json"));
                (json(&path)?[key].clone(), format!("{file}/{key}"))
            }
            Source::Jmh(name, per_layer) => {
                let metric = &self.jmh_run(name, per_layer)?["primaryMetric"];
                assert_eq!(metric["scoreUnit"], "ns/op", "{name}");
                (metric["scorePercentiles"]["50.0"].clone(), name.to_owned())
            }
        };
        let number = found.as_f64().filter(|number| number.is_finite());
        Some(number.unwrap_or_else(|| panic!("{name}: {found} is no measurement")))
    }

    fn jmh_run(&self, name: &str, per_layer: Option<u64>) -> Option<&Value> {
        let benchmark = format!("io.tollgate.bench.{name}");
        let per_layer = per_layer.map(|n| n.to_string());
        self.jmh.iter().find(|run| {
            run["benchmark"] == benchmark.as_str()
                && run["params"]["perLayer"].as_str() == per_layer.as_deref()
        })
    }
}
