//! What is known of a producer ID on a partition, or on all.

use super::spans::{Spans, JOIN_S};

/// One look at an ID: a batch, or an entry of a producer snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Sight {
    pub producer_id: i64,
    /// Whole seconds since 1970.
    pub at_s: u32,
    pub kind: Kind,
}

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// Records of a client's, at an offset.
    Data { offset: i64, is_first_of_producer: bool, is_transactional: bool },
    /// A transaction's end, written by the coordinator.
    Marker,
    /// The broker remembered it in its newest snapshot.
    Remembered,
}

#[derive(Clone, Debug)]
pub struct Activity {
    pub spans: Spans,
    /// Of data.
    pub batches: u32,
    pub is_transactional: bool,
    /// Its first data there have another sequence than 0: it came before the log begins.
    pub is_older: bool,
    /// Of the batch that `is_older` was read from.
    first_offset: i64,
    /// Of its earliest data, seconds since 1970.
    pub first_data_s: u32,
    /// In the newest snapshot, seconds since 1970.
    remembered_s: u32,
    /// Of all topics the one that stands for whose it is: see [`Activity::join`].
    pub topic: u32,
    /// Its earliest data there, seconds since 1970.
    topic_since_s: u32,
}

impl Activity {
    pub fn new(topic: u32) -> Self {
        Self {
            spans: Spans::default(),
            batches: 0,
            is_transactional: false,
            is_older: false,
            first_offset: i64::MAX,
            first_data_s: u32::MAX,
            remembered_s: 0,
            topic,
            topic_since_s: u32::MAX,
        }
    }

    pub fn take(&mut self, sight: &Sight) {
        match sight.kind {
            Kind::Data { offset, is_first_of_producer, is_transactional } => {
                self.batches = self.batches.saturating_add(1);
                self.is_transactional |= is_transactional;
                self.first_data_s = self.first_data_s.min(sight.at_s);
                self.topic_since_s = self.first_data_s;
                if offset < self.first_offset {
                    self.first_offset = offset;
                    self.is_older = !is_first_of_producer;
                }
                self.spans.add(sight.at_s, sight.at_s);
            }
            Kind::Marker => self.spans.add(sight.at_s, sight.at_s),
            Kind::Remembered => self.remembered_s = self.remembered_s.max(sight.at_s),
        }
    }

    /// Adds what is known from another partition. Whose an ID is, its first data tell: an ID belongs to one client. Kafka's own
    /// topics (offsets within a transaction) are second to a client's.
    pub fn join(&mut self, other: &Activity, is_internal: impl Fn(u32) -> bool) {
        let rank =
            |activity: &Activity| (is_internal(activity.topic), activity.topic_since_s, activity.topic);
        if rank(other) < rank(self) {
            (self.topic, self.topic_since_s) = (other.topic, other.topic_since_s);
        }
        // Where its data begin tells whether it is older; of one second, whoever saw its beginning. What a compacted or sooner
        // trimmed partition has left of it proves nothing.
        if (other.first_data_s, other.is_older) < (self.first_data_s, self.is_older) {
            self.is_older = other.is_older;
        }
        self.batches = self.batches.saturating_add(other.batches);
        self.is_transactional |= other.is_transactional;
        self.first_data_s = self.first_data_s.min(other.first_data_s);
        self.remembered_s = self.remembered_s.max(other.remembered_s);
        self.spans.join(&other.spans);
    }

    /// Its data begin within the log.
    pub fn is_new(&self) -> bool {
        self.batches > 0 && !self.is_older
    }

    /// New, and all of it lies within what counts as no pause.
    pub fn is_short_lived(&self) -> bool {
        let (first_s, last_s) = (self.spans.first_s().unwrap_or(0), self.spans.last_s().unwrap_or(0));
        self.is_new() && last_s - first_s <= JOIN_S
    }

    /// Any batch of it is in the log.
    pub fn is_in_log(&self) -> bool {
        self.spans.last_s().is_some()
    }

    /// When the broker saw it last, seconds since 1970.
    pub fn last_s(&self) -> u32 {
        self.spans.last_s().unwrap_or(0).max(self.remembered_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(at_s: u32, offset: i64, is_first_of_producer: bool) -> Sight {
        Sight {
            producer_id: 7,
            at_s,
            kind: Kind::Data { offset, is_first_of_producer, is_transactional: false },
        }
    }

    fn of(topic: u32, sights: &[Sight]) -> Activity {
        let mut activity = Activity::new(topic);
        sights.iter().for_each(|sight| activity.take(sight));
        activity
    }

    #[test]
    fn the_lowest_offset_tells_whether_it_is_older_in_any_order() {
        for sights in [[data(10, 5, false), data(9, 3, true)], [data(9, 3, true), data(10, 5, false)]] {
            assert!(of(0, &sights).is_new());
        }
        assert!(!of(0, &[data(9, 3, false), data(10, 5, true)]).is_new());
    }

    #[test]
    fn where_its_data_begin_tells_whether_it_is_older() {
        let (whole, compacted) = (of(1, &[data(5, 0, true)]), of(2, &[data(9, 70, false)]));
        let (trimmed, later) = (of(3, &[data(4, 70, false)]), of(4, &[data(5, 70, false)]));
        for (parts, is_older) in [
            ([&whole, &compacted], false),
            ([&compacted, &whole], false),
            ([&whole, &trimmed], true),
            ([&trimmed, &whole], true),
            ([&later, &whole], false),
        ] {
            let mut all = parts[0].clone();
            all.join(parts[1], |_| false);
            assert_eq!((all.is_older, all.is_short_lived()), (is_older, !is_older));
        }
    }

    #[test]
    fn a_marker_or_a_snapshot_alone_makes_no_new_id() {
        let marker = of(0, &[Sight { producer_id: 7, at_s: 5, kind: Kind::Marker }]);
        assert!(marker.is_in_log() && !marker.is_new() && !marker.is_older);
        let remembered = of(0, &[Sight { producer_id: 7, at_s: 5, kind: Kind::Remembered }]);
        assert!(!remembered.is_in_log() && !remembered.is_new());
        assert_eq!(remembered.last_s(), 5);
    }

    #[test]
    fn whose_an_id_is_its_first_data_tell_and_kafkas_own_topics_last() {
        let is_internal = |topic| topic == 9;
        let (offsets, orders, audit) =
            (of(9, &[data(1, 0, true)]), of(1, &[data(3, 0, true)]), of(2, &[data(2, 0, true)]));
        for (first, rest) in [(&offsets, [&orders, &audit]), (&audit, [&orders, &offsets])] {
            let mut all = first.clone();
            rest.iter().for_each(|other| all.join(other, is_internal));
            assert_eq!((all.topic, all.batches, all.first_data_s), (2, 3, 1));
        }
    }
}
