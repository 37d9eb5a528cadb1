//! The specialised engine: a program partially evaluated into a shader of its own, with no fetching and decoding left.

mod automatic;
mod base;
mod cache;
mod code;
mod counted;
mod disk;
mod emit;
mod engine;
mod facts;
mod flow;
mod habits;
mod kernel;
mod loops;
mod options;
mod size;
mod structure;
mod tails;
#[cfg(test)]
mod tests;
mod unroll;

pub use automatic::Automatic;
pub use engine::Specialized;
