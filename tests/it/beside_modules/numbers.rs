//! What is imported.

use gpuvm::prelude::*;

#[routine(callee)]
pub fn gcd(mut a: u32, mut b: u32) -> u32 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[routine(callee)]
pub fn reduced(a: u32, b: u32) -> (u32, u32) {
    let by = gcd(a, b);
    (a / by, b / by)
}
