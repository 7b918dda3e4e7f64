//! When an ID was there: its sights in whole seconds, joined where no more than [`JOIN_S`] lies between two. Joining asks for no
//! order: any order of the same sights ends in the same spans, so that files can be read side by side.

/// A pause up to this is none, seconds.
pub const JOIN_S: u32 = 60;

/// First and last second.
pub type Span = (u32, u32);

/// Apart by more than [`JOIN_S`], in the order of time. Most IDs have one span, which takes no memory of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spans {
    newest: Option<Span>,
    #[expect(clippy::box_collection, reason = "8 bytes instead of 24 in each of millions that have none")]
    earlier: Option<Box<Vec<Span>>>,
}

impl Spans {
    /// Adds what lies between two seconds.
    pub fn add(&mut self, from_s: u32, to_s: u32) {
        match &mut self.newest {
            None => self.newest = Some((from_s, to_s)),
            // What a log mostly has: the newest goes on.
            Some((start, end)) if from_s >= *start && from_s <= end.saturating_add(JOIN_S) => {
                *end = (*end).max(to_s);
            }
            Some(newest) if from_s > newest.1 => {
                let before = std::mem::replace(newest, (from_s, to_s));
                self.earlier.get_or_insert_default().push(before);
            }
            Some(_) => self.insert(from_s, to_s),
        }
    }

    /// What does not go on from the newest. In place: clocks that go to and fro over a year make half a million spans.
    fn insert(&mut self, from_s: u32, to_s: u32) {
        let mut no_earlier = Vec::new();
        let earlier = self.earlier.as_deref_mut().unwrap_or(&mut no_earlier);
        if let Some(newest) = self.newest.as_mut().filter(|newest| newest.0 <= to_s.saturating_add(JOIN_S)) {
            *newest = (newest.0.min(from_s), newest.1.max(to_s));
            while let Some(before) = earlier.pop_if(|before| newest.0 <= before.1.saturating_add(JOIN_S)) {
                newest.0 = newest.0.min(before.0);
            }
            if earlier.is_empty() {
                self.earlier = None;
            }
            return;
        }
        let first = earlier.partition_point(|span| span.1.saturating_add(JOIN_S) < from_s);
        let end = earlier.partition_point(|span| span.0 <= to_s.saturating_add(JOIN_S));
        let reached = earlier.get(first..end).unwrap_or_default();
        let joined =
            reached.iter().fold((from_s, to_s), |whole, span| (whole.0.min(span.0), whole.1.max(span.1)));
        if let [only] = &mut earlier[first..end] {
            *only = joined;
        } else {
            self.earlier.get_or_insert_default().splice(first..end, [joined]);
        }
    }

    /// Adds another's. Both are in order: one walk over both.
    pub fn join(&mut self, other: &Spans) {
        if other.earlier.is_none() {
            other.iter().for_each(|(from_s, to_s)| self.add(from_s, to_s));
            return;
        }
        let mut all: Vec<Span> = self.iter().chain(other.iter()).collect();
        all.sort_unstable();
        *self = Self::default();
        all.into_iter().for_each(|(from_s, to_s)| self.add(from_s, to_s));
    }

    pub fn iter(&self) -> impl Iterator<Item = Span> + '_ {
        self.earlier.iter().flat_map(|spans| spans.iter().copied()).chain(self.newest)
    }

    /// The span at a place in the order of time.
    pub fn get(&self, index: usize) -> Option<Span> {
        let earlier = self.earlier.as_ref().map_or(&[][..], |spans| spans);
        match earlier.get(index) {
            Some(span) => Some(*span),
            None if index == earlier.len() => self.newest,
            None => None,
        }
    }

    /// Seconds between the end of one and the start of the next.
    pub fn pauses(&self) -> impl Iterator<Item = u32> + '_ {
        self.iter().zip(self.iter().skip(1)).map(|(before, after)| after.0 - before.1)
    }

    pub fn first_s(&self) -> Option<u32> {
        self.get(0).map(|span| span.0)
    }

    pub fn last_s(&self) -> Option<u32> {
        self.newest.map(|span| span.1)
    }

    /// Memory beside the value itself.
    pub fn heap_bytes(&self) -> usize {
        self.earlier.as_ref().map_or(0, |spans| size_of::<Vec<Span>>() + spans.capacity() * size_of::<Span>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(sights: &[Span]) -> Spans {
        let mut spans = Spans::default();
        sights.iter().for_each(|&(from_s, to_s)| spans.add(from_s, to_s));
        spans
    }

    #[test]
    fn a_minute_is_no_pause() {
        let spans = of(&[(0, 0), (60, 60), (121, 121)]);
        assert_eq!(spans.iter().collect::<Vec<_>>(), [(0, 60), (121, 121)]);
        assert_eq!(spans.pauses().collect::<Vec<_>>(), [61]);
        assert_eq!(
            (spans.first_s(), spans.last_s(), spans.get(1), spans.get(2)),
            (Some(0), Some(121), Some((121, 121)), None)
        );
    }

    #[test]
    fn one_span_takes_no_memory_of_its_own() {
        assert_eq!(of(&[(5, 5), (50, 50)]).heap_bytes(), 0);
        assert!(of(&[(5, 5), (500, 500)]).heap_bytes() > 0);
        assert_eq!(of(&[(5, 5), (500, 500), (0, 1_000)]).heap_bytes(), 0);
    }

    proptest! {
        /// The model marks seconds and looks for runs without 60 unmarked ones.
        #[test]
        fn spans_are_those_of_the_sorted_sights(
            sights in prop::collection::vec((0u32..3_000, 0u32..90), 1..40),
            cut in 0usize..40,
        ) {
            let mut sights: Vec<Span> = sights.into_iter().map(|(at, long)| (at, at + long)).collect();
            let (spans, cut) = (of(&sights), cut.min(sights.len()));
            // In two parts, joined.
            let mut joined = of(&sights[..cut]);
            joined.join(&of(&sights[cut..]));
            sights.sort_unstable();
            let mut model: Vec<Span> = Vec::new();
            for (from_s, to_s) in sights {
                match model.last_mut() {
                    Some(last) if from_s <= last.1 + JOIN_S => last.1 = last.1.max(to_s),
                    _ => model.push((from_s, to_s)),
                }
            }
            prop_assert_eq!(spans.iter().collect::<Vec<_>>(), model.clone());
            prop_assert_eq!(joined.iter().collect::<Vec<_>>(), model);
        }
    }
}
