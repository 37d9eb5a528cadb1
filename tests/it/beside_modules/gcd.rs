//! Beside the function of its name.

use gpuvm::prelude::*;

#[routine(callee)]
pub fn lcm(a: u32, b: u32) -> u32 {
    a / super::numbers::gcd(a, b) * b
}
