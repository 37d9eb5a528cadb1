//! The border between an engine on the GPU and the [`Session`](super::session::Session) that drives it: the session owns a job's
//! buffers and decides how much runs when, the engine knows kernels.

use std::cell::OnceCell;
use std::sync::Arc;

use gpuvm_core::program::Program;
use gpuvm_engine::{Engine, Image, Job, Result, Source, StopAt, Tiles};

use super::gpu::Gpu;
use super::memory::bind_parts;
use super::pace::Experience;
use super::states::States;

/// How an engine runs a program: its kernels, ready to be bound to the buffers of any session of that program. Between two
/// batches the complete state of all VMs is in the session's buffers, with one meaning for all engines, so a session may go on
/// with another stepper at any time.
pub trait Stepper: Send + Sync {
    /// Which engine this is.
    fn engine(&self) -> Engine;

    /// The names of the fields of the kernels' `launch` uniform, each a word, in order.
    fn launch_fields(&self) -> &[String];

    /// How much a batch may hold.
    fn reach(&self) -> Reach;

    /// Whether the first dispatch of a batch surely ends every VM that starts in it, given [`Reach::cycles`].
    fn ends_at_once(&self) -> bool;

    /// Whether its kernels count the instructions that they run, by class.
    fn counts_instructions(&self) -> bool;

    /// Whether VMs that halt or trap leave their complete state in the buffers. If not, it is only known that they have halted, and what those recorded that trapped.
    fn leaves_states(&self) -> bool {
        true
    }

    /// Whether it only brings VMs to where another stepper takes them up, so that those that it has stopped are at no breakpoint for that.
    fn gathers(&self) -> bool {
        false
    }

    /// What is remembered of the program's launches on it.
    fn experience(&self) -> &Experience;

    /// What VMs that stop or trap leave in the buffer of states.
    fn states(&self) -> States {
        States::Rows
    }

    /// Whether the frames of VMs that do not stop stay as they are in memory.
    fn spares_frames(&self) -> bool {
        false
    }

    /// Whether it is for jobs with certain uniforms alone, as [`Scheduler::habitual`] gives it.
    fn is_habitual(&self) -> bool {
        false
    }

    /// Binds the kernels to a session's buffers, for so many VMs.
    fn bind(&self, gpu: &Gpu, shared: &Shared<'_>, vms: u32) -> Box<dyn BoundStepper>;
}

/// Kernels with the buffers of a session.
pub trait BoundStepper: Send {
    /// Records a batch. Errors of the device show when it is submitted.
    fn record(&mut self, pass: &mut wgpu::ComputePass<'_>, batch: &Batch) -> Recorded;
}

/// The most that a batch may hold.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Instructions of a VM in one dispatch.
    pub cycles: u32,
    /// Dispatches in one batch.
    pub dispatches: u32,
    /// The most iterations of loops inside of one instruction.
    pub inner: u32,
}

/// What to record.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    /// How many dispatches, or rounds of them; 0 if nothing is to run.
    pub dispatches: u32,
    /// Most instructions of a VM in each of them.
    #[allow(dead_code, reason = "the interpreter finds it in the uniform")]
    pub cycles: u32,
    /// Whether the first of them starts the VMs.
    pub fresh: bool,
    /// Where the first dispatch finds its `launch`, as a dynamic offset.
    pub first: u32,
    /// Where the other dispatches find theirs, or a joined job its own.
    pub then: u32,
}

/// What was recorded.
#[derive(Clone, Copy, Debug, Default)]
pub struct Recorded {
    /// Dispatches.
    pub dispatches: u64,
}

/// The buffers that all engines' kernels share: group 0, bindings 0 to 6, as `launch.wgsl` has them.
#[derive(Debug)]
pub struct Shared<'a> {
    /// The bindings in order. The first is the uniform, which is bound with a dynamic offset.
    pub bindings: [wgpu::BindingResource<'a>; BINDINGS],
    /// The group of just these.
    group: OnceCell<wgpu::BindGroup>,
    /// The group of these and a second uniform.
    joined: OnceCell<wgpu::BindGroup>,
    /// The group of these and the atomic pairs.
    with_pairs: OnceCell<wgpu::BindGroup>,
}

