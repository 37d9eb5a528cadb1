//! The processors of guests, by machine: which routine runs them.

use std::time::Duration;

use gpuvm::{Buffer, Engine, Routine, Runtime, VmType};

use crate::error::Result;
use crate::program::Machine;
use crate::riscv::cpu::{Cpu, NOTHING_RESERVED};
use crate::routines::event::{Event, Resume};
use crate::routines::service::Span;
use crate::{aarch64, riscv};

/// What runs guests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Runner {
    /// A translation of their code.
    Translation,
    /// The part of the emulator that is small enough for a kernel of its own.
    Core,
    /// The whole emulator.
    Whole,
}

/// All guests' processors.
#[derive(Debug)]
pub(crate) enum Cpus {
    Short {
        cpus: Buffer<Cpu<u32>>,
        floats: bool,
    },
    Long {
        cpus: Buffer<Cpu<u64>>,
        floats: bool,
    },
    Arm {
        cpus: Buffer<aarch64::cpu::Cpu>,
        floats: bool,
    },
}

impl Cpus {
    /// Processors that begin at an address each, with a stack pointer.
    pub fn new(runtime: &Runtime, machine: Machine, beginnings: &[(u64, u64)]) -> Result<Cpus> {
        let floats = false;
        Ok(match machine {
            Machine::RiscV32 => Cpus::Short {
                cpus: runtime.buffer(&all(beginnings, narrow))?,
                floats,
            },
            Machine::RiscV64 => Cpus::Long {
                cpus: runtime.buffer(&all(beginnings, wide))?,
                floats,
            },
            Machine::AArch64 => Cpus::Arm {
                cpus: runtime.buffer(&all(beginnings, armed))?,
                floats,
            },
        })
    }

    /// Lets as many processors as there are begin anew.
    pub fn restart(&self, beginnings: &[(u64, u64)]) -> Result<()> {
        match self {
            Cpus::Short { cpus, .. } => cpus.write(&all(beginnings, narrow))?,
            Cpus::Long { cpus, .. } => cpus.write(&all(beginnings, wide))?,
            Cpus::Arm { cpus, .. } => cpus.write(&all(beginnings, armed))?,
        }
        Ok(())
    }

    /// Bytes of a word.
    pub fn word(&self) -> usize {
        match self {
            Cpus::Short { .. } => 4,
            Cpus::Long { .. } | Cpus::Arm { .. } => 8,
        }
    }

    /// Has them run by the routine that has floats, which is larger, from now on.
    pub fn with_floats(&mut self) {
        match self {
            Cpus::Short { floats, .. } | Cpus::Long { floats, .. } | Cpus::Arm { floats, .. } => *floats = true,
        }
    }

    /// Whether their emulator has a core.
    pub fn have_core(&self) -> bool {
        matches!(self, Cpus::Arm { .. })
    }

    /// Runs them over their memory and what they share, by a translation of their code if there is one, or by the emulator or its core. Tells how long the engine
    /// worked, too.
    pub fn run(
        &self,
        runtime: &Runtime,
        engine: Engine,
        (runner, translation): (Runner, Option<&Routine>),
        (memory, shared): (&Buffer<u32>, &Buffer<u32>),
        resumes: &[Resume],
    ) -> Result<(Vec<Event>, Duration)> {
        let id = match self {
            Cpus::Short { floats: false, .. } => "gpuvm-guest.riscv32",
            Cpus::Short { floats: true, .. } => "gpuvm-guest.riscv32f",
            Cpus::Long { floats: false, .. } => "gpuvm-guest.riscv64",
            Cpus::Long { floats: true, .. } => "gpuvm-guest.riscv64fd",
            Cpus::Arm { floats: false, .. } if runner == Runner::Core => "gpuvm-guest.aarch64.core",
            Cpus::Arm { floats: true, .. } if runner == Runner::Core => "gpuvm-guest.aarch64f.core",
            Cpus::Arm { floats: false, .. } => "gpuvm-guest.aarch64",
            Cpus::Arm { floats: true, .. } => "gpuvm-guest.aarch64f",
        };
        let launch = match translation.filter(|_| runner == Runner::Translation) {
            Some(routine) => runtime.launch(routine)?,
            None => runtime.launch(id)?,
        };
        let launch = match self {
            Cpus::Short { cpus, .. } => launch.args((cpus, memory, shared, resumes)),
            Cpus::Long { cpus, .. } => launch.args((cpus, memory, shared, resumes)),
            Cpus::Arm { cpus, .. } => launch.args((cpus, memory, shared, resumes)),
        };
        let done = launch.engine(engine).run()?;
        let stats = done.stats();
        let time = stats.device_time.unwrap_or(stats.host_time);
        Ok((done.output()?, time))
    }

