//! A job on a GPU: its buffers, and how they are run, looked at and given back. Every engine on the GPU is driven by this; what
//! differs between them is behind [`Stepper`](super::stepper::Stepper).

mod advance;
pub mod arena;
pub mod buffers;
pub mod frames;
pub mod launch;
mod record;
mod results;
mod sequence;
mod state;
mod submit;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::interp::Vm;
use gpuvm_core::program::Program;
use gpuvm_engine::{Demand, Finished, Image, Job, Limit, Memory, Result, Running, Slot, Source, Tally};
use gpuvm_shaders::layout::{WORKGROUP, row, signal};

use super::frame_room::FrameRoom;
use super::gpu::Gpu;
use super::memory::{WORD, size};
use super::pace::Pace;
use super::pool::Lease;
use super::states::States;
use super::stepper::{BoundStepper, Need, Schedule, Scheduler, Stepper};

use self::arena::Arena;
use self::buffers::{ATOMICS_AT, Buffers};
use self::submit::Ticket;

pub use self::sequence::{JobSequence, budget};

/// VMs of a job at most: invocations are rounded up, and their numbers must not begin anew.
const MOST_VMS: u32 = 1 << 31;

/// A job on a GPU.
pub struct Session {
    gpu: Arc<Gpu>,
    schedule: Box<dyn Schedule>,
    /// The stepper for the next submission.
    stepper: Arc<dyn Stepper>,
    /// The one that is bound to the buffers.
    bound: Option<Bindings>,
    job: Job,
    buffers: Buffers,
    pace: Option<Pace>,
    /// Instructions of each VM since the VMs started, and how long the device was at it.
    given: u64,
    spent: Duration,
    /// Instructions of each VM that were submitted since the VMs started or were put where they are, and the room for frames that they
    /// used then.
    ordered: u64,
    framed: FrameRoom,
    /// The room for frames for which the device had no memory.
    refused: Option<FrameRoom>,
    /// Whether the job's data is on the device.
    staged: bool,
    /// Whether no VM of the current step has started.
    fresh: bool,
    /// Whether VMs stop at breakpoints of the caller's.
    breaks: bool,
    /// The signal as it was last seen.
    seen: [u32; signal::WORDS],
    /// What [`signal::STOPPED`] was when the current step began.
    stopped_before: u32,
    /// Whether every stepper so far has counted the instructions.
    counted: bool,
    tally: Tally,
    /// The submission that has begun the job, if nobody has waited for it yet.
    begun: Option<Ticket>,
    /// The submission after which all VMs had stopped, if it brought the results along.
    results: Option<Ticket>,
}

/// How a job stands that something else has begun.
pub struct Begun {
    /// Its own arena.
    pub arena: Arena,
    /// The states, as the job's VMs leave them.
    pub states: (Arc<Lease>, States),
    /// The frames, with so much room for each VM.
    pub frames: Arc<Lease>,
    pub room: FrameRoom,
    pub signal: [u32; signal::WORDS],
    /// Instructions that each VM was given.
    pub cycles: u64,
}

/// A stepper that is bound to a session's buffers.
struct Bindings {
    stepper: Arc<dyn Stepper>,
    kernels: Box<dyn BoundStepper>,
    /// The arena's buffer that it is bound to.
    generation: u64,
}

impl Session {
    /// Takes a job in, with what its arena starts with.
    ///
    /// # Errors
    ///
    /// When the device fails, or refuses the first kernel.
    pub fn start(scheduler: &dyn Scheduler, job: Job, arena: &dyn Source) -> Result<Box<dyn Running>> {
        let mut schedule = scheduler.schedule(&job, arena)?;
        let stepper = schedule.stepper(&Need {
            fresh: true,
            ..Need::default()
        })?;
        let gpu = scheduler.gpu();
        let room = frames::first_room(&job, stepper.experience());
        let states = states_of(&job, &*stepper);
        let buffers = Buffers::new(gpu, &job, arena, (states, room))?;
        Ok(Box::new(Session::new(gpu, (schedule, stepper), job, buffers)))
    }

    fn new(
        gpu: &Arc<Gpu>,
        (schedule, stepper): (Box<dyn Schedule>, Arc<dyn Stepper>),
        job: Job,
        buffers: Buffers,
    ) -> Session {
        Session {
            schedule,
            bound: None,
            buffers,
            gpu: gpu.clone(),
            pace: None,
            given: 0,
            spent: Duration::ZERO,
            ordered: 0,
            framed: FrameRoom::default(),
            refused: None,
            staged: false,
            fresh: true,
            breaks: false,
            seen: [0; signal::WORDS],
            stopped_before: 0,
            counted: true,
            tally: Tally {
                running: job.vms,
                engine: stepper.engine(),
                retired: stepper.counts_instructions().then_some([0; 4]),
                ..Tally::default()
            },
            stepper,
            begun: None,
            results: None,
            job,
        }
    }

    /// Takes in a job that is under way.
    ///
    /// # Errors
    ///
    /// When the device fails or has no memory left.
    pub fn begun(
        gpu: &Arc<Gpu>,
        (schedule, stepper): (Box<dyn Schedule>, Arc<dyn Stepper>),
        job: Job,
        begun: Begun,
    ) -> Result<Session> {
        let memory = (begun.states, (begun.frames, begun.room));
        let buffers = Buffers::begun(gpu, &job, begun.arena, memory)?;
        let mut session = Session::new(gpu, (schedule, stepper), job, buffers);
        session.seen = begun.signal;
        session.given = begun.cycles;
        session.ordered = begun.cycles;
        session.fresh = false;
        session.counted = session.stepper.counts_instructions();
        session.count_states();
        Ok(session)
    }
}

