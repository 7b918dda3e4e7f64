//! `tollgate size`: what a quota costs before it is set, in the filter's memory and in the broker's heap.

pub mod answer;
mod table;

use clap::Args;
use tollgate::{Config, Quota};

use answer::Answer;

use crate::options::{milliseconds, rate, refused, Shape};

use crate::files;

#[derive(Args)]
#[command(after_help = "Example:\n  tollgate size --rate 1000 --principals 200 --partitions 50")]
pub struct Arguments {
    /// New producer IDs per hour that one principal may bring (producer_ids_rate)
    #[arg(long, value_parser = rate)]
    rate: f64,
    #[command(flatten)]
    shape: Shape,
    /// Producers of one principal that write all the time, beside the new ones
    #[arg(long, default_value_t = 0)]
    active: u64,
    /// Principals that use their quota up
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    principals: u64,
    /// Partitions on one broker that a producer ID writes to, its followers' included
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    partitions: u64,
    /// How long a broker keeps a producer ID that is silent (producer.id.expiration.ms)
    #[arg(long, default_value = "24h", value_parser = milliseconds)]
    expiration: u64,
    /// As JSON, for programs
    #[arg(long)]
    json: bool,
}

/// Prints the answer.
///
/// # Errors
/// A sentence that names the option, the value and the range.
pub fn run(arguments: &Arguments) -> Result<(), String> {
    let shape = &arguments.shape;
    let quota = Quota::per_hour(arguments.rate, shape.burst).map_err(|said| refused(&said))?;
    let config = Config::builder()
        .window_ms(shape.window)
        .layers(shape.layers)
        .false_positive_rate(shape.false_positive_rate)
        // Nothing is hashed here.
        .seed(0)
        .build()
        .map_err(|said| refused(&said))?;
    let answer = Answer::of(
        &config,
        quota,
        &answer::Load {
            active: arguments.active,
            principals: arguments.principals,
            partitions: arguments.partitions,
            expiration_ms: arguments.expiration,
        },
    );
    if arguments.json {
        files::print_json(&answer)
    } else {
        files::print(table::text(&answer))
    }
}
