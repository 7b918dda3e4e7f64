//! Horizontal bars: a few numbers of each of several settings, side by side.

use plotters::style::text_anchor::{HPos, VPos};

use super::{bold, head, nothing, quantity, rectangle, shortened, width, Frame, EDGE, TEXT, TOP, WIDTH};
use crate::picture::theme::{BAND, GUARDED, INK, MUTED, PALE};
use crate::picture::{self, Canvas, Drawn};

const ROW: i32 = 26;
/// Above the rows: what is measured, and in what.
const COLUMN_HEAD: i32 = 36;
/// There is no unit of all below the title.
const ROWS_TOP: i32 = TOP - 22 + COLUMN_HEAD;
/// Names get no more of the width than this.
const NAMES: i32 = 300;
const GAP: i32 = 18;

/// One of the numbers.
#[derive(Clone)]
pub struct Measure {
    pub name: String,
    /// Empty where the name says it. In `bytes` the values are written with their prefix.
    pub unit: String,
}

/// A row for each setting, a column of bars for each number; each column has its own scale from 0.
pub struct Comparison {
    pub title: String,
    /// One to four.
    pub measures: Vec<Measure>,
    /// Names, and a value for each of the measures.
    pub rows: Vec<(String, Vec<f64>)>,
    /// The row that stands out.
    pub marked: Option<usize>,
}

impl Comparison {
    /// The picture, for a page: as high as its rows need.
    ///
    /// # Errors
    /// What `plotters` can't draw.
    pub fn svg(&self) -> Result<String, String> {
        let height = ROWS_TOP + ROW * self.rows.len().max(2) as i32 + EDGE / 2;
        let size = (WIDTH.unsigned_abs(), height.unsigned_abs());
        picture::inline(size, &self.title, |canvas| self.paint(canvas, height))
    }

    fn paint(&self, canvas: &Canvas<'_>, height: i32) -> Drawn {
        head(canvas, &self.title, "", &[])?;
        let rows_top = ROWS_TOP;
        if self.rows.is_empty() || self.measures.is_empty() {
            let frame = Frame { left: EDGE, top: rows_top, right: WIDTH - EDGE, bottom: height };
            return nothing(canvas, frame);
        }
        for row in (0..self.rows.len() as i32).step_by(2) {
            let top = rows_top + row * ROW;
            rectangle(canvas, (EDGE / 2, top), (WIDTH - EDGE / 2, top + ROW), BAND)?;
        }
        let names = self.rows.iter().map(|(name, _)| width(name, 14)).max().unwrap_or(0).min(NAMES);
        for (row, (name, _)) in self.rows.iter().enumerate() {
            let middle = rows_top + row as i32 * ROW + ROW / 2;
            let name = shortened(name, 14, NAMES);
            let (pos, at) = ((HPos::Left, VPos::Center), (EDGE, middle));
            if self.marked == Some(row) {
                bold(canvas, &name, TEXT, pos, at)?;
            } else {
                picture::write(canvas, &name, (TEXT, INK), pos, at)?;
            }
        }
        let columns = self.measures.len() as i32;
        let left = EDGE + names;
        let each = (WIDTH - EDGE - left) / columns;
        for (index, measure) in self.measures.iter().enumerate() {
            let from = left + index as i32 * each + GAP;
            self.column(canvas, index, measure, (from, from + each - GAP), rows_top)?;
        }
        Ok(())
    }

    fn column(
        &self,
        canvas: &Canvas<'_>,
        index: usize,
        measure: &Measure,
        (from, to): (i32, i32),
        top: i32,
    ) -> Drawn {
        // Bytes say so in each value.
        let unit = Some(measure.unit.as_str()).filter(|unit| !unit.is_empty() && *unit != super::BYTES);
        let lines = [Some(measure.name.as_str()), unit];
        for (text, above) in lines.into_iter().flatten().zip(if unit.is_some() { [21, 5] } else { [5, 5] }) {
            let text = shortened(text, TEXT, to - from);
            picture::write(canvas, &text, (TEXT, MUTED), (HPos::Left, VPos::Bottom), (from, top - above))?;
        }
        let value = |row: &(String, Vec<f64>)| row.1.get(index).copied().unwrap_or(f64::NAN);
        let texts: Vec<String> = self.rows.iter().map(|row| quantity(value(row), &measure.unit)).collect();
        let room = texts.iter().map(|text| width(text, TEXT)).max().unwrap_or(0) + 8;
        let longest = f64::from((to - from - room).max(8));
        let values = self.rows.iter().map(value);
        let most = values.filter(|value| value.is_finite()).fold(0.0, f64::max);
        for (row, (value, text)) in self.rows.iter().map(value).zip(&texts).enumerate() {
            let middle = top + row as i32 * ROW + ROW / 2;
            let mut end = from;
            if value > 0.0 && value.is_finite() {
                end += ((value / most * longest).round() as i32).max(1);
                let is_pale = self.marked.is_some_and(|marked| marked != row);
                let colour = if is_pale { PALE } else { GUARDED };
                rectangle(canvas, (from, middle - 7), (end, middle + 7), colour)?;
            }
            let (pos, at) = ((HPos::Left, VPos::Center), (end + 6, middle));
            if self.marked == Some(row) {
                bold(canvas, text, TEXT, pos, at)?;
            } else {
                picture::write(canvas, text, (TEXT, INK), pos, at)?;
            }
        }
        Ok(())
    }
}
