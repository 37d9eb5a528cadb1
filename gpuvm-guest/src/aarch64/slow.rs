//! What is not one operation, for translated code.

use gpuvm::prelude::*;

#[routine(id = "gpuvm-guest.udiv32")]
fn udiv32(a: u32, b: u32) -> u32 {
    a.checked_div(b).unwrap_or(0)
}

#[routine(id = "gpuvm-guest.udiv64")]
fn udiv64(a: u64, b: u64) -> u64 {
    a.checked_div(b).unwrap_or(0)
}

#[routine(id = "gpuvm-guest.sdiv32")]
fn sdiv32(a: u32, b: u32) -> u32 {
    if b == 0 {
        0
    } else {
        (a as i32).wrapping_div(b as i32) as u32
    }
}

#[routine(id = "gpuvm-guest.sdiv64")]
fn sdiv64(a: u64, b: u64) -> u64 {
    if b == 0 {
        0
    } else {
        (a as i64).wrapping_div(b as i64) as u64
    }
}
