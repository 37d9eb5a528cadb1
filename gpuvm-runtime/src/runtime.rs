//! The runtime: a device with its engines, the settings programs are linked with, and the programs linked so far.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use gpuvm_core::compile::{link_kernel, link_kernel_behind};
use gpuvm_core::kernel::Kernel;
use gpuvm_core::routine::RoutineKey;

use gpuvm_core::program::{Program, ProgramId, atomic_pairs};
use gpuvm_core::settings::Settings;
use gpuvm_core::types::{TypeRef, VmType};
use gpuvm_engine::{
    Backend, Device, Engine, Execute, Lost, MemoryUse, Opened, Ranks, Reference, engine_over_ranks, gathered,
    over_ranks, team,
};

use crate::buffer::Buffer;
use crate::config::RuntimeConfig;
use crate::device;
use crate::entry::{Code, Entry, Launchable};
use crate::error::{Error, Result};
use crate::rates::Rates;
use crate::remembered::Remembered;
use crate::repeats::Repeats;

/// What is spread over the devices of a runtime on [several](crate::RuntimeBuilder::devices).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Spreading {
    /// What takes long enough that it pays, as far as is known: launches of 4 ms on one device, what works on [buffers](Buffer) and columns of plans where a kernel of it takes half a millisecond and several devices turn out to be faster, and ring kernels of 2²² actors or more that send each other messages.
    #[default]
    Auto,
    /// Everything that can be.
    Always,
    /// Nothing. All is on the first device.
    Never,
}

/// Where launches run. It is a handle: a clone is the same runtime.
#[derive(Clone)]
pub struct Runtime {
    shared: Arc<Shared>,
    extent: Extent,
}

/// What a handle to a runtime runs on.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// All ranks, if it is one of several.
    Ranks,
    /// This process's devices.
    Devices,
    /// The first of them.
    First,
}

struct Shared {
    /// Its devices, at least one.
    members: Vec<Member>,
    /// Its GPUs as one device, if there are several. What is not spread runs on them, or if one of them has failed on the first device that has not.
    team: Option<Opened>,
    /// The processes that the runtime is one of, and what runs on all of them.
    ranked: Option<Ranked>,
    /// How fast they are.
    rates: Rates,
    /// What is spread over them.
    spreading: Spreading,
    settings: Settings,
    config: RuntimeConfig,
    /// What modules above this one keep with a runtime.
    kept: Option<Arc<dyn Any + Send + Sync>>,
    /// Linked programs by what tells their routines apart, and the depth they allow.
    programs: Mutex<Remembered<(RoutineKey, u32)>>,
    /// Linked kernels of plans by what tells them apart.
    kernels: Mutex<Remembered<String>>,
    /// What batches ran of late.
    repeats: Mutex<Repeats>,
}

/// What runs on all ranks.
struct Ranked {
    ranks: Arc<dyn Ranks>,
    lead: Opened,
    reference: Arc<dyn Execute>,
    /// How fast they are.
    rates: Rates,
    /// Launches whose VMs were handed out to them.
    handed_out: AtomicU64,
}

/// A device of a runtime, with its engines, the one which [`Engine::Auto`] means first.
pub(crate) struct Member {
    pub opened: Opened,
    /// Set once it has failed.
    lost: AtomicBool,
    /// Its number among the GPUs that are one, which know as well whether it has failed.
    in_team: Option<(Lost, usize)>,
}

impl Member {
    /// Whether it has failed.
    pub(crate) fn is_lost(&self) -> bool {
        let in_team = self.in_team.as_ref();
        self.lost.load(Ordering::Relaxed) || in_team.is_some_and(|(lost, number)| lost.is(*number))
    }

    fn lose(&self) {
        self.lost.store(true, Ordering::Relaxed);
        if let Some((lost, number)) = &self.in_team {
            lost.note(*number);
        }
    }
}

/// The process's runtimes.
static RUNTIMES: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

