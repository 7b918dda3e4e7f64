//! `tollgate replay`: a trace under any setting, by the real engine with an exact set beside it.

pub mod course;
mod exact;
mod lane;
mod outcome;
mod over_time;
mod setting;
