//! gpuvm's machine and its compiler: pure data and functions, no syn, no wgpu, no I/O.

// Generated code names the facade, `::gpuvm`; in `stdlib` that is this crate.
extern crate self as gpuvm;

mod allocate;
pub mod assembly;
pub mod build;
mod bytes;
pub mod compile;
pub mod encode;
pub mod facts;
pub mod interp;
mod ir;
pub mod isa;
pub mod kernel;
pub mod library;
pub mod link;
#[doc(hidden)]
pub mod marker;
pub mod matrix;
mod pass;
#[doc(hidden)]
pub mod private;
pub mod program;
pub mod routine;
pub mod settings;
pub mod specialise;
#[allow(
    dead_code,
    unused_mut,
    missing_docs,
    clippy::all,
    reason = "its functions are for the macro to read: natively std's own run, whose documentation holds, and what std is made of cannot call it"
)]
mod stdlib;
pub mod types;

// Generated code says `::gpuvm::__private`, also in gpuvm-math, which knows this crate by the facade's name.
#[doc(hidden)]
pub use private as __private;
