//! Pictures for a page or to stand alone: drawn with `plotters` in plain colours, which [`theme`] makes light and dark.

pub mod scale;
pub mod theme;

use std::error::Error;

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::text::{escape, printable};
use theme::INK;

pub type Canvas<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub type Drawn = Result<(), Box<dyn Error>>;

/// Width and height in pixels.
pub type Size = (u32, u32);

/// What `paint` draws, for a page that has the style sheet ([`theme::dark_rules`]) and under the name that screen readers
/// read out.
///
/// # Errors
/// What `paint` can't draw.
pub fn inline(size: Size, title: &str, paint: impl FnOnce(&Canvas<'_>) -> Drawn) -> Result<String, String> {
    Ok(describe(&svg(size, paint)?, size, title, ""))
}

/// The same with its style sheet, as a file of its own.
///
/// # Errors
/// What `paint` can't draw.
pub fn standalone(
    size: Size,
    title: &str,
    paint: impl FnOnce(&Canvas<'_>) -> Drawn,
) -> Result<String, String> {
    let svg = svg(size, paint)?;
    let dark =
        format!("<style>@media (prefers-color-scheme: dark){{{}}}</style>", theme::dark_rules_of(&svg));
    Ok(describe(&svg, size, title, &dark))
}

fn svg(size: Size, paint: impl FnOnce(&Canvas<'_>) -> Drawn) -> Result<String, String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        paint(&root).map_err(|e| format!("can't draw: {e}"))?;
        root.present().map_err(|e| format!("can't draw: {e}"))?;
    }
    Ok(theme::apply(&text))
}

fn describe(svg: &str, (width, height): Size, title: &str, style: &str) -> String {
    let open = format!("<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" ");
    let title = escape(&printable(title));
    let named =
        format!("{open}role=\"img\" aria-label=\"{title}\" xmlns=\"http://www.w3.org/2000/svg\">\n{style}");
    match svg.split_once('>') {
        Some((_, rest)) => named + rest,
        None => svg.to_owned(),
    }
}

/// A text's size and colour.
pub fn style(size: i32, colour: RGBColor) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&colour)
}

/// A title's.
pub fn heading(size: i32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().style(FontStyle::Bold).color(&INK)
}

/// Writes a text beside or above a point, by `h` and `v`.
///
/// # Errors
/// What `plotters` can't draw.
pub fn write(
    canvas: &Canvas<'_>,
    text: &str,
    (size, colour): (i32, RGBColor),
    (h, v): (HPos, VPos),
    at: (i32, i32),
) -> Drawn {
    Ok(canvas.draw_text(text, &style(size, colour).pos(Pos::new(h, v)), at)?)
}

/// A line through points.
///
/// # Errors
/// What `plotters` can't draw.
pub fn line(canvas: &Canvas<'_>, points: Vec<(i32, i32)>, colour: RGBColor, width: u32) -> Drawn {
    Ok(canvas.draw(&PathElement::new(points, colour.stroke_width(width)))?)
}
