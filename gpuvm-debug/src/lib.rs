//! A debugger for gpuvm's VMs: [`Session`] stops, steps, shows and changes the VMs of an [`Execution`](gpuvm_runtime::Execution).
//!
//! A VM's state is data, and what it does depends on nothing but that. So the VM that one looks at is taken out of its launch and run on this CPU, instruction by
//! instruction, forwards and backwards, while a million others stand where they are on the device; and it is put back when they go on.

mod breakpoint;
mod expression;
mod scope;
mod server;
mod session;
mod steps;
mod value;

pub use breakpoint::{Breakpoint, Wanted};
pub use expression::{Expression, ExpressionError};
pub use server::Server;
pub use session::{DebugError, Frame, Session, Shown, Stop};
pub use steps::Step;
pub use value::Value;
