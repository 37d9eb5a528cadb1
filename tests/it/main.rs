//! The conformance suite: every feature of the language and every operation of the machine, on every engine, against the
//! annotated functions themselves.
//!
//! Two packages are built of it: `gpuvm-tests`, where integer overflow traps, and `gpuvm-wrapping-tests`, where it wraps as in a
//! release build. What asks about floats, settings, sizes, plans and the runtime, to which that makes no difference, is in the first alone.

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
mod arrays;
mod atomics;
mod atomics_64;
#[cfg(not(wrapping))]
mod awaited;
#[cfg(not(wrapping))]
mod budgets;
#[cfg(not(wrapping))]
mod buffers;
mod calls_recursion;
mod characters;
mod closures;
mod constants;
mod control_flow;
mod conversions;
mod destructuring;
#[cfg(not(wrapping))]
mod dispatch;
mod doubles;
mod enums;
mod evaluation_order;
#[cfg(not(wrapping))]
mod exactness;
#[cfg(not(wrapping))]
mod execution;
mod functions;
mod generic_methods;
mod generics;
#[cfg(not(wrapping))]
mod halves;
mod integers128;
mod integers64;
mod iterators;
mod jumps;
mod labels;
#[cfg(not(wrapping))]
mod large;
mod lent;
mod loops;
mod methods;
mod opaque;
mod operations;
mod operators;
mod option;
mod orderings;
mod other_crate;
mod params;
mod paths;
mod patterns;
#[cfg(not(wrapping))]
mod plans;
mod printing;
mod random;
mod recursive_closures;
mod references;
#[cfg(not(wrapping))]
mod relaxed;
mod results;
mod scalars;
#[cfg(not(wrapping))]
mod scale;
#[cfg(not(wrapping))]
mod settings;
mod slices;
mod small_integers;
#[cfg(not(wrapping))]
mod snapshots;
mod std_iterators;
mod std_numbers;
mod std_parts;
mod std_slices;
mod structs;
mod tables;
mod traits;
mod traps;
mod until;
mod wrapping;
mod zeros;
