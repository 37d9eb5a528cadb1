//! The specialised engine: sessions on specialised kernels, and on the interpreter where VMs have to stop exactly.

use std::sync::Arc;
use std::time::Duration;

use gpuvm_core::interp::header;
use gpuvm_core::isa::{Repeats, STATE_WORDS};
use gpuvm_core::program::{Program, Status};
use gpuvm_core::specialise::KnownParams;
use gpuvm_core::specialise::flow::{Flow, op_at};
use gpuvm_engine::{
    Demand, DeviceMemory, Engine, Error, Execute, Image, Job, ResidentKernel, Result, Running, Sequence, Source, Tiles,
};
use gpuvm_shaders::layout::tile;

use super::cache::Cache;
use super::habits::Habits;
use super::kernel::{Passes, SpecializedKernel, Work};
use super::options::Options;
use super::resident::Staying;
use super::size::{Compiler, Size};
use crate::compilers::Compilers;
use crate::gpu::Gpu;
use crate::interpreter::Interpreter;
use crate::library::Library;
use crate::pace::Experience;
use crate::session::{JobSequence, Session, capacity, dispatched, groups};
use crate::states::States;
use crate::stepper::{Batch, BoundStepper, Need, Reach, Recorded, Schedule, Scheduler, Shared, Stepper};

/// The specialised engine on one device. A clone is another handle to it.
#[derive(Clone, Debug)]
pub struct Specialized {
    gpu: Arc<Gpu>,
    interpreter: Interpreter,
    cache: Arc<Cache>,
    compilers: Arc<Compilers>,
    habits: Arc<Habits<Prepared>>,
    /// How large the programs' shaders are.
    sizes: Arc<Library<Size>>,
}

/// A specialised program, ready to be bound to a session's buffers.
#[derive(Debug)]
pub struct Prepared {
    /// Its pipelines.
    pub kernel: Arc<SpecializedKernel>,
    /// How much a batch may hold.
    pub reach: Reach,
}

/// The kernel with a session's buffers.
struct OnBuffers {
    kernel: Arc<SpecializedKernel>,
    group: wgpu::BindGroup,
    groups: [u32; 2],
}

/// A session on a specialised program. Where VMs have to stop after an exact number of instructions it goes on by interpreter, and after that until all of
/// them stand where the kernel takes VMs up. Breakpoints are a part of a kernel of their own.
pub struct Specializing {
    specialized: Specialized,
    program: Arc<Program>,
    options: Options,
    /// Whether it waits for kernels that stop VMs or keep their variables, and does not go on by interpreter until they are compiled.
    waits: bool,
    plain: Arc<Prepared>,
    /// The kernel that stops VMs where that was asked for last, and keeps their variables.
    stopping: Option<Arc<Prepared>>,
    /// The one that they were given last.
    prepared: Arc<Prepared>,
    interpreting: Box<dyn Schedule>,
    standing: Standing,
    /// Whether VMs may have been left with what the program needs and nothing else.
    forgets: bool,
}

/// Where the VMs of a session stand.
enum Standing {
    /// Where the kernel takes them up.
    Ready,
    /// Anywhere.
    Anywhere,
    /// Some where the kernel takes them up, and the others go there by an interpreter that stops in front of these instructions.
    Gathering(Arc<dyn Stepper>),
}

/// VMs of a job from which on an invocation runs several: with fewer of them a card has an invocation for each at the same time, and its compiler
/// is done sooner with a kernel that has the program once.
const MANY_VMS: u32 = 1 << 18;
/// Iterations of loops in one dispatch.
const MOST_CYCLES: u32 = 1 << 24;
/// The same for lavapipe, which silently ends a shader after 65,535 iterations of all its loops together, where each of the eight VMs
/// that share a vector may add its own.
const MOST_CYCLES_SOFTWARE: u32 = 7_000;
/// Dispatches of one submission there.
const MOST_DISPATCHES_SOFTWARE: u32 = 64;
/// Iterations of the loops inside of one instruction there, of eight VMs together: of a float remainder, and of an exchange that is tried
/// until it succeeds.
const INNER_SOFTWARE: u32 = 256;

