//! The runs of the report: four kinds of entries under each estimate, and entries whose size changes.

use super::batches::Batches;
use super::broker::Broker;
use super::consumer::{Consumer, Estimate, Tally};

/// Entries in a read at most, as in the pull request.
pub const READ_BATCH: u32 = 500;
/// Pulsar's default (`dispatcherMaxReadBatchSize`).
pub const DEFAULT_READ_BATCH: u32 = 100;
pub const SECONDS: u64 = 60;
pub const PUSHES_EACH: usize = 100;
const SEED: u64 = 6719;

/// What the entries of a consumer's topic hold.
pub struct Kind {
    pub name: &'static str,
    sizes: &'static [u64],
}

pub const KINDS: [Kind; 4] = [
    Kind { name: "1 message per entry", sizes: &[1] },
    Kind { name: "10 per entry", sizes: &[10] },
    Kind { name: "1000 per entry", sizes: &[1000] },
    Kind { name: "1, 10 or 1000 at random", sizes: &[1, 10, 1000] },
];

const STEPS: [u64; 3] = [1, 1000, 1];

/// All consumers of one broker, in the order of [`KINDS`].
pub struct Run {
    pub estimate: Estimate,
    pub tallies: Vec<Tally>,
}

/// One push to the consumer whose entries change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Messages in each of its entries.
    pub size: u64,
    /// Messages per entry, as the estimate has it after the push.
    pub average: f64,
    pub permits: i64,
    pub messages: u64,
    /// What the consumer had lacked before it, since the start.
    lacked_ms: u64,
}

/// How the average followed one change.
#[derive(Debug, PartialEq)]
pub struct Change {
    pub what: &'static str,
    /// Pushes until the average is within 10 % of the new size, if it is before the next change.
    pub settled: Option<usize>,
    pub most_beyond: u64,
    /// Pushes of more than an entry beyond the permits.
    pub too_much: usize,
    /// Pushes of less than half of the permits.
    pub too_little: usize,
    pub idle_ms: u64,
}

pub struct Report {
    pub runs: Vec<Run>,
    /// The same without the estimate, at Pulsar's default.
    pub default_read_batch: Run,
    /// By the average that is unknown at first, and by the one from 1000.
    pub unknown: Vec<Step>,
    pub from_1000: Vec<Step>,
}

impl Report {
    pub fn new() -> Report {
        Report {
            runs: Estimate::ALL.map(|estimate| run(estimate, READ_BATCH)).into(),
            default_read_batch: run(Estimate::Off, DEFAULT_READ_BATCH),
            unknown: steps(Estimate::Unknown),
            from_1000: steps(Estimate::From1000),
        }
    }

    pub fn tally(&self, kind: usize, estimate: Estimate) -> &Tally {
        let run = self.runs.iter().find(|run| run.estimate == estimate).expect("a run for each estimate");
        &run.tallies[kind]
    }

    pub fn changes(&self) -> Vec<Change> {
        vec![
            change("unknown, entries of 1", &self.unknown, 0),
            change("from 1000, entries of 1", &self.from_1000, 0),
            change("from 1 to 1000", &self.unknown, 1),
            change("from 1000 to 1", &self.unknown, 2),
        ]
    }
}

fn run(estimate: Estimate, read_batch: u32) -> Run {
    let consumers = KINDS.iter().map(|kind| Consumer::new(Batches::any_of(kind.sizes, SEED), estimate));
    let mut broker = Broker::new(consumers.collect(), read_batch);
    for _ in 0..SECONDS * 1000 {
        broker.millisecond();
    }
    Run { estimate, tallies: broker.tallies() }
}

/// A consumer alone, whose entries change with every hundredth push.
fn steps(estimate: Estimate) -> Vec<Step> {
    let consumer = Consumer::new(Batches::in_steps(&STEPS, PUSHES_EACH), estimate);
    let mut broker = Broker::new(vec![consumer], READ_BATCH);
    let mut steps = Vec::new();
    while steps.len() < STEPS.len() * PUSHES_EACH {
        let lacked_ms = broker.consumers()[0].tally().idle_ms();
        let Some((_, push)) = broker.millisecond() else { continue };
        steps.push(Step {
            size: push.messages / u64::from(push.entries),
            average: broker.consumers()[0].average().unwrap_or(f64::NAN),
            permits: push.permits,
            messages: push.messages,
            lacked_ms,
        });
    }
    steps
}

/// The pushes of one size.
fn phase(steps: &[Step], index: usize) -> &[Step] {
    &steps[index * PUSHES_EACH..(index + 1) * PUSHES_EACH]
}

fn change(what: &'static str, steps: &[Step], index: usize) -> Change {
    let pushes = phase(steps, index);
    let near = |step: &Step| (step.average - step.size as f64).abs() <= 0.1 * step.size as f64;
    let beyond = |step: &Step| step.messages.saturating_sub(step.permits as u64);
    let count = |is: &dyn Fn(&Step) -> bool| pushes.iter().filter(|step| is(step)).count();
    Change {
        what,
        settled: pushes.iter().position(near).map(|before| before + 1),
        most_beyond: pushes.iter().map(beyond).max().unwrap_or(0),
        too_much: count(&|step| beyond(step) > step.size),
        too_little: count(&|step| step.messages * 2 < step.permits as u64),
        idle_ms: pushes[pushes.len() - 1].lacked_ms - pushes[0].lacked_ms,
    }
}

/// Pushes until the average is within 10 % of a change's new size; the change's first push is number `index` hundred.
pub fn settled(steps: &[Step], index: usize) -> Option<usize> {
    change("", steps, index).settled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_reports_are_equal() {
        let (one, other) = (Report::new(), Report::new());
        for (left, right) in one.runs.iter().zip(&other.runs) {
            assert_eq!(left.tallies, right.tallies);
        }
        assert_eq!((one.unknown, one.from_1000), (other.unknown, other.from_1000));
    }

    #[test]
    fn d3_off_the_worst_push_is_the_read_batch_of_whole_entries() {
        let report = Report::new();
        let first = |kind| report.tally(kind, Estimate::Off).first_beyond;
        assert_eq!([first(0), first(1), first(2)], [0, 4_000, 499_000]);
        assert_eq!(report.default_read_batch.tallies[2].first_beyond, 99_000);
    }

    #[test]
    fn d1_the_average_follows_as_its_formula_says() {
        let changes = Report::new().changes();
        // 0.9^22 is the first below a tenth; 999 x 0.9^88 the first below a tenth of a message.
        assert_eq!(changes[0].settled, Some(1));
        assert_eq!(changes[1].settled, Some(88));
        assert_eq!(changes[2].settled, Some(22));
        assert_eq!(changes[3].settled, Some(88));
    }

    #[test]
    fn d2_a_size_that_grows_is_sent_beyond_once_and_one_that_shrinks_starves_nobody_for_long() {
        let changes = Report::new().changes();
        // The numbers that docs/dispatch.md tells in words.
        assert_eq!((changes[2].most_beyond, changes[2].too_much), (499_500, 7));
        assert_eq!((changes[3].most_beyond, changes[3].too_much), (0, 0));
        assert_eq!([changes[1].too_little, changes[3].too_little], [66, 66]);
        assert!(changes[3].idle_ms > 0 && changes[3].idle_ms < 100, "{:?}", changes[3]);
    }
}
