//! The programs under examples/, compiled by examples/Makefile with warnings as errors, and run. `producer_ids` needs a
//! broker: java/it runs it.

mod docs;
mod gateway;
mod login_guard;
mod program;
