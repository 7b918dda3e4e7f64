//! The three plots over time: producer IDs, heap, and the well-behaved client's latency, of both brokers.
//!
//! Each has its axes with units, the load's phases as bands, each curve labelled where it ends, and a line
//! where the stock broker ended.

use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::data::{Demo, Run, Sample};
use crate::picture::scale::Scale;
use crate::picture::theme::{BAND, DEEP_BAND, GRID, GUARDED, INK, MUTED, STOCK, SURFACE};
use crate::picture::{self, heading, style, Canvas, Drawn};
use crate::text::{milliseconds, thousands};

const WIDTH: u32 = 920;
const PLOT_HEIGHT: u32 = 262;
const HEAD_HEIGHT: u32 = 70;
const FOOT_HEIGHT: u32 = 12;
// Around the axes: the title above, ticks below and to the left, and to the right the labels of the guarded
// broker's curves, which go on to the edge.
const TOP: u32 = 54;
const BOTTOM: u32 = 44;
const LEFT: u32 = 64;
const RIGHT: u32 = 124;

type Axes<'a> = DrawingArea<SVGBackend<'a>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// What one plot shows.
#[derive(Clone, Copy, PartialEq)]
pub enum Plot {
    ProducerIds,
    Heap,
    Latency,
}

impl Plot {
    pub const ALL: [Plot; 3] = [Plot::ProducerIds, Plot::Heap, Plot::Latency];

    pub fn title(self) -> &'static str {
        match self {
            Plot::ProducerIds => "Producer IDs in the broker's memory",
            Plot::Heap => "Heap in use after garbage collection (MB)",
            Plot::Latency => {
                "Well-behaved client: 99th percentile of the time to acknowledgement (ms, logarithmic)"
            }
        }
    }

    fn value(self, sample: &Sample) -> Option<f64> {
        match self {
            Plot::ProducerIds => sample.producer_ids.map(|n| n as f64),
            Plot::Heap => sample.heap_after_gc_mb,
            Plot::Latency => sample.p99_ms,
        }
    }

    fn curve(self, demo: &Demo, run: &Run) -> Vec<(f64, f64)> {
        // Until both sides have warmed up, latencies say more about two JVMs than about a broker.
        let from = if self == Plot::Latency { f64::from(demo.series.load.warm_up_s) + 0.5 } else { 0.0 };
        run.curve(|sample| self.value(sample)).into_iter().filter(|(t, _)| *t >= from).collect()
    }

    fn scale(self, demo: &Demo, values: impl Iterator<Item = f64> + Clone) -> Scale {
        match self {
            Plot::ProducerIds => Scale::linear(values.fold(0.0, f64::max) * 1.18),
            Plot::Heap => Scale::linear(f64::from(demo.series.load.heap_mb) * 1.15),
            // A stall of half a second and an ordinary two milliseconds both have to be seen.
            Plot::Latency => {
                Scale::logarithmic(values.clone().fold(f64::INFINITY, f64::min), values.fold(0.0, f64::max))
            }
        }
    }

    /// A value as the label at a curve's end.
    fn label(self, value: f64) -> String {
        match self {
            Plot::ProducerIds => thousands(value as u64),
            Plot::Heap => format!("{value:.0} MB"),
            Plot::Latency => milliseconds(Some(value)),
        }
    }

    fn tick(value: f64) -> String {
        if value >= 1_000.0 {
            thousands(value as u64)
        } else {
            format!("{value}")
        }
    }
}

/// One plot as an SVG of its own, for the page (which has the style sheet).
///
/// # Errors
/// When there is nothing to plot.
pub fn single(demo: &Demo, plot: Plot) -> Result<String, String> {
    picture::inline((WIDTH, PLOT_HEIGHT), plot.title(), |root| draw(root, demo, plot))
}