impl Specialized {
    /// The engine for a device; programs that have to stop exactly run on the interpreter.
    pub fn new(gpu: Arc<Gpu>, interpreter: Interpreter) -> Specialized {
        Specialized {
            cache: Cache::new(gpu.clone()),
            compilers: Arc::default(),
            habits: Arc::default(),
            sizes: Arc::default(),
            gpu,
            interpreter,
        }
    }

    /// What a program is specialised for on this device, given what is known of the launch's parameters, whatever jobs it is for.
    pub fn options(&self, program: &Program, known: KnownParams) -> Options {
        Options {
            known,
            floats: if program.relaxed {
                self.gpu.floats.relaxed()
            } else {
                self.gpu.floats
            },
            relaxed: program.relaxed,
            software: self.gpu.software,
            cuda: self.gpu.is_cuda(),
            several: false,
            first_trap: false,
            stops: Vec::new(),
            shows: false,
        }
    }

    /// The same for jobs like this one.
    pub fn options_for(&self, job: &Job, known: KnownParams) -> Options {
        self.options_of(&job.program, (job.vms, job.only_first_trap), known)
    }

    /// The same for jobs of so many VMs, of which perhaps the first trap alone is asked after.
    fn options_of(&self, program: &Program, (vms, only_first_trap): (u32, bool), known: KnownParams) -> Options {
        Options {
            // A CPU gains nothing by it, and its compiler takes its time over each copy of the program.
            several: vms >= MANY_VMS && !self.gpu.software,
            // There the VMs of a workgroup do not wait for each other.
            first_trap: only_first_trap && !self.gpu.software,
            ..self.options(program, known)
        }
    }

    /// The most VMs that one job may have, which waits for the kernel only where what it leaves decides that. Whether that may be done
    /// `meanwhile`, as for [`Specialized::excess`].
    pub fn most_vms(&self, program: &Arc<Program>, demand: &Demand, meanwhile: bool) -> u32 {
        let with_rows = capacity(&self.gpu, program, demand, States::Rows);
        if demand.vms <= with_rows || !demand.only_first_trap || !matches!(self.excess(program, meanwhile), Ok(None)) {
            return with_rows;
        }
        let options = self.options_of(program, (demand.vms, true), KnownParams::default());
        match self.kernel(program, &options) {
            Ok(kernel) => capacity(&self.gpu, program, demand, kernel.states()),
            // Whoever starts a job is told.
            Err(_) => with_rows,
        }
    }

    /// The kernel of a program, compiled if it is new.
    ///
    /// # Errors
    ///
    /// [`Error::Device`](gpuvm_engine::Error::Device) if the device refuses it.
    pub fn kernel(&self, program: &Arc<Program>, options: &Options) -> Result<Arc<SpecializedKernel>> {
        self.cache.wait(&program.into(), options)
    }

    /// The kernel of a program if it is there; if not, and the program is not too large, another thread begins to compile it.
    ///
    /// # Errors
    ///
    /// [`Error::Device`](gpuvm_engine::Error::Device) if the device has refused it.
    pub fn request(&self, program: &Arc<Program>, options: &Options) -> Result<Option<Arc<SpecializedKernel>>> {
        match self.excess(program, true)? {
            None => self.cache.request(&program.into(), options, &self.compilers),
            Some(_) => Ok(None),
        }
    }

    /// The kernel of two joined jobs' programs if it is there; if not, another thread begins to compile it.
    ///
    /// # Errors
    ///
    /// [`Error::Device`](gpuvm_engine::Error::Device) if the device has refused it.
    pub fn request_joined(&self, work: &Work, options: &Options) -> Result<Option<Arc<SpecializedKernel>>> {
        for program in [Some(&work.program), work.then.as_ref()].into_iter().flatten() {
            if self.excess(program, true)?.is_some() {
                return Ok(None);
            }
        }
        self.cache.request(work, options, &self.compilers)
    }

    /// What the programs of jobs like this one and of jobs that are joined to them are specialised for.
    pub fn joined_options(&self, first: &Job) -> Options {
        Options {
            several: false,
            ..self.options_for(first, KnownParams::default())
        }
    }

