//! The mistakes of first contact: what a user gets wrong in the first hour is answered at once, on the spot, with what to write.

mod long;
mod memory;
mod messages;
mod printed;
mod run;
mod sizes;

use gpuvm::prelude::*;
use gpuvm_tests::runtime;

/// What launches run on.
const ENGINES: [Engine; 5] = [
    Engine::Native,
    Engine::Reference,
    Engine::Interpreter,
    Engine::Epoch,
    Engine::Specialized,
];

/// What an error says.
fn told<T, E: std::fmt::Display>(result: Result<T, E>) -> String {
    match result {
        Ok(_) => "no error".to_string(),
        Err(error) => error.to_string(),
    }
}
