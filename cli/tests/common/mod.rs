//! What several tests share: places of their own, a broker's log directory, and what every picture of the tool has to hold.
#![allow(dead_code, reason = "each test uses a part")]

pub mod broker;

use std::fs;
use std::path::{Path, PathBuf};

/// A directory of its own for each test.
pub fn directory(test: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory).unwrap();
    directory
}

/// Nothing in light colours only.
pub fn assert_every_colour_follows_the_theme(svg: &str) {
    let document = roxmltree::Document::parse(svg).unwrap();
    assert!(svg.contains("@media (prefers-color-scheme: dark){"));
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        let coloured =
            ["fill", "stroke"].iter().any(|name| node.attribute(*name).is_some_and(|v| v.starts_with('#')));
        assert!(!coloured || node.attribute("class").is_some(), "not themed: {node:?}");
    }
}

pub fn assert_loads_nothing_from_anywhere(text: &str) {
    let text = text.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
    for reference in ["http:", "https:", "src=", "href=", "url(", "@import", "<script"] {
        assert!(!text.contains(reference), "found {reference}");
    }
}

/// All of at least `least` texts are within the picture, and none covers another.
pub fn assert_texts_have_room(svg: &str, least: usize) {
    let document = roxmltree::Document::parse(svg).unwrap();
    let size = |name| document.root_element().attribute(name).unwrap().parse::<f64>().unwrap();
    let (width, height) = (size("width"), size("height"));
    // About 0.6 of the size a character, as sans-serif fonts are at most on average.
    let boxes = document.descendants().filter(|node| node.has_tag_name("text")).map(|node| {
        let number = |name| node.attribute(name).unwrap().parse::<f64>().unwrap();
        let text = node.text().unwrap().trim().to_owned();
        let (x, y, size) = (number("x"), number("y"), number("font-size"));
        let width = text.len() as f64 * size * 0.6;
        let left = match node.attribute("text-anchor") {
            Some("middle") => x - width / 2.0,
            Some("end") => x - width,
            _ => x,
        };
        let top = match node.attribute("dy") {
            Some("0.76em") => y,
            Some("0.5ex") => y - size / 2.0,
            _ => y - size,
        };
        (text, left, top, left + width, top + size)
    });
    let boxes: Vec<_> = boxes.collect();
    assert!(boxes.len() >= least, "{}", boxes.len());
    for (i, (text, left, top, right, bottom)) in boxes.iter().enumerate() {
        assert!(*left >= 0.0 && *right <= width && *top >= 0.0 && *bottom <= height, "outside: {text}");
        for (other, l, t, r, b) in &boxes[..i] {
            assert!(left >= r || l >= right || top >= b || t >= bottom, "'{text}' covers '{other}'");
        }
    }
}
