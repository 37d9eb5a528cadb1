//! The epoch engine: a kernel sorts the VMs by the class of their next instruction, and then one kernel for each class takes its turn.
//! An epoch is one turn of each. Which VMs wait for which class stays on the device and sizes the dispatches there, so a submission
//! has many epochs, and those after the last VM has stopped find nothing to do.
//!
//! What `shaders/epoch/queue.wgsl` says of the queues makes epochs few: in one turn a VM runs as many instructions of the class as
//! follow each other, and it reaches a class whose turn comes later within the same epoch.

mod outlook;
mod queues;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use gpuvm_core::isa::{Class, Unit};
use gpuvm_core::program::Program;
use gpuvm_engine::{Demand, DeviceMemory, Engine, Error, Execute, Job, Result, Running, Source, StopAt};
use gpuvm_shaders::layout::epoch::MOST_STEPS;

use super::gpu::Gpu;
use super::interpreter::{Interpreter, longest_instruction};
use super::kernel::Kernel;
use super::library::Library;
use super::memory::filled;
use super::pace::Experience;
use super::pack::{Packed, pack};
use super::parts::{Part, Uses};
use super::session::{Session, capacity};
use super::source::EntryPoint;
use super::states::States;
use super::stepper::{BoundStepper, Need, Reach, Schedule, Scheduler, Shared, Stepper};

use self::outlook::Outlook;
use self::queues::Queues;

/// Invocations of a workgroup: few have to count in one place.
const WORKGROUP: u32 = 256;
/// The same where a CPU plays the device, which runs the invocations that have nothing to do as well.
const WORKGROUP_SOFTWARE: u32 = 32;
/// Iterations inside of a VM's instructions in one turn, which every device allows.
const MOST_INNER: u32 = 2_500;
/// Epochs in one submission.
const MOST_EPOCHS: u32 = 4096;
/// Instructions that a VM may run in an epoch on average before it has to wait for the next submission.
const STEPS_AN_EPOCH: u32 = 64;

/// VMs that are few. A device is busy with their dispatches, not with their instructions, so the interpreter is many times as fast.
const FEW_VMS: u32 = 1024;
/// Epochs after which the rest of few VMs' work is the interpreter's.
const MOST_EPOCHS_OF_FEW: u64 = 8192;
/// The same where a CPU plays the device, which takes ten times as long over a dispatch: some tenths of a second by then.
const MOST_EPOCHS_OF_FEW_SOFTWARE: u64 = 1024;

/// The epoch engine on one device. A clone is another handle to it.
#[derive(Clone, Debug)]
pub struct Epoch {
    shared: Arc<Shelves>,
    /// What few VMs go on by that take many epochs.
    interpreter: Interpreter,
}

#[derive(Debug)]
struct Shelves {
    gpu: Arc<Gpu>,
    /// The kernels that programs have used so far.
    kernels: Mutex<HashMap<EntryPoint, Arc<Kernel>>>,
    library: Library<Loaded>,
}

/// A program on the device.
#[derive(Debug)]
struct Loaded {
    packed: Packed,
    code: wgpu::Buffer,
    constants: wgpu::Buffer,
    uses: Uses,
    outlook: Outlook,
    longest_instruction: u32,
    experience: Experience,
}

/// The kernels for a program.
#[derive(Clone, Debug)]
struct Kernels {
    prepare: Arc<Kernel>,
    classify: Arc<Kernel>,
    /// Those of the classes that the program has, in the order of their turns.
    turns: Vec<(Class, Arc<Kernel>)>,
}

/// A program with its kernels.
struct Sorted {
    program: Arc<Loaded>,
    kernels: Kernels,
    /// The program's code, maybe with breakpoints.
    code: wgpu::Buffer,
    /// Whether VMs must stop after an exact number of instructions.
    exact: bool,
}

/// A session on the epoch engine.
struct Sorting {
    epoch: Epoch,
    program: Arc<Loaded>,
    /// The breakpoints and the exactness that were asked for last, and what they need.
    last: Option<(Vec<StopAt>, bool, Arc<Sorted>)>,
    /// The job's program, if its VMs are few.
    few: Option<Arc<Program>>,
    /// How it goes on, if it took them too many epochs.
    rest: Option<Box<dyn Schedule>>,
}