    /// The kernels of a program whose elements go through tiles, if they are there; if not, another thread begins to compile them, or they are
    /// waited for.
    ///
    /// # Errors
    ///
    /// When it cannot be told.
    pub fn tiled(&self, program: &Arc<Program>, tiles: &Tiles, wait: bool) -> Result<Option<Arc<SpecializedKernel>>> {
        let Some(work) = Work::tiled(program, tiles) else {
            return Ok(None);
        };
        let precise = work.then.as_ref().unwrap_or(program);
        let options = self.options(precise, KnownParams::default());
        let kernel = match wait {
            true => self.cache.wait(&work, &options).map(Some),
            false => self.cache.request(&work, &options, &self.compilers),
        };
        match kernel {
            // They have to be such as can go through tiles.
            Err(Error::Device { .. }) => Ok(None),
            kernel => kernel,
        }
    }

    /// The estimate of how long the device's compiler takes over a program, if a launch should not wait for it, or not even start it
    /// `meanwhile`: the program is the interpreter's then.
    ///
    /// # Errors
    ///
    /// [`Error::Device`](gpuvm_engine::Error::Device) if the program cannot be looked at.
    pub fn excess(&self, program: &Arc<Program>, meanwhile: bool) -> Result<Option<Duration>> {
        let size = || Size::of(program, &self.options(program, KnownParams::default()));
        Ok(self
            .sizes
            .get(program, size)?
            .excess(Compiler::of(&self.gpu), meanwhile))
    }

    /// The kernel for just these uniforms, if the program has been launched with them for a while and it is compiled.
    pub fn habitual(&self, job: &Job, arena: &dyn Source) -> Option<Arc<Prepared>> {
        let general = self.options_for(job, KnownParams::default());
        let kind = [general.several, general.first_trap];
        let make = |known: &KnownParams| {
            let kernel = self.habit_kernel(&job.program, &general, known)?;
            Some(Arc::new(Prepared::new(kernel)))
        };
        self.habits.note(job, arena, kind, make)
    }

    /// The kernel of a program with so much folded in, if it is there; if not, another thread begins to compile it.
    fn habit_kernel(
        &self,
        program: &Arc<Program>,
        general: &Options,
        known: &KnownParams,
    ) -> Option<Arc<SpecializedKernel>> {
        let options = Options {
            known: known.clone(),
            ..general.clone()
        };
        // Without it the general kernel serves.
        let kernel = self.request(program, &options).ok().flatten()?;
        if kernel.experience.is_blank()
            && let Ok(Some(general)) = self.request(program, general)
        {
            kernel.experience.learn_from(&general.experience);
        }
        Some(kernel)
    }

    /// How a session of a job goes.
    ///
    /// # Errors
    ///
    /// [`Error::Device`](gpuvm_engine::Error::Device) if the program is damaged or the device refuses it.
    pub fn specializing(&self, job: &Job) -> Result<Specializing> {
        // The interpreter refuses damaged programs.
        self.interpreter.load(&job.program)?;
        let options = self.options_for(job, KnownParams::default());
        let kernel = self.kernel(&job.program, &options)?;
        self.schedule_with(&job.program, kernel)
    }

    /// The same with a kernel that is there.
    ///
    /// # Errors
    ///
    /// [`Error::Device`](gpuvm_engine::Error::Device) if the program is damaged or the device refuses the interpreter for it.
    pub fn schedule_with(&self, program: &Arc<Program>, kernel: Arc<SpecializedKernel>) -> Result<Specializing> {
        let plain = Arc::new(Prepared::new(kernel));
        Ok(Specializing {
            specialized: self.clone(),
            program: program.clone(),
            options: self.options(program, KnownParams::default()),
            waits: true,
            prepared: plain.clone(),
            plain,
            stopping: None,
            interpreting: self.interpreter.interpreting(program)?,
            standing: Standing::Anywhere,
            forgets: false,
        })
    }

