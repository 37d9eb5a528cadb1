//! The specialised engine: a program partially evaluated into a shader of its own, with no fetching and decoding left.

mod automatic;
mod base;
mod cache;
mod code;
mod emit;
mod engine;
mod exits;
mod exits_first;
mod habits;
mod kernel;
mod options;
mod resident;
mod size;
#[cfg(test)]
mod tests;

pub use automatic::Automatic;
pub use engine::Specialized;
pub use resident::OWN;
