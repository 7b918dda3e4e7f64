//! `tollgate size` as an operator runs it.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tollgate")).arg("size").args(arguments).output().unwrap()
}

fn stdout(output: Output) -> String {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_table_has_what_an_operator_asks() {
    let text = stdout(run(&["--rate", "1000", "--principals", "200", "--partitions", "50"]));
    for line in [
        "A quota of 1,000 new producer IDs per hour and principal",
        "  at once, after a time without any 1,000",
        "  then one more every               3s 600ms",
        "  a producer ID is remembered for   45m to 1h after it was last seen",
        "  heap                              110.7 GB",
    ] {
        assert!(text.lines().any(|printed| printed == line), "{line}\n{text}");
    }
}

#[test]
fn a_rate_is_taken_as_it_is_printed() {
    let text = stdout(run(&["--rate", "1,000"]));
    assert!(text.starts_with("A quota of 1,000 new producer IDs per hour and principal\n"), "{text}");
    assert_eq!(text, stdout(run(&["--rate", "1000"])));
    let output = run(&["--rate", "abc"]);
    assert_eq!(output.status.code(), Some(1));
    let message = String::from_utf8(output.stderr).unwrap();
    let said =
        "error: invalid value 'abc' for '--rate <RATE>': 'abc' is no rate; one is such as 50 or 1,000\n";
    assert!(message.starts_with(said), "{message}");
}

#[test]
fn ids_are_whole_and_numbers_beyond_all_units_are_powers() {
    let text = stdout(run(&["--rate", "0.5"]));
    for line in [
        "  at once, after a time without any 1",
        "  within any window at most         2",
        "  producer IDs                      13",
        "  entries                           13 (each ID in 1 partition)",
    ] {
        assert!(text.lines().any(|printed| printed == line), "{line}\n{text}");
    }
    let text = stdout(run(&["--rate", "1e30"]));
    assert!(text.ends_with("\n  heap                              1.11e34 bytes\n"), "{text}");
}

#[test]
fn json_has_the_same_numbers_with_their_units_in_the_names() {
    let arguments = ["--rate", "50", "--window", "30m", "--layers", "8", "--expiration", "1h", "--json"];
    let answer: serde_json::Value = serde_json::from_str(&stdout(run(&arguments))).unwrap();
    assert_eq!(answer["window_ms"], 1_800_000);
    assert_eq!(answer["layers_held"], 9);
    assert_eq!(answer["burst_pids"], 25.0);
    assert_eq!(answer["remembered_least_ms"], 1_575_000);
    // A burst, an hour's worth and what comes until the next look for expired ones.
    let held = 25.0 + 50.0 * (70.0 / 60.0);
    assert!((answer["broker_entries"].as_f64().unwrap() - held).abs() < 1e-9, "{answer}");
}

#[test]
fn a_refused_option_is_named_with_value_and_range() {
    for (arguments, said) in [
        (&["--rate", "0"][..], "tollgate: --rate = 0: must be a finite number above 0 (new ids per hour)\n"),
        (
            &["--rate", "1", "--burst", "2"],
            "tollgate: --burst = 2: must be 0 to 1 (share of a window's worth)\n",
        ),
        (&["--rate", "1", "--layers", "2"], "tollgate: --layers = 2: must be 3 to 64\n"),
        (
            &["--rate", "1", "--window", "5ms"],
            "tollgate: --window = 5: must be 1000 to 2592000000 (milliseconds)\n",
        ),
        (
            &["--rate", "1", "--false-positive-rate", "2"],
            "tollgate: --false-positive-rate = 2: must be 0.000001 to 0.5\n",
        ),
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(String::from_utf8(output.stderr).unwrap(), said);
    }
}
