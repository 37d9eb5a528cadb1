//! Conversions that may fail, and comparisons that generic types have been given by their users.

use std::cmp::Ordering;

use gpuvm::prelude::*;

cases! { narrowed, widened, arrays_of_slices, own_try_from, written_comparisons_of_generics, own_from_by_path, generic_from, that_never_fails }

#[routine]
fn narrowed(a: i64, b: u64) -> (Option<u8>, Option<i8>, Option<u32>, Option<i32>, Option<i64>, bool) {
    let by_result: Result<u16, _> = a.try_into();
    (
        u8::try_from(a).ok(),
        i8::try_from(b).ok(),
        a.try_into().ok(),
        i32::try_from(a).ok(),
        i64::try_from(b).ok(),
        by_result.is_err(),
    )
}

#[routine]
fn widened(a: u8, b: i32, c: u128) -> (u64, Option<u64>, Option<u128>, Option<i64>, usize) {
    (
        u64::try_from(a).unwrap_or(1),
        u64::try_from(b).ok(),
        b.try_into().ok(),
        c.try_into().ok(),
        usize::try_from(b).unwrap_or(7),
    )
}

#[routine]
fn arrays_of_slices(list: [u8; 8], n: u32) -> (u32, bool) {
    let xs = &list[..(n % 9) as usize];
    let four: Option<[u8; 4]> = xs.try_into().ok();
    let two = <[u8; 2]>::try_from(&xs[..xs.len().min(2)]);
    (four.map_or(n, u32::from_le_bytes), two.is_ok())
}

#[derive(VmType, Clone, Copy, PartialEq, Debug)]
struct Even(u32);

#[derive(VmType, Clone, Copy, PartialEq, Debug)]
struct Odd {
    by: u32,
}

#[routine]
impl TryFrom<u32> for Even {
    type Error = Odd;

    fn try_from(x: u32) -> Result<Even, Odd> {
        match x % 3 {
            0 => Ok(Even(x)),
            by => Err(Odd { by }),
        }
    }
}

#[routine]
fn halved(x: u32) -> Result<u32, Odd> {
    let even: Even = x.try_into()?;
    Ok(even.0 / 3)
}

#[routine]
fn own_try_from(x: u32) -> (Result<u32, Odd>, bool) {
    (halved(x), Even::try_from(x) == Ok(Even(x)))
}

/// Ordered by its last digit first.
#[derive(VmType, Clone, Copy, Debug)]
struct Digits<const N: usize>([u8; N]);

#[routine]
impl<const N: usize> PartialEq for Digits<N> {
    fn eq(&self, other: &Self) -> bool {
        self.0[N - 1] == other.0[N - 1]
    }
}

impl<const N: usize> Eq for Digits<N> {}

#[routine]
impl<const N: usize> PartialOrd for Digits<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[routine]
impl<const N: usize> Ord for Digits<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0[N - 1].cmp(&other.0[N - 1])
    }
}

#[routine]
fn written_comparisons_of_generics(a: [u8; 3], b: [u8; 3]) -> ([bool; 4], u8, Ordering) {
    let (x, y) = (Digits(a), Digits(b));
    (
        [x < y, x == y, x >= y, (x, 1) != (y, 1)],
        x.max(y).0[0],
        Some(x).cmp(&Some(y)),
    )
}

#[derive(VmType, Clone, Copy)]
enum Coin {
    Penny,
    Dime,
}

#[routine]
impl From<Coin> for u32 {
    fn from(coin: Coin) -> u32 {
        match coin {
            Coin::Penny => 1,
            Coin::Dime => 10,
        }
    }
}

/// Not the discriminant, which `as` would give.
#[routine]
fn own_from_by_path(dime: bool, n: u8) -> (u32, u32, u64, u32) {
    let coin = if dime { Coin::Dime } else { Coin::Penny };
    let counted: u32 = coin.into();
    (
        u32::from(coin),
        counted,
        u64::from(u32::from(coin)) << 33,
        [n, 7].map(u32::from)[0],
    )
}

#[routine]
fn as_wide<T: VmType>(x: T) -> u64
where
    u64: From<T>,
{
    u64::from(x) * 3
}

#[routine]
fn as_double<T: VmType + Into<f64>>(x: T) -> f64 {
    let wide: f64 = x.into();
    wide / 3.0
}

#[routine]
fn generic_from(a: u8, b: u32, c: f32) -> (u64, u64, f64, f64) {
    (as_wide(a), as_wide(b), as_double(b), as_double(c))
}

#[routine]
fn doubled(a: u32) -> Result<u32, std::convert::Infallible> {
    Ok(a.wrapping_mul(2))
}

#[routine]
fn that_never_fails(a: u32) -> (u32, u32, u64, Result<u32, std::convert::Infallible>) {
    let Ok(plain) = doubled(a);
    let matched = match doubled(7) {
        Ok(n) => n,
        Err(never) => match never {},
    };
    let Ok(wide) = u64::try_from(a);
    (plain, matched, wide, doubled(3))
}
