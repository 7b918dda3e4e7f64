//! Vertical bars: a histogram.

use plotters::style::text_anchor::{HPos, VPos};

use super::{
    bold, compact, head, nothing, quantity, rectangle, scale, ticks, tidy, value_axis, value_room, width,
};
use super::{Frame, EDGE, TEXT, TOP, WIDTH};
use crate::picture::theme::{GUARDED, INK, MUTED, PALE};
use crate::picture::{self, Canvas, Drawn};
use crate::text::printable;

const HEIGHT: i32 = 262;
/// Below the axes: a label of two lines.
const BOTTOM: i32 = 46;
const WIDEST_BAR: i32 = 64;

/// A bar for each of some classes, in their order.
pub struct BarChart {
    pub title: String,
    /// What the values are: `IDs`. In `bytes` they are written with their prefix.
    pub unit: String,
    /// Labels and values from 0 on.
    pub bars: Vec<(String, f64)>,
    /// The bar that stands out.
    pub marked: Option<usize>,
}

impl BarChart {
    /// The picture, for a page.
    ///
    /// # Errors
    /// What `plotters` can't draw.
    pub fn svg(&self) -> Result<String, String> {
        let size = (WIDTH.unsigned_abs(), HEIGHT.unsigned_abs());
        picture::inline(size, &self.title, |canvas| self.paint(canvas))
    }

    fn paint(&self, canvas: &Canvas<'_>) -> Drawn {
        let values: Vec<f64> = self.bars.iter().map(|(_, value)| tidy(*value)).collect();
        let scale = scale(&values, values.iter().copied().fold(0.0, f64::max), false);
        let ticks = ticks(scale, &values);
        let frame = Frame {
            left: EDGE + value_room(&ticks, &self.unit),
            top: TOP,
            right: WIDTH - EDGE,
            bottom: HEIGHT - BOTTOM,
        };
        head(canvas, &self.title, &self.unit, &[])?;
        value_axis(canvas, frame, scale, &ticks, &self.unit)?;
        if self.bars.is_empty() {
            return nothing(canvas, frame);
        }
        let slot = f64::from(frame.right - frame.left) / self.bars.len() as f64;
        let left_of = |index: usize| frame.left + (index as f64 * slot).round() as i32;
        let labels: Vec<Vec<String>> = self.bars.iter().map(|(label, _)| lines(label, slot as i32)).collect();
        let widest = labels.iter().flatten().map(|line| width(line, TEXT)).max().unwrap_or(0) + 8;
        // Where labels have no room, one of several bars has one.
        let every = (f64::from(widest) / slot).ceil().max(1.0) as usize;
        for (index, (value, label)) in values.iter().zip(&labels).enumerate() {
            let middle = i32::midpoint(left_of(index), left_of(index + 1));
            let half = ((slot * 0.4) as i32).clamp(0, WIDEST_BAR / 2);
            let marked = self.marked == Some(index);
            let colour = if self.marked.is_none() || marked { GUARDED } else { PALE };
            let top = frame.y(scale, *value);
            if *value > 0.0 {
                // What is there is seen above the axis.
                let top = top.min(frame.bottom - 3);
                rectangle(canvas, (middle - half, top), (middle + half, frame.bottom), colour)?;
            }
            let room = slot as i32 - 4;
            let texts = [quantity(*value, &self.unit), compact(*value, &self.unit)];
            if let Some(text) = texts.iter().find(|text| width(text, 12) <= room) {
                let colour = if *value > 0.0 { INK } else { MUTED };
                let at = (middle, top - 4);
                if marked {
                    bold(canvas, text, 12, (HPos::Center, VPos::Bottom), at)?;
                } else {
                    picture::write(canvas, text, (12, colour), (HPos::Center, VPos::Bottom), at)?;
                }
            }
            if index % every == 0 {
                for (line, text) in (0..).zip(label) {
                    let at = (middle, frame.bottom + 7 + line * 16);
                    picture::write(canvas, text, (TEXT, MUTED), (HPos::Center, VPos::Top), at)?;
                }
            }
        }
        Ok(())
    }
}

/// A label in one line, or in two where one has no room, parted at the blank nearest to its middle.
fn lines(label: &str, room: i32) -> Vec<String> {
    let label = printable(label);
    if width(&label, TEXT) + 8 <= room {
        return vec![label];
    }
    let middle = label.len() / 2;
    let blanks = label.match_indices(' ').map(|(at, _)| at);
    match blanks.min_by_key(|at| at.abs_diff(middle)) {
        Some(at) => vec![label[..at].to_owned(), label[at + 1..].to_owned()],
        None => vec![label],
    }
}
