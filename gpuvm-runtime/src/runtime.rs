//! The runtime: a device with its engines, the settings programs are linked with, and the programs linked so far.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use gpuvm_core::compile::link_kernel;
use gpuvm_core::kernel::Kernel;
use gpuvm_core::routine::RoutineKey;

use gpuvm_core::program::{Program, atomic_pairs};
use gpuvm_core::settings::Settings;
use gpuvm_core::types::{TypeRef, VmType};
use gpuvm_engine::{Backend, Device, Engine, Execute, MemoryUse, Opened, Reference};

use crate::buffer::Buffer;
use crate::config::RuntimeConfig;
use crate::device;
use crate::entry::{Code, Entry, Launchable};
use crate::error::{Error, Result};

/// Where launches run. It is a handle: a clone is the same runtime.
#[derive(Clone)]
pub struct Runtime {
    shared: Arc<Shared>,
}

struct Shared {
    device: Device,
    /// The device's engines, the one which [`Engine::Auto`] means first.
    engines: Vec<(Engine, Arc<dyn Execute>)>,
    settings: Settings,
    config: RuntimeConfig,
    /// What modules above this one keep with a runtime.
    kept: Option<Arc<dyn Any + Send + Sync>>,
    /// Linked programs by what tells their routines apart, and the depth they allow.
    programs: Mutex<Remembered<(RoutineKey, u32)>>,
    /// Linked kernels of plans by what tells them apart.
    kernels: Mutex<Remembered<String>>,
}

/// The process's runtimes.
static RUNTIMES: Mutex<Vec<Weak<Shared>>> = Mutex::new(Vec::new());

fn all() -> MutexGuard<'static, Vec<Weak<Shared>>> {
    RUNTIMES.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn memory(&self) -> MemoryUse {
        // All engines of a device share its memory.
        let memory = self.engines.first().and_then(|(_, engine)| engine.memory());
        memory.map_or_else(MemoryUse::default, |memory| memory.in_use())
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

/// Linked programs by what tells them apart: those that were asked for last, and those before them.
struct Remembered<K> {
    last: BTreeMap<K, Arc<Program>>,
    before: BTreeMap<K, Arc<Program>>,
}

/// Programs that were asked for last are as many at most; then they become those before, which are forgotten.
const MOST_REMEMBERED: usize = 1 << 14;

impl<K> Default for Remembered<K> {
    fn default() -> Self {
        Remembered {
            last: BTreeMap::new(),
            before: BTreeMap::new(),
        }
    }
}

impl<K: Ord> Remembered<K> {
    fn get(&mut self, key: &K) -> Option<Arc<Program>> {
        if let Some(program) = self.last.get(key) {
            return Some(Arc::clone(program));
        }
        let (key, program) = self.before.remove_entry(key)?;
        Some(self.keep(key, program))
    }

    /// Remembers a program, unless there is one already.
    fn keep(&mut self, key: K, program: Arc<Program>) -> Arc<Program> {
        if self.last.len() >= MOST_REMEMBERED {
            self.before = std::mem::take(&mut self.last);
        }
        Arc::clone(self.last.entry(key).or_insert(program))
    }
}

impl Runtime {
    /// All devices there are. Each GPU is opened for a moment to probe its floats.
    pub fn devices() -> Vec<Device> {
        device::devices()
    }

    /// The device that it runs on.
    pub fn device(&self) -> &Device {
        &self.shared.device
    }

    /// What an engine runs on here.
    pub(crate) fn device_of(&self, engine: Engine) -> Device {
        match engine {
            Engine::Native | Engine::Reference => Device::cpu(),
            _ => self.shared.device.clone(),
        }
    }

    /// How much it has of its device's memory at the moment; nothing on the CPU.
    pub fn memory(&self) -> MemoryUse {
        self.shared.memory()
    }

    /// What its ring kernels have in common.
    pub fn config(&self) -> &RuntimeConfig {
        &self.shared.config
    }

    /// A runtime on a device that is open, with what modules above this one keep with it.
    pub(crate) fn on(
        Opened { device, engines }: Opened,
        settings: Settings,
        config: RuntimeConfig,
        kept: Option<Arc<dyn Any + Send + Sync>>,
    ) -> Runtime {
        let shared = Arc::new(Shared {
            device,
            engines,
            settings,
            config,
            kept,
            programs: Mutex::default(),
            kernels: Mutex::default(),
        });
        all().push(Arc::downgrade(&shared));
        Runtime { shared }
    }

    /// What each of the process has, in the order in which they were opened.
    pub(crate) fn memory_of_all() -> Vec<(Device, MemoryUse)> {
        let all = all();
        let memory = all.iter().filter_map(|shared| {
            let shared = shared.upgrade()?;
            Some((shared.device.clone(), shared.memory()))
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

    /// Links a kernel with settings that may be others than the runtime's.
    pub(crate) fn link_kernel_with(&self, kernel: &Kernel, settings: &Settings) -> Result<Arc<Program>> {
        match *settings == self.shared.settings {
            true => self.link_kernel(kernel),
            false => Ok(Arc::new(link_kernel(kernel, gpuvm_math::LIBRARY, settings)?)),
        }
    }

    /// Links a kernel of a plan or a batch, or gives what was linked before, so that engines find what they made of it.
    pub(crate) fn link_kernel(&self, kernel: &Kernel) -> Result<Arc<Program>> {
        let key = kernel.key();
        let kernels = || self.shared.kernels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = kernels().get(&key) {
            return Ok(program);
        }
        let program = Arc::new(link_kernel(kernel, gpuvm_math::LIBRARY, &self.shared.settings)?);
        Ok(kernels().keep(key, program))
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
        if !self.shared.device.atomics_64 && atomic_pairs(params).is_some() {
            return Engine::Native;
        }
        self.shared
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
            return Ok(Arc::new(Reference));
        }
        let found = self.shared.engines.iter().find(|(known, _)| *known == engine);
        found
            .map(|(_, executor)| Arc::clone(executor))
            .ok_or_else(|| Error::EngineUnavailable {
                engine,
                reason: match self.shared.device.backend {
                    Backend::Cpu => "it needs a GPU, and this runtime is on the CPU; build one with \
                                 `Runtime::builder().backend(Backend::Wgpu)` or `Backend::Cuda`"
                        .to_string(),
                    _ => {
                        let known: Vec<_> = self
                            .shared
                            .engines
                            .iter()
                            .filter(|(engine, _)| *engine != Engine::Auto)
                            .map(|(engine, _)| engine.to_string())
                            .collect();
                        format!(
                            "{} has native, reference, {}",
                            self.shared.device.name,
                            known.join(", ")
                        )
                    }
                },
            })
    }
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runtime")
            .field("device", &self.shared.device)
            .field("settings", &self.shared.settings)
            .finish_non_exhaustive()
    }
}
