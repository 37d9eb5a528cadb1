//! Traits of numbers as the crate `num` has them, and what is written for any number: powers, complex numbers, matrices, polynomials, a greatest common divisor.

use std::ops::{Add, Div, Mul, Rem, Sub};

use gpuvm::prelude::*;

#[routine]
trait Zero: Sized + Add<Output = Self> {
    fn zero() -> Self;
    fn is_zero(&self) -> bool;
}
#[routine]
trait One: Sized + Mul<Output = Self> {
    fn one() -> Self;
}
macro_rules! numbers { ($($t:ty)*) => {$(
    #[routine]
    impl Zero for $t { fn zero() -> $t { 0 as $t } fn is_zero(&self) -> bool { *self == 0 as $t } }
    #[routine]
    impl One for $t { fn one() -> $t { 1 as $t } }
)*} }
numbers! { u32 i64 f32 }
#[routine]
trait Num: Zero + One + Copy + PartialEq + Sub<Output = Self> + Div<Output = Self> {}
#[routine]
impl<T: Zero + One + Copy + PartialEq + Sub<Output = T> + Div<Output = T>> Num for T {}
#[routine]
fn pow<T: One + Copy>(base: T, mut exp: u32) -> T {
    let mut b = base;
    let mut r = T::one();
    while exp > 0 {
        if exp & 1 == 1 {
            r = r * b;
        }
        b = b * b;
        exp >>= 1;
    }
    r
}
#[derive(VmType, Clone, Copy, PartialEq, Debug)]
struct Complex<T> {
    re: T,
    im: T,
}
#[routine]
impl<T: Num> Complex<T> {
    fn new(re: T, im: T) -> Self {
        Complex { re, im }
    }
    fn norm_sqr(&self) -> T {
        self.re * self.re + self.im * self.im
    }
    fn conj(self) -> Self {
        Complex::new(self.re, T::zero() - self.im)
    }
}
#[routine]
impl<T: Num> Add for Complex<T> {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Complex::new(self.re + o.re, self.im + o.im)
    }
}
#[routine]
impl<T: Num> Sub for Complex<T> {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        Complex::new(self.re - o.re, self.im - o.im)
    }
}
#[routine]
impl<T: Num> Mul for Complex<T> {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Complex::new(self.re * o.re - self.im * o.im, self.re * o.im + self.im * o.re)
    }
}
#[routine]
impl<T: Num> Div for Complex<T> {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let n = o.norm_sqr();
        let p = self * o.conj();
        Complex::new(p.re / n, p.im / n)
    }
}
#[routine]
impl<T: Num> Zero for Complex<T> {
    fn zero() -> Self {
        Complex::new(T::zero(), T::zero())
    }
    fn is_zero(&self) -> bool {
        self.re.is_zero() && self.im.is_zero()
    }
}
#[routine]
impl<T: Num> One for Complex<T> {
    fn one() -> Self {
        Complex::new(T::one(), T::zero())
    }
}
#[derive(VmType, Clone, Copy, PartialEq, Debug)]
struct Matrix<T, const R: usize, const C: usize> {
    rows: [[T; C]; R],
}
#[routine]
impl<T: Num, const R: usize, const C: usize> Matrix<T, R, C> {
    fn from_fn(mut f: impl FnMut(usize, usize) -> T) -> Self {
        Matrix {
            rows: std::array::from_fn(|r| std::array::from_fn(|c| f(r, c))),
        }
    }
    fn transpose(&self) -> Matrix<T, C, R> {
        Matrix::from_fn(|r, c| self.rows[c][r])
    }
    fn trace(&self) -> T {
        (0..R.min(C)).fold(T::zero(), |s, i| s + self.rows[i][i])
    }
}
#[routine]
impl<T: Num, const N: usize> Matrix<T, N, N> {
    fn identity() -> Self {
        Self::from_fn(|r, c| if r == c { T::one() } else { T::zero() })
    }
}
#[routine]
impl<T: Num, const R: usize, const K: usize, const C: usize> Mul<Matrix<T, K, C>> for Matrix<T, R, K> {
    type Output = Matrix<T, R, C>;
    fn mul(self, o: Matrix<T, K, C>) -> Matrix<T, R, C> {
        Matrix::from_fn(|r, c| {
            (0..K)
                .map(|k| self.rows[r][k] * o.rows[k][c])
                .fold(T::zero(), |a, b| a + b)
        })
    }
}
#[routine]
impl<T: Num, const N: usize> One for Matrix<T, N, N> {
    fn one() -> Self {
        Self::identity()
    }
}
#[routine]
fn horner<T: Num>(coefficients: &[T], x: T) -> T {
    coefficients.iter().rev().fold(T::zero(), |acc, &c| acc * x + c)
}
#[routine]
fn gcd<T: Num + Rem<Output = T>>(a: T, b: T) -> T {
    if b.is_zero() { a } else { gcd(b, a % b) }
}
#[routine]
pub fn of_any_number(a: u32) -> (f32, (i64, i64), i64, (f32, f32), u32) {
    let n = (a % 9) as i64;
    let z = Complex::new(n, 2);
    let p = horner(&[z, Complex::one(), Complex::new(1, -1)], z) + pow(z, 3);
    let m = Matrix::<i64, 2, 3>::from_fn(|r, c| (r * 3 + c) as i64 + n);
    let q = m * m.transpose();
    let f = Complex::new(a as f32, 1.0) / Complex::new(0.5, n as f32);
    (
        horner(&[1.0, 0.5, (a % 10) as f32], 2.0),
        (p.re, p.im),
        pow(q, 2).trace() + Matrix::<i64, 3, 3>::identity().trace(),
        (f.re, f.im),
        gcd(a % 1000, 36),
    )
}

pub fn known() {
    assert_eq!(pow(3u32, 5), 243);
    assert_eq!(pow(Complex::new(1i64, 1), 4), Complex::new(-4, 0));
    assert_eq!(
        pow(
            Matrix {
                rows: [[1i64, 1], [1, 0]]
            },
            10
        )
        .rows,
        [[89, 55], [55, 34]]
    );
    assert_eq!(horner(&[1i64, 2, 3], 2), 17);
    assert_eq!((gcd(48u32, 36), gcd(17i64, 5)), (12, 1));
    let quotient = Complex::new(5.0f32, 1.0) / Complex::new(1.0, 1.0);
    assert_eq!((quotient.re, quotient.im), (3.0, -2.0));
    assert!(Complex::<u32>::zero().is_zero() && !Complex::<f32>::one().is_zero());
}
