//! Derivatives by dual numbers over any float, also over dual numbers, Newton's method with them, and quantities with units.

use std::marker::PhantomData;
use std::ops::{Add, Div, Mul, Neg, Sub};

use gpuvm::prelude::*;

#[routine]
trait Float:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + From<f32>
{
    fn sqrt(self) -> Self;
    fn exp(self) -> Self;
    fn value(self) -> f32;
    fn powi(self, n: u32) -> Self {
        let mut r = Self::from(1.0);
        for _ in 0..n {
            r = r * self;
        }
        r
    }
    fn relu(self) -> Self {
        if self > Self::from(0.0) { self } else { Self::from(0.0) }
    }
}
#[routine]
impl Float for f32 {
    fn sqrt(self) -> f32 {
        f32::sqrt(self)
    }
    fn exp(self) -> f32 {
        f32::exp(self)
    }
    fn value(self) -> f32 {
        self
    }
}
#[derive(VmType, Clone, Copy, Debug)]
struct Dual<T> {
    v: T,
    d: T,
}
#[routine]
impl<T: Float> PartialEq for Dual<T> {
    fn eq(&self, o: &Self) -> bool {
        self.v == o.v
    }
}
#[routine]
impl<T: Float> PartialOrd for Dual<T> {
    fn partial_cmp(&self, o: &Self) -> Option<std::cmp::Ordering> {
        self.v.partial_cmp(&o.v)
    }
}
#[routine]
impl<T: Float> Add for Dual<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Dual {
            v: self.v + o.v,
            d: self.d + o.d,
        }
    }
}
#[routine]
impl<T: Float> Sub for Dual<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Dual {
            v: self.v - o.v,
            d: self.d - o.d,
        }
    }
}
#[routine]
impl<T: Float> Mul for Dual<T> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Dual {
            v: self.v * o.v,
            d: self.d * o.v + self.v * o.d,
        }
    }
}
#[routine]
impl<T: Float> Div for Dual<T> {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        Dual {
            v: self.v / o.v,
            d: (self.d * o.v - self.v * o.d) / (o.v * o.v),
        }
    }
}
#[routine]
impl<T: Float> Neg for Dual<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Dual { v: -self.v, d: -self.d }
    }
}
#[routine]
impl<T: Float> From<f32> for Dual<T> {
    fn from(x: f32) -> Self {
        Dual {
            v: T::from(x),
            d: T::from(0.0),
        }
    }
}
#[routine]
impl<T: Float> Float for Dual<T> {
    fn sqrt(self) -> Self {
        let r = self.v.sqrt();
        Dual {
            v: r,
            d: self.d / (T::from(2.0) * r),
        }
    }
    fn exp(self) -> Self {
        let e = self.v.exp();
        Dual { v: e, d: self.d * e }
    }
    fn value(self) -> f32 {
        self.v.value()
    }
}
#[routine]
fn derivative<T: Float>(f: impl Fn(Dual<T>) -> Dual<T>, at: T) -> T {
    f(Dual { v: at, d: T::from(1.0) }).d
}
#[routine]
fn bell<T: Float>(x: T) -> T {
    (-(x * x) / T::from(2.0)).exp() + x.powi(3).relu().sqrt()
}
#[routine]
fn newton<T: Float>(f: impl Fn(Dual<T>) -> Dual<T>, mut x: T, steps: u32) -> T {
    for _ in 0..steps {
        let y = f(Dual { v: x, d: T::from(1.0) });
        x = x - y.v / y.d;
    }
    x
}
#[derive(VmType, Clone, Copy, PartialEq, Debug)]
struct Quantity<T, U> {
    value: T,
    unit: PhantomData<U>,
}
#[derive(VmType, Clone, Copy, PartialEq, Debug)]
struct Metre;
#[derive(VmType, Clone, Copy, PartialEq, Debug)]
struct Second;
#[derive(VmType, Clone, Copy, PartialEq, Debug)]
struct Per<A, B>(PhantomData<(A, B)>);
#[routine]
impl<T: Float, A, B> Div<Quantity<T, B>> for Quantity<T, A> {
    type Output = Quantity<T, Per<A, B>>;
    fn div(self, o: Quantity<T, B>) -> Quantity<T, Per<A, B>> {
        Quantity {
            value: self.value / o.value,
            unit: PhantomData,
        }
    }
}
#[routine]
fn speed<T: Float>(d: Quantity<T, Metre>, t: Quantity<T, Second>) -> Quantity<T, Per<Metre, Second>> {
    d / t
}
#[routine]
pub fn derivatives(a: u32) -> (f32, f32, f32, f32) {
    let x = (a % 100) as f32 * 0.05;
    let second = derivative(|y: Dual<f32>| bell(y), x);
    let nested = derivative(|y: Dual<Dual<f32>>| y * y * y, Dual { v: x, d: 1.0 }).d;
    let root = newton(|y| y * y - Dual::from(x + 2.0), 1.0, 6);
    let v = speed(
        Quantity {
            value: Dual { v: x, d: 1.0 },
            unit: PhantomData,
        },
        Quantity {
            value: Dual::from(4.0),
            unit: PhantomData,
        },
    );
    (second, nested, root, v.value.d)
}

pub fn known() {
    assert_eq!(derivative(|x: Dual<f32>| x * x * x, 2.0), 12.0);
    assert_eq!(derivative(|x: Dual<f32>| x.powi(4) / Dual::from(4.0), 3.0), 27.0);
    let third = derivative(|x: Dual<Dual<f32>>| x.powi(3), Dual { v: 5.0, d: 1.0 });
    assert_eq!((third.v, third.d), (75.0, 30.0));
    let root = newton(|y| y * y - Dual::from(2.0), 1.0, 6);
    assert!((root - 2f32.sqrt()).abs() < 1e-6, "{root}");
    let (.., v) = derivatives(7);
    assert_eq!(v, 0.25);
}
