//! The interpreter engine: one invocation a VM fetches, decodes and executes. A launch is as many dispatches as it takes, each with a
//! budget of cycles, because drivers end what runs too long.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use gpuvm_core::isa::{CALL_FRAME_WORDS, Op, Repeats};
use gpuvm_core::matrix::{Format, MatrixRecord};
use gpuvm_core::program::Program;
use gpuvm_engine::{Demand, DeviceMemory, Engine, Error, Execute, Job, Result, Running, Sequence, Source, StopAt};

use super::compilers::Compilers;
use super::gpu::Gpu;
use super::kernel::Kernel;
use super::library::Library;
use super::memory::{bind_parts, filled};
use super::pace::Experience;
use super::pack::{Packed, pack};
use super::parts::Uses;
use super::session::{JobSequence, Session, capacity, groups};
use super::source::EntryPoint;
use super::states::States;
use super::stepper::{Batch, BoundStepper, Need, Reach, Recorded, Schedule, Scheduler, Shared, Stepper};

/// The interpreter on one device. A clone is another handle to it.
#[derive(Clone, Debug)]
pub struct Interpreter {
    shared: Arc<Shelves>,
}

#[derive(Debug)]
struct Shelves {
    gpu: Arc<Gpu>,
    /// One interpreter for each combination of parts that programs have used so far.
    kernels: Mutex<HashMap<Uses, Slot>>,
    compilers: Compilers,
    library: Library<Interpreted>,
}

/// Where an interpreter is, once it is compiled.
type Slot = Arc<OnceLock<Arc<Kernel>>>;

/// The interpreter that runs a program.
#[derive(Clone, Debug)]
struct Served {
    gpu: Arc<Gpu>,
    uses: Uses,
    /// The one that has what the program needs and no more.
    own: Slot,
    /// One that has more, for as long as that is not compiled. All have the same bindings, and launch as many.
    meanwhile: Arc<Kernel>,
}

impl Served {
    /// The best one that there is by now.
    fn kernel(&self) -> &Arc<Kernel> {
        self.own.get().unwrap_or(&self.meanwhile)
    }

    /// Compiles the program's own where that is done only for programs that run for long, if this is one.
    fn tier_up(&self, experience: &Experience) {
        if self.gpu.software && self.own.get().is_none() && experience.spent() >= TIER_UP_AFTER {
            // If the device refuses it, the other one goes on serving.
            if let Ok(made) = self.gpu.kernel(EntryPoint::Interpreter(self.uses)) {
                self.own.get_or_init(|| Arc::new(made));
            }
        }
    }
}

/// A program on the device, with the interpreter for it.
#[derive(Debug)]
pub struct Interpreted {
    served: Served,
    uses: Uses,
    packed: Packed,
    code: wgpu::Buffer,
    constants: wgpu::Buffer,
    reach: Reach,
    ends_at_once: bool,
    /// Whether it stops VMs for another engine, and not for who asked for breakpoints.
    gathers: bool,
    experience: Arc<Experience>,
}

/// The interpreter with a session's buffers.
struct OnBuffers {
    served: Served,
    experience: Arc<Experience>,
    group: wgpu::BindGroup,
    groups: [u32; 2],
}

/// A session on the interpreter alone.
struct Interpreting {
    interpreter: Interpreter,
    program: Arc<Interpreted>,
    /// The program as VMs can stop after an exact number of its instructions, if that was asked for.
    exact: Option<Arc<Interpreted>>,
    /// The program with the breakpoints that were asked for last, and whether VMs can stop after each instruction too.
    broken: Option<(Vec<StopAt>, bool, Arc<Interpreted>)>,
}

/// Cycles of one dispatch: what a signal's counts can take.
const MOST_CYCLES: u32 = 1 << 24;
/// The same for lavapipe, which silently ends a shader after 65,535 iterations of all its loops together.
const MOST_CYCLES_SOFTWARE: u32 = 16_384;
/// A program that has run there for as long as it takes to compile a few interpreters, its first submission's among them, gets its own. That runs it several times
/// as fast as one with every part: a CPU that plays the device goes through all parts with each instruction.
const TIER_UP_AFTER: Duration = Duration::from_secs(5);
/// Dispatches of one submission there.
const MOST_DISPATCHES_SOFTWARE: u32 = 64;
/// Steps that the remainder of floats may take: the exponents' difference, eight bits a step.
pub const REMAINDER_STEPS: u32 = 32;

