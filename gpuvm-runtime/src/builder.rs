//! Choices for a runtime, and how it is opened.

use std::sync::Arc;

use gpuvm_core::settings::Settings;
use gpuvm_engine::{Backend, Device, FloatMode, Opened, Ranks};

use crate::config::RuntimeConfig;
use crate::debugger::{self, Debugger};
use crate::device::{self, Devices};
use crate::error::{Error, Result};
use crate::monitor;
use crate::runtime::{Runtime, Spreading};
use crate::show;

impl Runtime {
    /// A runtime on the best GPU, or on this CPU where there is none. A software rasteriser does not count as a GPU.
    ///
    /// # Errors
    ///
    /// When the GPU is there and cannot be opened.
    pub fn new() -> Result<Runtime> {
        Runtime::builder().build()
    }

    /// A runtime with choices of your own.
    pub fn builder() -> RuntimeBuilder {
        RuntimeBuilder::default()
    }
}

/// Choices for a [`Runtime`].
#[derive(Clone, Default)]
pub struct RuntimeBuilder {
    backend: Backend,
    device: Option<usize>,
    devices: Option<Devices>,
    spreading: Spreading,
    ranks: Option<Arc<dyn Ranks>>,
    settings: Settings,
    config: RuntimeConfig,
    debugger: Option<Arc<dyn Debugger>>,
    exact: bool,
}

impl RuntimeBuilder {
    /// Which backend. With [`Backend::Wgpu`] and no device, the best one is taken, a software rasteriser if there is nothing else.
    /// [`Backend::Auto`], as without this, takes the best GPU that a backend reaches, and never a software rasteriser.
    pub fn backend(mut self, backend: Backend) -> Self {
        self.backend = backend;
        self
    }

    /// Which device of the backend, by its [`Device::index`]; if no backend is named, of the first one that has such a device, which is wgpu where both do.
    pub fn device(mut self, index: usize) -> Self {
        self.device = Some(index);
        self
    }

    /// Several devices, in place of [`device`](RuntimeBuilder::device): those of this list, or all that there are. VMs of a launch are independent, so each device runs some of them, as many
    /// as it was seen to be fast, and the results are the same bits. If a device is lost, the others run its VMs again, and [`Stats::shares`](crate::Stats::shares) says so.
    ///
    /// Several GPUs are one device besides, on which run plans, launches on buffers and those that are looked at ([started](crate::Launch::start), profiled, within a budget). A column is on each GPU as far as that has
    /// needed it, and what another one has written moves: through CUDA from GPU to GPU where these reach each other, through the host otherwise. What shares what it writes (atomics, one `&mut` slice for all VMs) and sorts are on the first. A plan that loses a device runs again from its inputs, unless
    /// it writes to buffers; of a buffer that was on a lost device alone the data is gone.
    ///
    /// A ring kernel's actors are cut over GPUs where there are 2²² of them or more whose messages to each other go [without the host](crate::ring::Metrics::rounds), and over all devices if
    /// [everything](Spreading::Always) is spread; each device has room for all actors. Otherwise they are on the first. Those of a device that is lost go on elsewhere as they were, and
    /// [`Metrics::devices_lost`](crate::ring::Metrics::devices_lost) counts it.
    ///
    /// ```
    /// # use gpuvm_runtime as gpuvm;
    /// use gpuvm::{Devices, Runtime};
    ///
    /// let runtime = Runtime::builder().devices(Devices::All).build()?;
    /// for device in runtime.own_devices() {
    ///     println!("{device}");
    /// }
    /// # Ok::<(), gpuvm::Error>(())
    /// ```
    pub fn devices(mut self, devices: impl Into<Devices>) -> Self {
        self.devices = Some(devices.into());
        self
    }

    /// What is spread over several devices; [`Spreading::Auto`] if nothing is said.
    pub fn spreading(mut self, spreading: Spreading) -> Self {
        self.spreading = spreading;
        self
    }

    /// The processes that this one is one of, which build a runtime at the same point each. Every one makes the same launches in the same order, with the same data; each runs a part, and all get
    /// all results. Launches, plans, batches and executions are cut over them; ring kernels are each rank's own. `gpuvm-mpi` has this with MPI.
    ///
    /// What is spread is as [`spreading`](RuntimeBuilder::spreading) says; what is not, each rank runs for itself.
    pub fn ranks(mut self, ranks: Arc<dyn Ranks>) -> Self {
        self.ranks = Some(ranks);
        self
    }