impl Epoch {
    /// The epoch engine for a device. Shaders are compiled when a program needs them.
    pub fn new(gpu: Arc<Gpu>, interpreter: Interpreter) -> Epoch {
        Epoch {
            interpreter,
            shared: Arc::new(Shelves {
                gpu,
                kernels: Mutex::default(),
                library: Library::default(),
            }),
        }
    }

    fn load(&self, program: &Arc<Program>) -> Result<Arc<Loaded>> {
        let gpu = &*self.shared.gpu;
        self.shared.library.get(program, || {
            gpu.accept(program)?;
            let packed = pack(program).map_err(|what| Error::Device {
                reason: format!("program `{}` cannot be loaded: {what}", program.name),
            })?;
            let uses = Uses::of(program);
            gpu.guarded(|_| Loaded {
                code: filled(gpu, "code", &packed.code),
                constants: filled(gpu, "constants", &packed.constants),
                packed,
                uses,
                outlook: Outlook::of(program, MOST_STEPS, MOST_INNER),
                longest_instruction: longest_instruction(program),
                experience: Experience::default(),
            })
        })
    }

    fn kernel(&self, entry: EntryPoint) -> Result<Arc<Kernel>> {
        let mut kernels = self.shared.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = kernels.get(&entry) {
            return Ok(known.clone());
        }
        let kernel = Arc::new(self.shared.gpu.kernel(entry)?);
        kernels.insert(entry, kernel.clone());
        Ok(kernel)
    }

    /// A program with what it needs to stop at breakpoints, or after an exact number of instructions.
    fn sorted(&self, program: Arc<Loaded>, breakpoints: &[StopAt], exact: bool) -> Result<Sorted> {
        let gpu = &*self.shared.gpu;
        let (uses, code) = if breakpoints.is_empty() {
            (program.uses, program.code.clone())
        } else {
            let code = program
                .packed
                .with_breaks(breakpoints.iter().map(|stop| stop.instruction));
            (program.uses.with_breaks(), gpu.guarded(|_| filled(gpu, "code", &code))?)
        };
        Ok(Sorted {
            kernels: self.kernels(&program.outlook.all, uses)?,
            code,
            exact,
            program,
        })
    }

    /// The parts of the class's kernel for a program that uses these.
    fn turning(&self, class: Class, uses: Uses) -> Uses {
        if !self.shared.gpu.software {
            return uses;
        }
        let kernels = self.shared.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let compiled = kernels.keys().filter_map(|entry| match entry {
            EntryPoint::Turn(of, uses, _) if *of == class => Some(*uses),
            _ => None,
        });
        uses.among_few(compiled)
    }

    /// The kernels for the classes and parts that a program has.
    fn kernels(&self, classes: &[Class], uses: Uses) -> Result<Kernels> {
        let workgroup = if self.shared.gpu.software {
            WORKGROUP_SOFTWARE
        } else {
            WORKGROUP
        };
        let turn = |&class: &Class| {
            let uses = self.turning(class, uses.among(parts(class)));
            Ok((class, self.kernel(EntryPoint::Turn(class, uses, workgroup))?))
        };
        Ok(Kernels {
            prepare: self.kernel(EntryPoint::Prepare)?,
            classify: self.kernel(EntryPoint::Classify(uses.among(&[Part::Breaks]), workgroup))?,
            turns: classes.iter().map(turn).collect::<Result<_>>()?,
        })
    }
}

/// The parts that a class's kernel may need.
fn parts(class: Class) -> &'static [Part] {
    match class {
        Class::Linear => &[Part::Breaks, Part::Sparse, Part::Dense],
        Class::Oracle => &[
            Part::Breaks,
            Part::Unit(Unit::Division),
            Part::Unit(Unit::Long),
            Part::Unit(Unit::LongDivision),
            Part::Unit(Unit::RareFloat),
            Part::Unit(Unit::Conversion),
            Part::Unit(Unit::Math),
        ],
        Class::Branch => &[Part::Breaks, Part::Unit(Unit::Calls), Part::Unit(Unit::Switch)],
        Class::Io => &[
            Part::Breaks,
            Part::Unit(Unit::Atomic),
            Part::Unit(Unit::AtomicPair),
            // Where calls are, frames may stand nearer to the beginning of frame memory.
            Part::Unit(Unit::Calls),
        ],
    }
}

