//! Translates a validated [`naga::Module`] with one compute entry point to PTX, the text that NVIDIA's driver compiles. It needs no GPU
//! and no driver: what comes out is a string, and what the host has to pass when it launches.
//!
//! All functions are inlined, so that variables stay in registers, whichever function they are passed to by pointer, and only arrays
//! with a computed index lie in memory. ptxas inlines what fits its own limits anyway, but would have to keep such variables in memory
//! before it comes to that.
//!
//! NVIDIA's assembler, ptxas, looks for as many threads as have room and spends registers only for that, moves loads to where their values are
//! used, and keeps the call of a function for the rare arguments of a root or quotient that nobody reads. So a kernel with a long stretch of
//! straight code asks for few blocks, vectors of words that only go to variables are loaded by an instruction that stays where it is, and
//! what nobody reads is not written.
//!
//! Memory of workgroups starts as anything, as with naga's SPIR-V when told so. A buffer must hold at least one element of the array
//! of unknown length at its end, as WebGPU demands: where accesses are checked, an index out of bounds goes to the last element.
//!
//! ```
//! use naga::valid::{Capabilities, ValidationFlags, Validator};
//!
//! let wgsl = "
//!     @group(0) @binding(0) var<storage, read_write> values: array<f32>;
//!
//!     @compute @workgroup_size(64)
//!     fn halve(@builtin(global_invocation_id) id: vec3<u32>) {
//!         values[id.x] *= 0.5;
//!     }
//! ";
//! let module = naga::front::wgsl::parse_str(wgsl)?;
//! let info = Validator::new(ValidationFlags::all(), Capabilities::empty()).validate(&module)?;
//! let kernel = gpuvm_ptx::translate(&module, &info, &gpuvm_ptx::Options::default())?;
//! assert_eq!(kernel.workgroup, [64, 1, 1]);
//! assert_eq!(kernel.parameters, [gpuvm_ptx::Parameter::Buffer { group: 0, binding: 0, writable: true }]);
//! assert!(kernel.text.contains(&kernel.entry));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod analysis;
mod atomic;
mod control;
mod convert;
mod divide;
mod entry;
mod error;
mod expression;
mod if_conversion;
mod layout;
mod math;
mod memory;
mod near;
mod operand;
mod operator;
mod options;
mod place;
pub mod ptxas;
mod reconvergence;
mod resident;
mod statement;
mod switch;
mod text;
mod translator;
mod vector;

pub use error::Error;
pub use options::{Floats, Grid, Kernel, NEAR, Options, Own, Parameter, Words};
pub use resident::{Part, Request, mailbox};

use naga::Module;
use naga::valid::ModuleInfo;

/// A result whose error is [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Writes the entry point of a module as PTX.
///
/// ```
/// use gpuvm_ptx::{Options, Parameter, translate};
/// use naga::valid::{Capabilities, ValidationFlags, Validator};
///
/// let source = "@group(0) @binding(2) var<storage, read_write> words: array<u32>;
///     @compute @workgroup_size(64)
///     fn twice(@builtin(global_invocation_id) id: vec3<u32>) { words[id.x] *= 2u; }";
/// let module = naga::front::wgsl::parse_str(source).unwrap();
/// let info = Validator::new(ValidationFlags::all(), Capabilities::default()).validate(&module).unwrap();
/// let kernel = translate(&module, &info, &Options::default())?;
/// assert_eq!(kernel.workgroup, [64, 1, 1]);
/// assert_eq!(kernel.parameters, [Parameter::Buffer { group: 0, binding: 2, writable: true }]);
/// assert!(kernel.text.contains("st.global.b32"));
/// # Ok::<(), gpuvm_ptx::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::EntryPoints`] if there is not one entry point, [`Error::Unsupported`] if the module has something that no kernel of PTX can
/// do, or that is not translated yet.
pub fn translate(module: &Module, info: &ModuleInfo, options: &Options) -> Result<Kernel> {
    entry::translate(module, info, options)
}
