//! Reads a trace, one sight after the other.

use std::fmt;
use std::io::Read;
use std::path::Path;

use super::input::{Input, MOST_LINE};
use super::names::Names;
use super::rows::{self, CsvRows, Row};
use super::Sight;

/// Why there is no sight where one should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TraceError {
    /// One line is wrong; the next may be right. The sentence names the file, the line, the field and the value.
    BadLine(String),
    /// Nothing more can be read.
    Unreadable(String),
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadLine(said) | Self::Unreadable(said) => f.write_str(said),
        }
    }
}

impl std::error::Error for TraceError {}

/// The first bytes of what is compressed, and what makes a trace of it.
const COMPRESSED: [(&[u8], &str); 4] = [
    (b"\x1f\x8b", "gzip -dc"),
    (b"\x28\xb5\x2f\xfd", "zstd -dc"),
    (b"\xfd7zXZ\0", "xz -dc"),
    (b"BZh", "bzip2 -dc"),
];
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

enum Form {
    Csv(Box<CsvRows>),
    JsonLines,
    /// Nothing in it, or nothing more to be had of it.
    Over,
}

/// Reads a trace from its beginning, holding a bounded part of the file and the names of the principals.
///
/// The sights come in the order of time: a line whose time is before the previous sight's is a bad line. Reading goes on
/// after a bad line. Lines and records are at most 64 KiB long.
pub struct TraceReader {
    input: Input,
    form: Form,
    names: Names,
    latest_ms: u64,
}

impl TraceReader {
    /// Opens a trace; `-` is the standard input. The first byte tells the form: `{` begins JSON lines, anything else CSV.
    ///
    /// # Errors
    /// A sentence that names the file and the reason; for CSV also what the header must be.
    pub fn open(path: &Path) -> Result<Self, String> {
        Self::begin(Input::open(path)?)
    }

    /// The same over any source; messages call it `name`.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn from_read(source: impl Read + 'static, name: &str) -> Result<Self, String> {
        Self::begin(Input::new(Box::new(source), name, None))
    }

    fn begin(mut input: Input) -> Result<Self, String> {
        while input.held().len() < COMPRESSED.iter().map(|(magic, _)| magic.len()).max().unwrap_or(0) {
            if !input.fill()? {
                break;
            }
        }
        if let Some((_, command)) = COMPRESSED.iter().find(|(magic, _)| input.held().starts_with(magic)) {
            let name = input.name();
            return Err(format!("{name} is compressed: use {command} FILE | tollgate replay -"));
        }
        if input.held().starts_with(BYTE_ORDER_MARK) {
            input.consume(BYTE_ORDER_MARK.len());
        }
        let form = if !input.skip_blank()? {
            Form::Over
        } else if input.held().first() == Some(&b'{') {
            Form::JsonLines
        } else {
            let rows = CsvRows::after_header(&mut input);
            Form::Csv(Box::new(rows.map_err(|e| format!("{}: {e}", input.name()))?))
        };
        Ok(Self { input, form, names: Names::default(), latest_ms: 0 })
    }

    /// The names of the principals met so far; a sight's `principal` is an index into it.
    #[must_use]
    pub fn principals(&self) -> &[String] {
        self.names.all()
    }

    /// Bytes read so far, up to the end of the newest sight.
    #[must_use]
    pub fn bytes_read(&self) -> u64 {
        self.input.consumed()
    }

    /// Bytes of the whole trace; `None` for what has no length, as a pipe.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        self.input.total()
    }

    fn read(&mut self) -> Result<Option<Result<Sight, String>>, String> {
        let Self { input, form, names, latest_ms } = self;
        if matches!(form, Form::Over) || !input.skip_blank()? {
            return Ok(None);
        }
        let line = input.line();
        let sight = match form {
            Form::Csv(rows) => rows.next(input)?.and_then(|row| sight(&row, names, latest_ms)),
            Form::JsonLines | Form::Over => {
                if let Some(length) = rows::line_length(input)? {
                    let row = rows::json(&input.held()[..length]);
                    let sight = row.and_then(|row| sight(&row, names, latest_ms));
                    input.consume(length + 1);
                    sight
                } else {
                    input.skip_line()?;
                    Err(format!("is longer than {MOST_LINE} bytes"))
                }
            }
        };
        Ok(Some(sight.map_err(|said| format!("{}, line {line}: {said}", input.name()))))
    }
}

fn sight(row: &Row<'_>, names: &mut Names, latest_ms: &mut u64) -> Result<Sight, String> {
    let Row { time_ms, ref principal, producer_id, is_held } = *row;
    if time_ms < *latest_ms {
        return Err(format!(
            "time_ms = {time_ms}: is before the previous sight's, {latest_ms}: sort the trace by time"
        ));
    }
    if principal.is_empty() {
        return Err("principal is empty: must be a name".to_owned());
    }
    let principal = names.index(principal).ok_or("has one principal more than can be counted")?;
    *latest_ms = time_ms;
    Ok(Sight { time_ms, principal, producer_id, is_held })
}

