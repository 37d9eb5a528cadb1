//! An opened device: adapter choice, limits, the float mode, and wgpu's failures as [`Error`]s.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use gpuvm_core::program::{Program, atomic_pairs};
use gpuvm_core::types::Kind;
use gpuvm_engine::{Backend, Device, DeviceKind, Error, FloatMode, Result};

use super::clock::Shelf;
use super::cuda;
use super::disk::Folder;
use super::exit;
use super::floats::FloatOps;
use super::heap::Heap;
use super::kernel::Kernel;
use super::pipeline::Path;
use super::pool::Pool;
use super::probe;
use super::source::EntryPoint;

/// An opened device.
#[derive(Debug)]
pub struct Gpu {
    /// wgpu's device.
    pub device: wgpu::Device,
    /// The same device for shaders whose floats need not be exact, which a back end may translate in another way.
    pub relaxed: wgpu::Device,
    /// The same device for pipelines whose dispatches are sized by the device, which a back end may compile in another way.
    pub indirect: wgpu::Device,
    /// The same device for pipelines of kernels that stay, if it has such.
    pub resident: Option<wgpu::Device>,
    /// Its one queue.
    pub queue: wgpu::Queue,
    /// What it can do.
    pub limits: wgpu::Limits,
    /// Whether the CPU plays it.
    pub software: bool,
    /// Buffers for whoever needs one.
    pub pool: Arc<Pool>,
    /// Memory for data that stays.
    pub heap: Arc<Heap>,
    /// Clocks for whoever needs one.
    pub clocks: Arc<Shelf>,
    /// Nanoseconds of a tick of its clock, if it has one that can be read.
    pub tick: Option<f32>,
    /// Where compiled kernels of this device and driver are kept, if its driver hands them out.
    pub compiled: Option<Folder>,
    /// The forms of arithmetic that give Rust's bits, none where the device's floats are not exact.
    pub floats: FloatOps,
    /// Kernels of the sessions' own, by their entry points.
    helpers: Mutex<HashMap<&'static str, Arc<Kernel>>>,
    info: Device,
    /// Whether its driver takes SPIR-V of our own.
    pub takes_spirv: bool,
    /// How shaders reach its driver, but for those of relaxed programs.
    pub path: Path,
    lost: Arc<Mutex<Option<String>>>,
}

/// What atomics of 64 bits need.
pub const ATOMICS_64: wgpu::Features = wgpu::Features::SHADER_INT64.union(wgpu::Features::SHADER_INT64_ATOMIC_ALL_OPS);
/// What is used of a device where it is there.
pub const WANTED: wgpu::Features = wgpu::Features::PASSTHROUGH_SHADERS
    .union(wgpu::Features::TIMESTAMP_QUERY)
    .union(wgpu::Features::SHADER_F64)
    .union(ATOMICS_64)
    .union(wgpu::Features::PIPELINE_CACHE);
/// Bytes of idle buffers to keep, at least.
const IDLE_BYTES: u64 = 4 << 30;
/// Of a device that tells how much memory it has, this part of it if that is more.
const IDLE_PART: u64 = 4;
/// The same for a device whose memory is the host's.
const IDLE_BYTES_SOFTWARE: u64 = 256 << 20;
/// How long to ask a real GPU again and again before going to sleep.
const SPIN: Duration = Duration::from_micros(100);
/// How long to ask for a submission of which nobody knows how long it takes, less and less often.
const PATIENCE: Duration = Duration::from_millis(20);
/// How long to sleep at a time while a submission is not expected to end yet.
const NAP: Duration = Duration::from_millis(1);

/// The adapters of a back end, the best first: real GPUs before software, those with memory of their own before others.
///
/// # Errors
///
/// Why there are none, where the back end can tell.
pub fn adapters(backend: Backend) -> std::result::Result<Vec<wgpu::Adapter>, String> {
    let mut adapters = match backend {
        Backend::Cuda => cuda::adapters()?,
        _ => native_adapters()?,
    };
    adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    });
    Ok(adapters)
}

