//! The picture: messages beyond the permits of each kind under each estimate, and an average that follows its entries.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::consumer::{Estimate, QUEUE};
use super::scenario::{self, Report, Step, KINDS, PUSHES_EACH, READ_BATCH, SECONDS};
use crate::picture::scale::Scale;
use crate::picture::theme::{BAND, GRID, GUARDED, INK, MUTED, STOCK, SURFACE};
use crate::picture::{self, heading, line, write, Canvas, Drawn};
use crate::text::thousands;

const WIDTH: u32 = 920;
const HEIGHT: u32 = 866;

// The upper plot.
const ROW: i32 = 19;
const GROUP: i32 = 4 * ROW + 16;
const ROWS_TOP: i32 = 110;
const ROWS_BOTTOM: i32 = ROWS_TOP + 4 * GROUP - 8;
/// Where the values' axis begins and ends.
const VALUES: (i32, i32) = (330, 730);
const MEAN_RIGHT: i32 = 808;
const MOST_RIGHT: i32 = 904;

// The lower one.
const STEPS_TOP: i32 = ROWS_BOTTOM + 118;
const STEPS_BOTTOM: i32 = 822;
const PUSHES: (i32, i32) = (64, 904);

/// The whole picture.
///
/// # Errors
/// What `plotters` can't draw.
pub fn picture(report: &Report) -> Result<String, String> {
    let title = "Messages sent beyond the permits, with and without the estimate of messages per entry";
    picture::standalone((WIDTH, HEIGHT), title, |canvas| {
        canvas.fill(&SURFACE)?;
        canvas.draw_text("Messages sent beyond what a consumer asked for", &heading(20), (16, 16))?;
        beyond(canvas, report)?;
        following(canvas, report)
    })
}

fn beyond(canvas: &Canvas<'_>, report: &Report) -> Drawn {
    let most = |kind: usize, estimate| {
        let tally = report.tally(kind, estimate);
        tally.first_beyond.max(tally.most_beyond_later)
    };
    let highest = (0..KINDS.len()).flat_map(|kind| Estimate::ALL.map(|estimate| most(kind, estimate))).max();
    let scale = Scale::logarithmic(1.0, highest.unwrap_or(0) as f64 / 2.0);
    let x = |value: f64| scale.pixel(value, VALUES);

    dot(canvas, (22, 60), INK, false)?;
    write(canvas, "mean of all pushes", (14, INK), (HPos::Left, VPos::Center), (34, 60))?;
    dot(canvas, (182, 60), INK, true)?;
    write(canvas, "the worst push", (14, INK), (HPos::Left, VPos::Center), (194, 60))?;
    let run = format!(
        "{SECONDS} seconds, at most {READ_BATCH} entries a read, queues of {} messages",
        thousands(QUEUE)
    );
    write(canvas, &run, (13, MUTED), (HPos::Right, VPos::Center), (MOST_RIGHT, 60))?;
    write(canvas, "mean", (13, MUTED), (HPos::Right, VPos::Bottom), (MEAN_RIGHT, ROWS_TOP - 10))?;
    write(canvas, "worst", (13, MUTED), (HPos::Right, VPos::Bottom), (MOST_RIGHT, ROWS_TOP - 10))?;
    for kind in (0..KINDS.len()).step_by(2) {
        let top = ROWS_TOP + kind as i32 * GROUP - 8;
        let band = Rectangle::new([(16, top), (WIDTH as i32 - 12, top + GROUP)], BAND.filled());
        canvas.draw(&band)?;
    }
    for value in scale.ticks() {
        let colour = if value == scale.bottom() { MUTED } else { GRID };
        line(canvas, vec![(x(value), ROWS_TOP - 8), (x(value), ROWS_BOTTOM)], colour, 1)?;
        let text = if value == scale.bottom() { "≤ 1".to_owned() } else { thousands(value as u64) };
        write(canvas, &text, (13, MUTED), (HPos::Center, VPos::Top), (x(value), ROWS_BOTTOM + 7))?;
    }
    let middle = i32::midpoint(VALUES.0, VALUES.1);
    let unit = "messages beyond the permits in a push (logarithmic)";
    write(canvas, unit, (13, MUTED), (HPos::Center, VPos::Top), (middle, ROWS_BOTTOM + 27))?;

    for (index, kind) in KINDS.iter().enumerate() {
        let top = ROWS_TOP + index as i32 * GROUP;
        write(canvas, kind.name, (14, INK), (HPos::Left, VPos::Center), (24, top + ROW / 2))?;
        for (row, estimate) in Estimate::ALL.into_iter().enumerate() {
            let y = top + row as i32 * ROW + ROW / 2;
            let colour = if estimate == Estimate::Off { STOCK } else { GUARDED };
            let (mean, most) = (report.tally(index, estimate).mean_beyond(), most(index, estimate));
            line(canvas, vec![(x(mean), y), (x(most as f64), y)], colour, 2)?;
            dot(canvas, (x(most as f64), y), colour, true)?;
            dot(canvas, (x(mean), y), colour, false)?;
            write(canvas, estimate.name(), (14, colour), (HPos::Right, VPos::Center), (VALUES.0 - 14, y))?;
            let mean = thousands(mean.round() as u64);
            write(canvas, &mean, (14, colour), (HPos::Right, VPos::Center), (MEAN_RIGHT, y))?;
            write(canvas, &thousands(most), (14, colour), (HPos::Right, VPos::Center), (MOST_RIGHT, y))?;
        }
    }
    Ok(())
}

