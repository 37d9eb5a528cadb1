//! Functions by path: associated ones of types whose arguments are left out, methods and functions of numbers as values; and byte strings.

use std::cmp::Ordering;

use gpuvm::prelude::*;

cases! { left_out_arguments, left_out_by_result, functions_as_values, byte_strings, method_named_as_an_adaptor, operators_as_values }

#[derive(VmType, Clone, Copy)]
struct Square<const N: usize> {
    cells: [[u32; N]; N],
}

#[routine]
impl<const N: usize> Square<N> {
    fn zero() -> Self {
        Square { cells: [[0; N]; N] }
    }

    fn from_fn(f: impl Fn(usize, usize) -> u32) -> Self {
        let mut square = Square::zero();
        for i in 0..N {
            for j in 0..N {
                square.cells[i][j] = f(i, j);
            }
        }
        square
    }

    fn trace(&self) -> u32 {
        (0..N).fold(0, |sum: u32, i| sum.wrapping_add(self.cells[i][i]))
    }

    fn checked(n: u32) -> Option<Square<N>> {
        (n % 4 != 3).then(|| Square::from_fn(|i, j| (n % 100) * (i + 2 * j) as u32))
    }
}

#[routine]
fn left_out_arguments(n: u32) -> (u32, u32) {
    let square: Square<3> = Square::from_fn(|i, j| i as u32 ^ (j as u32).wrapping_mul(n));
    (square.trace(), Square::trace(&square))
}

#[routine]
fn left_out_by_result(n: u32) -> (u32, Option<u32>) {
    let trace = Square::checked(n).map_or(1, |square: Square<2>| square.trace());
    (trace, Square::<4>::checked(n / 3).as_ref().map(Square::trace))
}

#[derive(VmType, Clone, Copy)]
struct Value {
    x: u32,
}

#[routine]
impl Value {
    fn new(x: u32) -> Value {
        Value { x }
    }

    fn applied(self, f: fn(u32, u32) -> u32) -> u32 {
        f(self.x, 3)
    }

    fn find(&self, x: u32) -> bool {
        self.x % 16 == x % 16
    }

    fn take(&mut self, most: u32) -> u32 {
        let taken = self.x.min(most);
        self.x -= taken;
        taken
    }
}

#[routine]
fn orders(a: u32, b: u32, f: impl Fn(&u32, &u32) -> Ordering) -> bool {
    f(&a, &b).is_lt()
}

#[routine]
fn twice_by(x: u32, f: impl Fn(u32) -> u32) -> u32 {
    f(f(x))
}

#[routine]
fn functions_as_values(a: u32, b: u32) -> (u32, u32, bool, Option<bool>) {
    (
        Value::new(a).applied(u32::wrapping_mul),
        twice_by(b, u32::count_ones),
        orders(a, b, u32::cmp),
        Some(b as u8).as_ref().map(u8::is_ascii_digit),
    )
}

#[routine]
fn byte_strings(n: u32) -> (u8, usize, bool, u32) {
    let key = b"expand 32-byte k";
    let digits: &[u8] = if n % 2 == 0 { b"0123456789" } else { b"" };
    let word = [b'k', b'e', b'y'];
    (
        key[(n % 16) as usize],
        digits.len(),
        &word[..] == b"key",
        b"\x00\xff\n".iter().map(|x| u32::from(*x)).sum(),
    )
}

#[routine]
fn method_named_as_an_adaptor(a: u32, b: u32) -> (bool, u32, u32) {
    let mut value = Value::new(a);
    let first = value.take(b);
    (value.find(b), first, value.x)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Modular(u32);

#[routine]
impl std::ops::Add for Modular {
    type Output = Modular;

    fn add(self, other: Modular) -> Modular {
        Modular((self.0 % 97 + other.0 % 97) % 97)
    }
}

#[routine]
impl std::ops::Neg for Modular {
    type Output = Modular;

    fn neg(self) -> Modular {
        Modular((97 - self.0 % 97) % 97)
    }
}

/// Whose `add` is no operator.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Tally(u32);

#[routine]
impl Tally {
    fn add(self, more: u32) -> Tally {
        Tally(self.0 ^ more)
    }
}

#[routine]
fn operators_as_values(list: [u32; 8]) -> (Modular, [Modular; 2], Tally) {
    use std::ops::{Add, Neg};
    let sum = list.iter().map(|n| Modular(*n)).fold(Modular(1), Modular::add);
    let negative = [Modular(list[0]), sum].map(Modular::neg);
    (sum, negative, list.into_iter().fold(Tally(0), Tally::add))
}
