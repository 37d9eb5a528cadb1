//! The other half of the conformance suite, as `main.rs` is: what gpuvm's own std has of Rust's, and routines that nobody wrote.

// The routines are written as users write them, and exercise forms that a linter would simplify.
#![allow(
    clippy::all,
    dead_code,
    for_loops_over_fallibles,
    unused_assignments,
    unused_variables,
    unused_parens,
    unreachable_code,
    reason = "the routines show every accepted form, the roundabout ones too"
)]

#[macro_use]
mod harness;
mod oracle;
mod sample;

mod cells;
mod characters;
mod debug_texts;
mod doubles;
mod durations;
mod formats;
mod halves;
mod integers128;
mod large;
mod operator_forms;
mod option;
mod orderings;
mod parsed_floats;
mod random;
mod std_iterators;
mod std_numbers;
mod std_parts;
mod std_slices;
mod std_traits;
mod text;
mod user_operators;
mod written_floats;
