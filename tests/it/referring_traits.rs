//! Traits with associated types, parameters and bodies that references implement, and what has such a trait by a bound.

use gpuvm::prelude::*;

cases! {
    few: bodies_of_references, parameters_of_references, references_by_bounds, lists_by_references, looked_up_as_rustc_does, values_looked_up, given_and_looked_up,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Bits {
    word: u32,
}

#[routine]
trait Measure {
    type Unit;
    const SCALE: u32 = 1;
    fn measure(&self) -> Self::Unit;
    fn twice(&self) -> (Self::Unit, Self::Unit) {
        (self.measure(), self.measure())
    }
    fn scale(&self) -> u32 {
        Self::SCALE
    }
}

#[routine]
impl Measure for Bits {
    type Unit = u32;
    fn measure(&self) -> u32 {
        self.word.count_ones()
    }
}

#[routine]
impl Measure for &Bits {
    type Unit = u64;
    const SCALE: u32 = 7;
    fn measure(&self) -> u64 {
        u64::from(self.word) << 1
    }
}

/// The method of a value goes before that of a reference to it.
#[routine]
fn bodies_of_references(a: u32) -> (u32, u64, u64, u32, u32) {
    let bits = Bits { word: a };
    let (first, second) = <&Bits as Measure>::twice(&&bits);
    let r = &bits;
    (r.measure(), first, second, r.scale(), <&Bits as Measure>::scale(&r))
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Meters(u32);

#[routine]
trait Scale<F> {
    type Out;
    fn scale(self, by: F) -> Self::Out;
    fn scale_twice(self, by: F) -> (Self::Out, Self::Out)
    where
        Self: Sized + Copy,
        F: Copy,
    {
        (self.scale(by), self.scale(by))
    }
}

#[routine]
impl Scale<u32> for &Meters {
    type Out = Meters;
    fn scale(self, by: u32) -> Meters {
        Meters(self.0.wrapping_mul(by))
    }
}

#[routine]
impl Scale<u8> for &Meters {
    type Out = u32;
    fn scale(self, by: u8) -> u32 {
        self.0 ^ u32::from(by)
    }
}

#[routine]
impl<'a> Scale<&'a Meters> for &'a Meters {
    type Out = u32;
    fn scale(self, by: &'a Meters) -> u32 {
        self.0 & by.0
    }
}

#[routine]
fn parameters_of_references(a: u32, b: u32) -> [u32; 4] {
    let meters = Meters(a);
    let r = &meters;
    let (first, second) = r.scale_twice(b as u8);
    [r.scale(b).0, first, second, r.scale(&Meters(b))]
}

#[routine]
trait Encode {
    type Code: Copy;
    const WIDTH: u32;
    fn encode(&self) -> Self::Code;
    fn pair<E: Encode>(&self, other: E) -> (Self::Code, E::Code) {
        (self.encode(), other.encode())
    }
}

#[routine]
impl Encode for u32 {
    type Code = u64;
    const WIDTH: u32 = 64;
    fn encode(&self) -> u64 {
        u64::from(*self) << 1
    }
}

#[routine]
impl Encode for bool {
    type Code = u8;
    const WIDTH: u32 = 8;
    fn encode(&self) -> u8 {
        u8::from(*self)
    }
}

#[routine]
impl<T: Encode> Encode for &T {
    type Code = T::Code;
    const WIDTH: u32 = T::WIDTH + 1;
    fn encode(&self) -> T::Code {
        (**self).encode()
    }
}

#[routine]
fn encoded<E: Encode>(value: E) -> (E::Code, u32) {
    let of = &value;
    (of.encode(), E::WIDTH)
}

#[routine]
fn references_by_bounds(a: u32, b: u32) -> (u64, u8, (u64, u32), (u8, u32)) {
    let r = &a;
    let (code, flag) = r.pair(a > b);
    (code, flag, encoded(&a), encoded(a < b))
}

#[routine]
trait Source {
    type Item;
    fn fetch(&self, i: usize) -> Option<Self::Item>;
    fn before(&self, end: usize) -> Option<Self::Item> {
        if end == 0 { None } else { self.fetch(end - 1) }
    }
}

#[routine]
impl<'a> Source for &'a [u32] {
    type Item = &'a u32;
    fn fetch(&self, i: usize) -> Option<&'a u32> {
        self.get(i)
    }
}

