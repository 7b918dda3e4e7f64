//! `tollgate demo-report` as a user runs it, on a demo's files cut down to every sixth reading. The stock broker of
//! that demo ran out of memory.

mod common;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use common::directory;
use serde_json::{json, Value};

const SAMPLES: &str = include_str!("fixtures/samples.json");
const REPORT: &str = include_str!("fixtures/report.json");

fn run(directory: &Path, samples: &str, report: &str) -> Output {
    fs::write(directory.join("samples.json"), samples).unwrap();
    fs::write(directory.join("report.json"), report).unwrap();
    Command::new(env!("CARGO_BIN_EXE_tollgate"))
        .current_dir(directory)
        .args(["demo-report", "samples.json", "report.json", "--html", "out.html", "--svg", "out.svg"])
        .output()
        .unwrap()
}

/// The page and the picture.
fn rendered(test: &str, samples: &str, report: &str) -> (String, String) {
    let directory = directory(test);
    let output = run(&directory, samples, report);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let read = |name: &str| fs::read_to_string(directory.join(name)).unwrap();
    (read("out.html"), read("out.svg"))
}

/// All texts of a picture with their places.
fn texts(svg: &str) -> Vec<(String, f64, f64)> {
    let document = roxmltree::Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    let place = |node: &roxmltree::Node<'_, '_>, name| node.attribute(name).unwrap().parse::<f64>().unwrap();
    texts.map(|node| (node.text().unwrap().trim().to_owned(), place(&node, "x"), place(&node, "y"))).collect()
}

fn edited(text: &str, edit: impl FnOnce(&mut Value)) -> String {
    let mut value = serde_json::from_str(text).unwrap();
    edit(&mut value);
    value.to_string()
}

#[test]
fn the_page_tells_each_result() {
    let (page, _) = rendered("results", SAMPLES, REPORT);
    for text in [
        "out of memory after 64 s",
        "600,574",
        "189.1 MB",
        "8,230",
        "9.10 ms",
        "296 ms",
        "122",
        "Kafka 4.4.0",
    ] {
        assert!(page.contains(text), "the page doesn't say {text}");
    }
    assert_eq!(page.matches("<svg ").count(), 3);
}

#[test]
fn page_and_picture_load_nothing_from_anywhere() {
    let (page, svg) = rendered("self_contained", SAMPLES, REPORT);
    for text in [page, svg] {
        common::assert_loads_nothing_from_anywhere(&text);
    }
}

#[test]
fn the_picture_is_well_formed_named_and_knows_dark() {
    let (page, svg) = rendered("well_formed", SAMPLES, REPORT);
    let document = roxmltree::Document::parse(&svg).unwrap();
    assert_eq!(document.root_element().attribute("role"), Some("img"));
    assert!(document.root_element().attribute("aria-label").unwrap().contains("Kafka 4.4.0"));
    for inline in page.split("<svg ").skip(1) {
        let inline = format!("<svg {}</svg>", inline.split("</svg>").next().unwrap());
        roxmltree::Document::parse(&inline).unwrap();
    }
}

#[test]
fn every_colour_follows_the_theme() {
    let (_, svg) = rendered("colours", SAMPLES, REPORT);
    common::assert_every_colour_follows_the_theme(&svg);
}

#[test]
fn the_end_of_the_stock_broker_is_marked_in_each_plot() {
    let (_, svg) = rendered("end", SAMPLES, REPORT);
    assert_eq!(texts(&svg).iter().filter(|(text, ..)| text == "stock broker: out of memory").count(), 3);
}

#[test]
fn no_text_leaves_the_picture_or_covers_another() {
    let (_, svg) = rendered("overlap", SAMPLES, REPORT);
    common::assert_texts_have_room(&svg, 31);
}

#[test]
fn a_stock_broker_that_lived_has_no_end() {
    let samples = edited(SAMPLES, |samples| {
        samples["stock"]["ended_at_s"] = Value::Null;
        samples["load"]["quick"] = json!(true);
    });
    let report = edited(REPORT, |report| report["stock"]["outcome"] = json!("running"));
    let (page, svg) = rendered("alive", &samples, &report);
    assert!(!svg.contains("out of memory"));
    assert!(page.contains("The stock broker held 600,574 producer IDs when the load ended."));
    assert!(page.contains("the short form of the demo"));
}

#[test]
fn names_in_the_files_cannot_become_markup() {
    let report = edited(REPORT, |report| {
        report["stock"]["outcome"] = json!("<script>&");
        report["kafka_version"] = json!("4<b>\"");
    });
    let (page, svg) = rendered("escaped", SAMPLES, &report);
    assert!(!page.contains("<script") && !page.contains("<b>"));
    roxmltree::Document::parse(&svg).unwrap();
}

#[test]
fn a_file_that_is_not_the_demos_is_refused_by_name() {
    for (samples, report, named) in [
        ("{", REPORT, "samples.json is not what the demo writes"),
        (SAMPLES, "{\"kafka_version\": 1}", "report.json is not what the demo writes"),
    ] {
        let output = run(&directory("refused"), samples, report);
        assert_eq!(output.status.code(), Some(1));
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.starts_with("tollgate: ") && message.contains(named), "{message}");
    }
}

#[test]
fn a_broker_without_readings_is_a_clear_error() {
    let samples = edited(SAMPLES, |samples| samples["guarded"]["samples"] = json!([]));
    let output = run(&directory("no_readings"), &samples, REPORT);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("a broker has no readings of: Producer IDs"), "{message}");
}
