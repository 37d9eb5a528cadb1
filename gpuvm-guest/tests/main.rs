//! Guests against what the machines say, and against what another emulator gives.

mod debugger;
#[cfg(feature = "gdb")]
mod gdb;
mod guests;
mod hostile;
mod programs;
mod riscv_tests;
mod support;
mod translated;