impl Interpreter {
    /// The interpreter for a device. Shaders are compiled when a program needs them.
    pub fn new(gpu: Arc<Gpu>) -> Interpreter {
        Interpreter {
            shared: Arc::new(Shelves {
                gpu,
                kernels: Mutex::default(),
                compilers: Compilers::default(),
                library: Library::default(),
            }),
        }
    }

    /// The interpreter for a program, which is uploaded when it is first seen.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if the program is damaged, or whatever the device refuses.
    pub fn load(&self, program: &Arc<Program>) -> Result<Arc<Interpreted>> {
        let gpu = &*self.shared.gpu;
        self.shared.library.get(program, || {
            gpu.accept(program)?;
            let packed = pack(program).map_err(|what| Error::Device {
                reason: format!("program `{}` cannot be loaded: {what}", program.name),
            })?;
            let uses = Uses::of(program).with_breaks();
            let served = self.serving(uses)?;
            gpu.guarded(|_| Interpreted {
                served,
                uses,
                code: filled(gpu, "code", &packed.fused),
                constants: filled(gpu, "constants", &packed.constants),
                packed,
                reach: reach(gpu.software, program),
                ends_at_once: ends_at_once(program),
                gathers: false,
                experience: Arc::default(),
            })
        })
    }

    /// The same program with other code.
    fn recoded(&self, program: &Interpreted, code: &[u32]) -> Result<Interpreted> {
        let gpu = &*self.shared.gpu;
        gpu.guarded(|_| Interpreted {
            served: program.served.clone(),
            uses: program.uses,
            code: filled(gpu, "code", code),
            constants: program.constants.clone(),
            packed: Packed::default(),
            reach: program.reach,
            ends_at_once: program.ends_at_once,
            gathers: program.gathers,
            experience: program.experience.clone(),
        })
    }

    /// The interpreter for a program whose VMs stop in front of some instructions, and if they have to after each other one.
    fn load_with_stops(&self, program: &Interpreted, stops: &[StopAt], exact: bool) -> Result<Interpreted> {
        let checks = stops
            .iter()
            .filter_map(|stop| Some(stop.guard.as_ref()?.checks().len()));
        let checks = checks.max().filter(|_| !exact);
        let code = match exact {
            true => program.packed.with_breaks(stops.iter().map(|stop| stop.instruction)),
            false => program.packed.with_guards(stops),
        };
        let served = match checks {
            Some(_) => self.serving(program.uses.with_guards())?,
            None => program.served.clone(),
        };
        let reach = Reach {
            // The signal counts VMs at breakpoints once a dispatch.
            dispatches: 1,
            inner: program.reach.inner.max(checks.unwrap_or(0) as u32),
            ..program.reach
        };
        Ok(Interpreted {
            served,
            reach,
            ends_at_once: false,
            experience: Arc::default(),
            ..self.recoded(program, &code)?
        })
    }

    /// The interpreter for a program that brings every VM to the next of these instructions, those too that stand at one.
    ///
    /// # Errors
    ///
    /// Those of [`Interpreter::load`].
    pub fn load_gathering(&self, program: &Arc<Program>, at: &[u32]) -> Result<Arc<Interpreted>> {
        let stops: Vec<StopAt> = at.iter().copied().map(StopAt::every).collect();
        let gathering = Interpreted {
            gathers: true,
            ..self.load_with_stops(&*self.load(program)?, &stops, false)?
        };
        Ok(Arc::new(gathering))
    }

