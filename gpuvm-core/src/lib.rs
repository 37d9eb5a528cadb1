//! gpuvm's machine and its compiler: pure data and functions, no syn, no wgpu, no I/O.

pub mod compile;
pub mod encode;
pub mod facts;
pub mod interp;
pub mod isa;
pub mod library;
pub mod matrix;
pub mod program;
pub mod routine;
pub mod types;