impl Running for Session {
    fn begin(&mut self, cycles: u64) -> Result<bool> {
        self.run_ahead(cycles)
    }

    fn advance(&mut self, limit: &Limit, watch: &mut dyn FnMut(&Tally)) -> Result<Tally> {
        self.run(limit, watch)?;
        Ok(self.tally.clone())
    }

    fn most_at_a_time(&self) -> Option<u32> {
        self.fitting()
    }

    fn image(&mut self) -> Result<Image> {
        self.gather_image()
    }

    fn restore(&mut self, image: &Image) -> Result<()> {
        self.scatter_image(image)
    }

    fn vm(&mut self, index: u32) -> Result<Vm> {
        self.one_vm(index)
    }

    fn kept(&self, vm: &Vm) -> u32 {
        self.schedule.kept(vm.ip())
    }

    fn replace(&mut self, index: u32, vm: &Vm) -> Result<()> {
        self.replace_vm(index, vm)
    }

    fn first_trapped(&self) -> Option<u32> {
        (self.tally.trapped > 0).then(|| !self.seen[signal::FIRST_TRAP])
    }

    fn keeps_trapped(&self) -> bool {
        self.stepper.leaves_states()
    }

    fn slots(&self) -> &[Slot] {
        &self.job.slots
    }

    fn write_arena(&mut self, first: usize, words: &[u32]) -> Result<()> {
        self.set_arena(first, words)
    }

    fn memory(&mut self) -> Result<Memory> {
        self.read_memory()
    }

    fn read_atomics(&mut self, words: Range<usize>) -> Result<Vec<u32>> {
        self.atomics(words)
    }

    fn write_atomics(&mut self, first: usize, words: &[u32]) -> Result<()> {
        self.set_atomics(first, words)
    }

    fn finish(self: Box<Self>) -> Result<Finished> {
        self.give_back()
    }
}

/// What a job's VMs leave that a stepper runs. Those that somebody may look at need room for whatever is put there.
fn states_of(job: &Job, stepper: &dyn Stepper) -> States {
    match job.only_first_trap {
        true => stepper.states(),
        false => States::Rows,
    }
}

/// Words that a buffer may have. Offsets are words of 32 bits; a little is left for rounding buffers up.
fn most_words(gpu: &Gpu) -> u64 {
    let limits = &gpu.limits;
    let bytes = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
    (bytes / WORD).min(u32::MAX.into()).saturating_sub(4)
}

/// The most VMs for whose rows a buffer has room.
pub fn most_with_rows(gpu: &Gpu) -> u32 {
    u32::try_from(most_words(gpu) / row::COUNT as u64).unwrap_or(u32::MAX)
}

/// VMs of a job of a launch that takes several: while one runs the next is begun, and both are to find their buffers as those before have left them.
fn several_with_rows(gpu: &Gpu) -> u32 {
    /// Of the bytes that stay idle, the part that the rows of one of them may have.
    const PART: u64 = 4;
    let vms = gpu.pool.bound() / PART / size(row::COUNT as u64);
    most_with_rows(gpu).min(u32::try_from(vms).unwrap_or(u32::MAX))
}

/// The most VMs of a program that a session on the device can have, as [`Execute::capacity`](gpuvm_engine::Execute::capacity) asks, given
/// what they leave of their states.
pub fn capacity(gpu: &Gpu, program: &Program, demand: &Demand, states: States) -> u32 {
    let limits = &gpu.limits;
    let words = most_words(gpu);
    let arena_words = words.min(gpu.heap.room());
    if demand.atomic_words + ATOMICS_AT > words {
        return 0;
    }
    let room = match demand.restarts {
        true => FrameRoom::likely(program),
        false => FrameRoom::whole(program),
    };
    let with_states = match states {
        States::Rows if demand.vms > most_with_rows(gpu) => several_with_rows(gpu),
        States::Rows => most_with_rows(gpu),
        States::FirstTraps { .. } | States::Nothing => MOST_VMS,
    };
    let with_frames = words.checked_div(room.all_words().into()).unwrap_or(u64::MAX);
    let groups = u64::from(limits.max_compute_workgroups_per_dimension).pow(2);
    let most = with_frames.min(groups * u64::from(WORKGROUP));
    demand
        .vms_within(arena_words)
        .min(with_states)
        .min(u32::try_from(most).unwrap_or(u32::MAX))
}

/// Workgroups in two dimensions for so many VMs, given how many each has at least and how many of them there may be.
pub fn dispatched(gpu: &Gpu, vms: u32, each: u32, most_groups: Option<u32>) -> [u32; 2] {
    let most = most_groups.map_or(u64::MAX, |most| u64::from(most) * u64::from(each));
    groups(gpu, u64::from(vms).min(most), each)
}

/// Workgroups in two dimensions, for so many invocations.
pub fn groups(gpu: &Gpu, invocations: u64, workgroup: u32) -> [u32; 2] {
    let most = u64::from(gpu.limits.max_compute_workgroups_per_dimension);
    let groups = invocations.div_ceil(u64::from(workgroup)).max(1);
    let columns = groups.min(most);
    [columns as u32, groups.div_ceil(columns) as u32]
}
