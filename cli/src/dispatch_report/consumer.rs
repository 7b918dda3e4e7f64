//! One consumer: what it asked for, what it was sent, and what it holds.
//!
//! Permits are what it asked for and was not sent yet. It asks for a full queue at first, and again for as many messages as it
//! has handled, once they are half a queue. An entry is sent whole, so its messages may be more than the permits, which then
//! go below zero.

use tollgate::DispatchEstimator;

use super::batches::Batches;

/// Messages; the default of Pulsar's clients (`receiverQueueSize`).
pub const QUEUE: u64 = 1000;
/// Messages that a consumer handles in a millisecond.
pub const PACE: u64 = 100;

/// How a dispatcher comes from permits to entries.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Estimate {
    /// As many entries as permits.
    Off,
    Unknown,
    From1000,
    /// Unknown, and as long as it is so, one entry is read.
    OneEntryFirst,
}

impl Estimate {
    pub const ALL: [Estimate; 4] =
        [Estimate::Off, Estimate::Unknown, Estimate::From1000, Estimate::OneEntryFirst];

    pub fn name(self) -> &'static str {
        match self {
            Estimate::Off => "off",
            Estimate::Unknown => "on, unknown at first",
            Estimate::From1000 => "on, from 1000",
            Estimate::OneEntryFirst => "on, one entry first",
        }
    }

    fn estimator(self) -> DispatchEstimator {
        match self {
            Estimate::Off => DispatchEstimator::new(false),
            Estimate::Unknown | Estimate::OneEntryFirst => DispatchEstimator::new(true),
            Estimate::From1000 => {
                DispatchEstimator::starting_at(true, 1000.0).expect("an entry may hold 1000 messages")
            }
        }
    }
}

/// What one read brought to its consumer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Push {
    pub permits: i64,
    pub entries: u32,
    pub messages: u64,
}

impl Push {
    /// Messages that the consumer had not asked for.
    pub fn beyond(&self) -> u64 {
        self.messages.saturating_sub(self.permits.max(0) as u64)
    }
}

/// Sums over a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    pub granted: u64,
    pub sent: u64,
    pub handled: u64,
    pub entries: u64,
    pub reads: u64,
    pub first_beyond: u64,
    /// In any push but the first.
    pub most_beyond_later: u64,
    pub beyond: u64,
    pub most_held: u64,
    /// Messages that it could have handled after its first ones and did not have.
    pub lacked: u64,
    /// Milliseconds with permits and without its turn.
    pub longest_wait: u64,
}

impl Tally {
    pub fn mean_beyond(&self) -> f64 {
        self.beyond as f64 / self.reads.max(1) as f64
    }

    pub fn idle_ms(&self) -> u64 {
        self.lacked / PACE
    }
}

pub struct Consumer {
    batches: Batches,
    estimate: Estimate,
    estimator: DispatchEstimator,
    permits: i64,
    held: u64,
    handled_since_grant: u64,
    waited: u64,
    tally: Tally,
}

impl Consumer {
    /// It has asked for a full queue.
    pub fn new(batches: Batches, estimate: Estimate) -> Consumer {
        let mut consumer = Consumer {
            batches,
            estimate,
            estimator: estimate.estimator(),
            permits: 0,
            held: 0,
            handled_since_grant: 0,
            waited: 0,
            tally: Tally::default(),
        };
        consumer.grant(QUEUE);
        consumer
    }

    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Permits and messages held.
    #[cfg(test)]
    pub fn account(&self) -> (i64, u64) {
        (self.permits, self.held)
    }

    pub fn average(&self) -> Option<f64> {
        self.estimator.average()
    }

    pub fn entries_to_read(&self, read_batch: u32) -> u32 {
        let unknown = self.estimate == Estimate::OneEntryFirst && self.average().is_none();
        self.estimator.entries_to_read(self.permits, if unknown { 1 } else { read_batch })
    }

    /// Reads so many entries and sends them whole.
    pub fn push(&mut self, entries: u32) -> Push {
        let messages = self.batches.push(entries).iter().sum();
        let push = Push { permits: self.permits, entries, messages };
        self.permits -= messages as i64;
        self.held += messages;
        self.waited = 0;
        self.estimator.record_push(messages, u64::from(entries));
        let tally = &mut self.tally;
        if tally.reads == 0 {
            tally.first_beyond = push.beyond();
        } else {
            tally.most_beyond_later = tally.most_beyond_later.max(push.beyond());
        }
        tally.sent += messages;
        tally.entries += u64::from(entries);
        tally.reads += 1;
        tally.beyond += push.beyond();
        tally.most_held = tally.most_held.max(self.held);
        push
    }

    /// Another one has its turn.
    pub fn wait(&mut self) {
        if self.permits > 0 {
            self.waited += 1;
            self.tally.longest_wait = self.tally.longest_wait.max(self.waited);
        }
    }

    /// A millisecond of work.
    pub fn handle(&mut self) {
        let handled = self.held.min(PACE);
        self.held -= handled;
        self.tally.handled += handled;
        if self.tally.reads > 0 {
            self.tally.lacked += PACE - handled;
        }
        self.handled_since_grant += handled;
        if self.handled_since_grant >= QUEUE / 2 {
            let messages = std::mem::take(&mut self.handled_since_grant);
            self.grant(messages);
        }
    }

    fn grant(&mut self, messages: u64) {
        self.permits += messages as i64;
        self.tally.granted += messages;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn consumer(messages_per_entry: &'static [u64], estimate: Estimate) -> Consumer {
        Consumer::new(Batches::any_of(messages_per_entry, 1), estimate)
    }

    /// The pull request's own numbers.
    #[test]
    fn d3_off_a_thousand_are_asked_for_and_five_hundred_thousand_sent() {
        let mut consumer = consumer(&[1000], Estimate::Off);
        let entries = consumer.entries_to_read(500);
        let push = consumer.push(entries);
        assert_eq!(push, Push { permits: 1000, entries: 500, messages: 500_000 });
        assert_eq!(push.beyond(), 499_000);
        assert_eq!(consumer.entries_to_read(500), 0);
    }

    #[test]
    fn d2_a_first_read_is_what_its_estimate_allows() {
        let first = |estimate| consumer(&[10], estimate).entries_to_read(500);
        assert_eq!(Estimate::ALL.map(first), [500, 500, 1, 1]);
    }

    #[test]
    fn permits_go_down_by_what_is_sent_and_up_by_what_is_handled() {
        let mut consumer = consumer(&[1000], Estimate::From1000);
        assert_eq!(consumer.push(2).messages, 2000);
        assert_eq!(consumer.account(), (-1000, 2000));
        (0..4).for_each(|_| consumer.handle());
        assert_eq!(consumer.account(), (-1000, 1600));
        consumer.handle();
        assert_eq!(consumer.account(), (-500, 1500));
    }

    #[test]
    fn who_has_nothing_to_handle_lacks_it() {
        let mut consumer = consumer(&[10], Estimate::Off);
        consumer.handle();
        assert_eq!(consumer.tally.lacked, 0);
        consumer.push(13);
        consumer.handle();
        consumer.handle();
        assert_eq!((consumer.tally.handled, consumer.tally.lacked), (130, 70));
    }
}
