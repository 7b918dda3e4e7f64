//! The answer, from what was read. In JSON as it stands here.

use indicatif::ProgressBar;
use serde::Serialize;

use super::bins::Bins;
use super::candidates::{self, Candidate, Told};
use super::counts::{Counts, Held, Period, Summary, Tally, HOUR_S};
use super::findings::Findings;
use super::live::{Counting, Live};
use super::partition::Batches;
use super::principals::Principals;
use super::recommend::{recommend, Evidence, Recommendation};
use super::scan::Scan;
use crate::options;
use crate::replay::course::Outcome;
use crate::text::{printable, thousands, time};

/// Pauses that are told apart, seconds: up to the first, and so on; the last is open.
pub const PAUSE_BOUNDS_S: [u32; 9] = [300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200, 86_400];

const DAY_MS: u64 = 86_400_000;
/// Principals with a line of their own in the plots: those that make most.
pub const DRAWN: usize = 3;

#[derive(Serialize)]
pub struct Report {
    /// Milliseconds since 1970: who is alive then?
    pub as_of_ms: i64,
    /// Of the oldest and the newest batch; none without any.
    pub from_ms: Option<i64>,
    pub to_ms: Option<i64>,
    pub expiration_ms: u64,
    /// 1: all counts are exact. Else the IDs' are made of one in so many.
    pub sampled_one_in: u64,
    pub read: Read,
    pub total: Measured,
    pub partitions: Vec<PartitionRow>,
    pub principals: Vec<PrincipalRow>,
    pub new_by_hour: NewByHour,
    pub return_histogram: Vec<PauseBin>,
    pub findings: Vec<FindingRow>,
    pub findings_by_kind: std::collections::BTreeMap<&'static str, u64>,
    pub skipped: u64,
    pub skipped_bytes: u64,
    pub candidates: Vec<Candidate>,
    /// None where no ID was read.
    pub recommendation: Option<Recommendation>,
    /// Partitions that an ID is in, on the average, rounded up.
    pub partitions_per_id: u64,
    /// Of the recommended quota, for the plots.
    #[serde(skip)]
    pub outcome: Option<Outcome>,
    #[serde(skip)]
    pub live: Live,
}

#[derive(Serialize)]
pub struct Read {
    pub directories: Vec<String>,
    pub segments: u64,
    pub snapshots: u64,
    pub bytes: u64,
    pub seconds: f64,
}

/// What is counted of a partition, and of all.
#[derive(Serialize)]
pub struct Measured {
    #[serde(flatten)]
    pub batches: Batches,
    #[serde(flatten)]
    pub counts: Counts,
    #[serde(flatten)]
    pub held: Held,
}

#[derive(Serialize)]
pub struct PartitionRow {
    pub topic: String,
    pub partition: u32,
    #[serde(flatten)]
    pub measured: Measured,
}

#[derive(Serialize)]
pub struct PrincipalRow {
    pub name: String,
    #[serde(flatten)]
    pub counts: Counts,
    #[serde(skip)]
    pub drawn: Bins,
}

#[derive(Serialize)]
pub struct NewByHour {
    pub first_hour_ms: u64,
    pub new: Vec<u32>,
}

/// Pauses up to so many seconds, and longer than the bin before.
#[derive(Serialize)]
pub struct PauseBin {
    pub up_to_s: Option<u32>,
    pub count: u64,
}

#[derive(Serialize)]
pub struct FindingRow {
    pub file: String,
    pub offset: Option<u64>,
    pub kind: &'static str,
    pub skipped: bool,
    pub text: String,
}

/// What the report is asked for.
pub struct Question<'a> {
    pub directories: Vec<String>,
    pub principals: &'a Principals,
    /// To try beside those around the recommended one.
    pub rates: &'a [f64],
    pub expiration_ms: u64,
    /// Milliseconds since 1970; without it, the newest batch.
    pub at_ms: Option<i64>,
    pub seconds: f64,
    /// What the tables of IDs may take.
    pub memory_mib: u64,
}