    /// How a session goes on that a specialised stepper has begun.
    ///
    /// # Errors
    ///
    /// As [`Specialized::specializing`].
    pub fn going_on(&self, job: &Job, stepper: &dyn Stepper) -> Result<Specializing> {
        let specializing = self.specializing(job)?;
        Ok(Specializing {
            // One for certain uniforms may leave VMs where the kernel does not take them up.
            standing: match stepper.is_habitual() {
                true => Standing::Anywhere,
                false => Standing::Ready,
            },
            ..specializing
        })
    }
}

impl Execute for Specialized {
    fn memory(&self) -> Option<Arc<dyn DeviceMemory>> {
        self.interpreter.memory()
    }

    fn capacity(&self, program: &Arc<Program>, demand: &Demand) -> u32 {
        self.most_vms(program, demand, false)
    }

    fn start(&self, job: Job, arena: &dyn Source) -> Result<Box<dyn Running>> {
        Session::start(self, job, arena)
    }

    fn left_to_interpreter(&self, program: &Arc<Program>) -> Option<Duration> {
        self.excess(program, false).ok().flatten()
    }

    fn resident(&self, program: &Arc<Program>) -> Result<Box<dyn ResidentKernel>> {
        Ok(Box::new(Staying::new(self, program)?))
    }

    fn sequence(&self) -> Option<Box<dyn Sequence>> {
        Some(Box::new(JobSequence::new(self.clone())))
    }
}

impl Scheduler for Specialized {
    fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    fn schedule(&self, job: &Job, arena: &dyn Source) -> Result<Box<dyn Schedule>> {
        if self.excess(&job.program, false)?.is_some() {
            return self.interpreter.interpreting(&job.program);
        }
        Ok(Box::new(match self.habitual(job, arena) {
            Some(prepared) => self.schedule_with(&job.program, prepared.kernel.clone())?,
            None => self.specializing(job)?,
        }))
    }

    fn schedule_begun(&self, job: &Job, stepper: &dyn Stepper) -> Result<Box<dyn Schedule>> {
        if stepper.engine() != Engine::Specialized {
            return self.interpreter.interpreting(&job.program);
        }
        Ok(Box::new(self.going_on(job, stepper)?))
    }

    fn stepper(&self, job: &Job) -> Result<Arc<dyn Stepper>> {
        // The interpreter refuses damaged programs.
        let interpreted = self.interpreter.load(&job.program)?;
        if self.excess(&job.program, false)?.is_some() {
            return Ok(interpreted);
        }
        let kernel = self.kernel(&job.program, &self.options_for(job, KnownParams::default()))?;
        Ok(Arc::new(Prepared::new(kernel)))
    }

    fn habitual(&self, job: &Job, arena: &dyn Source) -> Option<Arc<dyn Stepper>> {
        Some(Specialized::habitual(self, job, arena)?)
    }

    fn joined(&self, first: &Job, then: &Job) -> Result<Option<Arc<dyn Stepper>>> {
        let Some(work) = Work::joined(&first.program, &then.program) else {
            return Ok(None);
        };
        if self.excess(&first.program, false)?.is_some() || self.excess(&then.program, false)?.is_some() {
            return Ok(None);
        }
        let kernel = self.cache.wait(&work, &self.joined_options(first))?;
        Ok(Some(Arc::new(Prepared::new(kernel))))
    }

    fn has_tiles(&self) -> bool {
        true
    }

    fn tiled(&self, program: &Arc<Program>, tiles: &Tiles) -> Result<Option<Arc<dyn Stepper>>> {
        let kernel = Specialized::tiled(self, program, tiles, true)?;
        Ok(kernel.map(|kernel| Arc::new(Prepared::new(kernel)) as Arc<dyn Stepper>))
    }
}

impl Specializing {
    /// The same, which does not wait for kernels with breakpoints.
    pub fn without_waiting(self) -> Specializing {
        Specializing { waits: false, ..self }
    }

