//! What [`Engine::Auto`](crate::engine::Engine::Auto) means on a GPU: a launch starts on the interpreter, which has nothing to compile,
//! and goes on specialised as soon as another thread has compiled the program. A program that was launched before starts specialised.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gpuvm_core::program::Program;

use super::engine::{Specialized, Specializing};
use super::kernel::SpecializedKernel;
use crate::engine::{Demand, DeviceMemory, Execute, Image, Job, Running, Source};
use crate::error::Result;
use crate::wgpu::interpreter::Interpreter;
use crate::wgpu::library::Library;
use crate::wgpu::session::{Session, capacity};
use crate::wgpu::stepper::{Need, Plan, Stepper};

/// The automatic engine on one device.
#[derive(Debug)]
pub struct Automatic {
    specialized: Specialized,
    interpreter: Interpreter,
    /// Whether a program was launched before.
    launched: Library<AtomicBool>,
}

/// A session that chooses for itself.
struct Choosing {
    program: Arc<Program>,
    specialized: Specialized,
    interpreter: Interpreter,
    interpreting: Box<dyn Plan>,
    stage: Stage,
    /// Whether the program was launched before. If not, compiling it is worth while only once the launch takes a second submission.
    launched_before: bool,
}

/// How far a session has come.
enum Stage {
    /// On the interpreter.
    Interpreting,
    /// On an interpreter that stops in front of the instructions at which the kernel takes VMs up.
    Gathering(Arc<SpecializedKernel>, Arc<dyn Stepper>),
    /// On the kernel.
    Specialized(Specializing),
}

impl Automatic {
    /// The engine of a device, made of the two that it chooses from.
    pub fn new(specialized: Specialized, interpreter: Interpreter) -> Automatic {
        Automatic {
            specialized,
            interpreter,
            launched: Library::default(),
        }
    }
}

impl Execute for Automatic {
    fn memory(&self) -> Option<Arc<dyn DeviceMemory>> {
        self.interpreter.memory()
    }

    fn capacity(&self, program: &Program, demand: &Demand) -> u32 {
        capacity(self.specialized.gpu(), program, demand)
    }

    fn start(&self, job: Job, arena: &dyn Source) -> Result<Box<dyn Running>> {
        let launched = self.launched.get(&job.program, || Ok(AtomicBool::new(false)))?;
        let habitual = self.specialized.habitual(&job, arena);
        let stage = match habitual {
            Some(kernel) => Stage::Specialized(self.specialized.plan_with(&job.program, kernel)?),
            None => Stage::Interpreting,
        };
        let plan = Choosing {
            program: job.program.clone(),
            specialized: self.specialized.clone(),
            interpreter: self.interpreter.clone(),
            interpreting: self.interpreter.plan(&job.program)?,
            stage,
            launched_before: launched.swap(true, Ordering::Relaxed),
        };
        Session::start(self.specialized.gpu().clone(), Box::new(plan), job, arena)
    }
}

impl Choosing {
    /// The kernel, if it is there. A device that refuses it leaves the launch on the interpreter.
    fn kernel(&self) -> Option<Arc<SpecializedKernel>> {
        let options = self.specialized.options(&self.program, Vec::new());
        self.specialized.request(&self.program, &options).ok().flatten()
    }

    /// Goes on by the kernel.
    fn specialize(&mut self, kernel: &Arc<SpecializedKernel>, need: &Need<'_>) -> Result<Arc<dyn Stepper>> {
        let mut plan = self.specialized.plan_with(&self.program, kernel.clone())?;
        let stepper = plan.stepper(need);
        self.stage = Stage::Specialized(plan);
        stepper
    }
}

impl Plan for Choosing {
    fn stepper(&mut self, need: &Need<'_>) -> Result<Arc<dyn Stepper>> {
        if let Stage::Specialized(plan) = &mut self.stage {
            return plan.stepper(need);
        }
        if need.exact || !need.breakpoints.is_empty() {
            self.stage = Stage::Interpreting;
            return self.interpreting.stepper(need);
        }
        if let Stage::Gathering(kernel, gathering) = &self.stage {
            let (kernel, gathering) = (kernel.clone(), gathering.clone());
            return match need.fresh || need.gathered {
                true => self.specialize(&kernel, need),
                false => Ok(gathering),
            };
        }
        let kernel = if self.launched_before || !need.fresh {
            self.kernel()
        } else {
            None
        };
        match kernel {
            None => self.interpreting.stepper(need),
            Some(kernel) if need.fresh => self.specialize(&kernel, need),
            Some(kernel) => {
                let gathering: Arc<dyn Stepper> =
                    self.interpreter.load_stopping(&self.program, &kernel.about.entries)?;
                self.stage = Stage::Gathering(kernel, gathering.clone());
                Ok(gathering)
            }
        }
    }

    fn replaced(&mut self, image: &Image) {
        match &mut self.stage {
            Stage::Specialized(plan) => plan.replaced(image),
            stage => *stage = Stage::Interpreting,
        }
    }
}