/// All three below each other under a head line, as a picture that stands alone.
///
/// # Errors
/// When there is nothing to plot.
pub fn picture(demo: &Demo) -> Result<String, String> {
    let height = HEAD_HEIGHT + 3 * PLOT_HEIGHT + FOOT_HEIGHT;
    let title = format!(
        "The same flood of producer IDs on two Kafka {} brokers with {} MB of heap",
        demo.results.kafka_version, demo.series.load.heap_mb
    );
    picture::standalone((WIDTH, height), &title, |root| {
        root.fill(&SURFACE)?;
        root.draw_text(&title, &heading(20), (16, 16))?;
        let quota = demo.series.load.quota_per_hour;
        let guarded = format!("with Tollgate (quota: {quota} new producer IDs per user and hour)");
        for (colour, text, x) in [(STOCK, "stock broker", 16), (GUARDED, guarded.as_str(), 150)] {
            picture::line(root, vec![(x, 54), (x + 22, 54)], colour, 3)?;
            root.draw_text(text, &style(14, INK).pos(Pos::new(HPos::Left, VPos::Center)), (x + 30, 54))?;
        }
        let plots = root.margin(HEAD_HEIGHT, FOOT_HEIGHT, 0, 0).split_evenly((3, 1));
        for (area, plot) in plots.iter().zip(Plot::ALL) {
            draw(area, demo, plot)?;
        }
        Ok(())
    })
}

fn draw(canvas: &Canvas<'_>, demo: &Demo, plot: Plot) -> Drawn {
    let stock = plot.curve(demo, &demo.series.stock);
    let guarded = plot.curve(demo, &demo.series.guarded);
    if stock.is_empty() || guarded.is_empty() {
        return Err(format!("a broker has no readings of: {}", plot.title()).into());
    }
    let scale = plot.scale(demo, stock.iter().chain(&guarded).map(|(_, y)| *y));
    let seconds = demo.series.stock.last_s().max(demo.series.guarded.last_s());
    let chart = Chart {
        axes: ChartBuilder::on(canvas)
            .margin_top(TOP)
            .margin_bottom(BOTTOM)
            .margin_left(LEFT)
            .margin_right(RIGHT)
            .build_cartesian_2d(0.0..seconds, scale.range())?
            .plotting_area()
            .clone(),
        canvas,
        plot,
        scale,
        seconds,
    };
    canvas.draw_text(plot.title(), &heading(15), (16, 8))?;
    chart.phases(demo)?;
    chart.grid()?;
    if plot == Plot::Heap {
        chart.heap_limit(f64::from(demo.series.load.heap_mb))?;
    }
    if let Some(ended) = demo.series.stock.ended_at_s {
        chart.end_of_stock(ended, &demo.results.stock.outcome)?;
    }
    chart.curve(&stock, STOCK)?;
    chart.curve(&guarded, GUARDED)?;
    chart.label_within(&stock, "stock")?;
    chart.label_beside(&guarded, "with Tollgate")
}

/// One plot on its axes.
struct Chart<'a, 'b> {
    axes: Axes<'b>,
    canvas: &'a Canvas<'b>,
    plot: Plot,
    scale: Scale,
    seconds: f64,
}

impl Chart<'_, '_> {
    /// Where a point is on the canvas, in its own pixels.
    fn at(&self, t: f64, value: f64) -> (i32, i32) {
        let (x, y) = self.axes.map_coordinate(&(t, self.scale.place(value)));
        let (left, top) = self.canvas.get_base_pixel();
        (x - left, y - top)
    }

    fn text(&self, text: &str, size: i32, colour: RGBColor, h: HPos, v: VPos, at: (i32, i32)) -> Drawn {
        picture::write(self.canvas, text, (size, colour), (h, v), at)
    }

    /// The guarded broker's phases: it goes through all of them.
    fn phases(&self, demo: &Demo) -> Drawn {
        let (bottom, top) = (self.scale.bottom(), self.scale.top());
        let phases = &demo.series.guarded.phases;
        for (i, phase) in phases.iter().enumerate() {
            let (name, band) = match phase.name.as_str() {
                "calm" | "afterwards" => ("calm", None),
                "a producer per message" => ("new producers", Some(BAND)),
                "raw flood" => ("raw flood: a new producer ID in each request", Some(DEEP_BAND)),
                _ => continue,
            };
            // The warm-up is calm, too. A phase is over when the next one begins: ending a load takes its time.
            let from = if phase.name == "calm" { 0.0 } else { phase.from_s };
            let to = phases.get(i + 1).map_or(self.seconds, |next| next.from_s);
            let (left, y) = self.at(from, top);
            let (right, below) = self.at(to, bottom);
            if let Some(colour) = band {
                self.canvas.draw(&Rectangle::new([(left, y), (right, below)], colour.filled()))?;
            }
            // About seven pixels a character at this size.
            let fits = |text: &str| text.len() as i32 * 7 < right - left;
            let short = name.split(':').next().unwrap_or(name);
            if let Some(text) = [name, short].into_iter().find(|text| fits(text)) {
                self.text(text, 13, MUTED, HPos::Center, VPos::Bottom, (i32::midpoint(left, right), y - 3))?;
            }
        }
        Ok(())
    }

