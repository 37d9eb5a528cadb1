#![doc = include_str!("../README.md")]

mod aarch64;
mod error;
mod guests;
mod image;
mod linux;
mod machine;
mod program;
mod riscv;
mod routines;
mod start;
mod stop;
mod system;
mod translate;

pub use error::{Error, Result};
pub use guests::{Guests, Settings};
pub use linux::Linux;
pub use program::{Machine, Program};
pub use start::Start;
pub use stop::{FaultKind, Stop};
pub use system::{Access, Answer, Call, Heap, Streams, System};
