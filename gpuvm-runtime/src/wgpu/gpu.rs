//! An opened device: adapter choice, limits, the float mode, and wgpu's failures as [`Error`]s.

use std::sync::{Arc, Mutex, PoisonError};

use super::kernel::{Kernel, Path};
use super::probe;
use super::source::Entry;
use crate::device::{Backend, Device, DeviceKind, FloatMode};
use crate::error::{Error, Result};

/// An opened device.
#[derive(Debug)]
pub struct Gpu {
    /// wgpu's device.
    pub device: wgpu::Device,
    /// Its one queue.
    pub queue: wgpu::Queue,
    /// What it can do.
    pub limits: wgpu::Limits,
    /// Whether the CPU plays it.
    pub software: bool,
    info: Device,
    path: Path,
    lost: Arc<Mutex<Option<String>>>,
}

/// The adapters that wgpu finds, the best first: real GPUs before software, those with memory of their own before others.
pub fn adapters() -> Vec<wgpu::Adapter> {
    let descriptor = wgpu::InstanceDescriptor {
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    };
    let instance = wgpu::Instance::new(descriptor);
    let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::PRIMARY));
    adapters.sort_by_key(|adapter| match adapter.get_info().device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    });
    adapters
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
        let about = adapter.get_info();
        let limits = adapter.limits();
        let passthrough = adapter.features() & wgpu::Features::PASSTHROUGH_SHADERS;
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("gpuvm"),
            required_features: passthrough,
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
        let info = Device {
            name: about.name,
            backend: Backend::Wgpu,
            index,
            kind: match about.device_type {
                wgpu::DeviceType::DiscreteGpu => DeviceKind::DiscreteGpu,
                wgpu::DeviceType::IntegratedGpu => DeviceKind::IntegratedGpu,
                wgpu::DeviceType::VirtualGpu => DeviceKind::VirtualGpu,
                wgpu::DeviceType::Cpu => DeviceKind::Software,
                wgpu::DeviceType::Other => DeviceKind::Unknown,
            },
            float_mode: FloatMode::Relaxed,
        };
        let software = info.kind == DeviceKind::Software;
        let mut gpu = Gpu {
            device,
            queue,
            limits,
            software,
            info,
            path: Path::Plain,
            lost,
        };
        // SPIR-V is Vulkan's language only.
        let exact_path = !passthrough.is_empty() && about.backend == wgpu::Backend::Vulkan;
        let paths: &[Path] = if exact_path {
            &[Path::Exact, Path::Plain]
        } else {
            &[Path::Plain]
        };
        for &path in paths {
            if probe::is_exact(&gpu, path).unwrap_or(false) {
                gpu.path = path;
                gpu.info.float_mode = FloatMode::Exact;
                break;
            }
        }
        Ok(gpu)
    }

    /// What the rest of the runtime knows of the device.
    pub fn info(&self) -> Device {
        self.info.clone()
    }

    /// How shaders reach the driver, as the probe found best.
    pub fn path(&self) -> Path {
        self.path
    }

    /// Compiles a shader in the way that the probe found best.
    ///
    /// # Errors
    ///
    /// [`Error::Device`] if the device refuses it.
    pub fn kernel(&self, entry: Entry) -> Result<Kernel> {
        Kernel::new(self, entry, self.path)
    }

    /// Does something with the device, and gives what wgpu reports of it as an error.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], [`Error::DeviceLost`] or [`Error::Device`].
    pub fn guarded<T>(&self, work: impl FnOnce(&wgpu::Device) -> T) -> Result<T> {
        use wgpu::ErrorFilter::{Internal, OutOfMemory, Validation};
        let scopes = [Internal, Validation, OutOfMemory].map(|filter| self.device.push_error_scope(filter));
        let value = work(&self.device);
        let mut found = None;
        // Scopes are a stack: the last pushed is popped first.
        for scope in scopes.into_iter().rev() {
            found = pollster::block_on(scope.pop()).or(found);
        }
        self.check_lost()?;
        match found {
            None => Ok(value),
            Some(wgpu::Error::OutOfMemory { source }) => Err(Error::OutOfMemory {
                reason: source.to_string(),
            }),
            Some(error) => Err(Error::Device {
                reason: error.to_string(),
            }),
        }
    }

    /// Waits until everything that was submitted is done.
    ///
    /// # Errors
    ///
    /// [`Error::DeviceLost`] or [`Error::Device`].
    pub fn wait(&self) -> Result<()> {
        let polled = self.device.poll(wgpu::PollType::wait_indefinitely());
        self.check_lost()?;
        polled.map(|_| ()).map_err(|error| Error::Device {
            reason: error.to_string(),
        })
    }

    fn check_lost(&self) -> Result<()> {
        match &*self.lost.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(reason) => Err(Error::DeviceLost { reason: reason.clone() }),
            None => Ok(()),
        }
    }
}