    /// The kernel for what is needed; `None` if the interpreter has to see to it.
    fn kernel_for(&mut self, need: &Need<'_>) -> Result<Option<Arc<Prepared>>> {
        if need.exact {
            return Ok(None);
        }
        if need.breakpoints.is_empty() && !need.shows {
            return Ok(Some(self.plain.clone()));
        }
        if self.options.stops != need.breakpoints || self.options.shows != need.shows {
            self.options.stops = need.breakpoints.to_vec();
            self.options.shows = need.shows;
            self.stopping = None;
        }
        if self.stopping.is_none() {
            let kernel = match self.waits {
                true => self.specialized.kernel(&self.program, &self.options).map(Some),
                false => self.specialized.request(&self.program, &self.options),
            };
            // A device that refuses it leaves the VMs to the interpreter, which stops them too.
            self.stopping = kernel.ok().flatten().map(|kernel| Arc::new(Prepared::new(kernel)));
        }
        Ok(self.stopping.clone())
    }
}

impl Schedule for Specializing {
    fn stepper(&mut self, need: &Need<'_>) -> Result<Arc<dyn Stepper>> {
        let Some(kernel) = self.kernel_for(need)? else {
            self.standing = Standing::Anywhere;
            return self.interpreting.stepper(need);
        };
        if !Arc::ptr_eq(&kernel, &self.prepared) {
            self.prepared = kernel;
            self.standing = Standing::Anywhere;
        }
        match &self.standing {
            _ if need.fresh => {}
            Standing::Ready => {}
            Standing::Gathering(_) if need.gathered => {}
            Standing::Gathering(gathering) => return Ok(gathering.clone()),
            Standing::Anywhere => {
                let entries = &self.prepared.kernel.about.entries;
                let gathering: Arc<dyn Stepper> =
                    self.specialized.interpreter.load_gathering(&self.program, entries)?;
                self.standing = Standing::Gathering(gathering.clone());
                return Ok(gathering);
            }
        }
        self.standing = Standing::Ready;
        self.forgets = !need.shows || self.forgets && !need.fresh;
        if let Some(resumed) = self.prepared.kernel.resumed.as_ref().filter(|_| !need.fresh) {
            resumed.pipeline(&self.specialized.gpu)?;
        }
        Ok(self.prepared.clone())
    }

    fn kept(&self, at: u32) -> u32 {
        match self.forgets {
            true => Flow::new(&self.program).live_before(&self.program, at),
            false => u32::MAX,
        }
    }

    fn replaced(&mut self, image: &Image) {
        self.standing = Standing::Ready;
        self.forgets = false;
        self.moved(image);
    }

    fn moved(&mut self, image: &Image) {
        let entries = &self.prepared.kernel.about.entries;
        let anywhere = image.records.chunks_exact(STATE_WORDS).any(|record| {
            let stands = record[header::STATUS];
            let goes_on = [Status::Running, Status::Yielded, Status::Blocked]
                .iter()
                .any(|status| stands == *status as u32);
            goes_on && entries.binary_search(&record[header::IP]).is_err()
        });
        if anywhere {
            self.standing = Standing::Anywhere;
        }
    }
}

impl Prepared {
    /// A kernel, ready to be bound.
    pub fn new(kernel: Arc<SpecializedKernel>) -> Prepared {
        Prepared {
            reach: kernel.reach,
            kernel,
        }
    }
}

impl Stepper for Prepared {
    fn engine(&self) -> Engine {
        Engine::Specialized
    }

    fn launch_fields(&self) -> &[String] {
        &self.kernel.uniform
    }

    fn reach(&self) -> Reach {
        let mut reach = self.reach;
        if let Some(resumed) = &self.kernel.resumed
            && resumed.ready().is_none()
        {
            // The others would be its.
            reach.dispatches = 1;
        }
        reach
    }

    fn ends_at_once(&self) -> bool {
        !self.kernel.about.suspends
    }

    fn counts_instructions(&self) -> bool {
        false
    }

    fn leaves_states(&self) -> bool {
        false
    }

    fn spares_frames(&self) -> bool {
        !self.kernel.about.uses_frames
    }

    fn is_habitual(&self) -> bool {
        self.kernel.habitual
    }

    fn experience(&self) -> &Experience {
        &self.kernel.experience
    }

    fn states(&self) -> States {
        self.kernel.states()
    }

