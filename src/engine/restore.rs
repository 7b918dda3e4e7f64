//! The engine's way into a snapshot and back (S14); what a snapshot is stands in src/snapshot.rs.

use super::Engine;
use crate::config::Config;
use crate::filter::Ring;
use crate::gate::Gate;
use crate::principal::{Principal, PrincipalId};
use crate::snapshot::{Picture, Portrait, Restored, SnapshotError};
use crate::sync::{Arc, Ordering::Relaxed};

impl Engine {
    /// S14: an engine that knows what a snapshot holds, and what of it could be kept. It goes on with the snapshot's seed,
    /// not the config's. `now_ms` is on the clock of the engine that made the snapshot.
    ///
    /// # Errors
    /// When the bytes are cut, damaged, or of another version; [`new`](Self::new) then makes an empty one.
    pub fn restore(config: Config, snapshot: &[u8], now_ms: u64) -> Result<(Self, Restored), SnapshotError> {
        let picture = Picture::from_bytes(snapshot)?;
        let now_ms = now_ms.max(picture.taken_ms);
        let overflow = picture.principals.iter().find(|portrait| portrait.is_overflow);
        let (engine, mut restored) =
            Self::with_overflow(config.with_seed(picture.seed), overflow, picture.taken_ms, now_ms);
        engine.advance_time(now_ms);
        for portrait in picture.principals.iter().filter(|portrait| !portrait.is_overflow) {
            let layers = portrait.filter.layers.len() as u64;
            if let Some(kept) = engine.add_restored(portrait, picture.taken_ms, now_ms) {
                restored.principals += 1;
                restored.layers += kept;
                restored.layers_left_out += layers - kept;
            } else {
                restored.principals_left_out += 1;
                restored.layers_left_out += layers;
            }
        }
        Ok((engine, restored))
    }

    /// Saturating: a snapshot may say any count.
    fn count_restored(&self, known: u64) {
        let restored = &self.restored_known;
        restored.store(restored.load(Relaxed).saturating_add(known), Relaxed);
    }

    /// The layers kept; `None` when there was no room for the principal, or its name came twice.
    fn add_restored(&self, portrait: &Portrait, taken_ms: u64, now_ms: u64) -> Option<u64> {
        let shared = &self.shared;
        let mut kept = 0;
        if self.registry.find(&portrait.name).is_some() {
            return None;
        }
        let id = self.registry.add(&portrait.name, &self.budget, |id, name, known, held| {
            let (quota, source) = shared.default_quota.load().unless(None);
            let gate = Gate::new(quota, source, shared.config.terms(), taken_ms, portrait.left.clone());
            let principal = Principal::new(id, name, gate, known, now_ms, held).restored(portrait);
            let mut ring = Ring::new(Arc::new(principal));
            kept = ring.restore(&portrait.filter, now_ms, shared.window, shared.hasher, &self.budget);
            ring
        })?;
        self.registry.settle(id);
        self.count_restored(portrait.known());
        Some(kept)
    }

    /// S14: what is remembered, as bytes for [`restore`](Self::restore). Calls may go on meanwhile; an id admitted by one of
    /// them is in it or not. Quotas set for names are the host's to keep.
    #[must_use]
    pub fn snapshot(&self, now_ms: u64) -> Vec<u8> {
        let now_ms = self.advance_time(now_ms);
        let mut principals = Vec::new();
        self.registry.for_each(|_, ring| {
            let principal = ring.owner();
            let id = principal.id();
            // A name's one principal: not that of a thread which loses the race to intern it, nor one that a sweep is taking out.
            if id != PrincipalId::OVERFLOW && self.registry.find(principal.name()) != Some(id) {
                return;
            }
            let known = self.registry.known_of(id);
            principals.push(principal.portrait(known, now_ms, &self.shared, || ring.portrait()));
        });
        Picture { seed: self.config().seed(), taken_ms: now_ms, principals }.to_bytes()
    }
}
