//! Random bytes as numbers; after the last byte come zeros.

pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    pub fn number(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.byte()))
    }

    /// Mostly small, sometimes any number, sometimes the ends.
    pub fn some_number(&mut self) -> u64 {
        match self.byte() {
            0..=199 => u64::from(self.byte()),
            200..=239 => self.number(),
            240..=247 => u64::MAX - u64::from(self.byte()),
            _ => u64::from(self.byte()) << 32,
        }
    }

    pub fn double(&mut self) -> f64 {
        match self.byte() {
            0..=127 => f64::from(self.byte()),
            128..=191 => f64::from(self.byte()) / 256.0,
            _ => f64::from_bits(self.number()),
        }
    }

    pub fn bytes(&mut self) -> &'a [u8] {
        let length = usize::from(self.byte()).min(self.0.len());
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }
}