fn all() -> MutexGuard<'static, Vec<Weak<Shared>>> {
    RUNTIMES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn memory(&self) -> MemoryUse {
        // All engines of a device share its memory.
        let of = |member: &Member| member.opened.engines.first()?.1.memory();
        let memories = self.members.iter().filter_map(of);
        memories
            .map(|memory| memory.in_use())
            .fold(MemoryUse::default(), |all, other| {
                MemoryUse::new(all.data + other.data, all.work + other.work, all.idle + other.idle)
            })
    }

    /// The number of the first device that has not failed.
    fn first(&self) -> usize {
        let able = self.members.iter().position(|member| !member.is_lost());
        able.unwrap_or_default()
    }
}

impl Ranked {
    fn new(ranks: Arc<dyn Ranks>, own: &Opened, spreading: Spreading) -> Result<Ranked> {
        let cuts = match spreading {
            Spreading::Auto => None,
            Spreading::Always => Some(true),
            Spreading::Never => Some(false),
        };
        let reference: Arc<dyn Execute> = Arc::new(Reference);
        Ok(Ranked {
            lead: over_ranks(own, &ranks, cuts)?,
            reference: engine_over_ranks(&reference, &ranks, cuts),
            ranks,
            rates: Rates::default(),
            handed_out: AtomicU64::new(0),
        })
    }
}

impl Drop for Runtime {
    fn drop(&mut self) {
        // A look at all runtimes has a part of each as long as it takes, which is not to be what closes the device: the process may end meanwhile.
        if Arc::strong_count(&self.shared) <= 2 {
            let mut all = all();
            if Arc::strong_count(&self.shared) == 1 {
                all.retain(|runtime| !std::ptr::eq(runtime.as_ptr(), Arc::as_ptr(&self.shared)));
            }
        }
    }
}

impl Runtime {
    /// All devices there are. Each GPU is opened for a moment to probe its floats.
    pub fn devices() -> Vec<Device> {
        device::devices()
    }

    /// The device that it runs on. Several GPUs are one device here, to all that is not [spread](crate::RuntimeBuilder::devices) over what there is besides.
    pub fn device(&self) -> &Device {
        &self.lead_opened().device
    }

    /// All devices that it runs on, in the order in which they were asked for.
    pub fn own_devices(&self) -> impl Iterator<Item = &Device> {
        self.shared.members.iter().map(|member| &member.opened.device)
    }

    /// Its devices with their engines.
    pub(crate) fn members(&self) -> &[Member] {
        &self.shared.members
    }

    /// The number of what runs what is not spread: of one of its devices, or behind them of its GPUs as one.
    pub(crate) fn lead(&self) -> usize {
        let Shared { members, team, .. } = &*self.shared;
        let in_team = |member: &Member| member.in_team.is_some() && !member.is_lost();
        match team {
            Some(_) if self.extent != Extent::First && members.iter().any(in_team) => members.len(),
            _ => self.shared.first(),
        }
    }

    /// Whether several GPUs are one device, and not all of them have failed.
    pub(crate) fn has_team(&self) -> bool {
        self.lead() == self.members().len()
    }

    /// What runs what is not spread.
    fn lead_opened(&self) -> &Opened {
        let Shared { members, team, .. } = &*self.shared;
        if let Some(ranked) = self.ranked() {
            return &ranked.lead;
        }
        match (members.get(self.lead()), team) {
            (None, Some(team)) => team,
            (member, _) => &member.unwrap_or(&members[0]).opened,
        }
    }

    fn ranked(&self) -> Option<&Ranked> {
        self.shared.ranked.as_ref().filter(|_| self.extent == Extent::Ranks)
    }

    /// The [processes](crate::RuntimeBuilder::ranks) that it is one of, if what it runs is cut over them.
    pub fn ranks(&self) -> Option<&Arc<dyn Ranks>> {
        self.ranked().map(|ranked| &ranked.ranks)
    }

    /// How fast the ranks are, if it is one of several.
    pub(crate) fn rates_of_ranks(&self) -> &Rates {
        self.ranked().map_or(&self.shared.rates, |ranked| &ranked.rates)
    }

