//! Which device a runtime opens: the one that its program chose, or the environment, or else the best GPU that a back end reaches, or else
//! this CPU.

use std::ffi::OsString;

#[cfg(feature = "gpu")]
use gpuvm_engine::Choice;
use gpuvm_engine::{Backend, Device, DeviceKind, FloatMode, Opened};

use crate::error::{Error, Result};

/// Which devices a runtime runs on: `Devices::All`, or those of a list, as [`Runtime::devices`](crate::Runtime::devices) has them.
///
/// ```
/// use gpuvm_runtime::{Device, Devices, Runtime};
///
/// let everything = Runtime::builder().devices(Devices::All).build()?;
/// let two_threads = Runtime::builder().devices([Device::cpu_threads(2)]).build()?;
/// # Ok::<(), gpuvm_runtime::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Devices {
    /// All GPUs, each through one backend, and this CPU. Devices whose floats are not exact only where no GPU's are, and then without the CPU, so that all
    /// give the same bits as far as that can be. Software rasterisers only if [`Backend::Wgpu`] is asked for and has nothing else; of a backend that is asked for only its
    /// own devices.
    All,
    /// These, each once. What cannot be cut runs on the first.
    These(Vec<Device>),
}

impl From<Vec<Device>> for Devices {
    fn from(devices: Vec<Device>) -> Devices {
        Devices::These(devices)
    }
}

impl<const N: usize> From<[Device; N]> for Devices {
    fn from(devices: [Device; N]) -> Devices {
        Devices::These(devices.into())
    }
}

impl From<&[Device]> for Devices {
    fn from(devices: &[Device]) -> Devices {
        Devices::These(devices.to_vec())
    }
}

/// The environment variable that chooses where the program does not.
const BACKEND: &str = "GPUVM_BACKEND";

/// All devices there are.
pub(crate) fn devices() -> Vec<Device> {
    #[cfg(feature = "gpu")]
    let others = gpuvm_wgpu::devices();
    #[cfg(not(feature = "gpu"))]
    let others = Vec::new();
    [vec![Device::cpu()], others].concat()
}

/// Opens a device, that with this index or the best.
///
/// # Errors
///
/// [`Error::NoAdapter`] if there is no such device, and what its driver says if it cannot be opened.
pub(crate) fn open(backend: Backend, index: Option<usize>) -> Result<Opened> {
    let backend = match (backend, index) {
        (Backend::Auto, None) => chosen(std::env::var_os(BACKEND))?,
        (backend, _) => backend,
    };
    match (backend, index) {
        (Backend::Cpu, None | Some(0)) => Ok(cpu()),
        (Backend::Cpu, Some(index)) => Err(Error::NoAdapter {
            reason: format!("the CPU backend has only device 0, and {index} was asked for"),
        }),
        #[cfg(feature = "gpu")]
        (backend, Some(index)) => Ok(gpuvm_wgpu::open(backend, Choice::Index(index))?),
        #[cfg(feature = "gpu")]
        (Backend::Auto, None) => match gpuvm_wgpu::open(Backend::Auto, Choice::Hardware) {
            Err(gpuvm_engine::Error::NoAdapter { reason }) => {
                crate::overlooked::tell(&reason);
                Ok(cpu())
            }
            opened => Ok(opened?),
        },
        #[cfg(feature = "gpu")]
        (backend, None) => Ok(gpuvm_wgpu::open(backend, Choice::Best)?),
        #[cfg(not(feature = "gpu"))]
        (Backend::Auto, None) => Ok(cpu()),
        #[cfg(not(feature = "gpu"))]
        _ => Err(Error::NoAdapter {
            reason: "gpuvm was built without its features `wgpu` and `cuda`".to_string(),
        }),
    }
}

fn cpu() -> Opened {
    on_cpu(Device::cpu())
}

fn on_cpu(device: Device) -> Opened {
    Opened {
        device,
        engines: Vec::new(),
    }
}

/// Opens several devices, those of the backend if one is named.
///
/// # Errors
///
/// As [`open`], of the first that cannot be opened.
pub(crate) fn open_several(backend: Backend, devices: &Devices) -> Result<Vec<Opened>> {
    let chosen = match devices {
        Devices::These(devices) => devices.clone(),
        Devices::All => {
            let backend = match backend {
                Backend::Auto => chosen(std::env::var_os(BACKEND))?,
                named => named,
            };
            all_of(backend, self::devices())
        }
    };
    if chosen.is_empty() {
        return Err(Error::NoAdapter {
            reason: "of several devices there has to be one at least".to_string(),
        });
    }
    let of = |device: &Device| (device.backend, device.index, device.threads);
    let twice = |(place, device): (usize, &Device)| chosen[..place].iter().any(|other| of(other) == of(device));
    if let Some((_, device)) = chosen.iter().enumerate().find(|device| twice(*device)) {
        return Err(Error::NoAdapter {
            reason: format!("`{}` is asked for twice", device.name),
        });
    }
    let open_one = |device: &Device| match device.backend {
        Backend::Cpu => Ok(on_cpu(Device::cpu_threads(device.threads))),
        backend => open(backend, Some(device.index)),
    };
    chosen.iter().map(open_one).collect()
}

