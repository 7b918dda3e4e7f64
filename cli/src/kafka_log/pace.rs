//! Which is quicker to the next header: reading through to it, or a small read at its place.
//!
//! That depends on the batches' size and on the disk, and no more than time tells what the disk is: with the file in the page
//! cache a small read costs about what reading 8 KiB through does; with the file on a disk that reads ahead it costs a
//! hundred times more. So both are timed, over and over, and the quicker one is taken.

/// A way to the next header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// What was asked for and the rest of its page.
    Page,
    /// As much as the buffer holds.
    Far,
}

/// Below it a small read is never tried: several headers lie on a page.
const LEAST_BYTES: u64 = 2 << 10;
/// After so many reads of the one kind, the other kind is tried again.
const FAR_READS: u32 = 64;
const PAGE_READS: u32 = 1024;
/// Tries of small reads in a row.
const TRIES: u32 = 2;

/// What reading has cost lately.
#[derive(Debug, Default)]
pub(super) struct Pace {
    page_ns: Option<f64>,
    far_ns_per_byte: Option<f64>,
    /// The last reads of one kind.
    run: Option<(Reach, u32)>,
}

impl Pace {
    /// How to go on when the headers are `stride` bytes apart.
    pub fn choose(&self, stride: u64) -> Reach {
        if stride < LEAST_BYTES {
            return Reach::Far;
        }
        let Some(far) = self.far_ns_per_byte else { return Reach::Far };
        let Some(page) = self.page_ns else { return Reach::Page };
        let quicker = if page < far * stride as f64 { Reach::Page } else { Reach::Far };
        match (quicker, self.run) {
            (Reach::Far, Some((Reach::Far, FAR_READS..) | (Reach::Page, ..TRIES))) => Reach::Page,
            (Reach::Page, Some((Reach::Page, PAGE_READS..))) => Reach::Far,
            _ => quicker,
        }
    }

    /// Takes the time of one read into account.
    pub fn record(&mut self, reach: Reach, bytes: usize, ns: u64) {
        let ns = ns as f64;
        match reach {
            Reach::Page => self.page_ns = Some(toward(self.page_ns, ns)),
            Reach::Far => self.far_ns_per_byte = Some(toward(self.far_ns_per_byte, ns / bytes.max(1) as f64)),
        }
        let reads = self.run.filter(|(kind, _)| *kind == reach).map_or(0, |(_, reads)| reads);
        self.run = Some((reach, reads.saturating_add(1)));
    }
}

/// Down by half of the way, up by a quarter at most: what takes long once was waiting for something else.
fn toward(mean: Option<f64>, sample: f64) -> f64 {
    mean.map_or(
        sample,
        |mean| if sample < mean { f64::midpoint(mean, sample) } else { sample.min(mean * 1.25) },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a small read and a byte of a large one cost.
    struct Disk {
        page_ns: u64,
        byte_ns: f64,
    }

    const CACHED: Disk = Disk { page_ns: 1_700, byte_ns: 0.19 };
    const SOLID_STATE: Disk = Disk { page_ns: 90_000, byte_ns: 0.5 };
    const SPINNING: Disk = Disk { page_ns: 4_000_000, byte_ns: 6.0 };

    /// Walks over `total` bytes; how long it takes against the better of the two ways, always taken.
    fn against_the_best(pace: &mut Pace, disk: &Disk, stride: u64, total: u64) -> f64 {
        let (mut at, mut ns) = (0, 0.0);
        while at < total {
            let reach = pace.choose(stride);
            let (bytes, cost) = match reach {
                Reach::Page => (stride, disk.page_ns as f64),
                Reach::Far => (256 << 10, 262_144.0 * disk.byte_ns),
            };
            pace.record(reach, bytes as usize, cost as u64);
            at += bytes.max(stride);
            ns += cost;
        }
        let pages = (total / stride) as f64 * disk.page_ns as f64;
        ns / pages.min(total as f64 * disk.byte_ns)
    }

    #[test]
    fn the_quicker_way_is_found_for_each_disk_and_size() {
        for disk in [CACHED, SOLID_STATE, SPINNING] {
            for stride in [100, 1_000, 4_000, 16_384, 65_536, 200_000] {
                let cost = against_the_best(&mut Pace::default(), &disk, stride, 4 << 30);
                assert!(cost < 1.15, "{cost} at {stride} with {}", disk.page_ns);
            }
        }
    }

    #[test]
    fn what_is_in_the_cache_and_what_is_not_may_change() {
        let mut pace = Pace::default();
        for disk in [CACHED, SOLID_STATE, CACHED, SPINNING, CACHED] {
            let cost = against_the_best(&mut pace, &disk, 16_384, 4 << 30);
            assert!(cost < 1.5, "{cost} with {}", disk.page_ns);
        }
    }

    #[test]
    fn one_read_that_waited_changes_nothing() {
        let mut pace = Pace::default();
        against_the_best(&mut pace, &CACHED, 65_536, 1 << 30);
        pace.record(Reach::Page, 4096, 50_000_000);
        assert!(pace.page_ns < Some(2_500.0), "{pace:?}");
    }
}
