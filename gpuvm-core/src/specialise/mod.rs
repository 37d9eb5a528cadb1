//! What a back end that compiles a program wants to know of it, whatever it compiles to: its blocks and loops, which words are constant, which
//! loops count, and the program in structured form.

pub mod counted;
pub mod flow;
mod known;
pub mod loops;
pub mod propagation;
pub mod structure;
mod switches;
mod tails;
#[cfg(test)]
mod tests;
pub mod unroll;

pub use known::{ALIGNED, KnownParam, KnownParams};
