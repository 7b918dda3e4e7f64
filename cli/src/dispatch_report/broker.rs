//! A broker with some consumers, each of a topic of its own, in simulated time.
//!
//! It does what Pulsar's dispatcher does for the one active consumer of a subscription: read entries for the permits, send all of
//! them, read again once they are sent. A read takes a millisecond, and there is one at a time: consumers take turns.

use super::consumer::{Consumer, Push, Tally};

pub struct Broker {
    consumers: Vec<Consumer>,
    read_batch: u32,
    turn: usize,
}

impl Broker {
    pub fn new(consumers: Vec<Consumer>, read_batch: u32) -> Broker {
        Broker { consumers, read_batch, turn: 0 }
    }

    /// One read for the next consumer that may be sent something, and a millisecond of work for all; whom it was for.
    pub fn millisecond(&mut self) -> Option<(usize, Push)> {
        let count = self.consumers.len();
        let in_turn = (0..count).map(|i| (self.turn + i) % count);
        let to_read = |i: usize| (i, self.consumers[i].entries_to_read(self.read_batch));
        let next = in_turn.map(to_read).find(|(_, entries)| *entries > 0);
        let pushed = next.map(|(i, entries)| {
            self.turn = i + 1;
            (i, self.consumers[i].push(entries))
        });
        for (i, consumer) in self.consumers.iter_mut().enumerate() {
            if pushed.is_none_or(|(served, _)| served != i) {
                consumer.wait();
            }
            consumer.handle();
        }
        pushed
    }

    pub fn consumers(&self) -> &[Consumer] {
        &self.consumers
    }

    pub fn tallies(&self) -> Vec<Tally> {
        self.consumers.iter().map(|consumer| consumer.tally().clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::batches::Batches;
    use super::super::consumer::{Estimate, QUEUE};
    use super::*;

    const SIZES: [&[u64]; 4] = [&[1], &[10], &[1000], &[1, 10, 1000]];

    fn broker(estimate: Estimate) -> Broker {
        let consumers = SIZES.map(|sizes| Consumer::new(Batches::any_of(sizes, 7), estimate));
        Broker::new(consumers.into(), 500)
    }

    /// Twenty seconds.
    fn run(broker: &mut Broker) -> Vec<(usize, Push)> {
        (0..20_000).filter_map(|_| broker.millisecond()).collect()
    }

    #[test]
    fn what_was_sent_is_what_the_entries_held_and_what_was_handled_or_is_held() {
        for estimate in Estimate::ALL {
            let mut broker = broker(estimate);
            let mut sent = [0; 4];
            let mut entries = [0; 4];
            for (i, push) in run(&mut broker) {
                sent[i] += push.messages;
                entries[i] += u64::from(push.entries);
            }
            for (i, tally) in broker.tallies().iter().enumerate() {
                assert_eq!((tally.sent, tally.entries), (sent[i], entries[i]), "{estimate:?} {i}");
                let left = (tally.granted as i64 - tally.sent as i64, tally.sent - tally.handled);
                assert_eq!(broker.consumers()[i].account(), left, "{estimate:?} {i}");
                assert!(left.1 <= tally.most_held && tally.handled > 1_000_000, "{estimate:?} {i}");
                if let [size] = SIZES[i] {
                    assert_eq!(tally.sent, tally.entries * size, "{estimate:?} {i}");
                }
                assert!(tally.granted <= tally.handled + QUEUE, "{estimate:?} {i}");
            }
        }
    }

    #[test]
    fn permits_never_go_up_by_a_push_and_none_is_sent_without() {
        for estimate in Estimate::ALL {
            let mut broker = broker(estimate);
            let mut last = [i64::MAX; 4];
            for _ in 0..20_000 {
                let before: Vec<_> =
                    broker.tallies().iter().map(|t| t.granted as i64 - t.sent as i64).collect();
                if let Some((i, push)) = broker.millisecond() {
                    assert_eq!(push.permits, before[i], "{estimate:?}");
                    assert!(push.permits > 0 && push.messages > 0, "{estimate:?}: {push:?}");
                    last[i] = push.permits - push.messages as i64;
                    assert!(last[i] < before[i], "{estimate:?}");
                }
            }
            assert!(
                last.iter().all(|permits| *permits < i64::MAX),
                "{estimate:?}: one was never sent anything"
            );
        }
    }

    #[test]
    fn d3_off_the_plain_formula_decides_every_read() {
        let mut broker = broker(Estimate::Off);
        for (_, push) in run(&mut broker) {
            assert_eq!(i64::from(push.entries), push.permits.min(500));
        }
    }

    #[test]
    fn d2_on_no_read_but_the_first_of_a_constant_size_is_an_entry_beyond() {
        let mut broker = broker(Estimate::Unknown);
        run(&mut broker);
        for (tally, size) in broker.tallies().iter().zip([1, 10, 1000]) {
            assert!(tally.reads > 100 && tally.most_beyond_later < size, "{size}: {tally:?}");
        }
    }

    #[test]
    fn d5_nobody_with_permits_waits_for_more_than_each_others_turn() {
        for estimate in Estimate::ALL {
            let mut broker = broker(estimate);
            run(&mut broker);
            for tally in broker.tallies() {
                assert!(tally.longest_wait < 4, "{estimate:?}: {tally:?}");
            }
        }
    }
}
