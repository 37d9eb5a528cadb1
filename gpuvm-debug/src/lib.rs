//! A debugger for gpuvm's VMs: [`Session`] stops, steps, shows and changes the VMs of an [`Execution`](gpuvm_runtime::Execution).
//!
//! A VM's state is data, and what it does depends on nothing but that. So the VM that one looks at is taken out of its launch and run on this CPU, instruction by
//! instruction, forwards and backwards, while a million others stand where they are on the device; and it is put back when they go on.
//!
//! With `GPUVM_DEBUG=4711` in the environment, a program that is built with gpuvm's feature `debug` serves the Debug Adapter Protocol on that port of this machine, and its first
//! launch waits for an editor to attach. A program can do the same by itself with [`Server`], or stop and look at its own launches, where `gpuvm_debug` is `gpuvm::debug`:
//!
//! ```
//! use gpuvm::Settings;
//! use gpuvm::prelude::*;
//! use gpuvm_debug::{Expression, Session, Step, Stop, Wanted};
//!
//! #[routine]
//! fn odd_part(start: u32) -> u32 {
//!     let mut n = start;
//!     while n % 2 == 0 {
//!         n /= 2;
//!     }
//!     n
//! }
//!
//! fn main() -> Result<(), Box<dyn std::error::Error>> {
//!     let runtime = Runtime::builder().settings(Settings::debug()).build()?;
//!     let mut execution = runtime.launch("odd_part")?.args((&[7u32, 48, 12],)).start()?;
//!     let mut session = Session::new(&mut execution);
//!     let line = Wanted::at(9).when(Expression::parse("n < 10 && start == 48")?);
//! #   let line = Wanted { line: line!() - 10, ..line };
//!     session.set_breakpoints(file!(), vec![line]);
//!     let stop = session.resume(&mut || false)?;
//!     assert_eq!(stop, Stop::Breakpoint { breakpoints: vec![0], vms: 1 });
//!     assert_eq!(session.evaluate(0, &Expression::parse("n")?)?.show(), "6");
//!     session.step_back(Step::Over, &mut || false)?;
//!     session.step_back(Step::Over, &mut || false)?;
//!     assert_eq!(session.evaluate(0, &Expression::parse("n")?)?.show(), "12");
//!     session.end()?;
//!     execution.run_to_end()?;
//!     assert_eq!(execution.finish()?.output::<Vec<u32>>()?, [7, 3, 3]);
//!     Ok(())
//! }
//! ```

mod breakpoint;
mod expression;
mod guard;
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
