//! The stages of linking that see whole routines: collect, verify, lift, guard, emit. [`crate::compile`] puts them in order.

pub(crate) mod collect;
pub(crate) mod data;
pub(crate) mod emit;
mod error;
pub(crate) mod graph;
pub(crate) mod guard;
pub(crate) mod lift;
#[cfg(test)]
mod linear;
pub(crate) mod pieces;
#[cfg(test)]
pub(crate) mod random;
pub(crate) mod tables;
#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
pub(crate) mod tests;
#[cfg(test)]
mod variables;
pub(crate) mod verify;

pub use error::LinkError;
