//! Those that gpuvm is compared with: hand-written WGSL through the same wgpu, CubeCL on wgpu, hand-written CUDA, and kameo's actors. (Another, rayon,
//! is one line in each workload.)

pub mod cube;
pub mod cuda;
pub mod kameo;
pub mod wgsl;