    /// The number of another launch whose VMs are handed out to ranks, the same on all of them.
    pub(crate) fn next_handed_out(&self) -> u64 {
        let handed_out = self.ranked().map(|ranked| &ranked.handed_out);
        handed_out.map_or(0, |count| count.fetch_add(1, Ordering::Relaxed))
    }

    /// The same on the devices of this rank, which the others know nothing of; the same runtime if it is not one of several ranks.
    pub fn on_rank(&self) -> Runtime {
        Runtime {
            shared: Arc::clone(&self.shared),
            extent: Extent::Devices,
        }
    }

    /// The longest time of those that the ranks have, so that all of them save the same.
    pub(crate) fn longest(&self, own: Duration) -> Result<Duration> {
        let Some(ranks) = self.ranks() else {
            return Ok(own);
        };
        Ok(gathered(&**ranks, &own)?.into_iter().max().unwrap_or(own))
    }

    /// The same on the first of its devices alone, for what takes longer on several.
    pub(crate) fn alone(&self) -> Runtime {
        Runtime {
            shared: Arc::clone(&self.shared),
            extent: Extent::First,
        }
    }

    /// Notes that a device has failed. What is launched from now on is not on it, if there is another.
    pub(crate) fn lose(&self, number: usize) {
        if let Some(member) = self.members().get(number) {
            member.lose();
        }
    }

    /// How fast its devices are.
    pub(crate) fn rates(&self) -> &Rates {
        &self.shared.rates
    }

    /// What is spread.
    pub(crate) fn spreading(&self) -> Spreading {
        self.shared.spreading
    }

    /// What an engine runs on here.
    pub(crate) fn device_of(&self, engine: Engine) -> Device {
        match engine {
            Engine::Native | Engine::Reference => Device::cpu(),
            _ => self.device().clone(),
        }
    }

    /// How much it has of its devices' memory at the moment; nothing on the CPU.
    pub fn memory(&self) -> MemoryUse {
        self.shared.memory()
    }

    /// What its ring kernels have in common.
    pub fn config(&self) -> &RuntimeConfig {
        &self.shared.config
    }

    /// A runtime on devices that are open, at least one, and on those of other ranks, with what modules above this one keep with it.
    ///
    /// # Errors
    ///
    /// When another rank cannot be reached.
    pub(crate) fn on(
        (devices, ranks, spreading): (Vec<Opened>, Option<Arc<dyn Ranks>>, Spreading),
        settings: Settings,
        config: RuntimeConfig,
        kept: Option<Arc<dyn Any + Send + Sync>>,
    ) -> Result<Runtime> {
        let (team, lost) = team_of(&devices, spreading).unzip();
        let own = team.as_ref().or(devices.first());
        let ranked = match ranks.zip(own) {
            Some((ranks, own)) => Some(Ranked::new(ranks, own, spreading)?),
            None => None,
        };
        let shared = Arc::new(Shared {
            members: members(devices, lost),
            team,
            ranked,
            rates: Rates::default(),
            spreading,
            settings,
            config,
            kept,
            programs: Mutex::default(),
            kernels: Mutex::default(),
            repeats: Mutex::default(),
        });
        all().push(Arc::downgrade(&shared));
        Ok(Runtime {
            shared,
            extent: Extent::Ranks,
        })
    }

    /// What each of the process has, in the order in which they were opened.
    pub(crate) fn memory_of_all() -> Vec<(Device, MemoryUse)> {
        let all = all();
        let memory = all.iter().filter_map(|shared| {
            let shared = shared.upgrade()?;
            Some((shared.members[shared.first()].opened.device.clone(), shared.memory()))
        });
        memory.collect()
    }

    /// What modules above this one keep with it.
    pub(crate) fn kept(&self) -> Option<&(dyn Any + Send + Sync)> {
        self.shared.kept.as_deref()
    }

