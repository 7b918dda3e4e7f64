//! The picture: a row for each contender, what it reads on the left, what really passed on the right.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::data::{Contender, Report};
use crate::picture::theme::{BAND, DEEP_BAND, GRID, GUARDED, INK, MUTED, STOCK, SURFACE};
use crate::picture::{self, heading, line, write, Canvas, Drawn};
use crate::text::thousands;

const WIDTH: u32 = 920;
const ROW: i32 = 42;
const ROWS_TOP: i32 = 138;
/// What Kafka's test allows above and below the limit.
const TOLERANCE: f64 = 7.0;

/// A horizontal axis: values from and to, pixels from and to.
struct Axis {
    values: (f64, f64),
    pixels: (i32, i32),
    step: usize,
}

const READINGS: Axis = Axis { values: (18.0, 43.0), pixels: (236, 546), step: 5 };
const PASSED: Axis = Axis { values: (20.0, 100.0), pixels: (590, 896), step: 10 };
/// A reading's bin. Its bar is as high as the square root of its count, so that rare readings are seen.
const BIN: f64 = 0.5;

impl Axis {
    fn x(&self, value: f64) -> i32 {
        let share = (value - self.values.0) / (self.values.1 - self.values.0);
        let share = share.clamp(0.0, 1.0);
        self.pixels.0 + (share * f64::from(self.pixels.1 - self.pixels.0)).round() as i32
    }

    fn ticks(&self) -> impl Iterator<Item = usize> + '_ {
        let (least, most) = (self.values.0.ceil() as usize, self.values.1.floor() as usize);
        (least.next_multiple_of(self.step)..=most).step_by(self.step)
    }
}

/// The whole picture.
///
/// # Errors
/// What `plotters` can't draw.
pub fn picture(report: &Report) -> Result<String, String> {
    let title = format!(
        "{} events offered at {} a second against a limit of {} a second",
        report.events, report.offered_per_second, report.limit
    );
    let height = ROWS_TOP + ROW * report.contenders.len() as i32 + 56;
    picture::standalone((WIDTH, height.unsigned_abs()), &title, |canvas| {
        canvas.fill(&SURFACE)?;
        canvas.draw_text(&title, &heading(20), (16, 16))?;
        let bottom = height - 56;
        backgrounds(canvas, report, bottom)?;
        axis(canvas, &READINGS, report.limit, bottom, "events per second, as read")?;
        axis(canvas, &PASSED, report.limit, bottom, "events in the fullest second")?;
        head(canvas, report)?;
        for (index, contender) in report.contenders.iter().enumerate() {
            row(canvas, contender, ROWS_TOP + ROW * index as i32)?;
        }
        Ok(())
    })
}

fn head(canvas: &Canvas<'_>, report: &Report) -> Drawn {
    let who = format!(
        "Kafka {} in orange, Tollgate in blue; {} phases",
        report.kafka_version,
        thousands(report.phases.into())
    );
    write(canvas, &who, (14, MUTED), (HPos::Left, VPos::Center), (16, 54))?;
    let (left, right) = (READINGS.pixels.0, PASSED.pixels.0);
    write(canvas, "What is read", (15, INK), (HPos::Left, VPos::Center), (left, 80))?;
    for (x, height) in [(left, 4), (left + 3, 12), (left + 6, 7)] {
        canvas.draw(&Rectangle::new([(x, 108 - height), (x + 2, 108)], INK.filled()))?;
    }
    let readings = "at a random moment after 8 s";
    write(canvas, readings, (13, INK), (HPos::Left, VPos::Center), (left + 16, 102))?;
    ring(canvas, (left + 222, 102), INK)?;
    write(canvas, "at the end", (13, INK), (HPos::Left, VPos::Center), (left + 233, 102))?;
    write(canvas, "What passed within one second", (15, INK), (HPos::Left, VPos::Center), (right, 80))?;
    ring(canvas, (right + 6, 102), INK)?;
    write(canvas, "after 8 s", (13, INK), (HPos::Left, VPos::Center), (right + 17, 102))?;
    dot(canvas, (right + 92, 102), INK)?;
    write(canvas, "from the start", (13, INK), (HPos::Left, VPos::Center), (right + 103, 102))?;
    square(canvas, (right + 206, 102), INK)?;
    write(canvas, "all at once", (13, INK), (HPos::Left, VPos::Center), (right + 217, 102))
}

