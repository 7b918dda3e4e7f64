//! Model checks of the orderings in `tollgate`; see README.md. Empty unless built with `--cfg tollgate_loom`.

/// Runs `model` in every interleaving with at most `preemptions` forced switches; `LOOM_MAX_PREEMPTIONS` overrides
/// it. Prints how many were explored when `LOOM_LOG` is set.
#[cfg(tollgate_loom)]
pub fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    if builder.preemption_bound.is_none() {
        builder.preemption_bound = Some(preemptions);
    }
    builder.max_branches = 20_000;
    builder.check(model);
}