    /// One guest's processor.
    pub fn get(&self, runtime: &Runtime, engine: Engine, guest: usize) -> Result<Processor> {
        Ok(match self {
            Cpus::Short { cpus, floats } => {
                Processor::Short(Box::new(one(runtime, engine, SHORT, cpus, guest)?[0]), *floats)
            }
            Cpus::Long { cpus, floats } => {
                Processor::Long(Box::new(one(runtime, engine, LONG, cpus, guest)?[0]), *floats)
            }
            Cpus::Arm { cpus, floats } => Processor::Arm(Box::new(one(runtime, engine, ARM, cpus, guest)?[0]), *floats),
        })
    }

    /// Puts it back.
    pub fn put(&mut self, guest: usize, processor: Processor) -> Result<()> {
        let has_floats = match (&*self, processor) {
            (Cpus::Short { cpus, .. }, Processor::Short(cpu, floats)) => put(cpus, guest, *cpu).map(|()| floats),
            (Cpus::Long { cpus, .. }, Processor::Long(cpu, floats)) => put(cpus, guest, *cpu).map(|()| floats),
            (Cpus::Arm { cpus, .. }, Processor::Arm(cpu, floats)) => put(cpus, guest, *cpu).map(|()| floats),
            _ => Ok(false),
        }?;
        if has_floats {
            self.with_floats();
        }
        Ok(())
    }

    /// Copies one into those of a range.
    pub fn fork(&self, runtime: &Runtime, engine: Engine, guest: usize, into: Span) -> Result<()> {
        match self {
            Cpus::Short { cpus, .. } => fork(runtime, engine, SHORT, cpus, guest, into),
            Cpus::Long { cpus, .. } => fork(runtime, engine, LONG, cpus, guest, into),
            Cpus::Arm { cpus, .. } => fork(runtime, engine, ARM, cpus, guest, into),
        }
    }
}

/// One guest's processor, on the host, and whether its program has floats.
#[derive(Clone, Debug)]
pub(crate) enum Processor {
    Short(Box<Cpu<u32>>, bool),
    Long(Box<Cpu<u64>>, bool),
    Arm(Box<aarch64::cpu::Cpu>, bool),
}

impl Processor {
    /// Runs it here.
    pub fn run(&mut self, own: &mut [u32], shared: &[u32], resume: Resume) -> Event {
        match self {
            Processor::Short(cpu, false) => riscv::run::riscv32(cpu, own, shared, resume),
            Processor::Short(cpu, true) => riscv::run::riscv32f(cpu, own, shared, resume),
            Processor::Long(cpu, false) => riscv::run::riscv64(cpu, own, shared, resume),
            Processor::Long(cpu, true) => riscv::run::riscv64fd(cpu, own, shared, resume),
            Processor::Arm(cpu, false) => aarch64::run::aarch64(cpu, own, shared, resume),
            Processor::Arm(cpu, true) => aarch64::run::aarch64f(cpu, own, shared, resume),
        }
    }

    /// Has it run by the routine that has floats from now on.
    pub fn with_floats(&mut self) {
        match self {
            Processor::Short(_, floats) | Processor::Long(_, floats) | Processor::Arm(_, floats) => *floats = true,
        }
    }

