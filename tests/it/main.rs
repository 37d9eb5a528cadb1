//! The conformance suite: every feature of the language and every operation of the machine, on every engine, against the
//! annotated functions themselves.
//!
//! What gpuvm's own std has of Rust's, and routines that nobody wrote, are the other half, `library.rs`: one crate of all takes rustc twice as long, on
//! one core.
//!
//! Here integer overflow traps. The modules that calculate are tests of `gpuvm-wrapping-tests` too, where it wraps.

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
mod associated_fields;
mod atomics;
mod atomics_64;
mod awaited;
mod beside_modules;
mod bounded_derefs;
mod bounded_references;
mod budgets;
mod buffers;
mod calls_recursion;
mod chains;
mod changed_receivers;
mod clones;
mod closures;
mod configuration;
mod constants;
mod constructors;
mod control_flow;
mod conversions;
mod deep_derefs;
mod derefs;
mod destructuring;
mod dispatch;
mod elided;
mod enums;
mod evaluation_order;
mod exactness;
mod execution;
mod extended_references;
mod extended_views;
mod extension_traits;
mod foreign_impls;
mod frames;
mod functions;
mod generic_impls;
mod generic_methods;
mod generics;
mod inferred_types;
mod integers64;
mod iterators;
mod jumps;
mod labels;
mod lent;
mod loops;
mod lowercase_types;
mod markers;
mod methods;
mod moved_values;
mod named_as_std;
mod namesakes;
mod nearest_methods;
mod nested_items;
mod newcomers;
mod opaque;
mod opaque_lifetimes;
mod operations;
mod operators;
mod other_crate;
mod own_names;
mod params;
mod paths;
mod patterns;
mod plans;
mod printing;
mod questions;
mod range_bounds;
mod recursive_closures;
mod reference_parameters;
mod references;
mod referring_traits;
mod relaxed;
mod results;
mod returned_closures;
mod scalars;
mod scale;
mod settings;
mod shared_macros;
mod slices;
mod small_integers;
mod snapshots;
mod stacks;
mod structs;
mod tables;
mod traits;
mod traits_as_written;
mod traps;
mod until;
mod user_iterators;
mod user_macros;
mod wrapping;
mod written_texts;
mod zeros;
