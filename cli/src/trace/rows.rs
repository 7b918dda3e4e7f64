//! Lines to fields, in either form. A line that is wrong is a sentence, and the next one can be read after it.

use std::borrow::Cow;

use csv_core::ReadRecordResult;
use serde::Deserialize;
use serde_json::Value;

use super::input::{Input, MOST_LINE};
use super::moment;

/// What a row may have besides those that count.
const MOST_FIELDS: usize = 64;
const SHOWN: usize = 40;

/// A row before its principal is looked up.
#[derive(Debug, PartialEq)]
pub struct Row<'a> {
    pub time_ms: u64,
    pub principal: Cow<'a, str>,
    pub producer_id: u64,
    pub is_held: bool,
}

/// A value as a message shows it: short, and nothing in it moves a terminal's cursor.
pub fn shown(value: &str) -> String {
    let short: String = value.chars().take(SHOWN).collect();
    let dots = if short.len() < value.len() { "..." } else { "" };
    format!("'{}{dots}'", short.escape_debug())
}

fn time(field: &str, text: &str) -> Result<u64, String> {
    moment::parse(text).ok_or_else(|| format!("{field} = {}: {}", shown(text), moment::ACCEPTED))
}

fn refused_id(text: &str) -> String {
    format!("producer_id = {}: must be a whole number from 0 to {}", shown(text), u64::MAX)
}

/// Reads CSV (RFC 4180): fields in quotes may hold commas, quotes and line ends.
pub struct CsvRows {
    parser: csv_core::Reader,
    text: Vec<u8>,
    ends: Vec<usize>,
    columns: Columns,
}

/// Where the fields stand, and how many there are.
#[derive(Clone, Copy)]
struct Columns {
    time_ms: usize,
    principal: usize,
    producer_id: usize,
    held: Option<usize>,
    all: usize,
}

impl CsvRows {
    /// Reads the header.
    ///
    /// # Errors
    /// A sentence that says what the header must be.
    pub fn after_header(input: &mut Input) -> Result<Self, String> {
        let columns = Columns { time_ms: 0, principal: 0, producer_id: 0, held: None, all: 0 };
        let (text, ends) = (vec![0; MOST_LINE], vec![0; MOST_FIELDS]);
        let mut rows = Self { parser: csv_core::Reader::new(), text, ends, columns };
        let bytes = rows.measure(input)?.unwrap_or(0);
        let names: Vec<_> = (0..rows.columns.all).map(|i| rows.field(i).unwrap_or_default().trim()).collect();
        let find = |wanted: &[&str]| names.iter().position(|name| wanted.contains(name));
        let found = (find(&["time_ms", "time"]), find(&["principal"]), find(&["producer_id"]));
        let (Some(time_ms), Some(principal), Some(producer_id)) = found else {
            let names = shown(&names.join(","));
            return Err(format!(
                "the first line is {names}: must name time_ms, principal and producer_id (CSV), or be such as \
                 {{\"time_ms\":0,\"principal\":\"alice\",\"producer_id\":7}} (JSON lines)"
            ));
        };
        rows.columns = Columns { time_ms, principal, producer_id, held: find(&["held"]), all: names.len() };
        input.consume(bytes);
        Ok(rows)
    }

    fn field(&self, index: usize) -> Result<&str, String> {
        let from = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        std::str::from_utf8(&self.text[from..self.ends[index]])
            .map_err(|_| format!("field {} is not UTF-8", index + 1))
    }

    /// Parses the record that the input begins with, its first byte being no line end: its bytes in the input, `None` when it has
    /// too many bytes or fields. The fields' count goes to `columns.all`.
    fn measure(&mut self, input: &mut Input) -> Result<Option<usize>, String> {
        self.parser.reset();
        let (mut read, mut written, mut fields) = (0, 0, 0);
        let mut is_at_end = false;
        loop {
            if !is_at_end && input.held().len() == read {
                is_at_end = read > MOST_LINE || !input.fill()?;
            }
            let (result, bytes, text, ends) = self.parser.read_record(
                &input.held()[read..],
                &mut self.text[written..],
                &mut self.ends[fields..],
            );
            read += bytes;
            written += text;
            fields += ends;
            match result {
                ReadRecordResult::InputEmpty if read <= MOST_LINE => {}
                ReadRecordResult::Record | ReadRecordResult::End if read <= MOST_LINE => {
                    self.columns.all = fields;
                    return Ok(Some(read));
                }
                _ => return Ok(None),
            }
        }
    }

