//! The programs that are debugged.

#![allow(clippy::manual_is_multiple_of, reason = "routines as people write them")]

use std::sync::OnceLock;

use gpuvm::prelude::*;
use gpuvm::{Execution, Settings};

/// The engines that pause.
pub const ENGINES: [Engine; 4] = [
    Engine::Reference,
    Engine::Interpreter,
    Engine::Epoch,
    Engine::Specialized,
];

/// What the tests reach their device through: Vulkan, or CUDA where `GPUVM_BACKEND` says so.
pub fn backend() -> Backend {
    match std::env::var("GPUVM_BACKEND").as_deref() {
        Ok("cuda") => Backend::Cuda,
        _ => Backend::Wgpu,
    }
}

/// A runtime on whatever device there is, linked for a debugger.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        let builder = Runtime::builder().backend(backend()).settings(Settings::debug());
        builder
            .build()
            .expect("there is a Vulkan device, at least Mesa's lavapipe")
    })
}

/// The line of the first text like this in this file.
pub fn line(text: &str) -> u32 {
    let found = include_str!("programs.rs").lines().position(|line| line.contains(text));
    found.map_or_else(|| panic!("no line has `{text}`"), |index| index as u32 + 1)
}

#[derive(Clone, Copy, Debug, Default, PartialEq, VmType)]
pub struct Walker {
    pub at: (i32, i32),
    pub steps: u32,
    pub last: Option<Turn>,
}

#[derive(Clone, Copy, Debug, PartialEq, VmType)]
pub enum Turn {
    Left,
    Right { by: u8 },
}

#[routine]
pub fn mix(seed: u32, salt: u32) -> u32 {
    let mixed = seed.wrapping_mul(747_796_405).wrapping_add(salt);
    mixed ^ (mixed >> 13)
}

#[routine]
pub fn turn(seed: u32) -> Turn {
    let bits = mix(seed, 17);
    if bits & 1 == 0 {
        return Turn::Left;
    }
    Turn::Right { by: (bits >> 8) as u8 }
}

#[routine]
pub fn walk(walker: &mut Walker, trail: &mut [u32], turns: u32) {
    let mut seed = walker.steps + vm::id();
    for i in 0..turns {
        let next = turn(seed);
        let dx = match next {
            Turn::Left => -1,
            Turn::Right { by } => i32::from(by % 3),
        };
        walker.at.0 += dx;
        walker.at.1 += i as i32;
        walker.steps += 1;
        walker.last = Some(next);
        trail[(i % 4) as usize] = seed;
        seed = mix(seed, i);
    }
}

#[routine]
pub fn collatz(start: u32) -> u32 {
    let mut n = start;
    let mut steps = 0;
    while n > 1 {
        n = if n % 2 == 0 { n / 2 } else { n * 3 + 1 };
        steps += 1;
    }
    steps
}

/// Neither `seed` nor what is made of it at first is needed any more while it turns.
#[routine]
pub fn scramble(seed: u32, turns: u32) -> u32 {
    let first = seed.wrapping_mul(3) ^ 0x55;
    let second = first.wrapping_mul(first) >> 3;
    let third = second.wrapping_mul(seed) | 1;
    let fourth = third.wrapping_mul(second) >> 5;
    let mut mixed = (first & second) ^ (third & fourth) ^ seed;
    let mut turn = 0;
    while turn < turns {
        mixed = mixed.wrapping_mul(mixed) ^ turn;
        turn += 1;
    }
    mixed
}

#[routine]
pub fn quotients(level: u32, by: u32) -> u32 {
    let half = by / 2;
    if level == 0 {
        let quotient = 100 / half;
        return quotient;
    }
    quotients(level - 1, half) + level
}

/// A launch of [`collatz`] over the numbers from 1 on.
pub fn collatz_of(starts: &[u32], engine: Engine) -> Execution<'_> {
    let launch = runtime().launch("collatz").unwrap().args((starts,)).engine(engine);
    launch.start().unwrap()
}
