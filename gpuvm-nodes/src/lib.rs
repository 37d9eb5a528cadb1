//! The vocabulary that `gpuvm-macros` writes and `gpuvm-core` reads: the nodes of the stream, the names of std's methods, the kinds of types. A crate of its own, without
//! dependencies, so that building the macros does not build the compiler.

mod format;
mod kind;
pub mod method;
pub mod node;

pub use format::{Align, Count, FormatSpec, Level, Placeholder, Style, is_count};
pub use kind::{Kind, name_hash};
