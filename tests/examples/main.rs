//! The programs under examples/, compiled by examples/Makefile with warnings as errors, and run.

mod gateway;
mod login_guard;
mod program;
