//! Those that gpuvm is compared with: hand-written WGSL through the same wgpu, and CubeCL on wgpu, and kameo's actors. (Another, rayon,
//! is one line in each workload.)

pub mod cube;
pub mod kameo;
pub mod wgsl;
