//! Routines that are made at run time: built, saved, loaded, launched alone and in batches, on every engine.

mod alone;
mod batches;
mod random;
mod tables;
mod texts;

use gpuvm::Engine;

pub use gpuvm_tests::runtime;

/// The engines that each case runs on.
const ENGINES: [Engine; 5] = [
    Engine::Native,
    Engine::Reference,
    Engine::Interpreter,
    Engine::Epoch,
    Engine::Specialized,
];
