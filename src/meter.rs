//! What counts against one quota: a bucket or a window, as the engine's settings say, and what either leaves to the next.
//!
//! Contract: S12 (shape). The gate (src/gate.rs) decides when one takes over from another.

use crate::quota::{Limiter, Quota, Terms};
use crate::rate::gcra::{Charge, Gcra, Refill};
use crate::rate::limit::{SlidingLimit, Span, Taken};
use std::borrow::Cow;

/// What a limiter had left when a snapshot was taken.
#[derive(Clone, Debug, Default)]
pub(crate) struct Left {
    pub(crate) since_ms: u64,
    pub(crate) tokens: f64,
    /// What a window's limiter counted, the oldest first.
    pub(crate) taken: Vec<Taken>,
}

impl Left {
    /// The samples of a window; what a bucket had spent is one, as if it had all come last.
    fn taken(&self, quota: Quota, terms: Terms) -> Cow<'_, [Taken]> {
        // Float to integer conversion saturates.
        let count = span(quota, terms).limit().saturating_sub(self.tokens as u32);
        if self.taken.is_empty() && count > 0 {
            Cow::Owned(vec![Taken { last_ms: self.since_ms, count }])
        } else {
            Cow::Borrowed(&self.taken)
        }
    }
}

/// What counts against one quota.
pub(crate) enum Meter {
    Bucket(Gcra),
    Window(SlidingLimit),
}

impl Meter {
    pub(crate) fn full(quota: Quota, terms: Terms, now_ms: u64) -> Self {
        Self::with(quota, terms, &Left { since_ms: now_ms, tokens: f64::INFINITY, taken: Vec::new() })
    }

    pub(crate) fn with(quota: Quota, terms: Terms, left: &Left) -> Self {
        match terms.limiter {
            Limiter::TokenBucket => {
                Self::Bucket(Gcra::holding(refill(quota, terms), left.tokens, left.since_ms))
            }
            Limiter::Windowed => {
                Self::Window(SlidingLimit::after(span(quota, terms), &left.taken(quota, terms)))
            }
        }
    }

    /// Freezes this one and makes the next of what it has left.
    pub(crate) fn next(&self, quota: Quota, terms: Terms, now_ms: u64) -> Self {
        match self {
            Self::Bucket(bucket) => {
                Self::Bucket(Gcra::holding(refill(quota, terms), bucket.freeze(now_ms), now_ms))
            }
            Self::Window(window) => Self::Window(window.freeze(span(quota, terms))),
        }
    }

    pub(crate) fn left(&self, now_ms: u64) -> Left {
        let taken = match self {
            Self::Bucket(_) => Vec::new(),
            Self::Window(window) => window.taken(now_ms),
        };
        Left { since_ms: now_ms, tokens: self.tokens(now_ms), taken }
    }

    pub(crate) fn charge_unless_replaced(&self, now_ms: u64) -> Option<Charge> {
        match self {
            Self::Bucket(bucket) => bucket.charge_unless_replaced(now_ms),
            Self::Window(window) => window.charge_unless_replaced(now_ms),
        }
    }

    pub(crate) fn wait_ms(&self, ahead: u32, now_ms: u64) -> u64 {
        match self {
            Self::Bucket(bucket) => bucket.wait_ms(ahead, now_ms),
            Self::Window(window) => window.wait_ms(ahead, now_ms),
        }
    }

    pub(crate) fn tokens(&self, now_ms: u64) -> f64 {
        match self {
            Self::Bucket(bucket) => bucket.tokens(now_ms),
            Self::Window(window) => window.tokens(now_ms),
        }
    }

    pub(crate) fn is_full(&self, now_ms: u64) -> bool {
        match self {
            Self::Bucket(bucket) => bucket.is_full(now_ms),
            Self::Window(window) => window.tokens(now_ms) >= f64::from(window.span().limit()),
        }
    }

    pub(crate) fn interval_ms(&self) -> u64 {
        match self {
            Self::Bucket(bucket) => bucket.refill().interval_ms(),
            Self::Window(window) => window.span().interval_ms(),
        }
    }
}

fn refill(quota: Quota, terms: Terms) -> Refill {
    Refill::new(quota.rate_per_hour(), quota.capacity(terms.window_ms))
}

fn span(quota: Quota, terms: Terms) -> Span {
    Span::new(quota.rate_per_hour(), quota.capacity(terms.window_ms))
}
