//! The engines that run on a GPU through wgpu's interface, whose devices are wgpu's own or CUDA's. Everything that is wgpu's own stays in
//! this folder: outside of it there are words and programs.

mod canonical;
mod chain;
mod clock;
mod compilers;
mod cuda;
mod disk;
mod epoch;
mod exit;
mod floats;
mod frame_room;
mod free_list;
mod gpu;
mod heap;
mod interpreter;
mod kernel;
mod library;
mod memory;
mod pace;
mod pack;
mod parts;
mod pipeline;
mod pool;
mod probe;
mod select;
mod session;
mod sort;
mod source;
mod specialized;
mod spirv;
mod states;
mod stepper;
mod superinstruction;
#[cfg(test)]
mod tests;
mod transfer;

use std::sync::Arc;

use gpuvm_engine::{Backend, Choice, Device, Engine, Error, Opened, Result};

use self::epoch::Epoch;
use self::gpu::Gpu;
use self::interpreter::Interpreter;
use self::specialized::{Automatic, Specialized};

/// The devices that can be opened, through whatever back end. To tell their float mode they are opened and probed, which takes a while;
/// one that fails is left out.
pub fn devices() -> Vec<Device> {
    let adapters = BACKENDS.map(|backend| gpu::adapters(backend).unwrap_or_default());
    let indexed = adapters
        .into_iter()
        .flat_map(|adapters| adapters.into_iter().enumerate());
    indexed
        .filter_map(|(index, adapter)| Some(Gpu::open(adapter, index).ok()?.info()))
        .collect()
}

/// The back ends, in the order in which [`Backend::Auto`] tries them.
const BACKENDS: [Backend; 2] = [Backend::Wgpu, Backend::Cuda];

/// Opens a device and makes its engines.
///
/// # Errors
///
/// [`Error::NoAdapter`] if there is no such device, and whatever the device's driver refuses.
pub fn open(backend: Backend, choice: Choice) -> Result<Opened> {
    let mut reasons = Vec::new();
    let mut refused = None;
    for backend in BACKENDS
        .into_iter()
        .filter(|&each| matches!(backend, Backend::Auto) || each == backend)
    {
        match open_through(backend, choice) {
            Err(Error::NoAdapter { reason }) => reasons.push(reason),
            // Another back end may reach what this one's driver refuses.
            Err(error) => refused = refused.or(Some(error)),
            opened => return opened,
        }
    }
    Err(refused.unwrap_or_else(|| Error::NoAdapter {
        reason: reasons.join("; "),
    }))
}

/// Opens a device of one back end.
fn open_through(backend: Backend, choice: Choice) -> Result<Opened> {
    let mut adapters = gpu::adapters(backend).map_err(|reason| Error::NoAdapter { reason })?;
    let count = adapters.len();
    let index = match choice {
        Choice::Hardware => adapters.iter().position(|adapter| !gpu::is_software(adapter)),
        Choice::Best => (count > 0).then_some(0),
        Choice::Index(index) => (index < count).then_some(index),
    };
    let Some(index) = index else {
        return Err(Error::NoAdapter {
            reason: missing(backend, choice, count),
        });
    };
    Ok(engines(Gpu::open(adapters.swap_remove(index), index)?))
}

/// The engines of a device.
fn engines(gpu: Gpu) -> Opened {
    let gpu = Arc::new(gpu);
    let device = gpu.info();
    let interpreter = Interpreter::new(gpu.clone());
    let specialized = Specialized::new(gpu.clone(), interpreter.clone());
    let epoch = Epoch::new(gpu, interpreter.clone());
    Opened {
        device,
        engines: vec![
            (
                Engine::Auto,
                Arc::new(Automatic::new(specialized.clone(), interpreter.clone())),
            ),
            (Engine::Interpreter, Arc::new(interpreter)),
            (Engine::Specialized, Arc::new(specialized)),
            (Engine::Epoch, Arc::new(epoch)),
        ],
    }
}

/// The best device, opened as if it had no atomics of 64 bits, for tests of what is above: a software rasteriser has them.
#[doc(hidden)]
pub fn open_without_atomics_64() -> Result<Opened> {
    let adapters = gpu::adapters(Backend::Wgpu).map_err(|reason| Error::NoAdapter { reason })?;
    let adapter = adapters.into_iter().next().ok_or_else(|| Error::NoAdapter {
        reason: missing(Backend::Wgpu, Choice::Best, 0),
    })?;
    let wanted = gpu::WANTED.difference(gpu::ATOMICS_64);
    Ok(engines(Gpu::open_with(adapter, 0, wanted)?))
}

/// What was looked for and what there is.
fn missing(backend: Backend, choice: Choice, count: usize) -> String {
    let name = match backend {
        Backend::Cuda => "CUDA",
        _ => "wgpu",
    };
    match (choice, count) {
        (_, 0) => "wgpu finds no adapter here; a driver for Vulkan, Metal or DirectX 12 is needed".to_string(),
        (Choice::Index(index), _) => format!("{name} has no device {index}; its devices are 0 to {}", count - 1),
        _ => "wgpu finds software rasterisers only, which have to be asked for".to_string(),
    }
}
