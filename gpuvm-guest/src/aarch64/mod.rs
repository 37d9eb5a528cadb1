//! AArch64, user level: the base instructions, and scalar floats.

pub(crate) mod cpu;
pub(crate) mod decode;
mod decode_float;
mod float;
mod memory;
pub(crate) mod run;
mod slow;