impl Report {
    /// # Errors
    /// A sentence that names what the engine refuses.
    pub fn of(scan: &mut Scan<'_>, question: Question<'_>, progress: &ProgressBar) -> Result<Self, String> {
        let mut batches = Batches::default();
        scan.partitions.iter().for_each(|partition| batches.add(&partition.batches));
        // Without a batch, what snapshots remember.
        let remembered_s = || scan.ids.activities().map(super::activity::Activity::last_s).max().unwrap_or(0);
        let newest_ms = batches.last_ms.unwrap_or_else(|| i64::from(remembered_s()) * 1_000);
        if let Some(at_ms) = question.at_ms.filter(|at_ms| *at_ms < newest_ms) {
            return Err(format!(
                "--at = {} UTC: must not be before the newest batch, {} UTC: who was alive earlier a log can't say",
                time(at_ms),
                time(newest_ms)
            ));
        }
        let as_of_ms = question.at_ms.unwrap_or(newest_ms);
        let alive_after_s = (as_of_ms
            .saturating_sub(i64::try_from(question.expiration_ms).unwrap_or(i64::MAX)))
        .div_euclid(1_000);
        for partition in &mut scan.partitions {
            partition.held = partition.summary.settle(alive_after_s);
        }
        let held = Held {
            entries: scan.partitions.iter().map(|partition| partition.held.entries).sum(),
            heap_bytes: scan.partitions.iter().map(|partition| partition.held.heap_bytes).sum(),
        };
        let (principal_of, names) = question.principals.number(&scan.topics);
        let period = batches.period(Some(alive_after_s));
        let (mut all, each) = tallies(scan, &principal_of, names.len(), alive_after_s, period);

        let expiration_s = u32::try_from(question.expiration_ms / 1_000).unwrap_or(u32::MAX);
        let counted: Vec<_> = names.iter().map(String::as_str).zip(&each).collect();
        let recommendation = recommend(&Evidence {
            principals: &counted,
            all: &all,
            expiration_s,
            log_s: period.to_s.saturating_sub(period.from_s),
            skipped: scan.findings.skipped,
            memory_mib: question.memory_mib,
        });
        let partitions_per_id = held.entries.div_ceil(all.counts.alive.max(1)).max(1);
        let told = Told {
            ids: &scan.ids,
            principal_of: &principal_of,
            principals: &names,
            active_principals: each.iter().filter(|summary| summary.counts.producer_ids > 0).count() as u64,
            expiration_s,
            one_in: all.one_in,
            partitions: partitions_per_id,
        };
        let mut tried = Vec::new();
        let mut outcome = None;
        if let Some(recommendation) = &recommendation {
            let rates = candidates::rates(recommendation.producer_ids_rate, question.rates);
            for (candidate, of_it) in candidates::attempt(&rates, recommendation, &told, progress)? {
                if candidate.rate_per_hour == recommendation.producer_ids_rate {
                    outcome = Some(of_it);
                }
                tried.push(candidate);
            }
        }
        let mut counting = Counting::new(&all.drawn, expiration_s);
        scan.ids.activities().for_each(|activity| counting.add(activity));
        let mut principals: Vec<PrincipalRow> = names
            .into_iter()
            .zip(each)
            .map(|(name, summary)| PrincipalRow { name, counts: summary.counts, drawn: summary.drawn })
            // Kafka's own topics mostly have no producer of their own.
            .filter(|row| row.counts.producer_ids + row.counts.alive > 0)
            .collect();
        principals.sort_by_key(|row| std::cmp::Reverse(row.counts.new));
        Ok(Self {
            as_of_ms,
            from_ms: batches.first_ms,
            to_ms: batches.last_ms,
            expiration_ms: question.expiration_ms,
            sampled_one_in: all.one_in,
            read: Read {
                directories: question.directories,
                segments: scan.segments,
                snapshots: scan.snapshots,
                bytes: scan.bytes,
                seconds: question.seconds,
            },
            return_histogram: histogram(&all.pauses, all.one_in),
            new_by_hour: NewByHour {
                first_hour_ms: u64::from(all.hours.first) * u64::from(HOUR_S) * 1_000,
                new: std::mem::take(&mut all.hours.new),
            },
            live: counting.finish(all.one_in),
            total: Measured { batches, counts: all.counts, held },
            partitions: partitions(scan),
            principals,
            findings: findings(&scan.findings),
            findings_by_kind: scan.findings.by_kind.clone(),
            skipped: scan.findings.skipped,
            skipped_bytes: scan.findings.skipped_bytes,
            candidates: tried,
            recommendation,
            partitions_per_id,
            outcome,
        })
    }
}

/// Findings that say the same of several files.
pub struct Group<'a> {
    pub first: &'a FindingRow,
    pub others: u64,
}

impl Group<'_> {
    pub fn text(&self) -> String {
        let file = printable(&self.first.file);
        let at = self.first.offset.map_or_else(String::new, |offset| format!(" at {offset}"));
        let others =
            if self.others > 0 { format!(" ({} like it)", thousands(self.others)) } else { String::new() };
        format!("{file}{at}: {}{others}", self.first.text)
    }
}

