//! The devices that there can be, as data: this CPU, and each GPU that a back end finds.

/// Through what a runtime reaches its device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Backend {
    /// Whichever reaches a GPU, or else the CPU. No device has this: it says that the runtime chooses.
    #[default]
    Auto,
    /// An NVIDIA GPU through CUDA's driver, which is all that a GPU container has; the native and the reference engine stay available.
    Cuda,
    /// This machine's CPU: the native and the reference engine.
    Cpu,
    /// A device that wgpu opens; the native and the reference engine stay available.
    Wgpu,
}

/// What a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeviceKind {
    /// This CPU, through the native engine.
    Cpu,
    /// A GPU with memory of its own.
    DiscreteGpu,
    /// A GPU that shares the CPU's memory.
    IntegratedGpu,
    /// A GPU behind a hypervisor.
    VirtualGpu,
    /// A GPU's interface rendered by the CPU, such as lavapipe. Never chosen unless asked for.
    Software,
    /// The driver does not say.
    Unknown,
}

/// Whether the floats of a device, or of a launch, are the bits that Rust gives on the CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatMode {
    /// Bit for bit, as a probe with known answers found.
    Exact,
    /// Last bits may differ: the probe found that they do on the device, or the routine is `#[routine(relaxed)]`.
    Relaxed,
}

impl std::fmt::Display for FloatMode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            FloatMode::Exact => "exact",
            FloatMode::Relaxed => "relaxed",
        })
    }
}

/// One device.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// What the driver calls it.
    pub name: String,
    /// Through what it is reached.
    pub backend: Backend,
    /// What to give `RuntimeBuilder::device`, together with the backend, to get it.
    pub index: usize,
    /// What it is.
    pub kind: DeviceKind,
    /// Whether its floats are exact.
    pub float_mode: FloatMode,
    /// Whether it has atomics of 64 bits. Where it has none, routines with `AtomicU64` or `AtomicI64` run on the CPU.
    pub atomics_64: bool,
    /// How many threads of this CPU it is; 0 if it is something else.
    pub threads: usize,
}

impl Device {
    /// This CPU, with all its threads.
    pub fn cpu() -> Device {
        Device::cpu_threads(std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// So many threads of this CPU, at least one.
    pub fn cpu_threads(threads: usize) -> Device {
        let threads = threads.max(1);
        Device {
            name: format!("this CPU ({threads} thread{})", if threads == 1 { "" } else { "s" }),
            backend: Backend::Cpu,
            index: 0,
            kind: DeviceKind::Cpu,
            float_mode: FloatMode::Exact,
            atomics_64: true,
            threads,
        }
    }
}

impl std::fmt::Display for Device {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let through = if self.backend == Backend::Cuda { "CUDA, " } else { "" };
        write!(f, "{} ({through}{} floats)", self.name, self.float_mode)
    }
}

/// How much of its device's memory a runtime has, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryUse {
    /// Of data that stays there: buffers, and the states of ring kernels.
    pub data: u64,
    /// Lent to launches that are under way, and to results that nobody has taken to the host yet.
    pub work: u64,
    /// Kept for what comes next.
    pub idle: u64,
}

impl MemoryUse {
    /// So many bytes of data, lent, and kept.
    pub fn new(data: u64, work: u64, idle: u64) -> MemoryUse {
        MemoryUse { data, work, idle }
    }

    /// All of it. What drivers and compiled programs have besides is not known.
    pub fn bytes(&self) -> u64 {
        self.data + self.work + self.idle
    }
}
