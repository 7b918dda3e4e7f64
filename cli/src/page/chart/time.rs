//! Lines over time.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, VPos};

use super::time_axis::{self, Tick};
use super::{head, nothing, quantity, scale, shortened, ticks, tidy, value_axis, value_room, width};
use super::{Frame, EDGE, TEXT, TOP, WIDTH};
use crate::picture::scale::Scale;
use crate::picture::theme::{CURVES, GRID, LIMIT, MUTED};
use crate::picture::{self, Canvas, Drawn};

const HEIGHT: i32 = 286;
/// Below the axes: a tick's two texts.
const BOTTOM: i32 = 50;
/// A tick's texts are up to `30 Nov 2026`.
const TICK_ROOM: i32 = 90;
/// Names get no more of the width than this.
const NAMES: i32 = 220;
/// Between the labels of two lines.
const LABEL_STEP: i32 = 17;
/// A limit this many times above all values is named, but not drawn: the values would be a flat line.
const FAR: f64 = 5.0;

/// One line.
pub struct Line {
    pub name: String,
    /// Milliseconds since 1970, in order, and values from 0 on.
    pub points: Vec<(i64, f64)>,
    /// A value holds until the next one; the last as long as the one before it.
    pub is_step: bool,
}

/// One to four lines over time, with their names at their ends. Times are written in UTC.
pub struct TimeChart {
    pub title: String,
    /// What the values are: `IDs per hour`. In `bytes` they are written with their prefix.
    pub unit: String,
    pub lines: Vec<Line>,
    /// A horizontal line and its name.
    pub limit: Option<(String, f64)>,
    pub is_log: bool,
}

impl TimeChart {
    /// The picture, for a page.
    ///
    /// # Errors
    /// What `plotters` can't draw.
    pub fn svg(&self) -> Result<String, String> {
        let size = (WIDTH.unsigned_abs(), HEIGHT.unsigned_abs());
        picture::inline(size, &self.title, |canvas| self.paint(canvas))
    }

    fn paint(&self, canvas: &Canvas<'_>) -> Drawn {
        let curves: Vec<Curve<'_>> = self.lines.iter().zip(CURVES).map(Curve::of).collect();
        let values: Vec<f64> =
            curves.iter().flat_map(|curve| curve.points.iter().map(|(_, value)| *value)).collect();
        let highest = values.iter().copied().fold(0.0, f64::max);
        let limit = self.limit.as_ref().filter(|(_, value)| value.is_finite() && *value >= 0.0);
        let limit = limit.map(|(name, value)| (name.as_str(), tidy(*value)));
        let is_far = limit.is_some_and(|(_, value)| highest > 0.0 && value > FAR * highest);
        let shown = limit.filter(|_| !is_far);
        let scale = scale(&values, shown.map_or(highest, |(_, value)| value.max(highest)), self.is_log);
        let ticks = ticks(scale, &values);

        let notes = if self.is_log { ["logarithmic", "time in UTC"] } else { ["time in UTC", ""] };
        head(canvas, &self.title, &self.unit, &notes)?;
        let names = self.names(&curves);
        let room = names.iter().map(|name| width(name, TEXT)).max().unwrap_or(0);
        let frame = Frame {
            left: EDGE + value_room(&ticks, &self.unit).max(TICK_ROOM / 2 - EDGE),
            top: TOP,
            right: WIDTH - (room + 12 + EDGE).max(TICK_ROOM / 2),
            bottom: HEIGHT - BOTTOM,
        };
        let Some(times) = Times::of(&curves, frame) else {
            value_axis(canvas, frame, scale, &ticks, &self.unit)?;
            return nothing(canvas, frame);
        };
        let paths: Vec<_> = curves.iter().map(|curve| curve.path(&times, frame, scale)).collect();
        times.draw_axis(canvas, frame)?;
        value_axis(canvas, frame, scale, &ticks, &self.unit)?;
        for (curve, path) in curves.iter().zip(&paths).rev() {
            match path[..] {
                [only] => canvas.draw(&Circle::new(only, 3, curve.colour.filled()))?,
                // A crowded one would be a surface.
                _ => picture::line(canvas, path.clone(), curve.colour, if path.len() > 700 { 1 } else { 2 })?,
            }
        }
        if let Some((name, value)) = limit {
            let text = format!("{name}: {}", quantity(value, &self.unit));
            if is_far {
                // An arrow: it is up there.
                let text = shortened(&format!("\u{2191} {text}"), TEXT, frame.right - frame.left);
                label(canvas, &text, LIMIT, (HPos::Left, VPos::Top), (frame.left + 6, frame.top))?;
            } else {
                draw_limit(canvas, frame, frame.y(scale, value), &text, &paths)?;
            }
        }
        let ends = paths.iter().map(|path| path.last().map_or(frame.bottom, |(_, y)| *y));
        for ((y, name), curve) in
            spread(&ends.collect::<Vec<_>>(), frame).into_iter().zip(&names).zip(&curves)
        {
            label(canvas, name, curve.colour, (HPos::Left, VPos::Center), (frame.right + 9, y))?;
        }
        Ok(())
    }

