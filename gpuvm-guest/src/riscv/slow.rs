//! What is not one operation, for translated code: [`Register`]'s, by id.

use gpuvm::prelude::*;

use super::register::Register;

#[routine(id = "gpuvm-guest.mulh32")]
fn mulh32(a: u32, b: u32) -> u32 {
    a.times_high(b)
}

#[routine(id = "gpuvm-guest.mulhsu32")]
fn mulhsu32(a: u32, b: u32) -> u32 {
    a.times_high_mixed(b)
}

#[routine(id = "gpuvm-guest.mulhu32")]
fn mulhu32(a: u32, b: u32) -> u32 {
    a.times_high_unsigned(b)
}

#[routine(id = "gpuvm-guest.div32")]
fn div32(a: u32, b: u32) -> u32 {
    a.divided(b)
}

#[routine(id = "gpuvm-guest.divu32")]
fn divu32(a: u32, b: u32) -> u32 {
    a.divided_unsigned(b)
}

#[routine(id = "gpuvm-guest.rem32")]
fn rem32(a: u32, b: u32) -> u32 {
    a.remainder(b)
}

#[routine(id = "gpuvm-guest.remu32")]
fn remu32(a: u32, b: u32) -> u32 {
    a.remainder_unsigned(b)
}

#[routine(id = "gpuvm-guest.mulh64")]
fn mulh64(a: u64, b: u64) -> u64 {
    a.times_high(b)
}

#[routine(id = "gpuvm-guest.mulhsu64")]
fn mulhsu64(a: u64, b: u64) -> u64 {
    a.times_high_mixed(b)
}

#[routine(id = "gpuvm-guest.mulhu64")]
fn mulhu64(a: u64, b: u64) -> u64 {
    a.times_high_unsigned(b)
}

#[routine(id = "gpuvm-guest.div64")]
fn div64(a: u64, b: u64) -> u64 {
    a.divided(b)
}

#[routine(id = "gpuvm-guest.divu64")]
fn divu64(a: u64, b: u64) -> u64 {
    a.divided_unsigned(b)
}

#[routine(id = "gpuvm-guest.rem64")]
fn rem64(a: u64, b: u64) -> u64 {
    a.remainder(b)
}

#[routine(id = "gpuvm-guest.remu64")]
fn remu64(a: u64, b: u64) -> u64 {
    a.remainder_unsigned(b)
}
