//! How long a device's compiler takes over a program, estimated before the program is sent there: a launch must not wait for minutes.

use std::time::Duration;

use gpuvm_core::isa::Op;
use gpuvm_core::matrix::read_record;
use gpuvm_core::program::Program;
use gpuvm_core::specialise::flow::{Flow, op_at};
use gpuvm_engine::{Backend, Result};
use naga::{Block, Statement};

use super::base::base;
use super::emit::{Start, emit};
use super::options::Options;
use crate::gpu::Gpu;

/// Terms of all matrices that a kernel applies. As code each takes three instructions, and drivers take minutes for tens of thousands.
const MOST_TERMS: usize = 4096;
/// Instructions that fit surely, so that nothing needs to be written to find out.
const SURELY_SMALL: usize = 32;
/// Instructions that surely do not fit.
const SURELY_LARGE: usize = 20_000;
/// What a launch that asks for the specialised engine may wait for a GPU's compiler: less than two seconds, as estimates are off by some.
const PATIENCE: Duration = Duration::from_millis(1400);
/// The same where the compiler works while the launch runs on the interpreter.
const PATIENCE_MEANWHILE: Duration = Duration::from_secs(15);
/// The same for a CPU that plays the device: less than ten seconds, as estimates are off by some, and its compiler shares the CPU with
/// whatever else runs. It does most of its work when a kernel is first run, and then the launch waits in any case.
const PATIENCE_SOFTWARE: Duration = Duration::from_secs(5);

/// With more blocks than so many a statement takes a GPU's driver no longer.
const MOST_BLOCKS_THAT_COUNT: u64 = 128;

/// Who makes machine code of a shader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// LLVM behind lavapipe: fourteen of the programs in `tests/programs` take it one to nine seconds of CPU time, half to 1.6 times the estimate.
    Software,
    /// A GPU's driver of Vulkan, as NVIDIA's: some 70 kernels take it between 0.06 and 44 seconds on an H200's host, four translations of guests' code with up to 459 blocks
    /// half to 1.1 times the estimate.
    Driver,
    /// CUDA's, of PTX: 61 kernels, those translations among them, take it up to 1.7 seconds there, and 170 to 400 µs a statement whatever their loops and blocks.
    Ptxas,
}

impl Compiler {
    /// A device's.
    pub fn of(gpu: &Gpu) -> Compiler {
        match gpu.backend() {
            _ if gpu.software => Compiler::Software,
            Backend::Cuda => Compiler::Ptxas,
            _ => Compiler::Driver,
        }
    }
}

/// What of a program's shader its compiler's time depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    pub(super) statements: u64,
    loops: u64,
    blocks: u64,
    /// Whether it is the interpreter's whatever its size: its matrices are too many, or it goes on in one of many ways.
    is_left: bool,
}

impl Size {
    /// The size of a program's shader.
    ///
    /// # Errors
    ///
    /// [`Error::Device`](gpuvm_engine::Error::Device) if the shader around the program is wrong.
    pub fn of(program: &Program, options: &Options) -> Result<Size> {
        let instructions = program.code.len();
        // Each way out of a switch would be a program of its own.
        let switches = (0..instructions as u32).any(|ip| op_at(program, ip) == Some(Op::Switch));
        let estimated = Size {
            is_left: switches || terms(program) > MOST_TERMS,
            ..Size::default()
        };
        if instructions > SURELY_LARGE {
            return Ok(Size {
                statements: 3 * instructions as u64,
                blocks: instructions as u64 / 16,
                ..estimated
            });
        }
        match instructions <= SURELY_SMALL || estimated.is_left {
            true => Ok(estimated),
            false => Size::measured(program, options),
        }
    }

