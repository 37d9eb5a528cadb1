//! What [`Engine::Auto`](gpuvm_engine::Engine::Auto) means on a GPU: a launch starts on the interpreter, which has nothing to compile,
//! and goes on specialised as soon as another thread has compiled the program. A program that was launched before starts specialised.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gpuvm_core::program::Program;
use gpuvm_core::specialise::KnownParams;
use gpuvm_engine::{
    Demand, DeviceMemory, Engine, Execute, Image, Job, ResidentKernel, Result, Running, Sequence, Source, Tiles,
};

use super::engine::{Prepared, Specialized, Specializing};
use super::kernel::{SpecializedKernel, Work};
use super::options::Options;
use crate::gpu::Gpu;
use crate::interpreter::Interpreter;
use crate::library::Library;
use crate::session::{JobSequence, Session, most_with_rows};
use crate::stepper::{Need, Schedule, Scheduler, Stepper};

/// The automatic engine on one device. A clone is another handle to it.
#[derive(Clone, Debug)]
pub struct Automatic {
    specialized: Specialized,
    interpreter: Interpreter,
    /// Whether a program was launched before.
    launched: Arc<Library<AtomicBool>>,
}

/// A session that chooses for itself.
struct Choosing {
    program: Arc<Program>,
    /// What the program is specialised for.
    options: Options,
    specialized: Specialized,
    interpreting: Box<dyn Schedule>,
    stage: Stage,
    /// Whether the program was launched before. If not, compiling it is worth while only once the launch takes a second submission.
    launched_before: bool,
}

/// How far a session has come.
enum Stage {
    /// On the interpreter.
    Interpreting,
    /// On the kernel, or on the way to where it takes VMs up.
    Specialized(Box<Specializing>),
}

impl Automatic {
    /// The engine of a device, made of the two that it chooses from.
    pub fn new(specialized: Specialized, interpreter: Interpreter) -> Automatic {
        Automatic {
            specialized,
            interpreter,
            launched: Arc::default(),
        }
    }

    /// Whether there is no room for a job's VMs but on the kernel: it is as large as that because the kernel is there already.
    fn is_the_kernels(&self, job: &Job) -> bool {
        job.vms > most_with_rows(self.gpu())
    }

    /// A job's session that has come so far.
    fn choosing(&self, job: &Job, stage: Stage) -> Result<Box<dyn Schedule>> {
        let launched = self.launched.get(&job.program, || Ok(AtomicBool::new(false)))?;
        Ok(Box::new(Choosing {
            program: job.program.clone(),
            options: self.specialized.options_for(job, KnownParams::default()),
            specialized: self.specialized.clone(),
            interpreting: self.interpreter.interpreting(&job.program)?,
            stage,
            launched_before: launched.swap(true, Ordering::Relaxed),
        }))
    }
}

impl Execute for Automatic {
    fn memory(&self) -> Option<Arc<dyn DeviceMemory>> {
        self.interpreter.memory()
    }

    fn capacity(&self, program: &Arc<Program>, demand: &Demand) -> u32 {
        self.specialized.most_vms(program, demand, true)
    }

    fn start(&self, job: Job, arena: &dyn Source) -> Result<Box<dyn Running>> {
        Session::start(self, job, arena)
    }

    fn left_to_interpreter(&self, program: &Arc<Program>) -> Option<Duration> {
        self.specialized.excess(program, true).ok().flatten()
    }

    fn resident(&self, program: &Arc<Program>) -> Result<Box<dyn ResidentKernel>> {
        self.specialized.resident(program)
    }

    fn sequence(&self) -> Option<Box<dyn Sequence>> {
        Some(Box::new(JobSequence::new(self.clone())))
    }
}

impl Scheduler for Automatic {
    fn gpu(&self) -> &Arc<Gpu> {
        self.specialized.gpu()
    }

