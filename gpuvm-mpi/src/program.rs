//! A whole program on all ranks, whose error is said once.

use std::fmt::Display;
use std::process::ExitCode;
use std::time::Duration;

use crate::patience::Patience;
use crate::runtime::{Builder, Runtime};

/// So long the first rank has to fail of the same as another one.
const SAME: Duration = Duration::from_secs(2);

/// Runs a program on all ranks, with a [`Runtime::new`]. Its error is said once if all have it, with the name of the rank otherwise, and ends all.
///
/// ```no_run
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     gpuvm_mpi::run(|runtime| {
///         let squares: Vec<u32> = runtime.launch("square")?.args((&[1u32, 2, 3],)).run()?.output()?;
///         if runtime.is_first() {
///             println!("{squares:?}");
///         }
///         Ok::<_, Box<dyn std::error::Error>>(())
///     })
/// }
/// # #[gpuvm::routine]
/// # fn square(x: u32) -> u32 {
/// #     x * x
/// # }
/// ```
pub fn run<E: Display>(program: impl FnOnce(&Runtime) -> Result<(), E>) -> ExitCode {
    run_with(Runtime::builder(), program)
}

/// The same with choices of your own.
pub fn run_with<E: Display>(builder: Builder, program: impl FnOnce(&Runtime) -> Result<(), E>) -> ExitCode {
    let runtime = match builder.build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let Err(error) = program(&runtime) else {
        return ExitCode::SUCCESS;
    };
    let world = runtime.world();
    if runtime.is_first() {
        eprintln!("error: {error}");
        world.say_failed();
    } else {
        let mut patience = Patience::new();
        while !world.has_first_failed() {
            if patience.waited() > SAME {
                world.abort(&error.to_string());
            }
            patience.wait();
        }
    }
    ExitCode::FAILURE
}
