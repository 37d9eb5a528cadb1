//! Types without values that do not derive `VmType`, as arguments of others.

use std::marker::PhantomData;
use std::ops::Add;

use gpuvm::prelude::*;

use crate::chains::Chain;

cases! { lengths, states, inside_modules, from_another_file }

struct Meters;

/// A foot is 0.3048 m.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Feet;

enum Unknown {}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Length<U>(f32, PhantomData<U>);

type Distance = Length<Unknown>;

#[routine]
trait Unit {
    const IN_METERS: f32;
}

#[routine]
impl Unit for Meters {
    const IN_METERS: f32 = 1.0;
}

#[routine]
impl Unit for Feet {
    const IN_METERS: f32 = 0.3048;
}

#[routine]
impl<U> Length<U> {
    fn new(value: f32) -> Self {
        Length(value, PhantomData)
    }

    fn twice(&self) -> Length<U> {
        Length::new(self.0 * 2.0)
    }
}

#[routine]
impl<U: Unit> Length<U> {
    fn to<V: Unit>(&self) -> Length<V> {
        Length::new(self.0 * U::IN_METERS / V::IN_METERS)
    }
}

#[routine]
impl<U> Add for Length<U> {
    type Output = Length<U>;
    fn add(self, other: Length<U>) -> Length<U> {
        Length(self.0 + other.0, PhantomData)
    }
}

#[routine]
fn longer(a: Length<Feet>, b: Length<Feet>) -> Length<Feet> {
    if a.0 > b.0 { a } else { b }
}

#[routine]
fn lengths(a: f32, b: f32) -> (Length<Feet>, f32, f32, f32) {
    let meters: Length<Meters> = Length::new(a);
    let feet = longer(Length::new(b).twice(), meters.to::<Feet>());
    let sum = meters.twice() + feet.to() + Length(1.0, PhantomData);
    (feet, sum.0, Distance::new(b).twice().0, (feet + feet).0)
}

struct Open;
struct Closed;

/// A door whose state rustc knows.
#[derive(VmType, Clone, Copy)]
struct Door<S> {
    opened: u32,
    state: PhantomData<S>,
}

#[routine]
impl Door<Closed> {
    fn new() -> Self {
        Door {
            opened: 0,
            state: PhantomData,
        }
    }

    fn open(self) -> Door<Open> {
        Door {
            opened: self.opened + 1,
            state: PhantomData,
        }
    }
}

#[routine]
impl Door<Open> {
    fn close(self) -> Door<Closed> {
        Door {
            opened: self.opened,
            state: PhantomData,
        }
    }
}

#[routine]
fn states(a: u32) -> u32 {
    let mut door = Door::new();
    for _ in 0..a % 9 {
        door = door.open().close();
    }
    door.open().opened ^ a
}

mod money {
    use super::*;

    pub struct Euro;

    #[derive(VmType, Clone, Copy, Debug)]
    pub struct Amount<C>(pub i64, pub PhantomData<C>);

    #[routine]
    pub fn split<C>(amount: Amount<C>, by: i64) -> (Amount<C>, i64) {
        (Amount(amount.0 / by, PhantomData), amount.0 % by)
    }
}

#[routine]
fn inside_modules(a: i32) -> (i64, i64) {
    let (part, rest) = money::split::<money::Euro>(money::Amount(i64::from(a), PhantomData), 7);
    (part.0, rest)
}

/// Of a type that another file defines, in a module without attributes of gpuvm's.
#[routine]
fn from_another_file(a: f32, b: f32) -> (Length<Chain>, f32) {
    let (a, b) = (Length::<Chain>::new(a), Length::<Chain>::new(b));
    ((a + b).twice(), a.0 * Chain::IN_METERS)
}

#[routine]
impl Unit for Chain {
    const IN_METERS: f32 = 20.1168;
}
