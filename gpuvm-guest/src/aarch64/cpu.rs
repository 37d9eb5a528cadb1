//! What a guest's processor keeps.

use gpuvm::prelude::*;

use crate::routines::service::Span;

/// The general registers, with the one that is 0 and the stack pointer.
pub(crate) const REGISTERS: usize = 33;

/// Numbers of registers that an instruction's fields have room for. The emulator keeps as many, so that no access has to be checked.
pub(crate) const NAMEABLE: usize = 64;

/// The registers of an AArch64 processor.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Cpu {
    /// The general registers; number 31 is 0, and 32 the stack pointer.
    pub x: [u64; REGISTERS],
    /// The float registers' low halves, and then their high ones.
    pub v: [u64; 64],
    /// The address of the next instruction.
    pub pc: u64,
    /// The flags: negative, zero, carry and overflow, from bit 3 down.
    pub nzcv: u32,
    /// How floats are rounded.
    pub fpcr: u32,
    /// Which float exceptions there were.
    pub fpsr: u32,
    /// The thread's pointer.
    pub tpidr: u64,
    /// The address that the last exclusive load has reserved, or an odd one above all.
    pub reserved: u64,
    /// What was there.
    pub reserved_value: [u64; 2],
    /// Instructions that it has retired.
    pub retired: u64,
}

/// The `reserved` that no address is.
pub(crate) const NOTHING_RESERVED: u64 = u64::MAX;

#[routine(id = "gpuvm-guest.aarch64.one")]
fn one(all: &[Cpu], guest: u32) -> Cpu {
    all[guest as usize]
}

#[routine(id = "gpuvm-guest.aarch64.fork")]
fn fork(cpu: &mut Cpu, of: &[Cpu], into: Span) {
    if into.has(vm::id()) {
        *cpu = of[0];
    }
}
