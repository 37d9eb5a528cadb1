//! The modules of the conformance suite that calculate, once more, where integer overflow wraps as in a release build. To borrows, patterns, plans or
//! snapshots that makes no difference.

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
#[path = "../it/harness.rs"]
mod harness;
#[path = "../it/oracle.rs"]
mod oracle;
#[path = "../it/sample.rs"]
mod sample;

#[path = "../it/algebra.rs"]
mod algebra;
#[path = "../it/constants.rs"]
mod constants;
#[path = "../it/conversions.rs"]
mod conversions;
#[path = "../it/evaluation_order.rs"]
mod evaluation_order;
#[path = "../it/integers128.rs"]
mod integers128;
#[path = "../it/integers64.rs"]
mod integers64;
#[path = "../it/iterators.rs"]
mod iterators;
#[path = "../it/loops.rs"]
mod loops;
#[path = "../it/methods.rs"]
mod methods;
#[path = "../it/operations.rs"]
mod operations;
#[path = "../it/operators.rs"]
mod operators;
#[path = "../it/random.rs"]
mod random;
#[path = "../it/scalars.rs"]
mod scalars;
#[path = "../it/small_integers.rs"]
mod small_integers;
#[path = "../it/std_iterators.rs"]
mod std_iterators;
#[path = "../it/std_numbers.rs"]
mod std_numbers;
#[path = "../it/traps.rs"]
mod traps;
#[path = "../it/wrapping.rs"]
mod wrapping;
