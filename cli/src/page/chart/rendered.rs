//! The plots as they come out, for times from minutes to months and values from none to millions.

#[path = "../../../tests/common/picture.rs"]
mod rules;

use super::{BarChart, Comparison, Line, Measure, TimeChart};
use crate::page::{figure, Page};

/// 2026-11-27 22:10.
const AT: i64 = 1_795_817_400_000;
const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// A day's ups and downs, up to `most`, whole.
fn wave(span: i64, step: i64, most: f64, is_step: bool, name: &str) -> Line {
    let value = |ms: i64| {
        let noise = f64::from((ms / step * 7_919 % 100) as i32) / 100.0;
        let day = (ms as f64 / DAY as f64 * std::f64::consts::TAU).sin();
        (most * (0.5 + 0.3 * day + 0.2 * noise)).round()
    };
    Line {
        name: name.to_owned(),
        points: (0..=span / step).map(|i| (AT + i * step, value(AT + i * step))).collect(),
        is_step,
    }
}

fn time(title: &str, lines: Vec<Line>, limit: Option<f64>) -> TimeChart {
    TimeChart {
        title: title.to_owned(),
        unit: "IDs per hour".to_owned(),
        lines,
        limit: limit.map(|value| ("quota".to_owned(), value)),
        is_log: false,
    }
}

fn bars(title: &str, bars: &[(&str, f64)], marked: Option<usize>) -> BarChart {
    BarChart {
        title: title.to_owned(),
        unit: "returns".to_owned(),
        bars: bars.iter().map(|(label, value)| ((*label).to_owned(), *value)).collect(),
        marked,
    }
}

fn comparison(rows: usize, marked: Option<usize>) -> Comparison {
    let measure = |name: &str, unit: &str| Measure { name: name.to_owned(), unit: unit.to_owned() };
    Comparison {
        title: "Settings on this trace".to_owned(),
        measures: vec![
            measure("forgotten too soon", "IDs"),
            measure("wrongly known", "IDs"),
            measure("most memory", "bytes"),
        ],
        rows: (0..rows)
            .map(|i| {
                let name = format!("window {}m, {} layers, rate 1,000", 30 << (i % 3), 4 << (i / 3 % 3));
                (name, vec![(i * i * 100) as f64, if i == 2 { 0.0 } else { 3.0 }, 1e6 / (i + 1) as f64])
            })
            .collect(),
        marked,
    }
}

const PAUSES: [(&str, f64); 12] = [
    ("1 to 2 min", 1_000_000.0),
    ("2 to 5 min", 812_000.0),
    ("5 to 10 min", 1.0),
    ("10 to 15 min", 0.0),
    ("15 to 30 min", 23_456.0),
    ("30 to 45 min", 99_999.0),
    ("45 min to 1 h", 400_000.0),
    ("1 to 2 h", 500_000.0),
    ("2 to 4 h", 120.0),
    ("4 to 8 h", 12.0),
    ("8 to 24 h", 2.0),
    ("longer", 0.0),
];

/// Names and pictures of all kinds that have texts in them.
fn all() -> Vec<(&'static str, String)> {
    let one = |span, step, most, limit| {
        let line = wave(span, step, most, true, "New producer IDs");
        time("New producer IDs", vec![line], limit).svg().unwrap()
    };
    let memory = TimeChart {
        unit: "bytes".to_owned(),
        is_log: true,
        ..time(
            "Memory of the filter",
            vec![
                wave(10 * DAY, HOUR, 6e7, false, "window 1h, 4 layers"),
                wave(10 * DAY, HOUR, 2e4, false, "window 30m"),
            ],
            Some(64e6),
        )
    };
    let four = |most: f64| {
        let line = |i: f64, name: &str| wave(30 * HOUR, 10 * MINUTE, most * i, false, name);
        let names = ["alive", "new", "throttled", "User:a-principal-with-a-very-long-name-indeed"];
        let lines = (0_u32..).zip(names).map(|(i, name)| line(f64::from(i) / 30.0, name)).collect();
        time("Four lines that end near each other", lines, None).svg().unwrap()
    };
    let single = Line { name: "x".to_owned(), points: vec![(AT, 3.0)], is_step: false };
    let none = || wave(-HOUR, HOUR, 1.0, true, "none");
    vec![
        ("10 minutes, up to 1e6", one(10 * MINUTE, MINUTE, 1e6, Some(700_000.0))),
        ("30 hours, up to 1", one(30 * HOUR, HOUR, 1.0, Some(1_000.0))),
        ("30 hours, nothing but a limit", one(30 * HOUR, HOUR, 0.0, Some(1_000.0))),
        ("10 days, up to 1e6", one(10 * DAY, HOUR, 1e6, Some(1.2e6))),
        ("60 days, up to 1000", one(60 * DAY, HOUR, 1_000.0, Some(500.0))),
        ("200 days, all 0", one(200 * DAY, DAY, 0.0, None)),
        ("logarithmic bytes", memory.svg().unwrap()),
        ("four lines", four(1e6)),
        ("four small lines", four(20.0)),
        ("one moment", time("One moment", vec![single], None).svg().unwrap()),
        ("nothing", time("Nothing", vec![none()], None).svg().unwrap()),
        ("histogram", bars("How long a producer ID pauses", &PAUSES, None).svg().unwrap()),
        ("marked", bars("Candidates", &PAUSES[6..], Some(2)).svg().unwrap()),
        ("of ones", bars("Ones", &[("a", 1.0), ("b", 0.0), ("c", 1.0)], None).svg().unwrap()),
        ("no bars", bars("No bars", &[], None).svg().unwrap()),
        ("comparison", comparison(9, Some(4)).svg().unwrap()),
        ("comparison of 64", comparison(64, None).svg().unwrap()),
        ("comparison of none", comparison(0, None).svg().unwrap()),
    ]
}

