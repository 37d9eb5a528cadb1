//! A user's trait as a bound on references, and implemented for references.

use core::ops::{Add, Mul, Sub};
use gpuvm::prelude::*;

cases! {
    few:
    areas_behind, sums_by_bounded_references, dots_of_references, shapes_for_references, polynomials_of_references, scaled_by_reference, norms_by_where,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Circle {
    r: f32,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Square {
    side: f32,
}

#[routine]
trait Shape {
    fn area(self) -> f32;
    fn scaled(self, by: f32) -> f32;
}

#[routine]
impl Shape for &Circle {
    fn area(self) -> f32 {
        self.r * self.r * 3.0
    }
    fn scaled(self, by: f32) -> f32 {
        self.r * by
    }
}

#[routine]
impl<'a> Shape for &'a Square {
    fn area(self) -> f32 {
        self.side * self.side
    }
    fn scaled(self, by: f32) -> f32 {
        self.area() * by
    }
}

#[routine]
fn shapes_for_references(r: f32, s: f32) -> (f32, f32, f32) {
    let (circle, square) = (Circle { r }, Square { side: s });
    let all = [circle, Circle { r: s }];
    let total: f32 = all.iter().map(|c| c.area()).sum();
    ((&circle).area() + (&square).scaled(2.0), total, (&square).area())
}

#[routine]
fn total<'a, T>(shapes: &'a [T]) -> f32
where
    &'a T: Shape,
{
    let mut sum = 0.0;
    for shape in shapes {
        sum += shape.area();
    }
    sum
}

#[routine]
fn larger<'a, T>(a: &'a T, b: &'a T) -> &'a T
where
    &'a T: Shape,
{
    if a.area() < b.area() { b } else { a }
}

#[routine]
fn areas_behind(a: f32, b: f32) -> (f32, f32, Circle) {
    let circles = [Circle { r: a }, Circle { r: b }, Circle { r: 1.0 }];
    let squares = [Square { side: a }, Square { side: b }];
    (total(&circles), total(&squares), *larger(&circles[0], &circles[1]))
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct V2 {
    x: f32,
    y: f32,
}

#[routine]
impl Add for V2 {
    type Output = V2;
    fn add(self, o: V2) -> V2 {
        V2 {
            x: self.x + o.x,
            y: self.y + o.y,
        }
    }
}

#[routine]
impl<'a> Add<&'a V2> for &'a V2 {
    type Output = V2;
    fn add(self, o: &V2) -> V2 {
        V2 {
            x: self.x + o.x,
            y: self.y + o.y,
        }
    }
}

#[routine]
impl Mul<&V2> for &V2 {
    type Output = f32;
    fn mul(self, o: &V2) -> f32 {
        self.x * o.x + self.y * o.y
    }
}

#[routine]
fn sum_of<T>(values: &[T], zero: T) -> T
where
    for<'a> &'a T: Add<Output = T>,
{
    let mut sum = zero;
    for value in values {
        sum = &sum + value;
    }
    sum
}

#[routine]
fn sums_by_bounded_references(a: f32, b: u32) -> (V2, u32, f32) {
    let points = [V2 { x: a, y: 1.0 }, V2 { x: 2.0, y: a }];
    let numbers = [b % 1000, 5, b >> 20];
    (
        sum_of(&points, V2 { x: 0.0, y: 0.0 }),
        sum_of(&numbers, 0),
        sum_of(&[a, 1.0], 0.5),
    )
}

#[routine]
fn dot<'a, T, R>(a: &'a [T], b: &'a [T], zero: R) -> R
where
    &'a T: Mul<&'a T, Output = R>,
    R: Add<Output = R> + Copy,
{
    let mut sum = zero;
    for (x, y) in a.iter().zip(b) {
        sum = sum + x * y;
    }
    sum
}

#[routine]
fn dots_of_references(a: f32, b: u32) -> (f32, u32) {
    let points = [V2 { x: a, y: 1.0 }, V2 { x: 2.0, y: a }];
    let numbers = [b % 100, 7];
    (dot(&points, &points, 0.0), dot(&numbers, &numbers, 0))
}

/// A trait whose methods take `&self`, for a type and for references to it.
#[routine]
trait Norm {
    fn norm(&self) -> f32;
}

#[routine]
impl Norm for V2 {
    fn norm(&self) -> f32 {
        self.x.abs() + self.y.abs()
    }
}

#[routine]
impl<T: Norm> Norm for &T {
    fn norm(&self) -> f32 {
        (**self).norm()
    }
}

#[routine]
fn norms<'a, T>(values: &'a [T]) -> f32
where
    &'a T: Norm,
{
    values.iter().map(|v| v.norm()).fold(0.0, |a, b| a + b)
}

#[routine]
fn norms_by_where(a: f32, b: f32) -> f32 {
    norms(&[V2 { x: a, y: b }, V2 { x: b, y: a }])
}

/// Horner's scheme without copies.
#[routine]
fn horner<T: Clone>(coefficients: &[T], x: &T) -> T
where
    for<'a> &'a T: Mul<&'a T, Output = T> + Add<&'a T, Output = T>,
{
    let mut value = coefficients[0].clone();
    for c in &coefficients[1..] {
        value = &(&value * x) + c;
    }
    value
}

#[derive(VmType, Clone, Debug, PartialEq, Copy)]
struct Mod(u32);

#[routine]
impl<'a> Add<&'a Mod> for &Mod {
    type Output = Mod;
    fn add(self, o: &Mod) -> Mod {
        Mod((self.0 + o.0) % 97)
    }
}

#[routine]
impl<'a> Mul<&'a Mod> for &Mod {
    type Output = Mod;
    fn mul(self, o: &Mod) -> Mod {
        Mod(self.0 * o.0 % 97)
    }
}

#[routine]
fn polynomials_of_references(a: u32, b: u32) -> (Mod, u32, i64) {
    let c = [Mod(a % 97), Mod(3), Mod(b % 97)];
    (
        horner(&c, &Mod(b % 97)),
        horner(&[a % 7, 2, 1], &(b % 50)),
        horner(&[1i64, -2], &(a as i64)),
    )
}

#[routine]
fn scale_all<T, const N: usize>(values: &[T; N], by: &T) -> [T; N]
where
    for<'a> &'a T: Mul<Output = T> + Sub<Output = T>,
{
    core::array::from_fn(|i| &(&values[i] * by) - by)
}

#[routine]
fn scaled_by_reference(a: f32, b: i32) -> ([f32; 3], [i32; 2]) {
    (scale_all(&[a, 1.0, 2.0], &a), scale_all(&[b % 100, 7], &3))
}