    /// The interpreter that has the given parts. Where it is new, and one that has more is there, that one serves as long as it is being compiled. On a CPU that
    /// plays the device compiling takes longer than most programs run: there it waits until the program has run for long, and one with more parts is made
    /// if need be.
    fn serving(&self, uses: Uses) -> Result<Served> {
        let Shelves {
            gpu,
            kernels,
            compilers,
            ..
        } = &*self.shared;
        let mut kernels = kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let compiled = kernels.iter().filter(|(_, slot)| slot.get().is_some());
        let compiled = compiled.map(|(parts, _)| *parts);
        let parts = match gpu.software {
            true => uses.among_few(compiled),
            false => uses.served_by(compiled).unwrap_or(uses),
        };
        let is_new = !kernels.contains_key(&uses);
        let own = Arc::clone(kernels.entry(uses).or_default());
        let serving = Arc::clone(kernels.entry(parts).or_default());
        let meanwhile = match serving.get() {
            Some(kernel) => Arc::clone(kernel),
            None => {
                let made = Arc::new(gpu.kernel(EntryPoint::Interpreter(parts))?);
                Arc::clone(serving.get_or_init(|| made))
            }
        };
        if is_new && own.get().is_none() && !gpu.software {
            let (gpu, own) = (Arc::clone(gpu), Arc::clone(&own));
            // Where there is no thread, or the device refuses it, the other one goes on serving.
            let _ = compilers.spawn(move || {
                if let Ok(made) = gpu.kernel(EntryPoint::Interpreter(uses)) {
                    own.get_or_init(|| Arc::new(made));
                }
            });
        }
        Ok(Served {
            gpu: Arc::clone(gpu),
            uses,
            own,
            meanwhile,
        })
    }

    /// How many interpreters are compiled.
    #[cfg(test)]
    pub fn compiled(&self) -> usize {
        let kernels = self.shared.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        kernels.values().filter(|slot| slot.get().is_some()).count()
    }

    /// How a session of the program goes on the interpreter alone.
    ///
    /// # Errors
    ///
    /// Those of [`Interpreter::load`].
    pub fn interpreting(&self, program: &Arc<Program>) -> Result<Box<dyn Schedule>> {
        Ok(Box::new(Interpreting {
            interpreter: self.clone(),
            program: self.load(program)?,
            exact: None,
            broken: None,
        }))
    }
}

impl Execute for Interpreter {
    fn memory(&self) -> Option<Arc<dyn DeviceMemory>> {
        Some(self.shared.gpu.clone())
    }

    fn capacity(&self, program: &Arc<Program>, demand: &Demand) -> u32 {
        capacity(&self.shared.gpu, program, demand, States::Rows)
    }

    fn start(&self, job: Job, arena: &dyn Source) -> Result<Box<dyn Running>> {
        Session::start(self, job, arena)
    }

    fn sequence(&self) -> Option<Box<dyn Sequence>> {
        Some(Box::new(JobSequence::new(self.clone())))
    }
}

impl Scheduler for Interpreter {
    fn gpu(&self) -> &Arc<Gpu> {
        &self.shared.gpu
    }

    fn schedule(&self, job: &Job, _: &dyn Source) -> Result<Box<dyn Schedule>> {
        self.interpreting(&job.program)
    }

    fn schedule_begun(&self, job: &Job, _: &dyn Stepper) -> Result<Box<dyn Schedule>> {
        self.interpreting(&job.program)
    }

    fn stepper(&self, job: &Job) -> Result<Arc<dyn Stepper>> {
        Ok(self.load(&job.program)?)
    }
}

impl Schedule for Interpreting {
    fn stepper(&mut self, need: &Need<'_>) -> Result<Arc<dyn Stepper>> {
        if need.breakpoints.is_empty() && !need.exact {
            return Ok(self.program.clone());
        }
        if need.breakpoints.is_empty() {
            let exact = match self.exact.take() {
                Some(exact) => exact,
                // VMs can stop after each instruction.
                None => Arc::new(self.interpreter.recoded(&self.program, &self.program.packed.code)?),
            };
            return Ok(self.exact.insert(exact).clone());
        }
        if let Some((stops, exact, stepper)) = &self.broken
            && (&stops[..], *exact) == (need.breakpoints, need.exact)
        {
            return Ok(stepper.clone());
        }
        let stepper = self
            .interpreter
            .load_with_stops(&self.program, need.breakpoints, need.exact)?;
        let stepper = Arc::new(stepper);
        self.broken = Some((need.breakpoints.to_vec(), need.exact, stepper.clone()));
        Ok(stepper)
    }
}

