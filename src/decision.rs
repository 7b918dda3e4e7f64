//! What `track` answers, and the 64-bit word in which it crosses a boundary.
//!
//! The word: bits 0..8 the kind, bits 32..64 `retry_after_ms`; all other bits are 0. Numbers are never reused.

/// The answer to one `track` call (S1).
///
/// [`Known`](Decision::Known), [`Admitted`](Decision::Admitted) and [`Throttled`](Decision::Throttled) are the
/// three answers about a producer id; [`Stale`](Decision::Stale) is about the handle, not the id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Decision {
    /// Seen within the window; nothing was charged.
    Known,
    /// New; one token was charged and the id is remembered now.
    Admitted,
    /// New and over the quota; not remembered, nothing charged.
    Throttled {
        /// Milliseconds to wait before the next try, at least 1 (S13).
        retry_after_ms: u32,
    },
    /// The principal was dropped after a window without a call, and with it this handle: intern the name
    /// again and repeat. Nothing was decided.
    Stale,
}

/// The answer to one `touch` call: `track` without admitting anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Touch {
    /// Seen within the window, and recorded again where that was due.
    Known,
    /// Not seen; nothing changed.
    New,
    /// As [`Decision::Stale`].
    Stale,
}

/// Kind of a packed word: [`Decision::Known`], [`Touch::Known`].
pub const KIND_KNOWN: u64 = 0;
/// Kind of a packed word: [`Decision::Admitted`].
pub const KIND_ADMITTED: u64 = 1;
/// Kind of a packed word: [`Decision::Throttled`].
pub const KIND_THROTTLED: u64 = 2;
/// Kind of a packed word: [`Decision::Stale`], [`Touch::Stale`].
pub const KIND_STALE: u64 = 3;
/// Kind of a packed word: [`Touch::New`].
pub const KIND_NEW: u64 = 4;
/// Kind of a packed word: the boundary could not ask the engine (a null handle, a panic). Let the call pass.
pub const KIND_FAULT: u64 = 255;

const KIND_MASK: u64 = 0xff;
const RETRY_SHIFT: u32 = 32;

impl Decision {
    /// The packed word; see the module's head.
    #[must_use]
    pub const fn pack(self) -> u64 {
        match self {
            Self::Known => KIND_KNOWN,
            Self::Admitted => KIND_ADMITTED,
            Self::Throttled { retry_after_ms } => KIND_THROTTLED | ((retry_after_ms as u64) << RETRY_SHIFT),
            Self::Stale => KIND_STALE,
        }
    }

    /// The decision in a packed word; `None` for a word that [`pack`](Self::pack) never makes.
    #[must_use]
    pub const fn unpack(word: u64) -> Option<Self> {
        let decision = match word & KIND_MASK {
            KIND_KNOWN => Self::Known,
            KIND_ADMITTED => Self::Admitted,
            KIND_THROTTLED => Self::Throttled { retry_after_ms: (word >> RETRY_SHIFT) as u32 },
            KIND_STALE => Self::Stale,
            _ => return None,
        };
        if decision.pack() == word {
            Some(decision)
        } else {
            None
        }
    }
}

impl Touch {
    /// The packed word; see the module's head.
    #[must_use]
    pub const fn pack(self) -> u64 {
        match self {
            Self::Known => KIND_KNOWN,
            Self::New => KIND_NEW,
            Self::Stale => KIND_STALE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_decision_survives_packing() {
        for decision in [
            Decision::Known,
            Decision::Admitted,
            Decision::Stale,
            Decision::Throttled { retry_after_ms: 1 },
            Decision::Throttled { retry_after_ms: u32::MAX },
        ] {
            assert_eq!(Decision::unpack(decision.pack()), Some(decision));
        }
    }

    #[test]
    fn words_never_made_are_refused() {
        for word in [KIND_NEW, KIND_FAULT, KIND_KNOWN | 1 << 8, KIND_ADMITTED | 1 << 40] {
            assert_eq!(Decision::unpack(word), None, "{word:#x}");
        }
    }
}
