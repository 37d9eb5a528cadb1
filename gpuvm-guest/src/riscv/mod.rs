//! RISC-V, user level: RV32IMAC with F, and RV64IMAC with F and D.

pub(crate) mod cpu;
pub(crate) mod decode;
mod float;
pub(crate) mod register;
pub(crate) mod run;
mod slow;
