//! Routines that nobody wrote: made up by `tests/generator` from a fixed seed, one a module. `cargo xtask fuzz` tries other seeds.

// Random code divides by constants that are zero and indexes past ends, and rustc sees some of it coming.
#![allow(
    arithmetic_overflow,
    unconditional_panic,
    overflowing_literals,
    unused,
    unused_comparisons,
    reason = "nobody wrote it to be tidy"
)]

include!(concat!(env!("OUT_DIR"), "/random.rs"));
