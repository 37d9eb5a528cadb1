//! Writes the source of routines for the test suite, so that no list of operations is typed per type by hand and no bug hides
//! in code that only people write: [`operations`] covers each primitive operation on each type, [`random_modules`] makes up
//! whole routines, [`large`] those that are larger than people write. Everything is a function of its arguments alone.

mod adaptors;
mod calls;
mod chains;
mod closures;
mod expression;
mod fallible;
mod items;
mod large;
mod methods;
mod mutate;
mod numbers;
mod operations;
mod rng;
mod routine;
mod statement;
mod tables;
mod types;
mod writer;

pub use large::large;
pub use mutate::{SPARE, count, edit, mutated_module, unmutated_modules};
pub use operations::operations;
pub use rng::Rng;
pub use routine::{random_module, random_modules};
