//! A report's plots: [`TimeChart`], [`BarChart`] and [`Comparison`]. Their texts (titles, names, labels) may come from outside:
//! what has no room is cut short, and what is no number is left out.

mod bars;
mod comparison;
mod time;
mod time_axis;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use crate::picture::scale::Scale;
use crate::picture::theme::{GRID, INK, MUTED};
use crate::picture::{self, heading, Canvas, Drawn};
use crate::text::{bytes, number, printable, thousands};

pub use bars::BarChart;
pub use comparison::{Comparison, Measure};
pub use time::{Line, TimeChart};

const WIDTH: i32 = 920;
/// Around all.
const EDGE: i32 = 16;
/// Where the axes begin: below the title and the unit.
const TOP: i32 = 58;
/// Pixels of most texts.
const TEXT: i32 = 13;
/// A value in a chart's unit that is written as bytes are: `50 MB`.
const BYTES: &str = "bytes";

/// The rectangle that the axes are around, in pixels.
#[derive(Clone, Copy)]
struct Frame {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
}

impl Frame {
    fn y(&self, scale: Scale, value: f64) -> i32 {
        scale.pixel(value.clamp(scale.bottom(), scale.top()), (self.bottom, self.top))
    }
}

/// About how wide a text is, in pixels: on average a sans-serif's characters are at most 0.6 of their size, those of East Asia
/// as wide as high.
fn width(text: &str, size: i32) -> i32 {
    let tenths: i32 = text.chars().map(|c| if c < '\u{2e80}' { 6 } else { 10 }).sum();
    (tenths * size + 9) / 10
}

/// A text that fits, its end cut off where it has to be.
fn shortened(text: &str, size: i32, room: i32) -> String {
    let mut text = printable(text);
    if width(&text, size) <= room {
        return text;
    }
    while !text.is_empty() && width(&text, size) + size > room {
        text.pop();
    }
    text.trim_end().to_owned() + "\u{2026}"
}

/// What an axis can show of a value: 0 or 1e-12 to 1e18, which no count and no size is beyond.
fn tidy(value: f64) -> f64 {
    if value >= 1e-12 {
        value.min(1e18)
    } else {
        0.0
    }
}

/// A value in a unit, to three digits or so, without zeros that say nothing.
fn quantity(value: f64, unit: &str) -> String {
    let trimmed = |text: String| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    };
    if !value.is_finite() {
        "\u{2013}".to_owned()
    } else if unit == BYTES {
        let text = bytes(value);
        text.rsplit_once(' ').map_or(text.clone(), |(n, unit)| format!("{} {unit}", trimmed(n.to_owned())))
    } else if value >= 1e15 {
        number(value)
    } else if value >= 1_000.0 {
        thousands(value.round() as u64)
    } else if value >= 0.001 || value == 0.0 {
        trimmed(format!("{value:.*}", if value < 1.0 { 3 } else { 2 }))
    } else {
        format!("{value:.0e}")
    }
}

/// The same in few characters: `1.2M`.
fn compact(value: f64, unit: &str) -> String {
    for (size, letter) in [(1e12, 'T'), (1e9, 'G'), (1e6, 'M'), (1e3, 'k')] {
        if unit != BYTES && (size..size * 1e3).contains(&value) {
            let n = value / size;
            let text = if n < 9.95 { format!("{n:.1}") } else { format!("{n:.0}") };
            return format!("{}{letter}", text.trim_end_matches(".0"));
        }
    }
    quantity(value, unit)
}

/// The axis for values up to `highest`, with room above it for a label.
fn scale(values: &[f64], highest: f64, is_log: bool) -> Scale {
    let lowest = values.iter().copied().filter(|value| *value > 0.0).fold(f64::INFINITY, f64::min);
    if is_log && lowest.is_finite() {
        Scale::logarithmic(lowest, highest)
    } else {
        Scale::linear(1.15 * highest)
    }
}

/// The ticks that make sense: no half of a thing where there are whole ones only.
fn ticks(scale: Scale, values: &[f64]) -> Vec<f64> {
    let is_whole = values.iter().all(|value| value.fract() == 0.0);
    let mut ticks = scale.ticks();
    ticks.retain(|tick| !is_whole || tick.fract() == 0.0);
    // Twenty decades have no room for a label each.
    let every = ticks.len().div_ceil(9).max(1);
    ticks.into_iter().step_by(every).collect()
}

