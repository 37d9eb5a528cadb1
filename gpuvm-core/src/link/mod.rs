//! The stages of linking that see whole routines: collect, verify, lift, guard, start, emit. [`crate::compile`] puts them in
//! order.

pub(crate) mod collect;
pub(crate) mod emit;
pub(crate) mod entry;
pub(crate) mod graph;
pub(crate) mod guard;
pub(crate) mod lift;
#[cfg(test)]
mod linear;
#[cfg(test)]
mod random;
pub(crate) mod tables;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod variables;
pub(crate) mod verify;