fn backgrounds(canvas: &Canvas<'_>, report: &Report, bottom: i32) -> Drawn {
    for index in (0..report.contenders.len() as i32).step_by(2) {
        let top = ROWS_TOP + index * ROW;
        canvas.draw(&Rectangle::new([(8, top), (WIDTH as i32 - 8, top + ROW)], BAND.filled()))?;
    }
    let limit = f64::from(report.limit);
    let (from, to) = (READINGS.x(limit - TOLERANCE), READINGS.x(limit + TOLERANCE));
    canvas.draw(&Rectangle::new([(from, ROWS_TOP), (to, bottom)], DEEP_BAND.filled()))?;
    Ok(())
}

fn axis(canvas: &Canvas<'_>, axis: &Axis, limit: u32, bottom: i32, unit: &str) -> Drawn {
    for value in axis.ticks() {
        let x = axis.x(value as f64);
        let colour = if value == limit as usize { INK } else { GRID };
        line(canvas, vec![(x, ROWS_TOP), (x, bottom + 4)], colour, 1)?;
        write(canvas, &value.to_string(), (13, MUTED), (HPos::Center, VPos::Top), (x, bottom + 8))?;
    }
    let middle = i32::midpoint(axis.pixels.0, axis.pixels.1);
    write(canvas, unit, (13, MUTED), (HPos::Center, VPos::Top), (middle, bottom + 28))?;
    let x = axis.x(f64::from(limit));
    let label = format!("limit {limit}");
    write(canvas, &label, (13, INK), (HPos::Center, VPos::Bottom), (x, ROWS_TOP - 4))?;
    if axis.pixels == READINGS.pixels {
        let tolerance = format!("grey: \u{b1}{TOLERANCE}");
        write(canvas, &tolerance, (13, MUTED), (HPos::Left, VPos::Bottom), (x + 44, ROWS_TOP - 4))?;
    }
    Ok(())
}

fn row(canvas: &Canvas<'_>, contender: &Contender, top: i32) -> Drawn {
    let colour = if contender.name.is_kafkas() { STOCK } else { GUARDED };
    let (base, middle) = (top + ROW - 8, top + ROW / 2);
    write(canvas, contender.name.text(), (14, INK), (HPos::Left, VPos::Center), (16, middle))?;

    let bins = ((READINGS.values.1 - READINGS.values.0) / BIN) as usize;
    let counts = contender.measured_once.histogram(READINGS.values.0, BIN, bins);
    let highest = counts.iter().copied().max().unwrap_or(1).max(1);
    for (bin, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
        let from = READINGS.values.0 + bin as f64 * BIN;
        let height = ((f64::from(count) / f64::from(highest)).sqrt() * f64::from(ROW - 14)).ceil() as i32;
        let corners = [(READINGS.x(from), base - height), (READINGS.x(from + BIN) - 1, base)];
        canvas.draw(&Rectangle::new(corners, colour.filled()))?;
    }
    let end = &contender.measured_at_end;
    for value in [end.least(), end.most()] {
        ring(canvas, (READINGS.x(value), base), colour)?;
    }

    let later = &contender.most_in_a_second_later;
    let at = |value: f64| (PASSED.x(value), middle - 7);
    line(canvas, vec![at(later.least()), at(later.most())], colour, 2)?;
    square(canvas, (PASSED.x(contender.most_in_a_second_at_once.most()), middle + 10), colour)?;
    ring(canvas, at(later.least()), colour)?;
    ring(canvas, at(later.most()), colour)?;
    // Last, so that it is seen inside of a ring.
    dot(canvas, at(contender.most_in_a_second.most()), colour)
}

fn dot(canvas: &Canvas<'_>, at: (i32, i32), colour: RGBColor) -> Drawn {
    Ok(canvas.draw(&Circle::new(at, 3, colour.filled()))?)
}

fn ring(canvas: &Canvas<'_>, at: (i32, i32), colour: RGBColor) -> Drawn {
    canvas.draw(&Circle::new(at, 5, SURFACE.filled()))?;
    Ok(canvas.draw(&Circle::new(at, 5, colour.stroke_width(2)))?)
}

fn square(canvas: &Canvas<'_>, (x, y): (i32, i32), colour: RGBColor) -> Drawn {
    Ok(canvas.draw(&Rectangle::new([(x - 4, y - 4), (x + 4, y + 4)], colour.filled()))?)
}
