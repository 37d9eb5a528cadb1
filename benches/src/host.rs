//! What the figures were measured on.

use std::fmt;
use std::process::Command;

use gpuvm::{Backend, Runtime};
use serde::{Deserialize, Serialize};

use crate::peers::wgsl::Gpu;

/// The machine, as a report states it.
#[derive(Clone, Debug, Serialize, Deserialize)]
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
    /// What gpuvm reaches its device through.
    pub backend: String,
    /// The commit that was built, with a `+` if something had been changed.
    pub commit: String,
    /// The day, as `2026-11-27`.
    pub date: String,
    /// What NVIDIA's tool says of the clocks, for a person.
    pub clocks: Option<String>,
}

impl Host {
    /// Describes this machine.
    pub fn new(runtime: &Runtime, backend: Backend, gpu: &Gpu, cubecl: &str) -> Host {
        let about = gpu.about();
        Host {
            cpu: cpu_name(),
            threads: rayon::current_num_threads(),
            device: runtime.device().to_string(),
            gpu: about.name.clone(),
            driver: format!("{} {}", about.driver, about.driver_info).trim().to_string(),
            api: about.backend.to_string(),
            cubecl: cubecl.to_string(),
            backend: format!("{backend:?}"),
            commit: env!("BUILT_FROM").to_string(),
            date: today(),
            clocks: None,
        }
    }

    /// The same with the clocks as they are now.
    pub fn now(&self) -> Host {
        Host {
            clocks: clocks(),
            ..self.clone()
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "CPU     {}, {} threads", self.cpu, self.threads)?;
        writeln!(f, "GPU     {}, driver {}, through {}", self.gpu, self.driver, self.api)?;
        writeln!(f, "gpuvm   {}", self.device)?;
        writeln!(f, "CubeCL  {}", self.cubecl)?;
        write!(f, "commit  {}, {}", self.commit, self.date)
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

/// The day.
fn today() -> String {
    let now = jiff::Timestamp::now().to_string();
    now.split('T').next().unwrap_or_default().to_string()
}

/// The clocks of the first of NVIDIA's devices, if its tool is there.
fn clocks() -> Option<String> {
    let asked = "--query-gpu=clocks.sm,clocks.max.sm,clocks.mem";
    let output = Command::new("nvidia-smi")
        .args([asked, "--format=csv,noheader"])
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let first: Vec<&str> = text.lines().next()?.split(", ").collect();
    match first[..] {
        [clock, most, memory] if output.status.success() => Some(format!("{clock} of {most}, memory {memory}")),
        _ => None,
    }
}
