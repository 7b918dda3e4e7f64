//! How many messages the entries of a topic hold.

use oorandom::Rand32;

/// Entries without end; each has a message at least.
pub struct Batches {
    sizes: &'static [u64],
    order: Order,
}

enum Order {
    /// Any of the sizes, each as likely.
    Random(Rand32),
    /// One size for so many pushes, then the next one.
    Steps { pushes_each: usize, pushes: usize },
}

impl Batches {
    pub fn any_of(sizes: &'static [u64], seed: u64) -> Batches {
        Batches { sizes, order: Order::Random(Rand32::new(seed)) }
    }

    pub fn in_steps(sizes: &'static [u64], pushes_each: usize) -> Batches {
        Batches { sizes, order: Order::Steps { pushes_each, pushes: 0 } }
    }

    /// Messages in each of the next push's entries.
    pub fn push(&mut self, entries: u32) -> Vec<u64> {
        let sizes = self.sizes;
        match &mut self.order {
            Order::Random(random) => {
                (0..entries).map(|_| sizes[random.rand_range(0..sizes.len() as u32) as usize]).collect()
            }
            Order::Steps { pushes_each, pushes } => {
                let step = *pushes / *pushes_each;
                *pushes += 1;
                vec![sizes[step.min(sizes.len() - 1)]; entries as usize]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_entries_again() {
        let entries = |seed| Batches::any_of(&[1, 10, 1000], seed).push(600);
        assert_eq!(entries(1), entries(1));
        assert_ne!(entries(1), entries(2));
        for size in [1, 10, 1000] {
            let count = entries(1).iter().filter(|entry| **entry == size).count();
            assert!((150..=250).contains(&count), "{count} of 600 hold {size}");
        }
    }

    #[test]
    fn steps_change_between_pushes_and_end_with_the_last_size() {
        let mut batches = Batches::in_steps(&[1, 1000], 2);
        let pushes: Vec<_> = (0..5).map(|_| batches.push(2)).collect();
        assert_eq!(pushes, [[1, 1], [1, 1], [1000, 1000], [1000, 1000], [1000, 1000]]);
    }
}
