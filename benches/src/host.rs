//! What the figures were measured on.

use std::fmt;

use gpuvm::Runtime;
use serde::Serialize;

use crate::peers::wgsl::Gpu;

/// The machine, as a report states it.
#[derive(Clone, Debug, Serialize)]
pub struct Host {
    /// The CPU's name.
    pub cpu: String,
    /// Threads that the CPU runs at the same time.
    pub threads: usize,
    /// What gpuvm says of its device: name and float mode.
    pub device: String,
    /// The GPU's name, as wgpu tells it.
    pub gpu: String,
    /// Its driver with its version.
    pub driver: String,
    /// The API that wgpu reaches it through.
    pub api: String,
    /// What CubeCL runs on, and the shader language it compiles to.
    pub cubecl: String,
}

impl Host {
    /// Describes this machine.
    pub fn new(runtime: &Runtime, gpu: &Gpu, cubecl: &str) -> Host {
        let about = gpu.about();
        Host {
            cpu: cpu_name(),
            threads: rayon::current_num_threads(),
            device: runtime.device().to_string(),
            gpu: about.name.clone(),
            driver: format!("{} {}", about.driver, about.driver_info).trim().to_string(),
            api: about.backend.to_string(),
            cubecl: cubecl.to_string(),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "CPU     {}, {} threads", self.cpu, self.threads)?;
        writeln!(f, "GPU     {}, driver {}, through {}", self.gpu, self.driver, self.api)?;
        writeln!(f, "gpuvm   {}", self.device)?;
        write!(f, "CubeCL  {}", self.cubecl)
    }
}

/// The CPU's name where Linux tells it, else its architecture.
fn cpu_name() -> String {
    let known = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    known
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or(std::env::consts::ARCH, |(_, name)| name)
        .to_string()
}
