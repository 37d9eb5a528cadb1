//! What a guest's processor keeps.

use gpuvm::prelude::*;

use crate::routines::service::Span;

/// The registers of a RISC-V processor. `X` is `u32` or `u64`.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Cpu<X> {
    /// The integer registers.
    pub x: [X; 32],
    /// The float registers, an `f32` in a wide one with ones above it.
    pub f: [X; 32],
    /// The address of the next instruction.
    pub pc: X,
    /// Rounding mode and flags.
    pub fcsr: u32,
    /// The address that the last `lr` has reserved, or an odd one.
    pub reserved: u32,
    /// What was there.
    pub reserved_value: X,
    /// Instructions that it has retired.
    pub retired: u64,
}

/// The `reserved` that no address is.
pub(crate) const NOTHING_RESERVED: u32 = u32::MAX;

#[routine(id = "gpuvm-guest.riscv32.one")]
fn one_short(all: &[Cpu<u32>], guest: u32) -> Cpu<u32> {
    all[guest as usize]
}

#[routine(id = "gpuvm-guest.riscv64.one")]
fn one_long(all: &[Cpu<u64>], guest: u32) -> Cpu<u64> {
    all[guest as usize]
}

#[routine(id = "gpuvm-guest.riscv32.fork")]
fn fork_short(cpu: &mut Cpu<u32>, of: &[Cpu<u32>], into: Span) {
    if into.has(vm::id()) {
        *cpu = of[0];
    }
}

#[routine(id = "gpuvm-guest.riscv64.fork")]
fn fork_long(cpu: &mut Cpu<u64>, of: &[Cpu<u64>], into: Span) {
    if into.has(vm::id()) {
        *cpu = of[0];
    }
}