/// What [`Devices::All`] means where there are these.
fn all_of(backend: Backend, all: Vec<Device>) -> Vec<Device> {
    let wanted = |device: &Device| backend == Backend::Auto || device.backend == backend;
    let (cpus, others): (Vec<Device>, Vec<Device>) = all
        .into_iter()
        .filter(wanted)
        .partition(|device| device.kind == DeviceKind::Cpu);
    let (software, mut gpus): (Vec<Device>, Vec<Device>) = others
        .into_iter()
        .partition(|device| device.kind == DeviceKind::Software);
    if gpus.is_empty() && backend == Backend::Wgpu {
        gpus = software;
    }
    // A card that two backends reach has the same name in both.
    let first = gpus.first().map(|gpu| gpu.backend);
    let names: Vec<String> = gpus
        .iter()
        .filter(|gpu| Some(gpu.backend) == first)
        .map(|gpu| gpu.name.clone())
        .collect();
    gpus.retain(|gpu| Some(gpu.backend) == first || !names.contains(&gpu.name));
    let exact = |gpu: &Device| gpu.float_mode == FloatMode::Exact;
    match gpus.iter().any(exact) || gpus.is_empty() {
        true => gpus.into_iter().filter(exact).chain(cpus).collect(),
        false => gpus,
    }
}

/// The back end that the environment variable chooses.
fn chosen(value: Option<OsString>) -> Result<Backend> {
    let value = value.unwrap_or_default();
    match value.to_str() {
        Some("" | "auto") => Ok(Backend::Auto),
        Some("cuda") => Ok(Backend::Cuda),
        Some("cpu") => Ok(Backend::Cpu),
        Some("wgpu") => Ok(Backend::Wgpu),
        _ => Err(Error::NoAdapter {
            reason: format!("`{BACKEND}` is {value:?}, and may be `auto`, `cuda`, `wgpu` or `cpu`"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_devices_are_each_card_once_and_the_cpu() {
        let card = |name: &str, backend, float_mode| Device {
            name: name.to_string(),
            backend,
            kind: DeviceKind::DiscreteGpu,
            float_mode,
            ..Device::cpu()
        };
        let exact = |name, backend| card(name, backend, FloatMode::Exact);
        let names = |backend, all: &[Device]| -> Vec<String> {
            let chosen = all_of(backend, [&[Device::cpu()], all].concat());
            chosen
                .iter()
                .map(|device| format!("{:?} {}", device.backend, device.name))
                .collect()
        };
        let cpu = format!("Cpu {}", Device::cpu().name);
        let both = [
            exact("A", Backend::Wgpu),
            exact("A", Backend::Cuda),
            exact("B", Backend::Cuda),
        ];
        assert_eq!(names(Backend::Auto, &both), ["Wgpu A", "Cuda B", &cpu]);
        assert_eq!(names(Backend::Cuda, &both), ["Cuda A", "Cuda B"]);
        assert_eq!(names(Backend::Cpu, &both), [&*cpu]);
        let relaxed = card("R", Backend::Wgpu, FloatMode::Relaxed);
        assert_eq!(names(Backend::Auto, std::slice::from_ref(&relaxed)), ["Wgpu R"]);
        assert_eq!(
            names(Backend::Auto, &[relaxed, exact("E", Backend::Wgpu)]),
            ["Wgpu E", &cpu]
        );
        let software = Device {
            kind: DeviceKind::Software,
            ..exact("S", Backend::Wgpu)
        };
        assert_eq!(names(Backend::Auto, std::slice::from_ref(&software)), [&*cpu]);
        assert_eq!(names(Backend::Wgpu, &[software]), ["Wgpu S"]);
    }

    #[test]
    fn what_cannot_be_opened_is_told() {
        let error = |devices: &[Device]| {
            let opened = open_several(Backend::Auto, &devices.into());
            opened.map(|_| ()).unwrap_err().to_string()
        };
        assert!(error(&[]).contains("one at least"), "{}", error(&[]));
        let twice = error(&[Device::cpu_threads(1), Device::cpu_threads(2), Device::cpu_threads(1)]);
        assert!(twice.contains("`this CPU (1 thread)` is asked for twice"), "{twice}");
    }

    #[test]
    fn the_environment_chooses_a_back_end_that_there_is() {
        let of = |value: &str| chosen(Some(value.into()));
        assert_eq!(chosen(None).unwrap(), Backend::Auto);
        assert_eq!(of("").unwrap(), Backend::Auto);
        assert_eq!(of("auto").unwrap(), Backend::Auto);
        assert_eq!(of("cuda").unwrap(), Backend::Cuda);
        assert_eq!(of("cpu").unwrap(), Backend::Cpu);
        assert_eq!(of("wgpu").unwrap(), Backend::Wgpu);
        assert_eq!(
            of("vulkan").map(|_| ()).unwrap_err().to_string(),
            "no device: `GPUVM_BACKEND` is \"vulkan\", and may be `auto`, `cuda`, `wgpu` or `cpu`"
        );
    }
}