impl Stepper for Interpreted {
    fn engine(&self) -> Engine {
        Engine::Interpreter
    }

    fn launch_fields(&self) -> &[String] {
        &self.served.kernel().uniform
    }

    fn reach(&self) -> Reach {
        self.reach
    }

    fn ends_at_once(&self) -> bool {
        self.ends_at_once
    }

    fn counts_instructions(&self) -> bool {
        true
    }

    fn gathers(&self) -> bool {
        self.gathers
    }

    fn experience(&self) -> &Experience {
        &self.experience
    }

    fn bind(&self, gpu: &Gpu, shared: &Shared<'_>, vms: u32) -> Box<dyn BoundStepper> {
        let own = [&self.code, &self.constants].map(|buffer| buffer.as_entire_binding());
        let kernel = self.served.kernel();
        let pairs = shared.pairs().filter(|_| kernel.has_pairs);
        let parts = shared.bindings.iter().cloned().chain(own).chain(pairs);
        Box::new(OnBuffers {
            group: bind_parts(&gpu.device, &kernel.layouts[0], parts),
            groups: groups(gpu, vms.into(), kernel.workgroup),
            served: self.served.clone(),
            experience: self.experience.clone(),
        })
    }
}

impl BoundStepper for OnBuffers {
    fn record(&mut self, pass: &mut wgpu::ComputePass<'_>, batch: &Batch) -> Recorded {
        self.served.tier_up(&self.experience);
        pass.set_pipeline(&self.served.kernel().pipeline);
        for dispatch in 0..batch.dispatches {
            let launch = if dispatch == 0 { batch.first } else { batch.then };
            pass.set_bind_group(0, &self.group, &[launch]);
            pass.dispatch_workgroups(self.groups[0], self.groups[1], 1);
        }
        Recorded {
            dispatches: batch.dispatches.into(),
        }
    }
}

/// How much a dispatch may do for a program.
fn reach(software: bool, program: &Program) -> Reach {
    Reach {
        cycles: if software { MOST_CYCLES_SOFTWARE } else { MOST_CYCLES },
        dispatches: if software { MOST_DISPATCHES_SOFTWARE } else { 1 },
        inner: longest_instruction(program),
    }
}

/// The most iterations of loops inside of one of the program's instructions.
pub fn longest_instruction(program: &Program) -> u32 {
    let rows = |record: &MatrixRecord| {
        let mask = program.pools.dense.get(record.offset as usize);
        mask.map_or(0, |mask| mask.count_ones())
    };
    let matrices = program.matrices.iter().map(|record| match record.format {
        // Each term, and each row that is written back.
        Format::Sparse => record.size.saturating_mul(2),
        // Rows of bits go eight coefficients a step; the others are no longer than this.
        Format::Dense => record.size / 8 + rows(record) * 32,
    });
    let ops = program
        .code
        .iter()
        .filter_map(|instruction| Op::from_code(instruction.opcode));
    let has_steps = ops.map(Op::repeats).any(|repeats| repeats == Repeats::Steps);
    let remainder = if has_steps { REMAINDER_STEPS } else { 0 };
    matrices.max().unwrap_or(0).max(remainder)
}

/// Whether one dispatch of as many cycles as the program has instructions surely ends every VM: nothing is run twice.
fn ends_at_once(program: &Program) -> bool {
    program.code.len() <= MOST_CYCLES_SOFTWARE as usize
        && program.code.iter().zip(0..).all(|(instruction, at)| {
            match Op::from_code(instruction.opcode) {
                Some(Op::Jump | Op::JumpIf | Op::JumpUnless) => instruction.operands[0] > at,
                // These may have to be tried again, or wait.
                Some(Op::Call | Op::Yield | Op::Block) => false,
                Some(op) => op.repeats() != Repeats::Retries,
                None => true,
            }
        })
}

const _: () = assert!(
    CALL_FRAME_WORDS >= 2,
    "a call frame holds the return address and the caller's frame base"
);