impl Report {
    /// Damage is told one by one, what is whole a file's by its first.
    pub fn finding_groups(&self) -> Vec<Group<'_>> {
        let mut groups: Vec<Group<'_>> = Vec::new();
        for finding in &self.findings {
            let is_like = |other: &&mut Group<'_>| {
                let is_of_a_file = finding.offset.is_none() && other.first.text == finding.text;
                other.first.kind == finding.kind && (is_of_a_file || !finding.skipped)
            };
            match groups.iter_mut().find(is_like) {
                Some(group) => group.others += 1,
                None => groups.push(Group { first: finding, others: 0 }),
            }
        }
        groups
    }

    /// Those that hold most first.
    pub fn largest_partitions(&self) -> Vec<&PartitionRow> {
        let mut largest: Vec<&PartitionRow> = self.partitions.iter().collect();
        largest.sort_by_key(|row| {
            let counts = &row.measured.counts;
            std::cmp::Reverse((counts.alive, counts.producer_ids))
        });
        largest
    }

    /// What the recommendation costs, in numbers.
    pub fn size_command(&self, recommended: &Recommendation) -> String {
        let expiration = match self.expiration_ms {
            DAY_MS => String::new(),
            other => format!(" --expiration {}", options::duration(other)),
        };
        format!(
            "tollgate size {} --principals {} --partitions {}{expiration}",
            recommended.options(),
            self.principals.len().max(1),
            self.partitions_per_id
        )
    }
}

/// Of all, and of each principal.
fn tallies(
    scan: &Scan<'_>,
    principal_of: &[u32],
    principals: usize,
    alive_after_s: i64,
    period: Period,
) -> (Summary, Vec<Summary>) {
    let halvings = scan.ids.halvings();
    let mut all = Tally::new(halvings, period);
    let mut each: Vec<Tally> = (0..principals).map(|_| Tally::new(halvings, period)).collect();
    for activity in scan.ids.activities() {
        all.add(activity);
        let principal = principal_of.get(activity.topic as usize);
        if let Some(tally) = principal.and_then(|principal| each.get_mut(*principal as usize)) {
            tally.add(activity);
        }
    }
    let settled = |tally: Tally| {
        let mut summary = tally.finish();
        summary.settle(alive_after_s);
        summary
    };
    let all = settled(all);
    let mut summaries: Vec<Summary> = Vec::new();
    let mut drawn: Vec<usize> = Vec::new();
    for (index, tally) in each.into_iter().enumerate() {
        summaries.push(settled(tally));
        drawn.push(index);
        drawn.sort_by_key(|index| std::cmp::Reverse(summaries[*index].counts.new));
        // Thousands of principals with their hours would take more than the tables.
        if let Some(undrawn) = drawn.get(DRAWN).copied() {
            drawn.truncate(DRAWN);
            summaries[undrawn].drawn = Bins::default();
        }
        if let Some(summary) = summaries.last_mut() {
            summary.hours = Bins::default();
            (summary.pauses, summary.transactional_pauses) = <_>::default();
        }
    }
    (all, summaries)
}

fn histogram(pauses: &[u32], one_in: u64) -> Vec<PauseBin> {
    let up_to = |bound: u32| pauses.partition_point(|pause| *pause <= bound);
    let mut before = 0;
    let bounds = PAUSE_BOUNDS_S.map(Some).into_iter().chain([None]);
    bounds
        .map(|up_to_s| {
            let end = up_to_s.map_or(pauses.len(), up_to);
            let count = (end - before) as u64 * one_in;
            before = end;
            PauseBin { up_to_s, count }
        })
        .collect()
}

fn partitions(scan: &Scan<'_>) -> Vec<PartitionRow> {
    let row = |partition: &super::partition::Partition| PartitionRow {
        topic: scan.topics.get(partition.topic as usize).cloned().unwrap_or_default(),
        partition: partition.number,
        measured: Measured {
            batches: partition.batches.clone(),
            counts: partition.summary.counts.clone(),
            held: partition.held,
        },
    };
    scan.partitions.iter().map(row).collect()
}

fn findings(findings: &Findings) -> Vec<FindingRow> {
    let row = |finding: &crate::kafka_log::Finding| FindingRow {
        file: finding.path.display().to_string(),
        offset: finding.offset,
        kind: finding.kind.name(),
        skipped: finding.kind.is_skip(),
        text: finding.text.clone(),
    };
    findings.kept.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pause_is_in_one_bin() {
        let bins: Vec<u64> =
            histogram(&[61, 300, 301, 86_400, 86_401, 90_000], 2).iter().map(|bin| bin.count).collect();
        assert_eq!(bins, [4, 2, 0, 0, 0, 0, 0, 0, 2, 4]);
    }
}
