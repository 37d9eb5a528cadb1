//! Guests' machines, and their registers in the order in which gdb is told them.

use gdbstub::arch::{Arch, Registers};
use gdbstub_arch::aarch64::AArch64;
use gdbstub_arch::aarch64::reg::AArch64CoreRegs;

use crate::machine::Processor;

/// A machine that guests have.
pub trait GuestMachine: Arch {
    /// The number of an address.
    fn number(address: Self::Usize) -> u64;

    /// An address by its number; those of guests fit.
    fn address(number: u64) -> Self::Usize;

    /// A guest's registers.
    fn read(of: &Processor, to: &mut Self::Registers);

    /// Sets a guest's registers.
    fn write(from: &Self::Registers, to: &mut Processor);
}

/// RISC-V of 32 bits, with floats.
#[derive(Debug)]
pub enum RiscV32 {}

/// RISC-V of 64 bits, with floats.
#[derive(Debug)]
pub enum RiscV64 {}

/// The registers of a RISC-V processor.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RiscVRegisters<X> {
    x: [X; 32],
    pc: X,
    f: [X; 32],
    fcsr: u32,
}

/// Bits of `fcsr` that are the flags; the rounding mode is above them.
const FLAGS: u32 = 0x1f;

macro_rules! riscv {
    ($machine:ident, $word:ty, $processor:ident, $description:literal) => {
        impl Arch for $machine {
            type Usize = $word;
            type Registers = RiscVRegisters<$word>;
            type BreakpointKind = usize;
            type RegId = ();

            fn target_description_xml() -> Option<&'static str> {
                Some(include_str!($description))
            }
        }

        impl Registers for RiscVRegisters<$word> {
            type ProgramCounter = $word;

            fn pc(&self) -> $word {
                self.pc
            }

            fn gdb_serialize(&self, mut write_byte: impl FnMut(Option<u8>)) {
                let words = self.x.iter().chain([&self.pc]).chain(&self.f);
                let status = [self.fcsr & FLAGS, self.fcsr >> 5 & 7, self.fcsr];
                let status = status.iter().flat_map(|word| word.to_le_bytes());
                let bytes = words.flat_map(|word| word.to_le_bytes()).chain(status);
                bytes.for_each(|byte| write_byte(Some(byte)));
            }

            fn gdb_deserialize(&mut self, bytes: &[u8]) -> Result<(), ()> {
                const WORD: usize = size_of::<$word>();
                let (words, status) = bytes.split_at_checked(65 * WORD).ok_or(())?;
                let places = self.x.iter_mut().chain([&mut self.pc]).chain(&mut self.f);
                for (place, word) in places.zip(words.as_chunks::<WORD>().0) {
                    *place = <$word>::from_le_bytes(*word);
                }
                let [.., fcsr] = status.as_chunks::<4>().0 else {
                    return Err(());
                };
                self.fcsr = u32::from_le_bytes(*fcsr);
                Ok(())
            }
        }

        impl GuestMachine for $machine {
            fn number(address: $word) -> u64 {
                address.into()
            }

            fn address(number: u64) -> $word {
                number as $word
            }

            fn read(of: &Processor, to: &mut RiscVRegisters<$word>) {
                if let Processor::$processor(cpu, _) = of {
                    (to.x, to.pc, to.f, to.fcsr) = (cpu.x, cpu.pc, cpu.f, cpu.fcsr);
                }
            }

            fn write(from: &RiscVRegisters<$word>, to: &mut Processor) {
                if let Processor::$processor(cpu, _) = to {
                    (cpu.x, cpu.pc, cpu.f, cpu.fcsr) = (from.x, from.pc, from.f, from.fcsr & 0xff);
                    cpu.x[0] = 0;
                }
            }
        }
    };
}

riscv!(RiscV32, u32, Short, "riscv32.xml");
riscv!(RiscV64, u64, Long, "riscv64.xml");

/// The flags' place in `cpsr`.
const NZCV: u32 = 28;

impl GuestMachine for AArch64 {
    fn number(address: u64) -> u64 {
        address
    }

    fn address(number: u64) -> u64 {
        number
    }

    fn read(of: &Processor, to: &mut AArch64CoreRegs) {
        if let Processor::Arm(cpu, _) = of {
            to.x.copy_from_slice(&cpu.x[..31]);
            let halves = cpu.v[..32].iter().zip(&cpu.v[32..]);
            for (v, (low, high)) in to.v.iter_mut().zip(halves) {
                *v = u128::from(*low) | u128::from(*high) << 64;
            }
            (to.sp, to.pc, to.cpsr) = (cpu.x[32], cpu.pc, cpu.nzcv << NZCV);
            (to.fpcr, to.fpsr) = (cpu.fpcr, cpu.fpsr);
        }
    }

    fn write(from: &AArch64CoreRegs, to: &mut Processor) {
        if let Processor::Arm(cpu, _) = to {
            cpu.x[..31].copy_from_slice(&from.x);
            for (at, v) in from.v.iter().enumerate() {
                (cpu.v[at], cpu.v[32 + at]) = (*v as u64, (v >> 64) as u64);
            }
            (cpu.x[32], cpu.pc, cpu.nzcv) = (from.sp, from.pc, from.cpsr >> NZCV);
            (cpu.fpcr, cpu.fpsr) = (from.fpcr, from.fpsr);
        }
    }
}
