//! Model checks of `tollgate`; see README.md. Empty unless built with `--cfg tollgate_loom`.

/// Runs `model` in every interleaving with at most `preemptions` forced switches; `LOOM_MAX_PREEMPTIONS` overrides
/// it. Prints how many those were.
#[cfg(all(tollgate_loom, not(tollgate_shuttle)))]
pub fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
    use std::sync::Arc;
    let mut builder = loom::model::Builder::new();
    if builder.preemption_bound.is_none() {
        builder.preemption_bound = Some(preemptions);
    }
    builder.max_branches = 20_000;
    let explored = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&explored);
    builder.check(move || {
        count.fetch_add(1, Relaxed);
        model();
    });
    println!("{} interleavings of {}", explored.load(Relaxed), name());
}

/// Runs the racers at once, each in a thread of its own: loom does not look for races with the thread that runs the
/// model's body.
#[cfg(all(tollgate_loom, not(tollgate_shuttle)))]
pub fn race<S: Send + Sync + 'static, T: 'static, const N: usize>(
    shared: &loom::sync::Arc<S>,
    racers: [fn(&S) -> T; N],
) -> [T; N] {
    racers
        .map(|racer| {
            let shared = loom::sync::Arc::clone(shared);
            loom::thread::spawn(move || racer(&shared))
        })
        .map(|thread| thread.join().unwrap())
}

#[cfg(tollgate_loom)]
fn name() -> String {
    std::thread::current().name().unwrap_or("a model").to_owned()
}

/// Runs `scenario` under random schedules, three of four drawn at every step, the rest with a few switches at drawn places (PCT);
/// `TOLLGATE_SCHEDULES` per cent of them. A failure prints its schedule, which `shuttle::replay` runs again. Prints how
/// many ran.
///
/// # Panics
/// When the scenario does.
#[cfg(tollgate_shuttle)]
pub fn shuffle(schedules: usize, scenario: impl Fn() + Sync + Send + 'static) {
    use shuttle::scheduler::{PctScheduler, RandomScheduler};
    use shuttle::{Config, Runner};
    use std::sync::Arc;
    const SEED: u64 = 0x70_6c6c_6761_7465;
    const SWITCHES: usize = 4;
    let per_cent: usize = std::env::var("TOLLGATE_SCHEDULES").map_or(100, |n| n.parse().expect("per cent"));
    let schedules = (schedules * per_cent / 100).max(4);
    let config = || {
        let mut config = Config::new();
        // It says that orderings are not explored; README.md says it once.
        config.silence_warnings = true;
        config.stack_size = 1 << 17;
        config
    };
    let scenario = Arc::new(scenario);
    let again = Arc::clone(&scenario);
    let few = schedules / 4;
    let ran = Runner::new(RandomScheduler::new_from_seed(SEED, schedules - few), config())
        .run(move || scenario())
        + Runner::new(PctScheduler::new_from_seed(SEED, SWITCHES, few), config()).run(move || again());
    println!("{ran} schedules of {}", name());
}
