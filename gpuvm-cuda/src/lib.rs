//! CUDA devices behind wgpu's own interface: adapters, devices, queues and buffers of wgpu's types that work where there is NVIDIA's
//! driver and no Vulkan. The library of the driver is looked for when somebody asks, so a program that has this runs without it.
//!
//! What is recorded is data until it is submitted, see `recording`; then it goes to one stream of CUDA's, in order, see `sending`. How far
//! the stream is, and who waits for that, is in `progress`; errors and the loss of the device in `shared`. A kernel that stays on the device
//! has a stream of its own, see [`Resident`].

mod adapter;
mod between;
mod bind;
mod buffer;
mod chains;
mod cubins;
mod device;
mod driver;
mod encoder;
mod mapped;
mod pass;
mod pipeline;
mod progress;
mod query;
mod queue;
mod recording;
mod resident;
mod scopes;
mod sending;
mod shader;
mod shadow;
mod shared;
#[cfg(test)]
mod tests;
mod unsupported;

use gpuvm_ptx::{Floats, Grid};

use self::adapter::{CudaAdapter, cache_key_of};
use self::device::CudaDevice;

pub use self::between::copy_between;
pub use self::driver::Absent;
pub use self::resident::{Resident, Room, Span, Work};
pub use gpuvm_ptx::{Own, Words};

/// The GPUs that CUDA reaches, as adapters.
///
/// # Errors
///
/// Why there are none.
pub fn adapters() -> Result<Vec<wgpu::Adapter>, Absent> {
    let adapter = |gpu| wgpu::Adapter::from_custom(CudaAdapter(gpu));
    Ok(driver::gpus()?.into_iter().map(adapter).collect())
}

/// Whether an adapter is one of [`adapters`].
pub fn is_cuda(adapter: &wgpu::Adapter) -> bool {
    adapter.as_custom::<CudaAdapter>().is_some()
}

/// Whether a device is one of CUDA's.
pub fn is_cuda_device(device: &wgpu::Device) -> bool {
    device.as_custom::<CudaDevice>().is_some()
}

/// The same device for shaders whose floats may be relaxed. What it makes works on the other.
pub fn relaxed(device: &wgpu::Device) -> Option<wgpu::Device> {
    let mut device = device.as_custom::<CudaDevice>()?.clone();
    device.floats = Floats::Relaxed;
    Some(wgpu::Device::from_custom(device))
}

/// The same device for pipelines that are dispatched indirectly: they are compiled for that when they are made, and not when they are
/// first dispatched so, and are in their pipeline cache then. What it makes works on the other.
pub fn indirect(device: &wgpu::Device) -> Option<wgpu::Device> {
    let mut device = device.as_custom::<CudaDevice>()?.clone();
    device.grid = Grid::Indirect;
    Some(wgpu::Device::from_custom(device))
}

/// The same device for pipelines of [kernels that stay](Resident), whose workgroup has such buffers in its own memory: they are compiled for
/// that when they are made.
pub fn resident(device: &wgpu::Device, own: Own) -> Option<wgpu::Device> {
    let mut device = device.as_custom::<CudaDevice>()?.clone();
    device.grid = Grid::Resident(own);
    Some(wgpu::Device::from_custom(device))
}

/// What compiled kernels of an adapter's devices may be kept under: the kind of GPU and the driver.
pub fn cache_key(adapter: &wgpu::Adapter) -> Option<String> {
    is_cuda(adapter).then(|| cache_key_of(&adapter.get_info()))
}
