//! Routines of the user's that are called as functions of std's are.

use gpuvm::prelude::*;

cases! { numbers, generic, named_by_path, with_closures, beside_std, own_write, methods_of_several_traits, several_in_generics,
methods_of_other_numbers, other_numbers_by_path }

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

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Lab {
    l: f32,
    a: f32,
}

/// A trait with parameters, which one type implements several times, and whose methods are named as std's.
#[routine]
trait Pow<Rhs = Self> {
    type Output;
    fn pow(self, rhs: Rhs) -> Self::Output;
}

#[routine]
impl Pow<f32> for Lab {
    type Output = Lab;
    fn pow(self, e: f32) -> Lab {
        Lab {
            l: self.l * e,
            a: self.a - e,
        }
    }
}

#[routine]
impl Pow for Lab {
    type Output = f32;
    fn pow(self, e: Lab) -> f32 {
        self.l * e.a + self.a
    }
}

#[routine]
trait Combine<T> {
    fn add(&self, other: T) -> u32;
    fn min(&self, other: T) -> u32;
    fn map(&self, other: T) -> u32;
    fn get(&self, other: T) -> u32;
    fn len(&self, other: T) -> u32 {
        self.get(other) ^ 1
    }
}

#[routine]
impl Combine<u32> for Lab {
    fn add(&self, other: u32) -> u32 {
        other ^ 1
    }
    fn min(&self, other: u32) -> u32 {
        other ^ 2
    }
    fn map(&self, other: u32) -> u32 {
        other ^ 3
    }
    fn get(&self, other: u32) -> u32 {
        other ^ 4
    }
}

#[routine]
impl Combine<bool> for Lab {
    fn add(&self, other: bool) -> u32 {
        u32::from(other) + 10
    }
    fn min(&self, other: bool) -> u32 {
        u32::from(other) + 20
    }
    fn map(&self, other: bool) -> u32 {
        u32::from(other) + 30
    }
    fn get(&self, other: bool) -> u32 {
        u32::from(other) + self.l.to_bits()
    }
}

#[routine]
fn methods_of_several_traits(a: f32, b: u32) -> (f32, [u32; 5], [u32; 5]) {
    let lab = Lab { l: a, a: 2.5 };
    let c = b > 7;
    let numbers = [
        lab.add(b),
        lab.min(b),
        lab.map(b),
        lab.get(b),
        Combine::<u32>::len(&lab, b),
    ];
    let flags = [lab.add(c), lab.min(c), lab.map(c), lab.get(c), lab.len(c)];
    (lab.pow(1.5).pow(lab), numbers, flags)
}

#[routine]
fn combined<T, C>(of: &C, other: T) -> u32
where
    T: Copy,
    C: Combine<T> + Combine<bool>,
{
    of.map(other) ^ of.get(true) ^ of.min(other)
}

#[routine]
fn several_in_generics(a: f32, b: u32) -> (u32, u32) {
    let lab = Lab { l: a, a: 0.0 };
    (combined(&lab, b), combined(&lab, b % 2 == 0))
}

/// Methods of numbers that std has of other numbers.
#[routine]
trait Numeric: Copy {
    fn pow(self, n: u32) -> Self;

    fn sqrt(self) -> Self;

    fn abs(self) -> Self {
        self
    }

    fn count_ones(self) -> u32 {
        7
    }
}

#[routine]
impl Numeric for f64 {
    fn pow(self, n: u32) -> f64 {
        let mut power = 1.0;
        for _ in 0..n {
            power *= self;
        }
        power
    }

    fn sqrt(self) -> f64 {
        0.0
    }
}

#[routine]
impl Numeric for u32 {
    fn pow(self, _: u32) -> u32 {
        5
    }

    fn sqrt(self) -> u32 {
        let mut root = 0;
        while (root + 1) * (root + 1) <= self {
            root += 1;
        }
        root
    }
}

#[routine]
impl Numeric for bool {
    fn pow(self, n: u32) -> bool {
        self | (n == 0)
    }

    fn sqrt(self) -> bool {
        !self
    }
}

#[routine]
fn methods_of_other_numbers(a: u32) -> (f64, f64, u32, u32, u32, bool) {
    let x = f64::from(a % 1000);
    let (y, n) = (x, a % 5000);
    (
        x.pow(3),
        y.sqrt(),
        n.sqrt(),
        n.abs() + x.count_ones(),
        n.count_ones(),
        (n > 3).pow(n % 2),
    )
}

#[routine]
fn other_numbers_by_path(a: u32) -> ([f64; 3], [u32; 4], bool) {
    let (x, n) = (f64::from(a % 1000), a % 5000);
    (
        [f64::pow(x, 2), <f64 as Numeric>::pow(x, 3), f64::sqrt(x)],
        [u32::sqrt(n), u32::abs(n), f64::count_ones(x), Numeric::sqrt(n)],
        bool::sqrt(n > 9),
    )
}
