//! Beside the function of its name.

use gpuvm::prelude::*;

use super::numbers::reduced;

#[routine(callee)]
pub fn numerator(a: u32, b: u32) -> u32 {
    reduced(a, b).0
}
