//! The rules of design.md, one test or more each, named after their numbers.

mod bounds;
mod memory;
mod once;
mod quota;
mod scale;
mod size;

#[path = "../shared/binomial.rs"]
mod binomial;
#[path = "../shared/in_step.rs"]
mod in_step;

use binomial::most_wrong;
use in_step::InStep;
use tollgate::{Config, ConfigBuilder, Decision, Engine, PrincipalId, Quota};

const HOUR: u64 = 3_600_000;

const PERIOD: u64 = HOUR / 4;

fn builder() -> ConfigBuilder {
    Config::builder().seed(0x7011_6a7e)
}

fn engine(builder: ConfigBuilder) -> Engine {
    Engine::new(builder.build().unwrap())
}

fn quota(per_hour: f64, burst: f64) -> Option<Quota> {
    Some(Quota::per_hour(per_hour, burst).unwrap())
}

fn admitted(engine: &Engine, id: PrincipalId, pids: std::ops::Range<u64>, now: u64) -> u64 {
    pids.filter(|&pid| engine.track(id, pid, now) == Decision::Admitted).count() as u64
}

fn remember(engine: &Engine, id: PrincipalId, pids: std::ops::Range<u64>, now: u64) {
    pids.for_each(|pid| assert_eq!(engine.remember(id, pid, now), Decision::Known));
}
