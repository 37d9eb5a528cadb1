//! What a program is specialised for.

use gpuvm_core::specialise::KnownParams;
use gpuvm_engine::StopAt;

use crate::floats::{FloatOps, Needs};

/// What a program is specialised for beside itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// What is known of the launch's parameters.
    pub known: KnownParams,
    /// The forms of arithmetic that the device has right, or for a relaxed program those that it likes best.
    pub floats: FloatOps,
    /// Whether the program's floats may be computed as the device likes best.
    pub relaxed: bool,
    /// Whether the device is Mesa's software rasteriser, which puts what comes after each `return` one level deeper, and breaks after 80
    /// levels. For it a VM that traps goes on to the end of its block, but stores nothing any more.
    pub software: bool,
    /// Whether the device is CUDA's. For one of its threads a translated shader may have as many registers as are of use, and loads as vectors
    /// what is known to be aligned; NVIDIA's compiler behind Vulkan makes long code worse that keeps many words at hand.
    pub cuda: bool,
    /// Whether an invocation may run several VMs.
    pub several: bool,
    /// Whether the first trap alone is asked after, so that VMs which cannot stop leave no states.
    pub first_trap: bool,
    /// In front of which instructions VMs stop, ascending.
    pub stops: Vec<StopAt>,
    /// Whether a VM is left with all variables that are in scope.
    pub shows: bool,
}

impl Options {
    /// Whether the device has 64-bit integers, and has them right.
    pub fn long(&self) -> bool {
        self.floats.needs(Needs::Long)
    }

    /// Which of the stops is in front of an instruction, if one is.
    pub fn stop_at(&self, instruction: u32) -> Option<usize> {
        let found = self.stops.binary_search_by_key(&instruction, |stop| stop.instruction);
        found.ok()
    }
}