/// The adapters that wgpu itself finds.
fn native_adapters() -> std::result::Result<Vec<wgpu::Adapter>, String> {
    if cfg!(not(feature = "native")) {
        return Err("gpuvm was built without its feature `wgpu`".to_string());
    }
    // One for the process, which is never closed: with its last instance Vulkan's loader unloads the drivers, and NVIDIA's leaves something that each thread which has
    // used it calls at its end.
    static INSTANCE: OnceLock<wgpu::Instance> = OnceLock::new();
    let instance = INSTANCE.get_or_init(|| {
        wgpu::Instance::new(wgpu::InstanceDescriptor {
            flags: wgpu::InstanceFlags::empty(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        })
    });
    Ok(pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY)))
}

/// Whether the adapter is a rasteriser on the CPU.
pub fn is_software(adapter: &wgpu::Adapter) -> bool {
    adapter.get_info().device_type == wgpu::DeviceType::Cpu
}

impl Gpu {
    /// Opens an adapter's device with all the memory it can bind, and probes its floats.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if the driver refuses.
    pub fn open(adapter: wgpu::Adapter, index: usize) -> Result<Gpu> {
        Gpu::open_with(adapter, index, WANTED)
    }

    /// The same with no other features than these.
    ///
    /// # Errors
    ///
    /// Those of [`Gpu::open`].
    pub fn open_with(adapter: wgpu::Adapter, index: usize, wanted: wgpu::Features) -> Result<Gpu> {
        let _inside = exit::enter();
        let about = adapter.get_info();
        let limits = adapter.limits();
        let features = adapter.features() & wanted;
        let keeps = features.contains(wgpu::Features::PIPELINE_CACHE);
        let is_cuda = cuda::is_cuda(&adapter);
        let key = cuda::cache_key(&adapter).or_else(|| wgpu::util::pipeline_cache_key(&about));
        let compiled = key
            .filter(|_| keeps)
            .and_then(|key| Folder::of_user(&format!("{key} {} {}", about.driver, about.driver_info)));
        let passthrough = features & wgpu::Features::PASSTHROUGH_SHADERS;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("gpuvm"),
            required_features: features,
            required_limits: limits.clone(),
            ..Default::default()
        };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&descriptor)).map_err(|error| Error::Device {
                reason: format!("`{}` cannot be opened: {error}", about.name),
            })?;
        let lost = Arc::new(Mutex::new(None));
        let note = lost.clone();
        device.set_device_lost_callback(move |reason, text| {
            *note.lock().unwrap_or_else(PoisonError::into_inner) = Some(format!("{text} ({reason:?})"));
        });
        // An error that no scope has caught would end the process.
        let note = lost.clone();
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            note.lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert(error.to_string());
        }));
        let info = Device {
            name: about.name,
            backend: if is_cuda { Backend::Cuda } else { Backend::Wgpu },
            index,
            kind: match about.device_type {
                wgpu::DeviceType::DiscreteGpu => DeviceKind::DiscreteGpu,
                wgpu::DeviceType::IntegratedGpu => DeviceKind::IntegratedGpu,
                wgpu::DeviceType::VirtualGpu => DeviceKind::VirtualGpu,
                wgpu::DeviceType::Cpu => DeviceKind::Software,
                wgpu::DeviceType::Other => DeviceKind::Unknown,
            },
            float_mode: FloatMode::Relaxed,
            atomics_64: features.contains(ATOMICS_64),
            threads: 0,
        };
        let software = info.kind == DeviceKind::Software;
        let idle_bytes = match info.backend {
            _ if software => IDLE_BYTES_SOFTWARE,
            // A buffer may have all of it.
            Backend::Cuda => IDLE_BYTES.max(limits.max_buffer_size / IDLE_PART),
            _ => IDLE_BYTES,
        };
        let timed = features.contains(wgpu::Features::TIMESTAMP_QUERY);
        let mut gpu = Gpu {
            relaxed: cuda::relaxed(&device).unwrap_or_else(|| device.clone()),
            indirect: cuda::indirect(&device).unwrap_or_else(|| device.clone()),
            resident: cuda::resident(&device, crate::specialized::OWN),
            pool: Pool::new(device.clone(), idle_bytes),
            heap: Heap::new(&limits),
            clocks: Arc::default(),
            helpers: Mutex::default(),
            tick: timed.then(|| queue.get_timestamp_period()),
            device,
            queue,
            limits,
            software,
            info,
            compiled,
            floats: FloatOps::default(),
            takes_spirv: !passthrough.is_empty() && about.backend == wgpu::Backend::Vulkan,
            path: Path::Plain,
            lost,
        };
        let exact = (gpu.takes_spirv || is_cuda).then_some(Path::Exact);
        for path in exact.into_iter().chain([Path::Plain]) {
            let floats = probe::probe(&gpu, path).unwrap_or_default();
            if floats.arithmetic() {
                gpu.path = path;
                gpu.floats = floats;
                gpu.info.float_mode = FloatMode::Exact;
                break;
            }
        }
        // After all that the driver loads to compile and to run something.
        exit::close_at_exit();
        Ok(gpu)
    }

    /// What it is reached through.
    pub fn backend(&self) -> Backend {
        self.info.backend
    }

    /// What the rest of the runtime knows of the device.
    pub fn info(&self) -> Device {
        self.info.clone()
    }

    /// Whether it is CUDA's.
    pub fn is_cuda(&self) -> bool {
        self.info.backend == Backend::Cuda
    }

    /// Refuses a program that the device cannot run.
    ///
    /// # Errors
    ///
    /// [`Error::NoAtomics64`].
    pub fn accept(&self, program: &Program) -> Result<()> {
        if self.info.atomics_64 || !program.has_atomic_pairs() {
            return Ok(());
        }
        let signed = atomic_pairs(&program.params).is_some_and(|ty| ty.element.is_some_and(|of| of.kind == Kind::I64));
        let (atomic, narrow) = match signed {
            true => ("AtomicI64", "AtomicI32"),
            false => ("AtomicU64", "AtomicU32"),
        };
        Err(Error::NoAtomics64 {
            routine: program.name.clone(),
            atomic,
            narrow,
            device: self.info.name.clone(),
        })
    }

    /// How shaders with exact floats reach the driver, as the probe found best.
    pub fn path(&self) -> Path {
        self.path
    }

    /// Compiles a shader in the way that the probe found best, or for relaxed floats in the device's own.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if the device refuses it.
    pub fn kernel(&self, entry: EntryPoint) -> Result<Kernel> {
        if entry.relaxed() {
            return Kernel::new(self, entry, self.floats.relaxed(), Path::Plain);
        }
        Kernel::new(self, entry, self.floats, self.path)
    }

    /// A kernel of the sessions' own, compiled when it is first asked for.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if the device refuses it.
    pub fn helper(&self, entry: EntryPoint) -> Result<Arc<Kernel>> {
        let mut helpers = self.helpers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kernel) = helpers.get(entry.name()) {
            return Ok(kernel.clone());
        }
        let kernel = Arc::new(self.kernel(entry)?);
        helpers.insert(entry.name(), kernel.clone());
        Ok(kernel)
    }

    /// Does something with the device, and gives what wgpu reports of it as an error.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`] or [`Error::Device`].
    pub fn guarded<T>(&self, work: impl FnOnce(&wgpu::Device) -> T) -> Result<T> {
        use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
        let _inside = exit::enter();
        let scopes = [Internal, Validation, OutOfMemory].map(|filter| self.device.push_error_scope(filter));
        let value = work(&self.device);
        let mut found = None;
        // Scopes are a stack: the last pushed is popped first.
        for scope in scopes.into_iter().rev() {
            found = pollster::block_on(scope.pop()).or(found);
        }
        match found {
            None => self.check_lost().map(|()| value),
            Some(wgpu::Error::OutOfMemory { source }) => Err(Error::OutOfMemory {
                reason: source.to_string(),
            }),
            Some(error) => Err(self.failure(error)),
        }
    }

    /// The error of something that failed: the loss of the device if that is behind it.
    pub fn failure(&self, error: impl std::fmt::Display) -> Error {
        let _inside = exit::enter();
        // A loss is told when the device is asked the next time.
        let _ = self.device.poll(wgpu::PollType::wait_indefinitely());
        let reason = error.to_string();
        self.check_lost().err().unwrap_or(Error::Device { reason })
    }

    /// As [`Gpu::guarded`], for work that takes buffers: where memory is short, idle buffers are let go of and the work is done
    /// once more.
    ///
    /// # Errors
    ///
    /// Those of [`Gpu::guarded`].
    pub fn allocating<T>(&self, work: impl Fn(&wgpu::Device) -> T) -> Result<T> {
        match self.guarded(&work) {
            Err(Error::OutOfMemory { .. }) => {
                self.pool.clear();
                self.wait()?;
                self.guarded(work)
            }
            other => other,
        }
    }

    /// Waits for a submission to end, and for whatever else `done` tells. On a real GPU, waking up takes longer than a small launch;
    /// so the device is asked again and again at first, and again when the submission should be about to end, if that is known.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`] or [`Error::Device`].
    pub fn wait_for(
        &self,
        submission: &wgpu::SubmissionIndex,
        expected: Option<Duration>,
        done: impl Fn() -> bool,
    ) -> Result<()> {
        if !self.software {
            let begin = Instant::now();
            self.ask_until(begin + SPIN, &done)?;
            match expected.filter(|&expected| expected > SPIN) {
                Some(expected) => {
                    // What it waits for and what comes after it take time too.
                    let (early, late) = (SPIN + expected / 8, 4 * SPIN + expected / 8);
                    // Not by a wait with a time-out: where several threads wait, wgpu panics when one of them gives up just as the
                    // device ends.
                    while !done() && begin.elapsed() + early < expected {
                        self.nap(NAP.min(expected / 16))?;
                    }
                    self.ask_until(begin + expected + late, &done)?;
                }
                None => {
                    self.ask_until(begin + 4 * SPIN, &done)?;
                    while !done() && begin.elapsed() < PATIENCE {
                        self.nap(begin.elapsed() / 16)?;
                    }
                }
            }
        }
        while !done() {
            self.wait_until(submission)?;
            // Another thread that waits for the same device may be about to tell instead of this one.
            std::thread::yield_now();
        }
        self.check_lost()
    }

    /// Sleeps for a while, and then asks the device.
    fn nap(&self, time: Duration) -> Result<()> {
        std::thread::sleep(time);
        let _inside = exit::enter();
        self.device.poll(wgpu::PollType::Poll).map_err(device_failed)?;
        Ok(())
    }

    /// Asks the device until `done` tells so, or the time has come.
    fn ask_until(&self, end: Instant, done: &impl Fn() -> bool) -> Result<()> {
        let _inside = exit::enter();
        while !done() && Instant::now() < end {
            self.device.poll(wgpu::PollType::Poll).map_err(device_failed)?;
        }
        Ok(())
    }

    /// Waits for a submission to end.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`] or [`Error::Device`].
    pub fn wait_until(&self, submission: &wgpu::SubmissionIndex) -> Result<()> {
        let _inside = exit::enter();
        let polled = self.device.poll(wgpu::PollType::Wait {
            submission_index: Some(submission.clone()),
            timeout: None,
        });
        self.check_lost()?;
        polled.map(|_| ()).map_err(device_failed)
    }

    /// Waits until everything that was submitted is done.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`] or [`Error::Device`].
    pub fn wait(&self) -> Result<()> {
        let _inside = exit::enter();
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        self.check_lost()?;
        polled.map(|_| ()).map_err(device_failed)
    }

    fn check_lost(&self) -> Result<()> {
        match &*self.lost.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(reason) => Err(Error::DeviceLost { reason: reason.clone() }),
            None => Ok(()),
        }
    }
}

fn device_failed(error: wgpu::PollError) -> Error {
    Error::Device {
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::backend;

    #[test]
    fn devices_of_vulkan_and_cuda_are_exact() {
        for (index, adapter) in adapters(backend()).unwrap().into_iter().enumerate() {
            let vulkan = adapter.get_info().backend == wgpu::Backend::Vulkan;
            let promised = vulkan || backend() == Backend::Cuda;
            let gpu = Gpu::open(adapter, index).unwrap();
            println!("{}: {}", gpu.info(), gpu.floats);
            assert_eq!(gpu.info().float_mode == FloatMode::Exact, gpu.floats.arithmetic());
            assert!(gpu.floats.arithmetic() || !promised);
        }
    }
}