    /// The size of a program's shader once it is written.
    pub(super) fn measured(program: &Program, options: &Options) -> Result<Size> {
        let base = &*base(options.floats)?;
        let blocks = Flow::new(program).with_shared_tails(program).blocks.len() as u64;
        let size = |start| {
            let (function, _) = emit(program, options, base, &mut base.module.clone(), start);
            let mut size = Size {
                blocks,
                ..Size::default()
            };
            size.count(&function.body);
            size
        };
        let fresh = size(Start::Fresh);
        // What is behind a yield may be in the function alone that takes VMs up. Else the two are much the same.
        match (0..program.code.len() as u32).any(|ip| op_at(program, ip).is_some_and(Op::pauses)) {
            true => Ok([fresh, size(Start::Resumed)]
                .into_iter()
                .max_by_key(|size| size.statements)
                .unwrap_or(fresh)),
            false => Ok(fresh),
        }
    }

    /// Counts the statements of a block.
    pub(super) fn count(&mut self, block: &Block) {
        for statement in block.iter() {
            self.statements += 1;
            match statement {
                Statement::Block(body) => self.count(body),
                Statement::If { accept, reject, .. } => {
                    self.count(accept);
                    self.count(reject);
                }
                Statement::Switch { cases, .. } => cases.iter().for_each(|case| self.count(&case.body)),
                Statement::Loop { body, continuing, .. } => {
                    self.loops += 1;
                    self.count(body);
                    self.count(continuing);
                }
                _ => {}
            }
        }
    }

    /// How long a compiler is going to take over it, roughly: most kernels of ordinary programs take between half and twice as long. [`Compiler`] says
    /// what each was measured with.
    pub fn compile_time(&self, compiler: Compiler) -> Duration {
        let microseconds_a_statement = match compiler {
            Compiler::Software => 2000 + 350 * self.loops + 40 * self.blocks,
            Compiler::Driver => 120 + 40 * self.loops + 5 * self.blocks.min(MOST_BLOCKS_THAT_COUNT),
            Compiler::Ptxas => 250,
        };
        match self.is_left {
            true => Duration::from_secs(60),
            false => Duration::from_micros(self.statements.saturating_mul(microseconds_a_statement)),
        }
    }

    /// The estimate, where it is more than a launch should wait for; `meanwhile` if the launch need not wait.
    pub fn excess(&self, compiler: Compiler, meanwhile: bool) -> Option<Duration> {
        let patience = match (compiler, meanwhile) {
            (Compiler::Software, _) => PATIENCE_SOFTWARE,
            (_, true) => PATIENCE_MEANWHILE,
            (_, false) => PATIENCE,
        };
        Some(self.compile_time(compiler)).filter(|&time| time > patience)
    }
}

/// Terms of the matrices that a program's instructions apply.
fn terms(program: &Program) -> usize {
    let applied = (0..program.code.len() as u32).filter(|&ip| op_at(program, ip) == Some(Op::Affine));
    let record = |ip: u32| program.matrices.get(program.code[ip as usize].operands[3] as usize);
    let maps = applied.filter_map(|ip| read_record(record(ip)?, &program.pools));
    maps.map(|map| map.terms().len()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_launch_may_wait_for_depends_on_the_device() {
        let size = Size {
            statements: 5000,
            loops: 1,
            blocks: 10,
            is_left: false,
        };
        assert_eq!(size.excess(Compiler::Driver, false), None);
        assert_eq!(
            size.excess(Compiler::Software, false),
            Some(Duration::from_millis(13_750))
        );
        let size = Size { loops: 20, ..size };
        assert!(size.excess(Compiler::Driver, false).is_some() && size.excess(Compiler::Driver, true).is_none());
        assert_eq!(size.excess(Compiler::Ptxas, false), None);
        let size = Size {
            is_left: true,
            ..Size::default()
        };
        assert!(size.excess(Compiler::Ptxas, true).is_some());
    }

    #[test]
    fn many_blocks_are_no_reason_to_leave_a_translation_to_the_interpreter() {
        // What is made of a parser that gcc compiled for AArch64.
        let size = Size {
            statements: 9315,
            loops: 9,
            blocks: 459,
            is_left: false,
        };
        assert_eq!(size.excess(Compiler::Driver, true), None);
        assert_eq!(size.compile_time(Compiler::Ptxas), Duration::from_micros(2_328_750));
    }
}
