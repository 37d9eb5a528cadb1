//! What all benchmarks share: the devices, opened once, and how much work is asked for.

use std::cell::RefCell;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use cubecl::prelude::Client;
use gpuvm::{Backend, Runtime, Settings};
use gpuvm_workloads::Size;

use crate::host::Host;
use crate::peers::cube;
use crate::peers::cuda::Cuda;
use crate::peers::wgsl::Gpu;
use crate::report::Report;
use crate::timing::Timing;

/// The devices and the choices of a run.
pub struct Stage {
    /// What gpuvm reaches its device through. The peers' devices are wgpu's all the same.
    pub backend: Backend,
    /// gpuvm on the best GPU, or on a software rasteriser where there is none.
    pub runtime: Runtime,
    /// The same, but loops over linear code stay loops instead of becoming powers of matrices.
    pub loops: Runtime,
    /// The same device for hand-written shaders.
    pub gpu: Gpu,
    /// The same device for CubeCL.
    pub cube: Client,
    /// Hand-written CUDA, where it can be built.
    pub cuda: Option<Cuda>,
    /// How often everything is repeated.
    pub timing: Timing,
    /// How large the workloads are.
    pub size: Size,
    /// What all of this is.
    pub host: Host,
    /// Parts of the names of contestants, if not all of them are asked for.
    pub by: Vec<String>,
    /// A file for all figures.
    pub json: Option<PathBuf>,
    /// All figures so far.
    report: RefCell<Report>,
}

impl Stage {
    /// Opens the devices, with hand-written CUDA if that is asked for.
    ///
    /// # Errors
    ///
    /// When there is no device that the back end or wgpu can open.
    pub fn open(size: Size, repeats: usize, backend: Backend, by_hand: bool) -> Result<Stage> {
        let runtime = runtime_through(backend, Settings::default())?;
        let without_powers = Settings {
            raise: false,
            ..Settings::default()
        };
        let loops = runtime_through(backend, without_powers)?;
        let gpu = Gpu::open(&runtime.device().name)?;
        let (cube, cube_name) = cube::client(&gpu);
        let host = Host::new(&runtime, backend, &gpu, &cube_name);
        let report = RefCell::new(Report::new(host.clone(), size, repeats));
        Ok(Stage {
            cuda: if by_hand { Cuda::build()? } else { None },
            backend,
            runtime,
            loops,
            gpu,
            cube,
            timing: Timing { repeats },
            size,
            host,
            by: Vec::new(),
            json: None,
            report,
        })
    }

    /// Keeps figures, and writes all that there are to the file for them, so that a run that is stopped leaves what it has measured. A bench that takes minutes
    /// calls it after each part.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn keep(&self, add: impl FnOnce(&mut Report)) -> Result<()> {
        let mut report = self.report.borrow_mut();
        add(&mut report);
        // After a part, when the device's clocks are up, unless it ended on the CPU.
        report.host = self.host.now();
        let Some(path) = &self.json else { return Ok(()) };
        let text = serde_json::to_string_pretty(&*report)?;
        std::fs::write(path, text + "\n").with_context(|| path.display().to_string())
    }

    /// All figures that were kept.
    pub fn into_report(self) -> Report {
        self.report.into_inner()
    }

    /// A runtime of its own on the same device.
    ///
    /// # Errors
    ///
    /// When the device cannot be opened once more.
    pub fn runtime(&self, settings: Settings) -> gpuvm::Result<Runtime> {
        runtime_through(self.backend, settings)
    }

    /// Whether a contestant is asked for.
    pub fn has(&self, contestant: &str) -> bool {
        self.by.is_empty() || self.by.iter().any(|part| contestant.contains(part.as_str()))
    }

    /// The first for a small run, the second for a full one.
    pub fn pick<T>(&self, small: T, full: T) -> T {
        self.size.pick(small, full)
    }
}

/// A runtime of its own on the best device of a back end, with a cache of programs and kernels of its own.
///
/// # Errors
///
/// When the back end reaches no device.
pub fn runtime_through(backend: Backend, settings: Settings) -> gpuvm::Result<Runtime> {
    Runtime::builder().backend(backend).settings(settings).build()
}

/// The back ends that reach a GPU here, each with a runtime.
pub fn backends(settings: &Settings) -> Vec<(Backend, Runtime)> {
    let open = |backend| match runtime_through(backend, settings.clone()) {
        Ok(runtime) => Some((backend, runtime)),
        Err(error) => {
            eprintln!("{backend:?}: {error}");
            None
        }
    };
    [Backend::Wgpu, Backend::Cuda].into_iter().filter_map(open).collect()
}