    /// The address of its next instruction.
    pub fn pc(&self) -> u64 {
        match self {
            Processor::Short(cpu, _) => cpu.pc.into(),
            Processor::Long(cpu, _) => cpu.pc,
            Processor::Arm(cpu, _) => cpu.pc,
        }
    }

    /// Its integer registers, by number.
    pub fn registers(&self) -> Vec<u64> {
        match self {
            Processor::Short(cpu, _) => cpu.x.map(u64::from).to_vec(),
            Processor::Long(cpu, _) => cpu.x.to_vec(),
            Processor::Arm(cpu, _) => cpu.x.to_vec(),
        }
    }

    /// Sets one that is there. The register that is always 0 stays 0.
    pub fn set_register(&mut self, number: usize, value: u64) {
        match self {
            Processor::Short(cpu, _) if number > 0 => cpu.x[number] = value as u32,
            Processor::Long(cpu, _) if number > 0 => cpu.x[number] = value,
            Processor::Arm(cpu, _) if number != 31 => cpu.x[number] = value,
            _ => {}
        }
    }
}

fn put<T: VmType + Copy>(cpus: &Buffer<T>, guest: usize, cpu: T) -> Result<()> {
    let mut all = cpus.read()?;
    all[guest] = cpu;
    Ok(cpus.write(&all)?)
}

fn all<T>(beginnings: &[(u64, u64)], one: fn(u64, u64) -> T) -> Vec<T> {
    beginnings.iter().map(|&(pc, stack)| one(pc, stack)).collect()
}

fn narrow(pc: u64, stack: u64) -> Cpu<u32> {
    begun(pc as u32, stack as u32, 0)
}

fn wide(pc: u64, stack: u64) -> Cpu<u64> {
    begun(pc, stack, 0)
}

fn begun<X: Copy>(pc: X, stack: X, zero: X) -> Cpu<X> {
    let mut x = [zero; 32];
    x[2] = stack;
    Cpu {
        x,
        f: [zero; 32],
        pc,
        fcsr: 0,
        reserved: NOTHING_RESERVED,
        reserved_value: zero,
        retired: 0,
    }
}

fn armed(pc: u64, stack: u64) -> aarch64::cpu::Cpu {
    let mut x = [0; 33];
    x[32] = stack;
    aarch64::cpu::Cpu {
        x,
        v: [0; 64],
        pc,
        nzcv: 0,
        fpcr: 0,
        fpsr: 0,
        tpidr: 0,
        reserved: aarch64::cpu::NOTHING_RESERVED,
        reserved_value: [0; 2],
        retired: 0,
    }
}

/// The routines of a machine that give one of its processors, and copy one into others.
type OfMachine = [&'static str; 2];
const SHORT: OfMachine = ["gpuvm-guest.riscv32.one", "gpuvm-guest.riscv32.fork"];
const LONG: OfMachine = ["gpuvm-guest.riscv64.one", "gpuvm-guest.riscv64.fork"];
const ARM: OfMachine = ["gpuvm-guest.aarch64.one", "gpuvm-guest.aarch64.fork"];

/// A processor, as the list that launches give.
fn one<T: VmType>(
    runtime: &Runtime,
    engine: Engine,
    [id, _]: OfMachine,
    cpus: &Buffer<T>,
    guest: usize,
) -> Result<Vec<T>> {
    let launch = runtime.launch(id)?.args((cpus, guest as u32)).vms(1);
    let done = launch.engine(engine).run()?;
    Ok(done.output()?)
}

fn fork<T: VmType>(
    runtime: &Runtime,
    engine: Engine,
    of: OfMachine,
    cpus: &Buffer<T>,
    guest: usize,
    into: Span,
) -> Result<()> {
    let original = runtime.buffer(&one(runtime, engine, of, cpus, guest)?)?;
    let [_, id] = of;
    runtime.launch(id)?.args((cpus, &original, into)).engine(engine).run()?;
    Ok(())
}
