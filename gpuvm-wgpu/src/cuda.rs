//! CUDA devices, which `gpuvm-cuda` puts behind wgpu's interface; none where this is built without them.

#[cfg(feature = "cuda")]
pub use gpuvm_cuda::{
    Own, Resident, Room, Span, Words, Work, cache_key, copy_between, indirect, is_cuda, relaxed, resident,
};

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
pub use self::without::{
    Own, Resident, Room, Span, Words, Work, adapters, cache_key, copy_between, indirect, is_cuda, relaxed, resident,
};

#[cfg(not(feature = "cuda"))]
mod without {
    pub fn adapters() -> Result<Vec<wgpu::Adapter>, String> {
        Err("gpuvm was built without its feature `cuda`".to_string())
    }

    pub fn copy_between(_: (&wgpu::Buffer, u64), _: (&wgpu::Buffer, u64), _: u64) -> Result<bool, String> {
        Ok(false)
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

    pub fn resident(_: &wgpu::Device, _: Own) -> Option<wgpu::Device> {
        None
    }

    /// As `gpuvm_cuda::Own`.
    #[allow(dead_code, reason = "nobody is there to look at it")]
    pub struct Own {
        pub answered: Option<Words>,
        pub copied: [Option<Words>; 2],
    }

    /// As `gpuvm_cuda::Words`.
    #[allow(dead_code, reason = "nobody is there to look at it")]
    pub struct Words {
        pub group: u32,
        pub binding: u32,
        pub words: u32,
    }

    /// A kernel that stays, of which there are none.
    #[derive(Debug)]
    pub enum Resident {}

    /// As `gpuvm_cuda::Room`.
    #[allow(dead_code, reason = "nobody is there to look at it")]
    pub struct Room {
        pub request: usize,
        pub answer: usize,
    }

    /// As `gpuvm_cuda::Span`.
    #[derive(Clone, Copy)]
    #[allow(dead_code, reason = "nobody is there to look at it")]
    pub struct Span<'b> {
        pub buffer: &'b wgpu::Buffer,
        pub start: u64,
        pub words: usize,
    }

    /// As `gpuvm_cuda::Work`.
    #[allow(dead_code, reason = "nobody is there to look at it")]
    pub struct Work<'w> {
        pub groups: u32,
        pub put: [Option<(Span<'w>, &'w [u32])>; 2],
        pub clear: [Option<Span<'w>>; 2],
        pub get: Option<Span<'w>>,
    }

    impl Resident {
        pub fn new(_: &wgpu::ComputePipeline, _: &[&wgpu::BindGroup], _: Room) -> Result<Resident, String> {
            Err("gpuvm was built without its feature `cuda`".to_string())
        }

        pub fn serve(&mut self, _: &Work<'_>, _: &mut Vec<u32>) -> Result<(), String> {
            match *self {}
        }

        pub fn settle(&mut self) -> Result<(), String> {
            match *self {}
        }
    }

    pub fn cache_key(_: &wgpu::Adapter) -> Option<String> {
        None
    }
}