/// Filled, or a ring.
fn dot(canvas: &Canvas<'_>, at: (i32, i32), colour: RGBColor, ring: bool) -> Drawn {
    if ring {
        canvas.draw(&Circle::new(at, 5, SURFACE.filled()))?;
        canvas.draw(&Circle::new(at, 5, colour.stroke_width(2)))?;
    } else {
        canvas.draw(&Circle::new(at, 4, colour.filled()))?;
    }
    Ok(())
}

fn following(canvas: &Canvas<'_>, report: &Report) -> Drawn {
    let (steps, from_1000) = (&report.unknown, &report.from_1000);
    let highest = steps.iter().map(|step| step.size).max().unwrap_or(1);
    let scale = Scale::logarithmic(1.0, highest as f64 / 2.0);
    let y = |value: f64| scale.pixel(value, (STEPS_BOTTOM, STEPS_TOP));
    let pushes = Scale::linear(steps.len() as f64);
    let x = |push: usize| pushes.pixel(push as f64, PUSHES);

    let title = "Messages per entry, real and estimated, of a consumer whose entries change (logarithmic)";
    canvas.draw_text(title, &heading(15), (16, STEPS_TOP - 62))?;
    line(canvas, vec![(16, STEPS_TOP - 26), (38, STEPS_TOP - 26)], MUTED, 5)?;
    write(canvas, "real", (14, INK), (HPos::Left, VPos::Center), (46, STEPS_TOP - 26))?;
    line(canvas, vec![(96, STEPS_TOP - 26), (118, STEPS_TOP - 26)], GUARDED, 2)?;
    write(canvas, "average, unknown at first", (14, INK), (HPos::Left, VPos::Center), (126, STEPS_TOP - 26))?;
    dashed(canvas, &[(308, STEPS_TOP - 26), (332, STEPS_TOP - 26)])?;
    write(canvas, "average, from 1000", (14, INK), (HPos::Left, VPos::Center), (340, STEPS_TOP - 26))?;

    for value in scale.ticks() {
        let colour = if value == scale.bottom() { MUTED } else { GRID };
        line(canvas, vec![(PUSHES.0, y(value)), (PUSHES.1, y(value))], colour, 1)?;
        let text = thousands(value as u64);
        write(canvas, &text, (13, MUTED), (HPos::Right, VPos::Center), (PUSHES.0 - 7, y(value)))?;
    }
    for push in (0..=steps.len()).step_by(50) {
        line(canvas, vec![(x(push), STEPS_BOTTOM), (x(push), STEPS_BOTTOM + 4)], MUTED, 1)?;
        let (text, h) = match push {
            push if push == steps.len() => (format!("{push} pushes"), HPos::Right),
            push => (push.to_string(), HPos::Center),
        };
        write(canvas, &text, (13, MUTED), (h, VPos::Top), (x(push), STEPS_BOTTOM + 8))?;
    }

    // A push is a step from its number to the next one's.
    let real = steps.iter().enumerate().flat_map(|(i, step)| [i, i + 1].map(|i| (x(i), y(step.size as f64))));
    line(canvas, real.collect(), MUTED, 5)?;
    let curve = |steps: &[Step]| -> Vec<(i32, i32)> {
        steps.iter().enumerate().map(|(i, step)| (x(i + 1), y(step.average))).collect()
    };
    dashed(canvas, &curve(&from_1000[..PUSHES_EACH]))?;
    line(canvas, curve(steps), GUARDED, 2)?;
    for (steps, index) in [(from_1000, 0), (steps, 1), (steps, 2)] {
        let Some(pushes) = scenario::settled(steps, index) else { continue };
        let push = index * PUSHES_EACH + pushes;
        let at = (x(push), y(steps[push - 1].average));
        dot(canvas, at, GUARDED, true)?;
        let rises = steps[push - 1].size > 1;
        let text = format!("within 10 % after {pushes}");
        let (h, v, at) = if rises {
            (HPos::Left, VPos::Top, (at.0 - 4, at.1 + 12))
        } else {
            (HPos::Right, VPos::Bottom, (at.0 + 4, at.1 - 76))
        };
        write(canvas, &text, (14, GUARDED), (h, v), at)?;
    }
    Ok(())
}

/// Strokes of six pixels and as wide gaps along a line.
fn dashed(canvas: &Canvas<'_>, points: &[(i32, i32)]) -> Drawn {
    const STROKE: f64 = 6.0;
    let mut walked = 0.0;
    for pair in points.windows(2) {
        let [from, to] = [pair[0], pair[1]].map(|(x, y)| (f64::from(x), f64::from(y)));
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let at = |way: f64| {
            let share = way / length;
            (
                (from.0 + (to.0 - from.0) * share).round() as i32,
                (from.1 + (to.1 - from.1) * share).round() as i32,
            )
        };
        let mut way = 0.0;
        while way < length {
            let end = (way + STROKE - (walked + way) % STROKE).min(length);
            // The middle tells which stroke this is, whatever rounding did to its ends.
            if ((walked + f64::midpoint(way, end)) / STROKE) as i64 % 2 == 0 {
                line(canvas, vec![at(way), at(end)], GUARDED, 2)?;
            }
            way = end;
        }
        walked += length;
    }
    Ok(())
}
