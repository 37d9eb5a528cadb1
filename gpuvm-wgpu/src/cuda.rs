//! CUDA devices, which `gpuvm-cuda` puts behind wgpu's interface; none where this is built without them.

#[cfg(feature = "cuda")]
pub use gpuvm_cuda::{cache_key, indirect, is_cuda, relaxed};

/// The devices, or why there are none.
///
/// # Errors
///
/// What is missing.
#[cfg(feature = "cuda")]
pub fn adapters() -> Result<Vec<wgpu::Adapter>, String> {
    gpuvm_cuda::adapters().map_err(|absent| absent.to_string())
}

#[cfg(not(feature = "cuda"))]
pub use self::without::{adapters, cache_key, indirect, is_cuda, relaxed};

#[cfg(not(feature = "cuda"))]
mod without {
    pub fn adapters() -> Result<Vec<wgpu::Adapter>, String> {
        Err("gpuvm was built without its feature `cuda`".to_string())
    }

    pub fn is_cuda(_: &wgpu::Adapter) -> bool {
        false
    }

    pub fn relaxed(_: &wgpu::Device) -> Option<wgpu::Device> {
        None
    }

    pub fn indirect(_: &wgpu::Device) -> Option<wgpu::Device> {
        None
    }

    pub fn cache_key(_: &wgpu::Adapter) -> Option<String> {
        None
    }
}
