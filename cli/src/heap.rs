//! What a producer ID takes of a broker's heap, as HeldIT measures it on Kafka 4.4.0 (docs/kafka.md): 268 to 276 bytes in a partition
//! after one batch, 435 to 437 after five, of which a broker keeps the last five.

const FIRST: f64 = 276.0;
const FURTHER: f64 = (MOST_ENTRY_BYTES - FIRST) / 4.0;

/// After five batches or more.
pub const MOST_ENTRY_BYTES: f64 = 440.0;

/// After so many batches; at least one.
pub fn entry_bytes(batches: u64) -> f64 {
    FIRST + FURTHER * (batches.clamp(1, 5) - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_grows_to_its_fifth_batch() {
        assert_eq!([0, 1, 3, 5, 1_000].map(entry_bytes), [276.0, 276.0, 358.0, 440.0, 440.0]);
    }
}
