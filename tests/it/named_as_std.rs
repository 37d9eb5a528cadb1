//! Methods of the user's that are named as std's are, without their arguments or with another result.

use gpuvm::prelude::*;

cases! { corners_of_a_box, extremes_of_a_generic, ranges_to_what_a_trait_gives, ranges_to_an_own_length, own_extremes_by_path }

#[derive(VmType, Clone, Copy, Debug)]
struct Bounds {
    low: (i32, i32),
    size: (u8, u8),
}

#[routine]
impl Bounds {
    fn min(&self) -> (i32, i32) {
        self.low
    }

    fn max(self) -> (i32, i32) {
        (
            self.low.0.wrapping_add(self.size.0.into()),
            self.low.1.wrapping_add(self.size.1.into()),
        )
    }

    fn len(&self) -> i64 {
        i64::from(self.size.0 % 7) + i64::from(self.size.1 % 5)
    }

    fn count(self) -> u64 {
        u64::from(self.size.0 % 9)
    }

    fn sum(&self) -> u16 {
        u16::from(self.size.1 % 6)
    }
}

#[routine]
fn corners_of_a_box(x: i32, y: i32, width: u8, height: u8) -> (i32, i32, i32) {
    let bounds = Bounds {
        low: (x, y),
        size: (width, height),
    };
    let (left, top) = bounds.min();
    let right = bounds.max().0.max(left).min(left.wrapping_add(100));
    (right, bounds.max().1, [left, top, right].into_iter().max().unwrap_or(0))
}

#[derive(VmType, Clone, Copy, Debug)]
struct Pair<T: VmType> {
    one: T,
    other: T,
}

#[routine]
impl<T: VmType + PartialOrd> Pair<T> {
    fn min(&self) -> T {
        if self.other < self.one { self.other } else { self.one }
    }

    fn max(&self) -> &T {
        if self.other < self.one { &self.one } else { &self.other }
    }
}

#[routine]
fn extremes_of_a_generic(a: f32, b: f32, n: u64, m: u64) -> (f32, u64, f32, u64) {
    let (of_floats, of_numbers) = (Pair { one: a, other: b }, Pair { one: n, other: m });
    (of_floats.min(), of_numbers.min(), *of_floats.max(), *of_numbers.max())
}

#[routine]
trait Spread {
    fn spread(self) -> u32;
    fn len(&self) -> u64;
    fn top(&self) -> u8;
}

#[routine]
impl Spread for i64 {
    fn spread(self) -> u32 {
        self as u32 % 11
    }

    fn len(&self) -> u64 {
        *self as u64 % 5
    }

    fn top(&self) -> u8 {
        (*self as u8) % 6
    }
}

#[routine]
fn ranges_to_what_a_trait_gives(n: i64) -> (u32, u64, u64, u32) {
    let (mut sum, mut wide, mut small) = (0, 0, 0);
    for i in 0..n.spread() {
        sum += i;
    }
    for i in (0..=n.spread()).rev() {
        sum = sum * 2 + i;
    }
    for i in 1..n.len() {
        wide += i;
    }
    for i in (0..n.top()).step_by(2) {
        small += u64::from(i);
    }
    let mut literal = 0;
    for i in 0..3_i64.spread() % 6 {
        literal += i;
    }
    (sum, wide, small, literal)
}

#[routine]
fn ranges_to_an_own_length(width: u8, height: u8) -> (i64, u64, u64) {
    let bounds = Bounds {
        low: (0, 0),
        size: (width, height),
    };
    let (mut signed, mut unsigned, mut narrow) = (0, 0, 0);
    for i in 0..bounds.len() {
        signed += i;
    }
    for i in (2..bounds.len()).rev() {
        signed = signed * 3 - i;
    }
    for i in (0..bounds.len()).step_by(3) {
        signed -= i;
    }
    for i in 0..=bounds.count() {
        unsigned += i;
    }
    for i in 0..bounds.sum() {
        narrow += u64::from(i);
    }
    (signed, unsigned, narrow)
}

#[routine]
fn own_extremes_by_path(x: i32, y: i32, width: u8, height: u8, n: i64) -> (i32, i32, u8, u64) {
    let bounds = Bounds {
        low: (x, y),
        size: (width, height),
    };
    let pair = Pair {
        one: width,
        other: height,
    };
    (
        Bounds::min(&bounds).1.max(Pair::min(&pair).into()),
        Bounds::max(bounds).0,
        <i64 as Spread>::top(&n).min(*Pair::<u8>::max(&pair)),
        Spread::len(&n),
    )
}
