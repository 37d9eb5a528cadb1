//! What the table's launches are of.

use gpuvm::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[routine]
pub fn axpy(a: f32, x: f32, y: f32) -> f32 {
    a * x + y
}

#[routine]
pub fn bump(x: &mut u32) {
    *x += 1;
}

#[routine]
pub fn chosen(all: &[u32], i: u32) -> u32 {
    all[i as usize]
}

#[routine]
pub fn chunk(out: &mut [u32], n: u32) {
    out[0] = n;
}

#[routine]
pub fn bytes(a: u8, b: u8) -> u8 {
    a + b
}

#[routine]
pub fn minus(a: u32) -> u32 {
    a - 1
}

#[routine]
pub fn shifted(a: u32, b: u32) -> u32 {
    a << b
}

#[routine]
pub fn spin(x: u32) -> u32 {
    let mut n = x;
    while n != 1 {
        n = if n.is_multiple_of(2) {
            n / 2
        } else {
            n.wrapping_mul(3).wrapping_add(1)
        };
    }
    n
}

#[routine]
pub fn alone() -> u32 {
    vm::id()
}

#[routine]
pub fn found(grid: &[u32], w: u32) -> u32 {
    for y in 0..w {
        for x in 0..w {
            if grid[(y * w + x) as usize] == vm::id() {
                return y * w + x;
            }
        }
    }
    9999
}

#[routine]
pub fn shadow(x: u32) -> u32 {
    let x = x + 1;
    let x = {
        let x = x * 2;
        x + 1
    };
    for x in 0..3u32 {
        let _ = x;
    }
    x
}

#[routine]
pub fn unwrapper(x: Option<u32>) -> u32 {
    x.unwrap()
}

#[routine]
pub fn expecter(x: Option<u32>) -> u32 {
    x.expect("no x")
}

#[routine]
pub fn limited(x: u32) -> u32 {
    assert!(x < 3, "x is {x} too large");
    x
}

#[routine]
pub fn outer(x: u32) -> u32 {
    quotient(x, 0)
}

#[routine]
fn quotient(x: u32, y: u32) -> u32 {
    x / y
}

#[routine]
pub fn root(x: f32) -> u32 {
    (x.sqrt() * 10.0) as u32
}

#[routine]
pub fn hist(bins: &[AtomicU32], v: u32) {
    bins[v as usize].fetch_add(1, Ordering::Relaxed);
}

#[routine]
pub fn yielder(x: u32) -> u32 {
    vm::yield_now();
    x
}

static LIMIT: u32 = 41;

#[routine]
pub fn limit(x: u32) -> u32 {
    x + LIMIT
}

pub mod a {
    use gpuvm::prelude::*;

    #[routine]
    pub fn step(x: f32) -> f32 {
        x + 1.0
    }
}

pub mod b {
    use gpuvm::prelude::*;

    #[routine]
    pub fn step(x: f32) -> f32 {
        x + 2.0
    }
}

#[routine]
pub fn positive(x: u32) -> bool {
    x > 0
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
pub struct Sum(pub u32);

#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
pub struct Other(pub f32);

#[ring_kernel]
pub fn summer(sum: &mut u32, message: Sum) -> Sum {
    *sum += message.0;
    Sum(*sum)
}

#[ring_kernel]
pub fn silent(sum: &mut u32, message: Sum) -> Option<Sum> {
    *sum += message.0;
    if *sum > 1000 { Some(Sum(*sum)) } else { None }
}

#[ring_kernel]
pub fn talker(sum: &mut u32, message: Sum, ctx: &mut Ring) -> Option<Sum> {
    *sum += 1;
    for _ in 0..10 {
        ctx.send(message.0, Sum(message.0));
    }
    None
}
