//! The engines that run on a GPU through wgpu. Everything that is wgpu's own stays in this folder: outside of it there are words and
//! programs.

mod clock;
mod disk;
mod epoch;
mod floats;
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
mod session;
mod source;
mod specialized;
mod spirv;
mod stepper;
#[cfg(test)]
mod tests;
mod transfer;

use std::sync::Arc;

use gpuvm_engine::{Choice, Device, Engine, Error, Opened, Result};

use self::epoch::Epoch;
use self::gpu::Gpu;
use self::interpreter::Interpreter;
use self::specialized::{Automatic, Specialized};

/// The devices that can be opened. To tell their float mode they are opened and probed, which takes a while; one that fails is
/// left out.
pub fn devices() -> Vec<Device> {
    let adapters = gpu::adapters();
    adapters
        .into_iter()
        .enumerate()
        .filter_map(|(index, adapter)| Some(Gpu::open(adapter, index).ok()?.info()))
        .collect()
}

/// Opens a device and makes its engines.
///
/// # Errors
///
/// [`Error::NoAdapter`] if there is no such device, and whatever the device's driver refuses.
pub fn open(choice: Choice) -> Result<Opened> {
    let mut adapters = gpu::adapters();
    let count = adapters.len();
    let index = match choice {
        Choice::Hardware => adapters.iter().position(|adapter| !gpu::is_software(adapter)),
        Choice::Best => (count > 0).then_some(0),
        Choice::Index(index) => (index < count).then_some(index),
    };
    let Some(index) = index else {
        return Err(Error::NoAdapter {
            reason: missing(choice, count),
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
    let adapter = gpu::adapters().swap_remove(0);
    let wanted = gpu::WANTED.difference(gpu::ATOMICS_64);
    Ok(engines(Gpu::open_with(adapter, 0, wanted)?))
}

/// What was looked for and what there is.
fn missing(choice: Choice, count: usize) -> String {
    match (choice, count) {
        (_, 0) => "wgpu finds no adapter here; a driver for Vulkan, Metal or DirectX 12 is needed".to_string(),
        (Choice::Index(index), _) => format!("there is no device {index}; the devices are 0 to {}", count - 1),
        _ => "wgpu finds software rasterisers only, which have to be asked for".to_string(),
    }
}