    fn grid(&self) -> Drawn {
        for value in self.scale.ticks() {
            let (left, y) = self.at(0.0, value);
            let (right, _) = self.at(self.seconds, value);
            let colour = if value == self.scale.bottom() { MUTED } else { GRID };
            picture::line(self.canvas, vec![(left, y), (right, y)], colour, 1)?;
            self.text(&Plot::tick(value), 13, MUTED, HPos::Right, VPos::Center, (left - 7, y))?;
        }
        let times = Scale::linear(self.seconds);
        for t in times.ticks() {
            let (x, y) = self.at(t, self.scale.bottom());
            picture::line(self.canvas, vec![(x, y), (x, y + 4)], MUTED, 1)?;
            self.text(&format!("{t} s"), 13, MUTED, HPos::Center, VPos::Top, (x, y + 8))?;
        }
        Ok(())
    }

    fn heap_limit(&self, mb: f64) -> Drawn {
        let (left, y) = self.at(0.0, mb);
        let (right, _) = self.at(self.seconds, mb);
        picture::line(self.canvas, vec![(left, y), (right, y)], MUTED, 1)?;
        self.text(&format!("heap limit, {mb} MB"), 13, MUTED, HPos::Left, VPos::Bottom, (left + 6, y - 3))
    }

    fn end_of_stock(&self, t: f64, outcome: &str) -> Drawn {
        let (x, top) = self.at(t, self.scale.top());
        let (_, bottom) = self.at(t, self.scale.bottom());
        for y in (top..bottom).step_by(7) {
            picture::line(self.canvas, vec![(x, y), (x, (y + 4).min(bottom))], STOCK, 1)?;
        }
        // Below the stock broker's curves, which end high, and above the guarded one's, which go on low.
        let y = top + (bottom - top) / 4;
        self.text(&format!("stock broker: {outcome}"), 14, STOCK, HPos::Left, VPos::Top, (x + 7, y))?;
        self.text(&format!("after {t:.0} s"), 14, STOCK, HPos::Left, VPos::Top, (x + 7, y + 16))
    }

    fn curve(&self, points: &[(f64, f64)], colour: RGBColor) -> Drawn {
        let path = points.iter().map(|(t, value)| (*t, self.scale.place(*value)));
        self.axes.draw(&PathElement::new(path.collect::<Vec<_>>(), colour.stroke_width(2)))?;
        if let Some((t, value)) = points.last() {
            self.axes.draw(&Circle::new((*t, self.scale.place(*value)), 3, colour.filled()))?;
        }
        Ok(())
    }

    /// Above the curve's end; for a heap near its limit, whose line is in the way, to the left of where it comes near it.
    fn label_within(&self, points: &[(f64, f64)], name: &str) -> Drawn {
        let Some(&(last, _)) = points.last() else { return Ok(()) };
        let Some(&(_, highest)) = points.iter().max_by(|a, b| a.1.total_cmp(&b.1)) else { return Ok(()) };
        let text = format!("{name}, up to {}", self.plot.label(highest));
        if self.plot == Plot::Heap && highest > 0.7 * self.scale.top() {
            let near = points.iter().find(|(_, value)| *value >= 0.9 * highest).map_or(last, |(t, _)| *t);
            let (x, y) = self.at(near, highest);
            return self.text(&text, 15, STOCK, HPos::Right, VPos::Center, (x - 12, y + 10));
        }
        let (x, y) = self.at(last, highest);
        self.text(&text, 15, STOCK, HPos::Right, VPos::Bottom, (x + 3, y - 6))
    }

    /// In the margin, beside the curve's end.
    fn label_beside(&self, points: &[(f64, f64)], name: &str) -> Drawn {
        let Some((t, value)) = points.last() else { return Ok(()) };
        let (x, y) = self.at(*t, *value);
        self.text(name, 15, GUARDED, HPos::Left, VPos::Center, (x + 9, y - 16))?;
        self.text(&self.plot.label(*value), 15, GUARDED, HPos::Left, VPos::Center, (x + 9, y))
    }
}