    fn bind(&self, gpu: &Gpu, shared: &Shared<'_>, vms: u32) -> Box<dyn BoundStepper> {
        if let Some(tiles) = self.kernel.tiles {
            return Box::new(OnTiles {
                kernel: self.kernel.clone(),
                group: shared.group(gpu, &self.kernel.layout),
                passes: passes(gpu, tiles, vms),
            });
        }
        Box::new(OnBuffers {
            kernel: self.kernel.clone(),
            group: match self.kernel.joined {
                _ if self.kernel.has_pairs => shared.group_with_pairs(gpu, &self.kernel.layout),
                true => shared.joined_group(gpu, &self.kernel.layout),
                false => shared.group(gpu, &self.kernel.layout),
            },
            groups: dispatched(gpu, vms, self.kernel.workgroup, self.kernel.most_groups),
        })
    }
}

impl BoundStepper for OnBuffers {
    fn record(&mut self, pass: &mut wgpu::ComputePass<'_>, batch: &Batch) -> Recorded {
        let mut recorded = Recorded::default();
        for dispatch in 0..batch.dispatches {
            let first = dispatch == 0;
            let pipeline = match &self.kernel.resumed {
                _ if first && batch.fresh => &self.kernel.fresh,
                Some(resumed) => match resumed.ready() {
                    Some(resumed) => resumed,
                    // There will be another batch.
                    None => break,
                },
                // All VMs have run to their ends.
                None => break,
            };
            let launches = match self.kernel.joined {
                true => &[batch.first, batch.then][..],
                false if first => &[batch.first],
                false => &[batch.then],
            };
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &self.group, launches);
            if let Some(data) = &self.kernel.data {
                pass.set_bind_group(1, data, &[]);
            }
            pass.dispatch_workgroups(self.groups[0], self.groups[1], 1);
            recorded.dispatches += 1;
        }
        recorded
    }
}

/// Kernels that go through tiles, with a session's buffers.
struct OnTiles {
    kernel: Arc<SpecializedKernel>,
    group: wgpu::BindGroup,
    passes: Vec<Pass>,
}

/// A dispatch that goes through tiles once.
struct Pass {
    /// Whether it only folds them.
    folds: bool,
    groups: [u32; 2],
}

/// The dispatches for so many elements. Those of a scan tell by how many workgroups they have which level they are of.
fn passes(gpu: &Gpu, tiles: Passes, elements: u32) -> Vec<Pass> {
    let pass = |folds, tiles: u32| Pass {
        folds,
        groups: groups(gpu, u64::from(tiles) * u64::from(tile::WORKGROUP), tile::WORKGROUP),
    };
    let levels = Tiles::levels(elements.max(1));
    let levels: Vec<u32> = match tiles {
        Passes::Scan => levels.collect(),
        Passes::Mark => levels.take(1).collect(),
    };
    let up = levels[..levels.len() - 1].iter().map(|&all| pass(true, all));
    up.chain(levels.iter().rev().map(|&all| pass(false, all))).collect()
}

impl BoundStepper for OnTiles {
    fn record(&mut self, pass: &mut wgpu::ComputePass<'_>, batch: &Batch) -> Recorded {
        for Pass { folds, groups } in &self.passes {
            let pipeline = match &self.kernel.fold {
                Some(fold) if *folds => fold,
                _ => &self.kernel.fresh,
            };
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &self.group, &[batch.first]);
            pass.dispatch_workgroups(groups[0], groups[1], 1);
        }
        Recorded {
            dispatches: self.passes.len() as u64,
        }
    }
}

/// How much a dispatch may do for a program.
pub fn reach(software: bool, program: &Program) -> Reach {
    let loops = (0..program.code.len() as u32)
        .filter(|&ip| op_at(program, ip).is_some_and(|op| matches!(op.repeats(), Repeats::Steps | Repeats::Retries)));
    let inner = loops.count() as u32 * INNER_SOFTWARE;
    Reach {
        cycles: match software {
            true => (MOST_CYCLES_SOFTWARE / inner.saturating_add(1)).max(1),
            false => MOST_CYCLES,
        },
        dispatches: if software { MOST_DISPATCHES_SOFTWARE } else { 1 },
        inner: 0,
    }
}