    /// The next row; the input stands on it, not on a line end. Of a row that is wrong only the first line is left behind: a quote
    /// that is never closed costs one line.
    ///
    /// # Errors
    /// The outer one when the input can't be read, the inner one when the row is wrong.
    pub fn next(&mut self, input: &mut Input) -> Result<Result<Row<'_>, String>, String> {
        let columns = self.columns;
        let measured = self.measure(input)?;
        let fields = std::mem::replace(&mut self.columns, columns).all;
        let Some(bytes) = measured else {
            input.skip_line()?;
            return Ok(Err(format!(
                "is longer than {MOST_LINE} bytes or has more than {MOST_FIELDS} fields"
            )));
        };
        match self.numbers(fields) {
            Ok((time_ms, producer_id, is_held)) => {
                input.consume(bytes);
                let principal = self.field(columns.principal).map(Cow::Borrowed);
                Ok(principal.map(|principal| Row { time_ms, principal, producer_id, is_held }))
            }
            Err(said) => {
                input.skip_line()?;
                Ok(Err(said))
            }
        }
    }

    /// Time, producer ID and whether it is held, of a record of so many fields.
    fn numbers(&self, fields: usize) -> Result<(u64, u64, bool), String> {
        let columns = self.columns;
        if fields != columns.all {
            return Err(format!(
                "has {fields} fields, the header {}: a principal with a comma must stand in quotes",
                columns.all
            ));
        }
        let producer_id = self.field(columns.producer_id)?.trim();
        let time_ms = time("time_ms", self.field(columns.time_ms)?.trim())?;
        let is_held = match columns.held.map(|held| self.field(held)).transpose()?.map(str::trim) {
            None | Some("" | "0" | "false") => false,
            Some("1" | "true") => true,
            Some(other) => return Err(format!("held = {}: must be 0 or 1", shown(other))),
        };
        Ok((time_ms, producer_id.parse().map_err(|_| refused_id(producer_id))?, is_held))
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum JsonTime<'a> {
    Milliseconds(u64),
    #[serde(borrow)]
    Text(Cow<'a, str>),
}

#[derive(Deserialize)]
struct JsonRow<'a> {
    #[serde(borrow, alias = "time")]
    time_ms: JsonTime<'a>,
    #[serde(borrow)]
    principal: Cow<'a, str>,
    producer_id: u64,
    #[serde(default)]
    held: bool,
}

/// The length of the line that the input begins with, without its end; `None` when it is too long.
///
/// # Errors
/// When the input can't be read.
pub fn line_length(input: &mut Input) -> Result<Option<usize>, String> {
    let mut searched = 0;
    loop {
        let held = input.held();
        if let Some(newline) = held[searched..].iter().position(|byte| *byte == b'\n') {
            let length = searched + newline;
            return Ok((length <= MOST_LINE).then_some(length));
        }
        searched = held.len();
        if searched > MOST_LINE {
            return Ok(None);
        }
        if !input.fill()? {
            return Ok(Some(searched));
        }
    }
}

/// A line of JSON.
///
/// # Errors
/// A sentence that names the field and its value.
pub fn json(line: &[u8]) -> Result<Row<'_>, String> {
    match serde_json::from_slice(line) {
        Ok(JsonRow { time_ms, principal, producer_id, held: is_held }) => {
            let time_ms = match time_ms {
                JsonTime::Milliseconds(ms) => ms,
                JsonTime::Text(text) => time("time_ms", &text)?,
            };
            Ok(Row { time_ms, principal, producer_id, is_held })
        }
        Err(e) => Err(what_is_wrong(line, &e)),
    }
}

/// Slowly, and only where there is something wrong.
fn what_is_wrong(line: &[u8], said: &serde_json::Error) -> String {
    let Ok(value) = serde_json::from_slice::<Value>(line) else {
        let line = String::from_utf8_lossy(line);
        return format!("{} is not JSON: {said}", shown(line.trim_end()));
    };
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value.get("time_ms").or_else(|| value.get("time")) {
        None => return "has no time_ms".to_owned(),
        Some(time) if time.is_string() || time.is_u64() => {}
        Some(time) => return format!("time_ms = {}: {}", shown(&text(time)), moment::ACCEPTED),
    }
    match value.get("principal") {
        None => return "has no principal".to_owned(),
        Some(principal) if principal.is_string() => {}
        Some(principal) => return format!("principal = {}: must be a text", shown(&text(principal))),
    }
    match value.get("producer_id") {
        None => "has no producer_id".to_owned(),
        Some(id) if id.is_u64() && value.get("held").is_some_and(|held| !held.is_boolean()) => {
            format!("held = {}: must be true or false", shown(&value["held"].to_string()))
        }
        Some(id) if id.is_u64() => format!("is not a sight: {said}"),
        Some(id) => refused_id(&text(id)),
    }
}
