//! The mistakes of first contact: what a user gets wrong in the first hour is answered at once, on the spot, with what to write.

mod long;
mod memory;
mod messages;
mod printed;
mod run;
mod sizes;

use std::sync::OnceLock;

use gpuvm::prelude::*;

/// What launches run on.
const ENGINES: [Engine; 5] = [
    Engine::Native,
    Engine::Reference,
    Engine::Interpreter,
    Engine::Epoch,
    Engine::Specialized,
];

/// The runtime that all tests share. They need a device that wgpu can open: passing without one would say of its engines what nobody has
/// checked.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| Runtime::builder().backend(gpuvm_tests::gpu_backend()).build().unwrap())
}

/// What an error says.
fn told<T, E: std::fmt::Display>(result: Result<T, E>) -> String {
    match result {
        Ok(_) => "no error".to_string(),
        Err(error) => error.to_string(),
    }
}
