//! Functions that are imported beside other modules of their names.

use gpuvm::prelude::*;

mod gcd;
mod numbers;
mod reduced;

use numbers::{gcd, reduced};

cases! { beside_other_modules }

#[routine]
fn beside_other_modules(a: u32, b: u32) -> (u32, u32, (u32, u32), u32) {
    let (a, b) = (a % 1000 + 1, b % 1000 + 1);
    (gcd(a, b), self::gcd::lcm(a, b), reduced(a, b), reduced::numerator(a, b))
}
