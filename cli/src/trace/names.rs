//! Names to small numbers, each name held once.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

/// See the module's head.
#[derive(Default)]
pub struct Names {
    all: Vec<String>,
    table: HashTable<u32>,
    hasher: RandomState,
}

impl Names {
    /// The number of a name, given at its first call in the order of the calls. None when all four billion are taken.
    pub fn index(&mut self, name: &str) -> Option<u32> {
        let Self { all: names, table, hasher } = self;
        let hash = hasher.hash_one(name);
        let is_it = |index: &u32| names.get(*index as usize).is_some_and(|held| held == name);
        if let Some(index) = table.find(hash, is_it) {
            return Some(*index);
        }
        let index = u32::try_from(names.len()).ok()?;
        names.push(name.to_owned());
        table.insert_unique(hash, index, |index| {
            hasher.hash_one(names.get(*index as usize).map_or("", String::as_str))
        });
        Some(index)
    }

    /// In the order of their numbers.
    pub fn all(&self) -> &[String] {
        &self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_number_while_the_table_grows() {
        let mut names = Names::default();
        for round in 0..2 {
            for i in 0..10_000_u32 {
                assert_eq!(names.index(&format!("user-{i}")), Some(i), "round {round}");
            }
        }
        assert_eq!(names.all().len(), 10_000);
        assert_eq!(names.all()[17], "user-17");
    }
}
