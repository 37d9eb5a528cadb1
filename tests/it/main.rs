//! The conformance suite: every feature of the language and every operation of the machine, on every engine, against the
//! annotated functions themselves.
//!
//! Two packages are built of it: `gpuvm-tests`, where integer overflow traps, and `gpuvm-wrapping-tests`, where it wraps as in a
//! release build. What hardly calculates is in the first alone: to borrows, patterns, plans or snapshots that makes no difference.

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

mod algebra;
#[cfg(not(wrapping))]
mod arrays;
#[cfg(not(wrapping))]
mod atomics;
#[cfg(not(wrapping))]
mod atomics_64;
#[cfg(not(wrapping))]
mod awaited;
#[cfg(not(wrapping))]
mod budgets;
#[cfg(not(wrapping))]
mod buffers;
#[cfg(not(wrapping))]
mod calls_recursion;
#[cfg(not(wrapping))]
mod characters;
#[cfg(not(wrapping))]
mod closures;
mod constants;
#[cfg(not(wrapping))]
mod control_flow;
mod conversions;
#[cfg(not(wrapping))]
mod destructuring;
#[cfg(not(wrapping))]
mod dispatch;
#[cfg(not(wrapping))]
mod doubles;
#[cfg(not(wrapping))]
mod enums;
mod evaluation_order;
#[cfg(not(wrapping))]
mod exactness;
#[cfg(not(wrapping))]
mod execution;
#[cfg(not(wrapping))]
mod functions;
#[cfg(not(wrapping))]
mod generic_methods;
#[cfg(not(wrapping))]
mod generics;
#[cfg(not(wrapping))]
mod halves;
mod integers128;
mod integers64;
mod iterators;
#[cfg(not(wrapping))]
mod jumps;
#[cfg(not(wrapping))]
mod labels;
#[cfg(not(wrapping))]
mod large;
#[cfg(not(wrapping))]
mod lent;
mod loops;
mod methods;
#[cfg(not(wrapping))]
mod opaque;
mod operations;
mod operators;
#[cfg(not(wrapping))]
mod option;
#[cfg(not(wrapping))]
mod orderings;
#[cfg(not(wrapping))]
mod other_crate;
#[cfg(not(wrapping))]
mod params;
#[cfg(not(wrapping))]
mod paths;
#[cfg(not(wrapping))]
mod patterns;
#[cfg(not(wrapping))]
mod plans;
#[cfg(not(wrapping))]
mod printing;
mod random;
#[cfg(not(wrapping))]
mod recursive_closures;
#[cfg(not(wrapping))]
mod references;
#[cfg(not(wrapping))]
mod relaxed;
#[cfg(not(wrapping))]
mod results;
mod scalars;
#[cfg(not(wrapping))]
mod scale;
#[cfg(not(wrapping))]
mod settings;
#[cfg(not(wrapping))]
mod slices;
mod small_integers;
#[cfg(not(wrapping))]
mod snapshots;
mod std_iterators;
mod std_numbers;
#[cfg(not(wrapping))]
mod std_parts;
#[cfg(not(wrapping))]
mod std_slices;
#[cfg(not(wrapping))]
mod structs;
#[cfg(not(wrapping))]
mod tables;
#[cfg(not(wrapping))]
mod traits;
mod traps;
#[cfg(not(wrapping))]
mod until;
mod wrapping;
#[cfg(not(wrapping))]
mod zeros;