impl Iterator for TraceReader {
    type Item = Result<Sight, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.read() {
            Ok(sight) => sight.map(|sight| sight.map_err(TraceError::BadLine)),
            Err(said) => {
                self.form = Form::Over;
                Some(Err(TraceError::Unreadable(said)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Result<TraceReader, String> {
        TraceReader::from_read(std::io::Cursor::new(text.to_vec()), "trace")
    }

    /// Time, name and ID of each sight, or what is wrong.
    fn rows(text: &str) -> Vec<Result<(u64, String, u64), String>> {
        let mut reader = read(text.as_bytes()).unwrap();
        let mut rows = Vec::new();
        while let Some(sight) = reader.next() {
            rows.push(match sight {
                Ok(sight) => {
                    let name = reader.principals()[sight.principal as usize].clone();
                    Ok((sight.time_ms, name, sight.producer_id))
                }
                Err(said) => Err(said.to_string()),
            });
        }
        assert_eq!(reader.bytes_read(), text.len() as u64);
        rows
    }

    fn row(time_ms: u64, name: &str, id: u64) -> Result<(u64, String, u64), String> {
        Ok((time_ms, name.to_owned(), id))
    }

    #[test]
    fn who_is_held_is_told_in_both_forms_and_by_itself_nobody() {
        let held = |text: &str| -> Vec<Result<bool, String>> {
            let sights = read(text.as_bytes()).unwrap();
            sights.map(|sight| sight.map(|sight| sight.is_held).map_err(|said| said.to_string())).collect()
        };
        let csv = "held,time_ms,principal,producer_id\n1,5,a,1\n0,5,a,2\n,5,a,3\ntrue,5,a,4\nyes,5,a,5\n";
        let wrong = "trace, line 6: held = 'yes': must be 0 or 1".to_owned();
        assert_eq!(held(csv), [Ok(true), Ok(false), Ok(false), Ok(true), Err(wrong)]);
        let json = "{\"time_ms\":5,\"principal\":\"a\",\"producer_id\":1,\"held\":true}\n\
                    {\"time_ms\":5,\"principal\":\"a\",\"producer_id\":2}\n\
                    {\"time_ms\":5,\"principal\":\"a\",\"producer_id\":3,\"held\":1}\n";
        let wrong = "trace, line 3: held = '1': must be true or false".to_owned();
        assert_eq!(held(json), [Ok(true), Ok(false), Err(wrong)]);
    }

    #[test]
    fn csv_and_json_lines_are_told_by_the_first_byte() {
        let sights = [row(5, "alice", 7), row(5, "bob", 8), row(9, "alice", u64::MAX)];
        let csv = "time_ms,principal,producer_id\n5,alice,7\n5,bob,8\n9,alice,18446744073709551615\n";
        assert_eq!(rows(csv), sights);
        let json = "{\"time_ms\":5,\"principal\":\"alice\",\"producer_id\":7}\n\
                    {\"producer_id\":8,\"principal\":\"bob\",\"time_ms\":5,\"more\":[1]}\n\
                    {\"time\":\"1970-01-01T00:00:00.009Z\",\"principal\":\"alice\",\"producer_id\":18446744073709551615}";
        assert_eq!(rows(json), sights);
    }

    #[test]
    fn csv_takes_columns_in_any_order_quotes_blank_lines_and_windows_line_ends() {
        let text = "\u{feff}\r\nproducer_id,host,time,principal\r\n\r\n7,h,1970-01-01T00:00:01Z,\"CN=a, O=\"\"b\"\"\"\r\n\n\
                    8,h,1000,\"two\nlines\"\r\n9,h,1001,bob";
        assert_eq!(
            rows(text),
            [row(1_000, "CN=a, O=\"b\"", 7), row(1_000, "two\nlines", 8), row(1_001, "bob", 9)]
        );
    }

    #[test]
    fn a_bad_line_is_named_with_field_and_value_and_the_next_one_is_read() {
        let bad = |said: &str| Err(format!("trace, line {said}"));
        let text = "time_ms,principal,producer_id\nnever,alice,7\n1,a,b,7\n2,alice,-1\n3,alice,7\n2,alice,8\n\n3,alice\n4,bob,1\n";
        assert_eq!(rows(text), [
            bad("2: time_ms = 'never': must be milliseconds since 1970, or a time such as 2026-11-30T18:25:00Z"),
            bad("3: has 4 fields, the header 3: a principal with a comma must stand in quotes"),
            bad("4: producer_id = '-1': must be a whole number from 0 to 18446744073709551615"),
            row(3, "alice", 7),
            bad("6: time_ms = 2: is before the previous sight's, 3: sort the trace by time"),
            bad("8: has 2 fields, the header 3: a principal with a comma must stand in quotes"),
            row(4, "bob", 1),
        ]);
        let text = "{\"time_ms\":1.5,\"principal\":\"a\",\"producer_id\":1}\n{}\n{\"time_ms\":1,\"principal\":2}\n\
                    {\"time_ms\":1,\"principal\":\"a\",\"producer_id\":\"x\"}\n{nonsense\u{1b}[2J\n\
                    {\"time_ms\":1,\"principal\":\"a\"}\n{\"time_ms\":2,\"principal\":\"a\",\"producer_id\":3}\n";
        assert_eq!(rows(text), [
            bad("1: time_ms = '1.5': must be milliseconds since 1970, or a time such as 2026-11-30T18:25:00Z"),
            bad("2: has no time_ms"),
            bad("3: principal = '2': must be a text"),
            bad("4: producer_id = 'x': must be a whole number from 0 to 18446744073709551615"),
            bad("5: '{nonsense\\u{1b}[2J' is not JSON: key must be a string at line 1 column 2"),
            bad("6: has no producer_id"),
            row(2, "a", 3),
        ]);
    }

    #[test]
    fn a_sight_of_nobody_is_a_bad_line() {
        let json = "{\"time_ms\":1,\"principal\":\"\",\"producer_id\":7}\n{\"time_ms\":2,\"principal\":\"a\",\"producer_id\":7}";
        for (text, line) in [("time_ms,principal,producer_id\n1,,7\n2,a,7\n", 2), (json, 1)] {
            let said = format!("trace, line {line}: principal is empty: must be a name");
            assert_eq!(rows(text), [Err(said), row(2, "a", 7)]);
        }
    }

    #[test]
    fn a_quote_that_is_never_closed_costs_one_line() {
        let rows = rows("time_ms,principal,producer_id\n1,\"alice,7\n2,bob,8\n3,bob,9\n");
        assert!(rows[0].as_ref().unwrap_err().starts_with("trace, line 2: has 2 fields"), "{rows:?}");
        assert_eq!(rows[1..], [row(2, "bob", 8), row(3, "bob", 9)]);
    }

    #[test]
    fn a_line_without_an_end_is_passed_over_in_bounded_memory() {
        for head in
            ["time_ms,principal,producer_id\n", "{\"time_ms\":0,\"principal\":\"a\",\"producer_id\":1}\n"]
        {
            let long = "x".repeat(3_000_000);
            let tail = if head.starts_with('{') { head } else { "5,a,1\n" };
            for quote in ["", "\"", "{"] {
                let rows = rows(&format!("{head}{quote}{long}\n{tail}"));
                let at = rows.len() - 2;
                assert!(
                    rows[at].as_ref().unwrap_err().starts_with("trace, line 2: is longer than 65536"),
                    "{rows:?}"
                );
                assert!(rows[at + 1].is_ok(), "{rows:?}");
            }
        }
        let rows = rows(&format!("time_ms,principal,producer_id\n1,\"{}\n", "never\n".repeat(100_000)));
        assert_eq!(rows.len(), 100_000, "each line of what follows an open quote");
    }

    #[test]
    fn what_is_no_trace_is_said() {
        let refused = |bytes: &[u8]| read(bytes).map(|_| ()).unwrap_err();
        assert_eq!(
            refused(b"1,alice,7\n"),
            "trace: the first line is '1,alice,7': must name time_ms, principal and producer_id (CSV), or be such as \
             {\"time_ms\":0,\"principal\":\"alice\",\"producer_id\":7} (JSON lines)"
        );
        assert_eq!(refused(b"\x1f\x8b\x08"), "trace is compressed: use gzip -dc FILE | tollgate replay -");
        let said = TraceReader::open(Path::new("/")).map(|_| ()).unwrap_err();
        assert_eq!(said, "can't read /: is a directory, not a trace");
        assert_eq!(rows(""), []);
        assert_eq!(rows("\n\r\n"), []);
        assert_eq!(rows("time_ms,principal,producer_id"), []);
    }

    #[test]
    fn a_name_that_is_no_text_is_a_bad_line() {
        for (text, said) in [
            (&b"time_ms,principal,producer_id\n1,\xff,1\n2,a,2\n"[..], "trace, line 2: field 2 is not UTF-8"),
            (
                b"{\"time_ms\":1,\"principal\":\"\xff\",\"producer_id\":1}\n{\"time_ms\":2,\"principal\":\"a\",\"producer_id\":2}",
                "trace, line 1: '{\\\"time_ms\\\":1,\\\"principal\\\":\\\"\u{fffd}\\\",\\\"producer_i...' is not JSON: \
                 invalid unicode code point at line 1 column 27",
            ),
        ] {
            let mut reader = read(text).unwrap();
            assert_eq!(reader.next().unwrap().unwrap_err().to_string(), said);
            assert!(reader.next().unwrap().is_ok());
        }
    }

    #[test]
    fn a_source_that_fails_ends_the_trace() {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
                Err(std::io::Error::other("gone"))
            }
        }
        let head = std::io::Cursor::new(b"time_ms,principal,producer_id\n1,a,1\n".to_vec());
        let mut reader = TraceReader::from_read(head.chain(Fails), "trace").unwrap();
        assert!(reader.next().unwrap().is_ok());
        let said = TraceError::Unreadable("can't read trace: gone".to_owned());
        assert_eq!(reader.next(), Some(Err(said)));
        assert_eq!(reader.next(), None);
    }
}