impl Execute for Epoch {
    fn memory(&self) -> Option<Arc<dyn DeviceMemory>> {
        Some(self.shared.gpu.clone())
    }

    fn capacity(&self, program: &Arc<Program>, demand: &Demand) -> u32 {
        capacity(&self.shared.gpu, program, demand, States::Rows)
    }

    fn start(&self, job: Job, arena: &dyn Source) -> Result<Box<dyn Running>> {
        Session::start(self, job, arena)
    }
}

impl Scheduler for Epoch {
    fn gpu(&self) -> &Arc<Gpu> {
        &self.shared.gpu
    }

    fn schedule(&self, job: &Job, _: &dyn Source) -> Result<Box<dyn Schedule>> {
        Ok(Box::new(Sorting {
            epoch: self.clone(),
            program: self.load(&job.program)?,
            last: None,
            few: (job.vms <= FEW_VMS).then(|| job.program.clone()),
            rest: None,
        }))
    }

    fn schedule_begun(&self, job: &Job, _: &dyn Stepper) -> Result<Box<dyn Schedule>> {
        self.schedule(job, &(&[] as &[u32]))
    }

    fn stepper(&self, job: &Job) -> Result<Arc<dyn Stepper>> {
        Ok(Arc::new(self.sorted(self.load(&job.program)?, &[], false)?))
    }
}

impl Schedule for Sorting {
    fn stepper(&mut self, need: &Need<'_>) -> Result<Arc<dyn Stepper>> {
        let most = match self.epoch.shared.gpu.software {
            true => MOST_EPOCHS_OF_FEW_SOFTWARE,
            false => MOST_EPOCHS_OF_FEW,
        };
        if let Some(program) = self.few.take_if(|_| need.epochs >= most) {
            self.rest = Some(self.epoch.interpreter.interpreting(&program)?);
        }
        if let Some(rest) = &mut self.rest {
            return rest.stepper(need);
        }
        if let Some((breakpoints, exact, stepper)) = &self.last
            && breakpoints == need.breakpoints
            && *exact == need.exact
        {
            return Ok(stepper.clone());
        }
        let stepper = Arc::new(self.epoch.sorted(self.program.clone(), need.breakpoints, need.exact)?);
        self.last = Some((need.breakpoints.to_vec(), need.exact, stepper.clone()));
        Ok(stepper)
    }
}

impl Stepper for Sorted {
    fn engine(&self) -> Engine {
        Engine::Epoch
    }

    fn launch_fields(&self) -> &[String] {
        &self.kernels.classify.uniform
    }

    fn reach(&self) -> Reach {
        Reach {
            cycles: if self.exact {
                MOST_EPOCHS
            } else {
                MOST_EPOCHS * STEPS_AN_EPOCH
            },
            dispatches: 1,
            inner: self.program.longest_instruction,
        }
    }

    fn ends_at_once(&self) -> bool {
        self.program.outlook.most.is_some()
    }

    fn counts_instructions(&self) -> bool {
        true
    }

    fn experience(&self) -> &Experience {
        &self.program.experience
    }

    fn bind(&self, gpu: &Gpu, shared: &Shared<'_>, vms: u32) -> Box<dyn BoundStepper> {
        Box::new(Queues::new(gpu, self, shared, vms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpuvm_core::isa::Op;

    #[test]
    fn each_kernel_has_the_parts_that_operations_of_its_class_need() {
        for &op in Op::ALL {
            let unit = op.unit();
            assert!(
                unit == Unit::Core || parts(op.class()).contains(&Part::Unit(unit)),
                "{op:?} needs {unit:?}"
            );
        }
    }
}
