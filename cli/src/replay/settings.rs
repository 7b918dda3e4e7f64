//! Options to settings: one, or each value with each of the others.

use std::collections::HashSet;

use clap::Args;

use super::exact::MOST_SETTINGS;
use super::setting::Setting;
use crate::options::{milliseconds, rate, refused, Shape};

/// The options of one setting.
#[derive(Args)]
pub struct Single {
    /// New producer IDs per hour that one principal may bring; without it nothing is throttled and all is counted
    #[arg(long, value_parser = rate)]
    rate: Option<f64>,
    #[command(flatten)]
    shape: Shape,
}

/// One `--compare`: what is tried for one of the options.
#[derive(Clone, Debug, PartialEq)]
pub enum Compared {
    Window(Vec<u64>),
    Layers(Vec<u32>),
    Rate(Vec<Option<f64>>),
    Burst(Vec<f64>),
}

/// `layers=4,8,16` and the like.
///
/// # Errors
/// A sentence that says what it can be, and what is wrong with it.
pub fn compared(text: &str) -> Result<Compared, String> {
    let Some((option, values)) = text.split_once('=') else {
        return Err("must be such as layers=4,8,16; the trace stands before --compare".to_owned());
    };
    let values: Vec<_> = values.split(',').map(str::trim).collect();
    let mut met = HashSet::new();
    if let Some(twice) = values.iter().find(|value| !met.insert(**value)) {
        return Err(format!("'{twice}' stands there twice"));
    }
    match option.trim() {
        "window" => each(&values, "a duration such as 30m or 1h", |value| milliseconds(value).ok())
            .map(Compared::Window),
        "layers" => each(&values, "a whole number", |value| value.parse().ok()).map(Compared::Layers),
        "rate" => each(&values, "a number, or none for no quota", |value| {
            if value == "none" {
                Some(None)
            } else {
                value.parse().ok().map(Some)
            }
        })
        .map(Compared::Rate),
        "burst" => each(&values, "a number from 0 to 1", |value| value.parse().ok()).map(Compared::Burst),
        "false-positive-rate" => {
            Err("is not compared: less memory for more mistakes is no ranking".to_owned())
        }
        other => Err(format!("'{other}' can't be compared: must be window, layers, rate or burst")),
    }
}

fn each<T>(values: &[&str], must_be: &str, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, String> {
    let parsed =
        values.iter().map(|value| parse(value).ok_or_else(|| format!("'{value}' must be {must_be}")));
    parsed.collect()
}

/// All settings that are asked for, in the order of the command line.
///
/// # Errors
/// An option that is compared twice, more settings than one pass can try.
pub fn all(single: &Single, compared: &[Compared]) -> Result<Vec<Setting>, String> {
    let first = Setting {
        rate_per_hour: single.rate,
        window_ms: single.shape.window,
        layers: single.shape.layers,
        false_positive_rate: single.shape.false_positive_rate,
        burst: single.shape.burst,
    };
    let mut settings = vec![first];
    for (index, option) in compared.iter().enumerate() {
        let same = |other: &Compared| std::mem::discriminant(other) == std::mem::discriminant(option);
        if compared[..index].iter().any(same) {
            return Err("--compare: an option stands there twice: put all its values in one list".to_owned());
        }
        settings = settings.iter().flat_map(|setting| option.applied_to(setting)).collect();
        if settings.len() > MOST_SETTINGS {
            return Err(format!(
                "--compare: {} settings or more: must be at most {MOST_SETTINGS}, each value with each of the others",
                settings.len()
            ));
        }
    }
    Ok(settings)
}

impl Compared {
    fn applied_to(&self, setting: &Setting) -> Vec<Setting> {
        let setting = || setting.clone();
        match self {
            Self::Window(all) => all.iter().map(|&window_ms| Setting { window_ms, ..setting() }).collect(),
            Self::Layers(all) => all.iter().map(|&layers| Setting { layers, ..setting() }).collect(),
            Self::Rate(all) => {
                all.iter().map(|&rate_per_hour| Setting { rate_per_hour, ..setting() }).collect()
            }
            Self::Burst(all) => all.iter().map(|&burst| Setting { burst, ..setting() }).collect(),
        }
    }
}

/// Whether the engine takes a setting.
///
/// # Errors
/// What the engine refuses.
pub fn check(setting: &Setting) -> Result<(), String> {
    setting.config(1, 0).map(|_| ()).map_err(|said| refused(&said))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn single() -> Single {
        let shape = Shape { window: 3_600_000, layers: 4, false_positive_rate: 0.001, burst: 1.0 };
        Single { rate: None, shape }
    }

    #[test]
    fn values_are_read_as_their_options_are() {
        assert_eq!(compared("layers=4, 8,16"), Ok(Compared::Layers(vec![4, 8, 16])));
        assert_eq!(compared("window=30m,1h"), Ok(Compared::Window(vec![1_800_000, 3_600_000])));
        assert_eq!(compared("rate=none,0.5"), Ok(Compared::Rate(vec![None, Some(0.5)])));
        assert_eq!(compared("burst=0,1"), Ok(Compared::Burst(vec![0.0, 1.0])));
        for (text, said) in [
            ("trace.csv", "must be such as layers=4,8,16; the trace stands before --compare"),
            ("layers=4,4", "'4' stands there twice"),
            ("layers=4,", "'' must be a whole number"),
            ("window=1", "'1' must be a duration such as 30m or 1h"),
            ("colour=red", "'colour' can't be compared: must be window, layers, rate or burst"),
        ] {
            assert_eq!(compared(text), Err(said.to_owned()));
        }
    }

    #[test]
    fn each_value_is_tried_with_each_of_the_others_in_order() {
        let compared = [Compared::Rate(vec![Some(1.0), None]), Compared::Layers(vec![4, 8])];
        let all = all(&single(), &compared).unwrap();
        let tried: Vec<_> = all.iter().map(|setting| (setting.rate_per_hour, setting.layers)).collect();
        assert_eq!(tried, [(Some(1.0), 4), (Some(1.0), 8), (None, 4), (None, 8)]);
    }

    #[test]
    fn what_one_pass_cannot_try_is_refused() {
        let many = [
            Compared::Layers((3..=20).collect()),
            Compared::Window((1..=4).map(|h| h * 3_600_000).collect()),
        ];
        let said = all(&single(), &many).unwrap_err();
        assert_eq!(
            said,
            "--compare: 72 settings or more: must be at most 64, each value with each of the others"
        );
        let twice = [Compared::Layers(vec![4]), Compared::Layers(vec![8])];
        assert!(all(&single(), &twice).unwrap_err().contains("stands there twice"));
    }

    #[test]
    fn a_value_that_the_engine_refuses_is_said_of_the_option() {
        for (setting, said) in [
            (Setting { layers: 2, ..Setting::default() }, "--layers = 2: must be 3 to 64"),
            (
                Setting { window_ms: 5, ..Setting::default() },
                "--window = 5: must be 1000 to 2592000000 (milliseconds)",
            ),
            (
                Setting { rate_per_hour: Some(-1.0), ..Setting::default() },
                "--rate = -1: must be a finite number above 0 (new ids per hour)",
            ),
        ] {
            assert_eq!(check(&setting), Err(said.to_owned()));
        }
    }
}
