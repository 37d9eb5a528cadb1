//! Routines of the user's that are called as functions of std's are.

use gpuvm::prelude::*;

cases! { numbers, generic, named_by_path, with_closures, beside_std, own_write }

#[routine]
fn max(a: u32, b: u32) -> u32 {
    if a % 10 > b % 10 { a } else { b }
}

#[routine]
fn take(n: u32) -> u32 {
    n ^ 1
}

#[routine]
fn swap<T>(a: T, b: T) -> (T, T) {
    (b, a)
}

#[routine]
fn once(a: &mut u32) -> bool {
    *a ^= 3;
    *a % 2 == 0
}

#[routine]
fn repeat(n: u32, f: impl Fn(u32) -> u32) -> u32 {
    (0..n % 5).fold(n, |x, _| f(x))
}

mod cmp {
    use gpuvm::prelude::*;

    #[routine]
    pub fn min(a: u32, b: u32) -> u32 {
        if a / 2 < b / 2 { a } else { b }
    }
}

#[routine]
fn numbers(a: u32, b: u32) -> (u32, u32, bool) {
    let mut c = a;
    (max(a, b), take(b), once(&mut c))
}

#[routine]
fn generic(a: u32, x: f32) -> ((u32, u32), (f32, f32)) {
    (swap(a, 2), swap(x, 0.5))
}

#[routine]
fn named_by_path(a: u32, b: u32) -> (u32, u32) {
    (cmp::min(a, b), self::max(a, b))
}

#[routine]
fn with_closures(a: u32, b: u32) -> (u32, u32) {
    (repeat(a, |x| x.rotate_left(1) ^ b), repeat(b, take))
}

#[routine]
fn beside_std(a: u32, b: u32) -> (u32, u32, u32) {
    let (mut x, mut y) = (a, b);
    core::mem::swap(&mut x, &mut y);
    (core::cmp::max(a, b), x, core::mem::take(&mut y))
}

/// Not `fmt::Write`, which the file does not import.
#[routine]
trait Write {
    fn put(&mut self, x: u32) -> u32;

    fn twice(&mut self, x: u32) -> u32 {
        self.put(x).wrapping_add(self.put(x))
    }
}

#[derive(VmType, Clone, Copy)]
struct Written(u32);

#[routine]
impl Write for Written {
    fn put(&mut self, x: u32) -> u32 {
        self.0 = self.0.wrapping_add(x);
        self.0
    }
}

#[routine]
fn own_write(x: u32) -> u32 {
    let mut written = Written(1);
    written.twice(x)
}