#[test]
fn no_text_leaves_a_picture_or_covers_another() {
    for (name, svg) in all() {
        println!("{name}");
        rules::assert_texts_have_room(&svg, 3);
    }
}

#[test]
fn every_colour_has_a_class_and_nothing_is_loaded() {
    for (name, svg) in all() {
        println!("{name}");
        rules::assert_every_colour_has_a_class(&svg);
        rules::assert_loads_nothing_from_anywhere(&svg);
    }
}

#[test]
fn a_page_of_plots_loads_nothing_and_may_be_looked_at() {
    let mut page = Page::new("All plots").lede("What the tests draw.");
    for (name, svg) in all() {
        page = page.section(name, &figure(&svg, name));
    }
    let page = page.render();
    rules::assert_loads_nothing_from_anywhere(&page);
    // For the eyes of whoever changes a plot.
    if let Ok(path) = std::env::var("TOLLGATE_PLOTS") {
        std::fs::write(path, page).unwrap();
    }
}

fn texts(svg: &str) -> Vec<String> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    texts.map(|node| node.text().unwrap_or_default().trim().to_owned()).collect()
}

#[test]
fn a_limit_far_above_is_named_and_leaves_the_values_their_height() {
    let line = || wave(DAY, HOUR, 10.0, true, "new");
    let near = texts(&time("x", vec![line()], Some(40.0)).svg().unwrap());
    assert!(near.contains(&"quota: 40".to_owned()) && near.contains(&"40".to_owned()), "{near:?}");
    let far = texts(&time("x", vec![line()], Some(1_000.0)).svg().unwrap());
    assert!(far.contains(&"\u{2191} quota: 1,000".to_owned()) && far.contains(&"10".to_owned()), "{far:?}");
    let nothing = texts(&time("x", vec![wave(DAY, HOUR, 0.0, true, "new")], Some(1_000.0)).svg().unwrap());
    assert!(nothing.contains(&"quota: 1,000".to_owned()), "{nothing:?}");
}

#[test]
fn the_last_step_is_as_long_as_the_one_before() {
    let points = vec![(AT, 1.0), (AT + HOUR, 2.0), (AT + 2 * HOUR, 3.0)];
    let svg = time("x", vec![Line { name: "x".to_owned(), points, is_step: true }], None).svg().unwrap();
    let document = roxmltree::Document::parse(&svg).unwrap();
    let is_curve = |node: &roxmltree::Node<'_, '_>| node.attribute("class") == Some("s-guarded");
    let curve = document.descendants().find(is_curve).unwrap().attribute("points").unwrap();
    let xs: Vec<i32> =
        curve.split_whitespace().map(|point| point.split(',').next().unwrap().parse().unwrap()).collect();
    let width = xs[1] - xs[0];
    // Each height from one third of the axis to the next.
    assert_eq!(xs.len(), 6, "{curve}");
    assert!((xs[5] - xs[4] - width).abs() <= 1 && (xs[3] - xs[2] - width).abs() <= 1, "{curve}");
}

#[test]
fn many_points_are_no_longer_a_picture_than_their_columns() {
    let svg = time("x", vec![wave(365 * DAY, MINUTE, 1e6, false, "x")], None).svg().unwrap();
    assert!(svg.len() < 60_000, "{}", svg.len());
}

#[test]
fn names_and_values_from_outside_do_no_harm() {
    let points = vec![
        (i64::MIN, f64::NAN),
        (i64::MIN, 1.0),
        (i64::MAX, f64::INFINITY),
        (i64::MAX, f64::MAX),
        (0, -5.0),
        (AT, f64::MIN_POSITIVE),
    ];
    let name = "<script>alert(\"\u{1b}[2J\u{0}\")</script>";
    for is_log in [false, true] {
        let line = Line { name: name.to_owned(), points: points.clone(), is_step: is_log };
        let chart = TimeChart {
            title: name.to_owned(),
            unit: name.to_owned(),
            lines: vec![line],
            limit: Some((name.to_owned(), f64::NAN)),
            is_log,
        };
        let svg = chart.svg().unwrap();
        roxmltree::Document::parse(&svg).unwrap();
        assert!(!svg.contains("<script"));
    }
    let values = [f64::NAN, f64::INFINITY, -1.0, f64::MAX];
    let chart = bars(name, &values.map(|value| (name, value)), Some(99));
    roxmltree::Document::parse(&chart.svg().unwrap()).unwrap();
    let rows = values.map(|value| (name.to_owned(), vec![value])).to_vec();
    let measures = vec![Measure { name: name.to_owned(), unit: name.to_owned() }; 2];
    let chart = Comparison { title: name.to_owned(), measures, rows, marked: Some(99) };
    roxmltree::Document::parse(&chart.svg().unwrap()).unwrap();
}
