//! Something of all that the macros make code for, to be compiled under the lints of a strict crate.

use std::ops::{Add, AddAssign};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy)]
struct Vec2 {
    x: f32,
    y: f32,
}

#[derive(VmType, Clone, Copy)]
struct Unit;

/// Called in constants and in the places of items alone.
macro_rules! four {
    () => {
        4
    };
}

macro_rules! getters {
    ($($name:ident)*) => {$(
        fn $name(self) -> f32 {
            self.$name
        }
    )*};
}

#[routine]
impl Vec2 {
    const FOUR: u16 = four!();

    getters! { x y }

    fn sum(self) -> f32 {
        self.x() + self.y() + f32::from(Self::FOUR)
    }
}

#[derive(RingMessage, Clone, Copy)]
enum Shape {
    Nothing,
    Circle(f32),
    Rect { width: f32, height: u16 },
}

#[derive(VmType, Clone, Copy)]
struct Pair<T> {
    first: T,
    second: T,
}

#[routine]
impl Add for Vec2 {
    type Output = Vec2;
    fn add(self, other: Vec2) -> Vec2 {
        Vec2 {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

#[routine]
impl AddAssign for Vec2 {
    fn add_assign(&mut self, other: Vec2) {
        *self = *self + other;
    }
}

#[routine]
impl Vec2 {
    const ZERO: Vec2 = Vec2 { x: 0.0, y: 0.0 };

    fn length(self) -> f32 {
        self.x.hypot(self.y)
    }

    fn scale(&mut self, by: f32) {
        self.x *= by;
        self.y *= by;
    }
}

#[routine]
trait Area {
    const CORNERS: u16;

    fn area(&self) -> f32;

    fn doubled(&self) -> f32 {
        self.area() * twice(Self::CORNERS)
    }
}

#[routine]
fn twice(n: u16) -> f32 {
    2.0 * f32::from(n)
}

#[routine]
impl Area for Shape {
    const CORNERS: u16 = 1;

    fn area(&self) -> f32 {
        match self {
            Shape::Nothing => 0.0,
            Shape::Circle(radius) => radius * radius,
            Shape::Rect { width, height } => width * f32::from(*height),
        }
    }
}

#[routine]
impl<T: VmType> Pair<T> {
    fn swapped(self) -> Pair<T> {
        Pair {
            first: self.second,
            second: self.first,
        }
    }
}

#[routine(callee)]
fn total<T: VmType + Area, const N: usize>(shapes: [T; N]) -> f32 {
    let mut sum = 0.0;
    for shape in shapes {
        sum += shape.area() + shape.doubled();
    }
    sum
}

const LIMIT: u32 = 10;

#[routine]
fn collatz(start: u32) -> Option<u32> {
    const STEP: u32 = 1;
    const OFFSET: u32 = 1;
    let mut n = start;
    let mut steps = 0;
    while n > 1 {
        if n == 77 {
            return None;
        }
        n = if n & 1 == 0 || n == LIMIT {
            n / 2
        } else {
            n * 3 + OFFSET
        };
        steps += STEP;
    }
    Some(steps)
}

#[routine]
fn halves(n: u32) -> u32 {
    fn half(n: u32) -> u32 {
        n / two()
    }
    if n == 0 { 0 } else { 1 + halves(half(n)) }
}

#[routine]
const fn two() -> u32 {
    2
}

#[routine]
fn everything(all: &[f32], out: &mut [f32], n: u32, unit: Unit) -> (f32, Unit) {
    use std::f32::consts::PI;
    let mut vector = Vec2 { x: PI, y: all[0].sin() };
    vector.scale(2.0);
    vector += Vec2::ZERO;
    vector.x += vector.sum();
    let Some(steps) = collatz(n) else {
        return (0.0, unit);
    };
    let sum = vector + vector;
    for (i, x) in all.iter().enumerate() {
        out[i] = x.max(1.0).powi(2);
    }
    'search: loop {
        for x in out.iter_mut() {
            if *x > 5.0 {
                break 'search;
            }
            *x += 1.0;
        }
    }
    assert!(sum.x > 1.0, "n is {n}");
    assert!(sum.y > 1.0);
    assert_eq!(halves(n), steps);
    let pair = Pair {
        first: 1.0,
        second: 2.0,
    }
    .swapped();
    let areas = total([
        Shape::Circle(pair.first),
        Shape::Rect {
            width: pair.second,
            height: 2,
        },
    ]);
    (sum.length() + areas, unit)
}

#[routine]
fn never(n: u32) -> u32 {
    match n {
        0 => todo!(),
        1 => unreachable!("it is {}", n),
        _ => panic!("always"),
    }
}

#[derive(VmType, Clone, Copy, Default)]
struct Count {
    seen: u32,
}

#[ring_kernel]
fn counter(count: &mut Count, shape: Shape, ctx: &mut Ring) -> Option<Shape> {
    count.seen += 1;
    if count.seen == 3 {
        ctx.send(ctx.actor(), Shape::Nothing);
    }
    if count.seen > 5 { Some(shape) } else { None }
}

#[ring_kernel]
fn quiet(count: &mut Count, shape: Shape) {
    if shape.area() > 1.0 {
        count.seen += 1;
    }
}
