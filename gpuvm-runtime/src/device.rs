//! Which device a runtime opens: the one that its program chose, or the environment, or else the best GPU that a back end reaches, or else
//! this CPU.

use std::ffi::OsString;

#[cfg(feature = "gpu")]
use gpuvm_engine::Choice;
use gpuvm_engine::{Backend, Device, Opened};

use crate::error::{Error, Result};

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
    Opened {
        device: Device::cpu(),
        engines: Vec::new(),
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