#[routine]
impl<const N: usize> Source for [u8; N] {
    type Item = u8;
    fn fetch(&self, i: usize) -> Option<u8> {
        if i < N { Some(self[i]) } else { None }
    }
}

#[routine]
fn second<S: Source>(source: S) -> Option<S::Item> {
    source.before(2)
}

#[routine]
fn lists_by_references(a: u32, b: u32) -> (Option<u32>, Option<u8>, Option<u32>, Option<u8>) {
    let list = [a, 2, 3];
    let part = &list[..b as usize % 4];
    (
        part.before(b as usize % 5).copied(),
        [7u8, 8].before(b as usize % 4),
        second(part).copied(),
        second([b as u8, a as u8]),
    )
}

/// What a value, a reference to it and a unique one have each in its own way.
#[routine]
trait Size {
    fn size(&self) -> u32;
    fn grow(&mut self, by: u32) -> u32;
}

#[routine]
impl Size for Meters {
    fn size(&self) -> u32 {
        self.0
    }
    fn grow(&mut self, by: u32) -> u32 {
        self.0 = self.0.wrapping_add(by);
        self.0
    }
}

#[routine]
impl Size for &Meters {
    fn size(&self) -> u32 {
        self.0 ^ 10
    }
    fn grow(&mut self, by: u32) -> u32 {
        self.0 ^ 100 ^ by
    }
}

#[routine]
impl Size for &mut Meters {
    fn size(&self) -> u32 {
        self.0 ^ 1000
    }
    fn grow(&mut self, by: u32) -> u32 {
        self.0 = self.0.wrapping_mul(by);
        self.0
    }
}

#[routine]
fn looked_up_as_rustc_does(a: u32, b: u32) -> ([u32; 6], [u32; 5], u32) {
    let mut value = Meters(a);
    let mut other = Meters(b);
    let r = &value;
    let shared = [
        r.size(),
        (&r).size(),
        (&&r).size(),
        (&value).size(),
        (&&value).size(),
        value.size(),
    ];
    let mut unique = &mut other;
    let unique = [
        unique.size(),
        (&unique).size(),
        (&mut unique).grow(3),
        unique.grow(5),
        (&mut &value).grow(7),
    ];
    (shared, unique, value.grow(1))
}

/// The same of what is taken by value.
#[routine]
trait Weigh {
    fn weigh(self) -> u32;
}

#[routine]
impl Weigh for Meters {
    fn weigh(self) -> u32 {
        self.0
    }
}

#[routine]
impl Weigh for &Meters {
    fn weigh(self) -> u32 {
        self.0 ^ 1
    }
}

#[routine]
impl<'a> Weigh for &'a mut Meters {
    fn weigh(self) -> u32 {
        self.0 ^= 2;
        self.0
    }
}

#[derive(VmType, Clone, Copy)]
struct Crate<'a> {
    lent: &'a Meters,
    own: Meters,
}

#[routine]
fn values_looked_up(a: u32) -> ([u32; 4], u32, [u32; 2], u32) {
    let mut meters = Meters(a);
    let held = Crate {
        lent: &Meters(a ^ 8),
        own: meters,
    };
    let shared = [(&meters).weigh(), meters.weigh(), held.lent.weigh(), held.own.weigh()];
    let all: u32 = [&held.own, held.lent].iter().map(|meters| meters.weigh() & 0xff).sum();
    let unique = &mut meters;
    let changed = [unique.weigh(), (&mut meters).weigh()];
    (shared, all, changed, meters.0)
}

#[routine]
fn sized<T: Size>(value: T) -> u32 {
    value.size()
}

#[routine]
fn sizes<T: Size>(value: &T) -> (u32, u32) {
    (value.size(), (&value).size())
}

#[routine]
fn grown(mut value: impl Size, other: &mut impl Size) -> (u32, u32) {
    (value.grow(2), other.grow(3))
}

#[routine]
fn given_and_looked_up(a: u32) -> ([u32; 3], (u32, u32), (u32, u32), (u32, u32), u32) {
    let mut meters = Meters(a);
    let mut other = Meters(a ^ 77);
    let all = [sized(&meters), sized(meters), sized(&mut meters)];
    let (first, second) = (sizes(&&meters), sizes(&meters));
    (all, first, second, grown(&mut meters, &mut &mut other), other.0)
}