    /// The settings that programs are linked with.
    pub fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    /// A buffer with a copy of `data`.
    ///
    /// # Errors
    ///
    /// When the device has no memory for it, or [`Error::SizeTooLarge`].
    pub fn buffer<T: VmType>(&self, data: &[T]) -> Result<Buffer<T>> {
        Buffer::check_sizes(data)?;
        Ok(Buffer::new(data))
    }

    /// A buffer of so many entries whose words are all 0: what `T` has there is 0 for numbers, `false`, `None`. They are made where they are used
    /// first, so that a GPU gets nothing from the host. A plan has [zeros of its own](crate::Plan::zeros).
    ///
    /// ```
    /// use gpuvm_runtime::{Backend, Runtime};
    ///
    /// let runtime = Runtime::builder().backend(Backend::Cpu).build()?;
    /// assert_eq!(runtime.zeros::<[f32; 2]>(3).read()?, [[0.0; 2]; 3]);
    /// # Ok::<(), gpuvm_runtime::Error>(())
    /// ```
    pub fn zeros<T: VmType>(&self, len: usize) -> Buffer<T> {
        Buffer::zeros(len)
    }

    /// The linked program of the routine with this id, or of this routine, as the engines run it.
    ///
    /// # Errors
    ///
    /// As [`Runtime::launch`], or [`Error::Link`].
    pub fn program(&self, what: impl Launchable) -> Result<Arc<Program>> {
        self.link_with(&what.entry()?, &self.shared.settings)
    }

    /// Links a kernel, given what tells it apart, or gives what was linked before with the runtime's settings and any depth.
    pub(crate) fn linked(
        &self,
        key: RoutineKey,
        kernel: impl FnOnce() -> Kernel,
        settings: &Settings,
    ) -> Result<Arc<Program>> {
        let own = Settings {
            recursion_limit: settings.recursion_limit,
            ..self.shared.settings.clone()
        };
        if *settings != own {
            return Ok(Arc::new(link_kernel(&kernel(), gpuvm_math::LIBRARY, settings)?));
        }
        let key = (key, settings.recursion_limit);
        let programs = || self.shared.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = programs().get(&key) {
            return Ok(program);
        }
        // Linking without the lock lets different routines link at the same time; of two equal programs the first stays.
        let program = Arc::new(link_kernel(&kernel(), gpuvm_math::LIBRARY, settings)?);
        Ok(programs().keep(key, program))
    }

    /// Links a kernel with settings that may be others than the runtime's, and these words before its own data.
    pub(crate) fn link_kernel_behind(
        &self,
        kernel: &Kernel,
        settings: &Settings,
        data: &[u32],
    ) -> Result<Arc<Program>> {
        let link = || -> Result<_> {
            let program = link_kernel_behind(kernel, gpuvm_math::LIBRARY, settings, data.to_vec())?;
            Ok(Arc::new(program))
        };
        if *settings != self.shared.settings {
            return link();
        }
        let key = match data {
            [] => kernel.key(),
            _ => {
                let bytes: Vec<u8> = data.iter().flat_map(|word| word.to_le_bytes()).collect();
                format!("{} behind {}", kernel.key(), ProgramId::of(&bytes))
            }
        };
        let kernels = || self.shared.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = kernels().get(&key) {
            return Ok(program);
        }
        let program = link()?;
        Ok(kernels().keep(key, program))
    }

    /// Links a kernel of a plan or a batch, or gives what was linked before, so that engines find what they made of it.
    pub(crate) fn link_kernel(&self, kernel: &Kernel) -> Result<Arc<Program>> {
        self.link_kernel_behind(kernel, &self.shared.settings, &[])
    }

    /// What batches ran of late.
    pub(crate) fn repeats(&self) -> MutexGuard<'_, Repeats> {
        self.shared.repeats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Links a routine with settings that may be others than the runtime's. A program is linked already.
    pub(crate) fn link_with(&self, entry: &Entry, settings: &Settings) -> Result<Arc<Program>> {
        match entry.code() {
            Code::Program(program) => Ok(Arc::clone(program)),
            Code::Routine(routine) => self.linked(routine.key(), || Kernel::of(routine), settings),
        }
    }

