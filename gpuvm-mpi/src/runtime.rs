//! A runtime on all ranks.

use std::ops::Deref;
use std::sync::Arc;

use gpuvm::{Backend, Device, DeviceKind, Devices, FloatMode, RuntimeConfig, Settings, Spreading};
use gpuvm_engine::Ranks;
use mpi::traits::Communicator;

use crate::error::Result;
use crate::world::{World, world};

/// A [`gpuvm::Runtime`] on the devices of all ranks. It is a handle: a clone is the same runtime. MPI begins with the first, and ends when the last clone
/// is dropped, which waits for all ranks.
#[derive(Clone)]
pub struct Runtime {
    // Dropped before MPI is.
    runtime: gpuvm::Runtime,
    world: Arc<World>,
}

/// Choices for a [`Runtime`], the same on each rank but for the devices.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    builder: gpuvm::RuntimeBuilder,
    backend: Backend,
    has_devices: bool,
}

impl Runtime {
    /// A runtime on all ranks, each with its part of the GPUs of its machine: with as many ranks as GPUs one each, with fewer of them several. A machine without GPUs
    /// has the cores that MPI gives each rank.
    ///
    /// # Errors
    ///
    /// As [`Builder::build`].
    pub fn new() -> Result<Runtime> {
        Runtime::builder().build()
    }

    /// A runtime with choices of your own.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Which rank this process is, from 0 on.
    pub fn rank(&self) -> usize {
        self.world.own()
    }

    /// How many ranks there are.
    pub fn size(&self) -> usize {
        self.world.count()
    }

    /// Words that each rank gives, one rank's after the other's, on all of them: what they know each for itself, such as the states of their actors.
    ///
    /// # Errors
    ///
    /// When another rank cannot be reached.
    pub fn gather_words(&self, own: &[u32]) -> Result<Vec<u32>> {
        let all = self.world.gather(own).map_err(gpuvm::Error::from)?;
        Ok(all.iter().flat_map(|words| words.iter().copied()).collect())
    }

    pub(crate) fn world(&self) -> &Arc<World> {
        &self.world
    }

    /// Whether this is the rank that speaks for all: prints, and writes what is written once.
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }
}

impl Deref for Runtime {
    type Target = gpuvm::Runtime;

    fn deref(&self) -> &gpuvm::Runtime {
        &self.runtime
    }
}

impl std::fmt::Debug for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runtime")
            .field("rank", &self.rank())
            .field("size", &self.size())
            .field("runtime", &self.runtime)
            .finish()
    }
}

impl Builder {
    /// Which backend, as [`gpuvm::RuntimeBuilder::backend`] has it.
    pub fn backend(mut self, backend: Backend) -> Self {
        self.builder = self.builder.backend(backend);
        self.backend = backend;
        self
    }

    /// This rank's devices, in place of its part of those that its machine has.
    pub fn devices(mut self, devices: impl Into<Devices>) -> Self {
        self.builder = self.builder.devices(devices);
        self.has_devices = true;
        self
    }

    /// What is cut over ranks.
    pub fn spreading(mut self, spreading: Spreading) -> Self {
        self.builder = self.builder.spreading(spreading);
        self
    }

    /// How programs are linked.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.builder = self.builder.settings(settings);
        self
    }

    /// What ring kernels have in common.
    pub fn config(mut self, config: RuntimeConfig) -> Self {
        self.builder = self.builder.config(config);
        self
    }

    /// Whether only devices with exact floats will do, as [`gpuvm::RuntimeBuilder::float_mode`] has it.
    pub fn float_mode(mut self, mode: FloatMode) -> Self {
        self.builder = self.builder.float_mode(mode);
        self
    }

    /// Starts MPI, and opens this rank's devices. All ranks have to come here.
    ///
    /// # Errors
    ///
    /// [`Error::Started`](crate::Error::Started) for a second runtime in a process, [`Error::Threads`](crate::Error::Threads) if this MPI cannot be called from several threads, or what [`gpuvm::RuntimeBuilder::build`]
    /// says.
    pub fn build(self) -> Result<Runtime> {
        let world = Arc::new(World::start()?);
        let shared_out = self.shared_out();
        let mut builder = self.builder;
        if let Some(backend) = shared_out {
            let own = own_of(&gpus(backend), node_rank());
            if !own.is_empty() {
                builder = builder.devices(own);
            }
        }
        let failed = |error: gpuvm::Error| -> crate::Error {
            // The others wait for it.
            world.fail(&error.to_string());
            error.into()
        };
        let runtime = builder
            .ranks(Arc::clone(&world) as Arc<dyn Ranks>)
            .build()
            .map_err(failed)?;
        Ok(Runtime { runtime, world })
    }
}

impl Builder {
    /// The back end whose GPUs are shared out among the ranks of a machine, if any.
    fn shared_out(&self) -> Option<Backend> {
        if self.has_devices {
            return None;
        }
        match (self.backend, std::env::var(BACKEND).as_deref()) {
            (Backend::Auto, Ok("cuda")) => Some(Backend::Cuda),
            (Backend::Auto, Ok("wgpu")) => Some(Backend::Wgpu),
            (Backend::Auto, Err(_) | Ok("auto")) => Some(Backend::Auto),
            (Backend::Auto, Ok(_)) | (Backend::Cpu, _) => None,
            (backend, _) => Some(backend),
        }
    }
}

/// The environment variable that chooses a backend where the program does not.
const BACKEND: &str = "GPUVM_BACKEND";

/// The real GPUs of this machine, if there are several, each through one backend.
fn gpus(backend: Backend) -> Vec<Device> {
    let is_gpu = |device: &Device| !matches!(device.kind, DeviceKind::Cpu | DeviceKind::Software);
    let is_asked_for = |device: &Device| backend == Backend::Auto || device.backend == backend;
    let all = gpuvm::Runtime::devices().into_iter();
    let all: Vec<Device> = all.filter(|device| is_gpu(device) && is_asked_for(device)).collect();
    let through = match all.iter().any(|device| device.backend == Backend::Cuda) {
        true => Backend::Cuda,
        false => Backend::Wgpu,
    };
    all.into_iter().filter(|device| device.backend == through).collect()
}

/// Which of the ranks of its machine this one is, and how many there are.
fn node_rank() -> (usize, usize) {
    let all = world();
    let node = all.split_shared(all.rank());
    (node.rank().unsigned_abs() as usize, node.size().unsigned_abs() as usize)
}

/// The devices of a rank of its machine's.
fn own_of(all: &[Device], (rank, ranks): (usize, usize)) -> Vec<Device> {
    let count = all.len();
    match count {
        0 => Vec::new(),
        _ if ranks > count => vec![all[rank % count].clone()],
        _ => all[rank * count / ranks..(rank + 1) * count / ranks].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gpus_of_a_machine_are_its_ranks() {
        let gpu = |index| Device { index, ..Device::cpu() };
        let all: Vec<Device> = (0..4).map(gpu).collect();
        let own = |ranks: usize| -> Vec<Vec<usize>> {
            let of = |rank| own_of(&all, (rank, ranks)).iter().map(|device| device.index).collect();
            (0..ranks).map(of).collect()
        };
        assert_eq!(own(1), [[0, 1, 2, 3]]);
        assert_eq!(own(3), [vec![0], vec![1], vec![2, 3]]);
        assert_eq!(own(4), [[0], [1], [2], [3]]);
        assert_eq!(own(6), [[0], [1], [2], [3], [0], [1]]);
        assert!(own_of(&[], (0, 2)).is_empty());
    }
}
