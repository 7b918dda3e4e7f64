//! Writes a trace that [`TraceReader`](super::TraceReader) reads.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use serde::Serialize;

use crate::unfinished::Unfinished;

const BUFFER: usize = 64 << 10;

#[derive(Serialize)]
struct Row<'a> {
    time_ms: u64,
    principal: &'a str,
    producer_id: u64,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    held: bool,
}

enum Rows {
    Csv(Box<csv::Writer<File>>),
    JsonLines(BufWriter<File>),
}

/// Writes to `FILE.part` beside the file, which gets its name when it is [`finish`](Self::finish)ed; dropped before that, or cut
/// short by Ctrl-C, nothing stays. JSON lines where the name ends in `.jsonl` or `.ndjson`, otherwise CSV.
///
/// The caller writes in the order of time.
pub struct TraceWriter {
    name: String,
    rows: Rows,
    file: Unfinished,
}

impl TraceWriter {
    /// Begins a trace.
    ///
    /// # Errors
    /// A sentence that names the file and the reason.
    pub fn create(path: &Path) -> Result<Self, String> {
        let (unfinished, file) = Unfinished::create(path)?;
        let extension = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
        let is_json = extension.is_some_and(|extension| extension == "jsonl" || extension == "ndjson");
        let rows = if is_json {
            Rows::JsonLines(BufWriter::with_capacity(BUFFER, file))
        } else {
            let mut rows =
                csv::WriterBuilder::new().has_headers(false).buffer_capacity(BUFFER).from_writer(file);
            // By hand, so that a trace without a sight has its header too.
            rows.write_record(["time_ms", "principal", "producer_id", "held"])
                .map_err(|e| format!("can't write {}: {e}", path.display()))?;
            Rows::Csv(Box::new(rows))
        };
        Ok(Self { name: path.display().to_string(), rows, file: unfinished })
    }

    /// Writes one sight: milliseconds since 1970, a name that is not empty, a producer ID, and whether a partition has it from before
    /// the trace begins.
    ///
    /// # Errors
    /// A sentence that names the file and the reason.
    pub fn write(
        &mut self,
        time_ms: u64,
        principal: &str,
        producer_id: u64,
        is_held: bool,
    ) -> Result<(), String> {
        let row = Row { time_ms, principal, producer_id, held: is_held };
        match &mut self.rows {
            Rows::Csv(rows) => rows
                .serialize((time_ms, principal, producer_id, u8::from(is_held)))
                .map_err(|e| e.to_string()),
            Rows::JsonLines(file) => serde_json::to_writer(&mut *file, &row)
                .map_err(std::io::Error::from)
                .and_then(|()| file.write_all(b"\n"))
                .map_err(|e| e.to_string()),
        }
        .map_err(|e| format!("can't write {}: {e}", self.name))
    }

    /// Gives the trace its name.
    ///
    /// # Errors
    /// A sentence that names the file and the reason; nothing stays then.
    pub fn finish(mut self) -> Result<(), String> {
        match &mut self.rows {
            Rows::Csv(rows) => rows.flush(),
            Rows::JsonLines(file) => file.flush(),
        }
        .map_err(|e| format!("can't write {}: {e}", self.name))?;
        self.file.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::TraceReader;
    use proptest::prelude::*;
    use std::fs;

    type Sights = Vec<(u64, String, u64, bool)>;

    fn there_and_back(file: &str, sights: &Sights) -> Sights {
        let directory = std::env::temp_dir().join(format!("tollgate-trace-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        let path = directory.join(file);
        let mut writer = TraceWriter::create(&path).unwrap();
        for (time_ms, principal, id, is_held) in sights {
            writer.write(*time_ms, principal, *id, *is_held).unwrap();
        }
        writer.finish().unwrap();
        let mut reader = TraceReader::open(&path).unwrap();
        assert_eq!(reader.bytes(), Some(fs::metadata(&path).unwrap().len()));
        let mut back = Vec::new();
        while let Some(sight) = reader.next() {
            let sight = sight.unwrap();
            let name = reader.principals()[sight.principal as usize].clone();
            back.push((sight.time_ms, name, sight.producer_id, sight.is_held));
        }
        fs::remove_file(&path).unwrap();
        back
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_written_is_read_whatever_the_names(
            sights in proptest::collection::vec((any::<u64>(), "([ -~\r\n\t\",{}\u{e4}\u{20ac}])+|.+", any::<u64>(), any::<bool>()), 0..40)
        ) {
            let mut sights: Sights = sights;
            sights.sort_by_key(|(time_ms, ..)| *time_ms);
            prop_assert_eq!(&there_and_back("trace.csv", &sights), &sights);
            prop_assert_eq!(&there_and_back("trace.jsonl", &sights), &sights);
        }
    }

    #[test]
    fn the_name_chooses_the_form_and_a_trace_dropped_half_way_leaves_nothing() {
        let directory = std::env::temp_dir().join(format!("tollgate-writer-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        for (name, text) in [
            ("a.csv", "time_ms,principal,producer_id,held\n5,\"a,b\",7,1\n"),
            ("a.jsonl", "{\"time_ms\":5,\"principal\":\"a,b\",\"producer_id\":7,\"held\":true}\n"),
            ("a.NDJSON", "{\"time_ms\":5,\"principal\":\"a,b\",\"producer_id\":7,\"held\":true}\n"),
        ] {
            let path = directory.join(name);
            let write = || {
                let mut writer = TraceWriter::create(&path).unwrap();
                writer.write(5, "a,b", 7, true).unwrap();
                writer
            };
            drop(write());
            assert!(fs::read_dir(&directory).unwrap().next().is_none());
            write().finish().unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
            fs::remove_file(&path).unwrap();
        }
        fs::remove_dir_all(directory).unwrap();
    }
}
