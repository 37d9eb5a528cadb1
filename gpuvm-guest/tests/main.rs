//! Guests against what the machines say, and against what another emulator gives.

mod riscv_tests;
mod support;