    /// What stands at the lines' ends; one line that is named by the title already needs none.
    fn names(&self, curves: &[Curve<'_>]) -> Vec<String> {
        match curves {
            [only] if only.name == self.title || only.name.is_empty() => Vec::new(),
            _ => curves.iter().map(|curve| shortened(curve.name, TEXT, NAMES)).collect(),
        }
    }
}

fn label(canvas: &Canvas<'_>, text: &str, colour: RGBColor, pos: (HPos, VPos), at: (i32, i32)) -> Drawn {
    picture::write(canvas, text, (TEXT, colour), pos, at)
}

/// A line's points that can be drawn.
struct Curve<'a> {
    name: &'a str,
    colour: RGBColor,
    points: Vec<(i64, f64)>,
    is_step: bool,
}

impl<'a> Curve<'a> {
    fn of((line, colour): (&'a Line, RGBColor)) -> Self {
        let points = line.points.iter().filter(|(_, value)| value.is_finite());
        let mut points: Vec<_> = points
            .map(|(ms, value)| ((*ms).clamp(time_axis::EARLIEST, time_axis::LATEST), tidy(*value)))
            .collect();
        points.sort_by_key(|(ms, _)| *ms);
        Self { name: &line.name, colour, points, is_step: line.is_step }
    }

    /// When its last value has an end.
    fn end(&self) -> Option<i64> {
        match self.points[..] {
            [.., (before, _), (last, _)] if self.is_step => {
                Some(last.saturating_add(last - before).min(time_axis::LATEST))
            }
            [.., (last, _)] => Some(last),
            [] => None,
        }
    }

    /// In pixels. However many points there are, those of one column are its first, lowest, highest and last.
    fn path(&self, times: &Times, frame: Frame, scale: Scale) -> Vec<(i32, i32)> {
        let mut path: Vec<(i32, i32)> = Vec::new();
        let mut column = 0;
        let mut add = |(x, y): (i32, i32)| {
            if path[column..].first().is_some_and(|(first, _)| *first != x) {
                column = path.len();
            }
            path.push((x, y));
            if path.len() - column > 4 {
                let of = &path[column..];
                let ys = || of.iter().map(|(_, y)| *y);
                let (low, high) = (ys().max().unwrap_or(y), ys().min().unwrap_or(y));
                let kept = [of[0], (x, low), (x, high), (x, y)];
                path.truncate(column);
                path.extend(kept);
            }
        };
        let mut last = None;
        for &(ms, value) in &self.points {
            let (x, y) = (times.x(ms, frame), frame.y(scale, value));
            if let Some(y) = last.filter(|_| self.is_step) {
                add((x, y));
            }
            add((x, y));
            last = Some(y);
        }
        if let (true, Some(y), Some(end)) = (self.is_step, last, self.end()) {
            add((times.x(end, frame), y));
        }
        path.dedup();
        path
    }
}

/// The horizontal axis.
struct Times {
    from: i64,
    to: i64,
    ticks: Vec<Tick>,
}

impl Times {
    /// From the first point to the end of the last; a single moment gets a minute around it. None without points.
    fn of(curves: &[Curve<'_>], frame: Frame) -> Option<Times> {
        let mut from = curves.iter().filter_map(|curve| curve.points.first()).map(|(ms, _)| *ms).min()?;
        let mut to = curves.iter().filter_map(Curve::end).max()?;
        if to - from < 10_000 {
            from = (from - 30_000).max(time_axis::EARLIEST);
            to = (to + 30_000).min(time_axis::LATEST);
        }
        let ticks = time_axis::ticks(from, to, i64::from((frame.right - frame.left) / TICK_ROOM));
        Some(Times { from, to, ticks })
    }

    fn x(&self, ms: i64, frame: Frame) -> i32 {
        let share = (ms - self.from) as f64 / (self.to - self.from) as f64;
        frame.left + (share * f64::from(frame.right - frame.left)).round() as i32
    }

    fn draw_axis(&self, canvas: &Canvas<'_>, frame: Frame) -> Drawn {
        for (i, Tick { ms, text, below }) in self.ticks.iter().enumerate() {
            let x = self.x(*ms, frame);
            let y = frame.bottom;
            // Where a day or a year begins, not where the axis does.
            if below.is_some() && i > 0 {
                picture::line(canvas, vec![(x, frame.top), (x, y)], GRID, 1)?;
            }
            picture::line(canvas, vec![(x, y), (x, y + 4)], MUTED, 1)?;
            label(canvas, text, MUTED, (HPos::Center, VPos::Top), (x, y + 8))?;
            if let Some(below) = below {
                label(canvas, below, MUTED, (HPos::Center, VPos::Top), (x, y + 25))?;
            }
        }
        Ok(())
    }
}

/// A dashed line, and its name above it at the side where fewer lines are in the way.
fn draw_limit(canvas: &Canvas<'_>, frame: Frame, y: i32, text: &str, paths: &[Vec<(i32, i32)>]) -> Drawn {
    for x in (frame.left..frame.right).step_by(9) {
        picture::line(canvas, vec![(x, y), ((x + 5).min(frame.right), y)], LIMIT, 1)?;
    }
    let text = shortened(text, TEXT, frame.right - frame.left);
    let room = width(&text, TEXT) + 12;
    let in_the_way = |from: i32, to: i32| {
        let crosses = |pair: &[(i32, i32)]| {
            let (a, b) = (pair[0], pair[1]);
            a.0.max(b.0) >= from && a.0.min(b.0) <= to && a.1.max(b.1) >= y - TEXT - 3 && a.1.min(b.1) <= y
        };
        paths.iter().flat_map(|path| path.windows(2)).filter(|pair| crosses(pair)).count()
    };
    let at_left = in_the_way(frame.left, frame.left + room) <= in_the_way(frame.right - room, frame.right);
    let (h, x) = if at_left { (HPos::Left, frame.left + 6) } else { (HPos::Right, frame.right - 6) };
    label(canvas, &text, LIMIT, (h, VPos::Bottom), (x, y - 3))
}

/// Labels as near to their lines' ends as they can be without one covering another.
fn spread(ends: &[i32], frame: Frame) -> Vec<i32> {
    let mut order: Vec<usize> = (0..ends.len()).collect();
    order.sort_by_key(|i| ends[*i]);
    let mut places = ends.to_vec();
    let mut free = i32::MIN;
    for &i in &order {
        places[i] = ends[i].max(free);
        free = places[i] + LABEL_STEP;
    }
    // Those that were pushed below the axes push the others up again.
    let mut free = frame.bottom;
    for &i in order.iter().rev() {
        places[i] = places[i].min(free);
        free = places[i] - LABEL_STEP;
    }
    places
}
