//! Closures as results, `-> impl Fn(u32) -> u32`.

use gpuvm::prelude::*;

cases! { returned, counted, composed, returned_by_method, handed_on, by_reference, returned_early }

#[routine]
fn adder(n: u32) -> impl Fn(u32) -> u32 {
    move |x| x ^ n
}

#[routine]
fn counter(step: u32) -> impl FnMut() -> u32 {
    let mut n = 0u32;
    move || {
        n = n.wrapping_add(step);
        n
    }
}

#[routine]
fn compose(f: impl Fn(u32) -> u32, g: impl Fn(u32) -> u32) -> impl Fn(u32) -> u32 {
    move |x| g(f(x))
}

#[routine]
fn longest(least: u32) -> impl Fn(&[u32], u32) -> u32 {
    move |list, n| list.iter().copied().filter(|x| *x > least).fold(n, |a, b| a.max(b))
}

#[routine]
fn apply(f: impl Fn(u32) -> u32, x: u32) -> u32 {
    f(x)
}

#[routine]
fn plus<const N: u32>(x: u32) -> u32 {
    x ^ N
}

#[routine]
fn returned(a: u32, b: u32) -> (u32, u32) {
    let one = adder(a);
    let other = adder(b);
    (one(b), other(one(3)))
}

#[routine]
fn counted(a: u32) -> (u32, u32, u32) {
    let mut next = counter(a);
    let mut other = counter(1);
    (next(), other(), next())
}

#[routine]
fn composed(a: u32, b: u32) -> (u32, Option<u32>) {
    let both = compose(adder(b), |x| x | 1);
    (both(a), Some(a).map(plus::<3>).map(compose(adder(1), plus::<4>)))
}

#[derive(VmType, Clone, Copy, Debug)]
struct Scale(u32);

#[routine]
impl Scale {
    fn by(self) -> impl Fn(u32) -> u32 {
        move |x| x.wrapping_mul(self.0)
    }
}

#[routine]
fn returned_by_method(a: u32, b: u32) -> u32 {
    let scale = Scale(a).by();
    scale(b) ^ scale(1)
}

#[routine]
fn handed_on(a: u32, b: u32) -> (u32, u32) {
    let sum = [a, b, 3].iter().copied().map(adder(5)).fold(0, |x, y| x ^ y);
    (apply(adder(b), a), sum)
}

#[routine]
fn by_reference(a: u32, b: u32) -> u32 {
    let longest = longest(3);
    longest(&[a % 10, b % 10, 4], 2)
}

#[routine]
fn early(n: u32) -> impl Fn(u32) -> u32 {
    let n = n | 1;
    return move |x| x.wrapping_mul(n);
}

#[routine]
fn returned_early(a: u32) -> u32 {
    early(a)(3)
}
