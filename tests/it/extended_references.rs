//! An extension trait for what has a trait that references have, too: each hands on to what it refers to.

use gpuvm::prelude::*;

cases! {
    by_value_and_by_reference, shapes_by_reference,
}

#[routine]
trait Base {
    fn next(&mut self) -> u32;
}

#[derive(VmType, Clone, Copy)]
struct Lcg(u32);

#[routine]
impl Base for Lcg {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(1664525).wrapping_add(1013904223);
        self.0 >> 8
    }
}

#[routine]
impl<R: Base + ?Sized> Base for &mut R {
    fn next(&mut self) -> u32 {
        (**self).next()
    }
}

#[routine]
trait Ext: Base {
    fn below(&mut self, n: u32) -> u32 {
        self.next() % n
    }
    fn within(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low)
    }
}

#[routine]
impl<R: Base + ?Sized> Ext for R {}

#[routine]
fn roll<R: Base>(mut rng: R) -> u32 {
    rng.below(6) + rng.within(1, 7)
}

#[routine]
fn by_reference<R: Base>(rng: &mut R) -> u32 {
    roll(&mut *rng) + rng.below(3)
}

#[routine]
fn by_value_and_by_reference(a: u32) -> (u32, u32, u32) {
    let mut rng = Lcg(a);
    (roll(&mut rng), by_reference(&mut rng), roll(rng))
}

#[routine]
trait Shape {
    fn area(&self) -> u32;
    fn name(&self) -> u8 {
        b's'
    }
}

#[routine]
impl<T: Shape + ?Sized> Shape for &T {
    fn area(&self) -> u32 {
        (**self).area()
    }
    fn name(&self) -> u8 {
        (**self).name()
    }
}

#[derive(VmType, Clone, Copy)]
struct Circle(u32);

#[routine]
impl Shape for Circle {
    fn area(&self) -> u32 {
        self.0 * 3
    }
    fn name(&self) -> u8 {
        b'c'
    }
}

#[routine]
fn sum_of<S: Shape>(shapes: &[S]) -> u32 {
    shapes.iter().map(Shape::area).sum()
}

#[routine]
fn area_and_name(shape: impl Shape) -> u32 {
    shape.area() + shape.name() as u32
}

#[routine]
fn shapes_by_reference(a: u32) -> u32 {
    let circle = Circle(a % 9);
    sum_of(&[&circle, &Circle(2)]) + area_and_name(&circle) + area_and_name(circle)
}