    fn schedule(&self, job: &Job, arena: &dyn Source) -> Result<Box<dyn Schedule>> {
        let stage = match self.specialized.habitual(job, arena) {
            Some(prepared) => {
                let schedule = self.specialized.schedule_with(&job.program, prepared.kernel.clone())?;
                Stage::Specialized(Box::new(schedule.without_waiting()))
            }
            None if self.is_the_kernels(job) => {
                Stage::Specialized(Box::new(self.specialized.specializing(job)?.without_waiting()))
            }
            None => Stage::Interpreting,
        };
        self.choosing(job, stage)
    }

    fn schedule_begun(&self, job: &Job, stepper: &dyn Stepper) -> Result<Box<dyn Schedule>> {
        let stage = match stepper.engine() {
            Engine::Specialized => {
                Stage::Specialized(Box::new(self.specialized.going_on(job, stepper)?.without_waiting()))
            }
            _ => Stage::Interpreting,
        };
        self.choosing(job, stage)
    }

    fn stepper(&self, job: &Job) -> Result<Arc<dyn Stepper>> {
        let program = &job.program;
        let launched = self.launched.get(program, || Ok(AtomicBool::new(false)))?;
        let options = self.specialized.options_for(job, KnownParams::default());
        let kernel = match launched.swap(true, Ordering::Relaxed) {
            _ if self.is_the_kernels(job) => Some(self.specialized.kernel(program, &options)?),
            // A device that refuses it leaves the program to the interpreter.
            true => self.specialized.request(program, &options).ok().flatten(),
            false => None,
        };
        Ok(match kernel {
            Some(kernel) => Arc::new(Prepared::new(kernel)),
            None => self.interpreter.load(program)?,
        })
    }

    fn habitual(&self, job: &Job, arena: &dyn Source) -> Option<Arc<dyn Stepper>> {
        Scheduler::habitual(&self.specialized, job, arena)
    }

    fn joined(&self, first: &Job, then: &Job) -> Result<Option<Arc<dyn Stepper>>> {
        // A device that refuses it leaves the jobs to their own kernels.
        let options = self.specialized.joined_options(first);
        let work = Work::joined(&first.program, &then.program);
        let kernel = work.and_then(|work| self.specialized.request_joined(&work, &options).ok().flatten());
        Ok(kernel.map(|kernel| Arc::new(Prepared::new(kernel)) as Arc<dyn Stepper>))
    }

    fn has_tiles(&self) -> bool {
        true
    }

    fn tiled(&self, program: &Arc<Program>, tiles: &Tiles) -> Result<Option<Arc<dyn Stepper>>> {
        let kernel = self.specialized.tiled(program, tiles, false)?;
        Ok(kernel.map(|kernel| Arc::new(Prepared::new(kernel)) as Arc<dyn Stepper>))
    }
}

impl Choosing {
    /// The kernel, if it is there. A device that refuses it leaves the launch on the interpreter.
    fn kernel(&self) -> Option<Arc<SpecializedKernel>> {
        self.specialized.request(&self.program, &self.options).ok().flatten()
    }
}

impl Schedule for Choosing {
    fn stepper(&mut self, need: &Need<'_>) -> Result<Arc<dyn Stepper>> {
        if let Stage::Specialized(schedule) = &mut self.stage {
            return schedule.stepper(need);
        }
        let worth_it = self.launched_before || !need.fresh;
        let kernel = if worth_it && !need.exact { self.kernel() } else { None };
        let Some(kernel) = kernel else {
            return self.interpreting.stepper(need);
        };
        let mut schedule = self.specialized.schedule_with(&self.program, kernel)?.without_waiting();
        let stepper = schedule.stepper(need);
        self.stage = Stage::Specialized(Box::new(schedule));
        stepper
    }

    fn replaced(&mut self, image: &Image) {
        if let Stage::Specialized(schedule) = &mut self.stage {
            schedule.replaced(image);
        }
    }

    fn moved(&mut self, image: &Image) {
        if let Stage::Specialized(schedule) = &mut self.stage {
            schedule.moved(image);
        }
    }
}
