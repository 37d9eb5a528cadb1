//! The conformance suite: every feature of the language and every operation of the machine, on every engine, against the
//! annotated functions themselves.

// The routines are written as users write them, and exercise forms that a linter would simplify.
#![allow(
    clippy::all,
    dead_code,
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

mod algebra;
mod arrays;
mod atomics;
mod awaited;
mod budgets;
mod buffers;
mod calls_recursion;
mod constants;
mod control_flow;
mod destructuring;
mod dispatch;
mod enums;
mod evaluation_order;
mod exactness;
mod execution;
mod generics;
mod integers64;
mod jumps;
mod labels;
mod large;
mod loops;
mod methods;
mod operations;
mod operators;
mod option;
mod other_crate;
mod params;
mod patterns;
mod plans;
mod random;
mod references;
mod relaxed;
mod scalars;
mod scale;
mod settings;
mod slices;
mod small_integers;
mod snapshots;
mod structs;
mod traps;
mod until;
mod wrapping;
mod zeros;