/// Title, and below it the unit with what else is to be known.
fn head(canvas: &Canvas<'_>, title: &str, unit: &str, notes: &[&str]) -> Drawn {
    let room = WIDTH - 2 * EDGE;
    canvas.draw_text(&shortened(title, 16, room), &heading(15), (EDGE, 8))?;
    let notes = [unit].into_iter().chain(notes.iter().copied()).filter(|text| !text.is_empty());
    let text = shortened(&notes.collect::<Vec<_>>().join(", "), TEXT, room);
    picture::write(canvas, &text, (TEXT, MUTED), (HPos::Left, VPos::Top), (EDGE, 30))
}

/// How much room the values' labels take, left of the axes.
fn value_room(ticks: &[f64], unit: &str) -> i32 {
    ticks.iter().map(|tick| width(&quantity(*tick, unit), TEXT)).max().unwrap_or(0) + 8
}

/// The values' axis: a line and a label for each tick.
fn value_axis(canvas: &Canvas<'_>, frame: Frame, scale: Scale, ticks: &[f64], unit: &str) -> Drawn {
    for &value in ticks {
        let y = frame.y(scale, value);
        let colour = if value == scale.bottom() { MUTED } else { GRID };
        picture::line(canvas, vec![(frame.left, y), (frame.right, y)], colour, 1)?;
        let text = quantity(value, unit);
        picture::write(canvas, &text, (TEXT, MUTED), (HPos::Right, VPos::Center), (frame.left - 7, y))?;
    }
    Ok(())
}

/// In the middle of axes that have nothing on them.
fn nothing(canvas: &Canvas<'_>, frame: Frame) -> Drawn {
    let middle = (i32::midpoint(frame.left, frame.right), i32::midpoint(frame.top, frame.bottom));
    picture::write(canvas, "nothing seen", (TEXT, MUTED), (HPos::Center, VPos::Center), middle)
}

fn rectangle(canvas: &Canvas<'_>, from: (i32, i32), to: (i32, i32), colour: RGBColor) -> Drawn {
    Ok(canvas.draw(&Rectangle::new([from, to], colour.filled()))?)
}

fn bold(canvas: &Canvas<'_>, text: &str, size: i32, (h, v): (HPos, VPos), at: (i32, i32)) -> Drawn {
    let style = heading(size).color(&INK).pos(plotters::style::text_anchor::Pos::new(h, v));
    Ok(canvas.draw_text(text, &style, at)?)
}

#[cfg(test)]
mod rendered;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_have_no_zeros_that_say_nothing() {
        for (value, unit, text) in [
            (0.0, "", "0"),
            (3.0 * 0.1, "", "0.3"),
            (1e6, "IDs", "1,000,000"),
            (50e6, "bytes", "50 MB"),
            (1.25e9, "bytes", "1.25 GB"),
            (0.0, "bytes", "0 bytes"),
            (20.0, "", "20"),
            (2e-5, "%", "2e-5"),
            (1e18, "", "1.00e18"),
            (f64::NAN, "", "\u{2013}"),
        ] {
            assert_eq!(quantity(value, unit), text);
        }
        for (value, text) in
            [(999.0, "999"), (1e6, "1M"), (1_234.0, "1.2k"), (340_000.0, "340k"), (9_999.0, "10k")]
        {
            assert_eq!(compact(value, ""), text);
        }
    }

    #[test]
    fn a_text_that_is_too_long_ends_in_dots() {
        assert_eq!(shortened("User:a", 10, 36), "User:a");
        let cut = shortened("User:a-very-long-name", 10, 60);
        assert!(cut.ends_with('\u{2026}') && width(&cut, 10) <= 60, "{cut}");
        assert!(width("\u{540d}\u{524d}", 10) > width("ab", 10));
        assert_eq!(shortened("abc", 10, 0), "\u{2026}");
    }

    #[test]
    fn whole_values_get_whole_ticks() {
        assert_eq!(ticks(scale(&[0.0, 1.0], 1.0, false), &[0.0, 1.0]), [0.0, 1.0]);
        assert_eq!(ticks(scale(&[0.0], 0.0, false), &[0.0]), [0.0, 1.0]);
        assert!(ticks(scale(&[0.5], 0.5, false), &[0.5]).len() > 3);
        let decades = [1e-3, 1e18];
        assert!(ticks(scale(&decades, 1e18, true), &decades).len() <= 9);
    }
}
