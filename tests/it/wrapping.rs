//! `Wrapping<T>`: never traps, whatever the build.

use std::num::Wrapping;

use gpuvm::prelude::*;

cases! {
    wrapping_arithmetic, wrapping_lcg, wrapping_bytes, wrapping_long, wrapping_bits, wrapping_in_struct, wrapping_signed, wrapping_results,
}

#[routine]
fn wrapping_arithmetic(a: u32, b: u32) -> u32 {
    let (a, b) = (Wrapping(a), Wrapping(b));
    (a + b * a - Wrapping(7)).0
}

#[routine]
fn wrapping_lcg(seed: Wrapping<u32>, n: u32) -> Wrapping<u32> {
    let mut x = seed;
    for _ in 0..n % 64 {
        x = x * Wrapping(747_796_405) + Wrapping(2_891_336_453);
    }
    x
}

#[routine]
fn wrapping_bytes(a: u8, b: u8) -> (Wrapping<u8>, u8) {
    let mut x = Wrapping(a);
    x += Wrapping(b);
    x *= Wrapping(3);
    (x, (x - Wrapping(200)).0)
}

#[routine]
fn wrapping_long(a: u64, b: Wrapping<i64>) -> (u64, Wrapping<i64>) {
    let hash = (Wrapping(a) ^ Wrapping(0xcbf2_9ce4_8422_2325)) * Wrapping(0x100_0000_01b3);
    (hash.0, b * b - b)
}

#[routine]
fn wrapping_bits(a: u32, b: u32) -> u32 {
    let (a, b) = (Wrapping(a), Wrapping(b));
    (!(a & b) | (a ^ b)).0
}

#[derive(VmType, Clone, Copy, Debug)]
struct Generator {
    state: Wrapping<u32>,
    drawn: u32,
}

#[routine]
impl Generator {
    fn draw(&mut self) -> u32 {
        self.state = self.state * Wrapping(69_069) + Wrapping(1);
        self.drawn += 1;
        self.state.0 >> 16
    }
}

#[routine]
fn wrapping_in_struct(seed: u32, n: u32) -> Generator {
    let mut generator = Generator {
        state: Wrapping(seed),
        drawn: 0,
    };
    while generator.draw() % 8 != n % 8 && generator.drawn < 20 {}
    generator
}

#[routine]
fn wrapping_signed(a: i32, b: i32) -> (i32, bool) {
    let x = -Wrapping(a) + Wrapping(b);
    (x.0, x > Wrapping(0))
}

#[routine]
fn wrapping_results(a: Wrapping<i16>, b: Wrapping<u16>) -> (Wrapping<i16>, Wrapping<u16>) {
    (a * a, b - Wrapping(1000))
}