    /// How programs are linked.
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// What ring kernels have in common.
    pub fn config(mut self, config: RuntimeConfig) -> Self {
        self.config = config;
        self
    }

    /// Who takes over each [`Launch::run`](crate::Launch::run), to stop VMs and look at them. In place of this the environment variable `GPUVM_DEBUG` names a port on which
    /// a debugger is served, if the program was built with gpuvm's feature `debug`. Launches then run on engines that pause, and plans and ring kernels
    /// as ever.
    pub fn debugger(mut self, debugger: Arc<dyn Debugger>) -> Self {
        self.debugger = Some(debugger);
        self
    }

    /// With [`FloatMode::Exact`], a device will do only if its floats are the bits that Rust gives on the CPU. With
    /// [`FloatMode::Relaxed`], as without this, any will. A `#[routine(relaxed)]` stays relaxed.
    pub fn float_mode(mut self, mode: FloatMode) -> Self {
        self.exact = mode == FloatMode::Exact;
        self
    }

    /// Opens the device. Where neither a backend nor a device was chosen, the environment variable `GPUVM_BACKEND` chooses: `cuda`, `wgpu`,
    /// `cpu`, or `auto`, as if it was not set.
    ///
    /// # Errors
    ///
    /// [`Error::NoAdapter`] if the device that was asked for is not there, or when it cannot be opened, or if `GPUVM_BACKEND` is something else; [`Error::FloatsNotExact`] if exact
    /// floats were asked for and it has none; [`Error::Debugger`] if `GPUVM_DEBUG` asks for a debugger that cannot be served, [`Error::Monitor`] if `GPUVM_MONITOR` asks for a [monitor](Runtime::monitor) that cannot.
    pub fn build(mut self) -> Result<Runtime> {
        monitor::from_environment()?;
        if self.debugger.is_none() {
            self.debugger = debugger::from_environment()?;
        }
        if let Some(debugger) = &self.debugger {
            self.settings = debugger.settings(self.settings);
        }
        let opened = match &self.devices {
            None => vec![device::open(self.backend, self.device)?],
            Some(devices) => device::open_several(self.backend, devices)?,
        };
        for Opened { device, .. } in &opened {
            check_floats(self.exact, device)?;
            tracing::info!(device = device.name, backend = ?device.backend, "runtime opened");
        }
        let runtime = self.on(opened)?;
        show::answer(&runtime)?;
        debugger::open_snapshot(&runtime)?;
        Ok(runtime)
    }

    /// The runtime on devices that are open, at least one.
    ///
    /// # Errors
    ///
    /// When another rank cannot be reached.
    #[doc(hidden)]
    pub fn on(self, opened: Vec<Opened>) -> Result<Runtime> {
        Runtime::on(
            (opened, self.ranks, self.spreading),
            self.settings,
            self.config,
            self.debugger.map(debugger::kept),
        )
    }
}

impl std::fmt::Debug for RuntimeBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RuntimeBuilder")
            .field("backend", &self.backend)
            .field("device", &self.device)
            .field("devices", &self.devices)
            .field("spreading", &self.spreading)
            .field("ranked", &self.ranks.is_some())
            .field("settings", &self.settings)
            .field("config", &self.config)
            .field("debugged", &self.debugger.is_some())
            .field("exact", &self.exact)
            .finish()
    }
}

/// Refuses a device without exact floats where they were asked for.
fn check_floats(exact: bool, device: &Device) -> Result<()> {
    match device.float_mode {
        FloatMode::Relaxed if exact => Err(Error::FloatsNotExact {
            device: device.name.clone(),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_floats_are_there_or_refused() {
        let builder = Runtime::builder().backend(Backend::Cpu).float_mode(FloatMode::Exact);
        assert_eq!(builder.build().unwrap().device().float_mode, FloatMode::Exact);
        let device = Device {
            name: "Toy".to_string(),
            float_mode: FloatMode::Relaxed,
            ..Device::cpu()
        };
        assert!(check_floats(false, &device).is_ok());
        let error = check_floats(true, &device).unwrap_err().to_string();
        assert!(error.contains("`Toy`") && error.contains("Backend::Cpu"), "{error}");
    }
}