    /// The engine that an engine means for a launch of routines with such parameters that may have to pause.
    ///
    /// # Errors
    ///
    /// [`Error::EngineUnavailable`] for the native engine.
    pub(crate) fn pausing<'t>(&self, engine: Engine, params: impl IntoIterator<Item = &'t TypeRef>) -> Result<Engine> {
        match engine {
            Engine::Auto => Ok(match self.auto(params) {
                Engine::Native => Engine::Reference,
                engine => engine,
            }),
            Engine::Native => Err(Error::EngineUnavailable {
                engine,
                reason:
                    "it cannot pause, so it takes no budget and no `start`; leave the engine to gpuvm, or name another"
                        .to_string(),
            }),
            engine => Ok(engine),
        }
    }

    /// What [`Engine::Auto`] means here for routines with such parameters: the CPU, where the device does not have what they need.
    pub(crate) fn auto<'t>(&self, params: impl IntoIterator<Item = &'t TypeRef>) -> Engine {
        if !self.device().atomics_64 && atomic_pairs(params).is_some() {
            return Engine::Native;
        }
        self.lead_opened()
            .engines
            .first()
            .map_or(Engine::Native, |(engine, _)| *engine)
    }

    /// What [`Engine::Auto`] means for programs that nobody has compiled and that run once.
    pub(crate) fn batching<'t>(&self, params: impl IntoIterator<Item = &'t TypeRef>) -> Engine {
        match self.auto(params) {
            Engine::Native => Engine::Native,
            _ => Engine::Interpreter,
        }
    }

    /// The engine, where it runs programs.
    pub(crate) fn executor(&self, engine: Engine) -> Result<Arc<dyn Execute>> {
        if engine == Engine::Reference {
            let over_ranks = self.ranked().map(|ranked| Arc::clone(&ranked.reference));
            return Ok(over_ranks.unwrap_or_else(|| Arc::new(Reference)));
        }
        let found = self.lead_opened().engines.iter().find(|(known, _)| *known == engine);
        found
            .map(|(_, executor)| Arc::clone(executor))
            .ok_or_else(|| Error::EngineUnavailable {
                engine,
                reason: match self.device().backend {
                    Backend::Cpu => "it needs a GPU, and this runtime is on the CPU; build one with \
                                 `Runtime::builder().backend(Backend::Wgpu)` or `Backend::Cuda`"
                        .to_string(),
                    _ => {
                        let known: Vec<_> = self
                            .lead_opened()
                            .engines
                            .iter()
                            .filter(|(engine, _)| *engine != Engine::Auto)
                            .map(|(engine, _)| engine.to_string())
                            .collect();
                        format!("{} has native, reference, {}", self.device().name, known.join(", "))
                    }
                },
            })
    }
}

/// GPUs as one device, if there are several.
fn team_of(devices: &[Opened], spreading: Spreading) -> Option<(Opened, Lost)> {
    let of = |opened: &&Opened| opened.device.threads == 0;
    let shared = |opened: &Opened| Opened {
        device: opened.device.clone(),
        engines: opened.engines.clone(),
    };
    let gpus: Vec<Opened> = devices.iter().filter(of).map(shared).collect();
    match spreading {
        Spreading::Never => None,
        Spreading::Auto | Spreading::Always => team(&gpus, spreading == Spreading::Always),
    }
}

/// The devices, of which the GPUs are one.
fn members(devices: Vec<Opened>, lost: Option<Lost>) -> Vec<Member> {
    let mut gpus = 0;
    let member = |opened: Opened| Member {
        in_team: lost.clone().filter(|_| opened.device.threads == 0).map(|lost| {
            gpus += 1;
            (lost, gpus - 1)
        }),
        opened,
        lost: AtomicBool::new(false),
    };
    devices.into_iter().map(member).collect()
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runtime")
            .field("devices", &self.own_devices().collect::<Vec<_>>())
            .field("settings", &self.shared.settings)
            .finish_non_exhaustive()
    }
}