impl<'a> Shared<'a> {
    /// The bindings in order.
    pub fn new(bindings: [wgpu::BindingResource<'a>; BINDINGS]) -> Shared<'a> {
        Shared {
            bindings,
            group: OnceCell::new(),
            joined: OnceCell::new(),
            with_pairs: OnceCell::new(),
        }
    }

    /// A group of these bindings alone, one for all kernels: their layouts are equal, which is what a device asks for.
    pub fn group(&self, gpu: &Gpu, layout: &wgpu::BindGroupLayout) -> wgpu::BindGroup {
        let group = || bind_parts(&gpu.device, layout, self.bindings.iter().cloned());
        self.group.get_or_init(group).clone()
    }

    /// A group of these bindings and the uniform once more, for a job that is joined to another.
    pub fn joined_group(&self, gpu: &Gpu, layout: &wgpu::BindGroupLayout) -> wgpu::BindGroup {
        let parts = self.bindings.iter().chain(&self.bindings[..1]).cloned();
        let group = || bind_parts(&gpu.device, layout, parts);
        self.joined.get_or_init(group).clone()
    }

    /// The binding of the atomic pairs: the atomics once more.
    pub fn pairs(&self) -> Option<wgpu::BindingResource<'a>> {
        self.bindings.get(ATOMICS).cloned()
    }

    /// A group of these bindings and the atomic pairs.
    pub fn group_with_pairs(&self, gpu: &Gpu, layout: &wgpu::BindGroupLayout) -> wgpu::BindGroup {
        let parts = self.bindings.iter().cloned().chain(self.pairs());
        let group = || bind_parts(&gpu.device, layout, parts);
        self.with_pairs.get_or_init(group).clone()
    }
}

/// Bindings that all engines share.
pub const BINDINGS: usize = 7;
/// Which of them are the atomics.
const ATOMICS: usize = 3;

/// Makes the schedules of an engine's jobs.
pub trait Scheduler: Send + Sync {
    /// The device.
    fn gpu(&self) -> &Arc<Gpu>;

    /// How a job goes, with what its arena starts with.
    ///
    /// # Errors
    ///
    /// When the program is damaged, or the device refuses a kernel.
    fn schedule(&self, job: &Job, arena: &dyn Source) -> Result<Box<dyn Schedule>>;

    /// How a job goes on that a [`Scheduler::stepper`] or a [`Scheduler::habitual`] one has begun: by the former, as long as nobody asks for anything
    /// that it cannot do.
    ///
    /// # Errors
    ///
    /// As [`Scheduler::schedule`].
    fn schedule_begun(&self, job: &Job, stepper: &dyn Stepper) -> Result<Box<dyn Schedule>>;

    /// What jobs like this one begin with, of its program and with as many VMs, whatever they work on.
    ///
    /// # Errors
    ///
    /// As [`Scheduler::schedule`].
    fn stepper(&self, job: &Job) -> Result<Arc<dyn Stepper>>;

    /// What runs just this job and those with the same uniforms, if there have been many of them and it is there already. Called where
    /// [`Scheduler::stepper`] is specialised.
    fn habitual(&self, _job: &Job, _arena: &dyn Source) -> Option<Arc<dyn Stepper>> {
        None
    }

    /// What runs jobs like the first one and, in the same dispatch, ones like the other, each of whose VMs needs of the first job only what
    /// the VMs of one workgroup have left. The steppers of both are specialised, and VMs of the second never stop before their end, so
    /// that they leave no states. [`Batch::then`] is the second one's launch. `None` if each has to run by itself.
    ///
    /// # Errors
    ///
    /// As [`Scheduler::schedule`].
    fn joined(&self, _first: &Job, _then: &Job) -> Result<Option<Arc<dyn Stepper>>> {
        Ok(None)
    }

    /// Whether there are kernels that go through elements tile by tile.
    fn has_tiles(&self) -> bool {
        false
    }

    /// What runs jobs of a program whose elements go through tiles, each in one batch of one dispatch or more. `None` if that is not there, or cannot
    /// be.
    ///
    /// # Errors
    ///
    /// As [`Scheduler::schedule`], but for what the device refuses.
    fn tiled(&self, _program: &Arc<Program>, _tiles: &Tiles) -> Result<Option<Arc<dyn Stepper>>> {
        Ok(None)
    }
}

/// Decides how a session goes on. It is asked before each submission, so an engine may begin with one stepper and go on with a
/// better one when that is ready.
pub trait Schedule: Send {
    /// The stepper for the next submission.
    ///
    /// # Errors
    ///
    /// When the device refuses a kernel.
    fn stepper(&mut self, need: &Need<'_>) -> Result<Arc<dyn Stepper>>;

    /// The words, as bits, that a VM has which stands in front of this instruction.
    fn kept(&self, _at: u32) -> u32 {
        u32::MAX
    }

    /// The state of all VMs was replaced by this image.
    fn replaced(&mut self, _image: &Image) {}

    /// The state of some VMs was replaced by this image of them.
    fn moved(&mut self, _image: &Image) {}
}

/// What the next submission needs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Need<'a> {
    /// In front of which instructions VMs have to stop.
    pub breakpoints: &'a [StopAt],
    /// Whether VMs are left with all variables that are in scope.
    pub shows: bool,
    /// Whether VMs have to stop after an exact number of instructions.
    pub exact: bool,
    /// Whether the VMs start with it.
    pub fresh: bool,
    /// Whether all running VMs are known to stand where the stepper before has stopped them.
    pub gathered: bool,
    /// Epochs that the VMs have had.
    pub epochs: u64,
}
