//! Rotations as unit quaternions, generic over the float: composed, applied, interpolated, and turned into matrices and angles.

use core::fmt;
use core::iter::{Product, Sum};
use core::ops::{Add, Div, Index, Mul, Neg, Sub};

use gpuvm::prelude::*;

/// What a quaternion's parts can be.
#[routine]
pub trait Real:
    Copy
    + PartialOrd
    + Default
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    const ZERO: Self;
    const ONE: Self;
    const EPSILON: Self;

    fn sqrt(self) -> Self;
    fn sin_cos(self) -> (Self, Self);
    fn acos(self) -> Self;

    fn half(self) -> Self {
        self / (Self::ONE + Self::ONE)
    }

    fn square(self) -> Self {
        self * self
    }
}

macro_rules! real {
    ($($float:ident),*) => {
        $(
            #[routine]
            impl Real for $float {
                const ZERO: Self = 0.0;
                const ONE: Self = 1.0;
                const EPSILON: Self = $float::EPSILON;

                fn sqrt(self) -> Self {
                    $float::sqrt(self)
                }

                fn sin_cos(self) -> (Self, Self) {
                    $float::sin_cos(self)
                }

                fn acos(self) -> Self {
                    $float::acos(self)
                }
            }
        )*
    };
}

real!(f32, f64);

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3<T>(pub [T; 3]);

#[routine]
impl<T: Real + VmType> Vec3<T> {
    pub fn dot(&self, other: &Self) -> T {
        self.0.iter().zip(&other.0).fold(T::ZERO, |sum, (&a, &b)| sum + a * b)
    }

    pub fn cross(&self, other: &Self) -> Self {
        let [a, b, c] = self.0;
        let [x, y, z] = other.0;
        Vec3([b * z - c * y, c * x - a * z, a * y - b * x])
    }

    pub fn normalized(self) -> Option<Self> {
        let length = self.dot(&self).sqrt();
        (length > T::EPSILON).then(|| Vec3(self.0.map(|part| part / length)))
    }
}

#[routine]
impl<T: Real + VmType> Add for Vec3<T> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Vec3(core::array::from_fn(|i| self.0[i] + other.0[i]))
    }
}

#[routine]
impl<T: Real + VmType> Mul<T> for Vec3<T> {
    type Output = Self;

    fn mul(self, factor: T) -> Self {
        Vec3(self.0.map(|part| part * factor))
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Quaternion<T> {
    pub w: T,
    pub v: Vec3<T>,
}

#[routine]
impl<T: Real + VmType> Quaternion<T> {
    pub const IDENTITY: Self = Quaternion {
        w: T::ONE,
        v: Vec3([T::ZERO; 3]),
    };

    pub fn about(axis: Vec3<T>, angle: T) -> Option<Self> {
        let axis = axis.normalized()?;
        let (sin, cos) = angle.half().sin_cos();
        Some(Self { w: cos, v: axis * sin })
    }

    pub fn conjugate(self) -> Self {
        Self {
            v: Vec3(self.v.0.map(|part| -part)),
            ..self
        }
    }

    pub fn norm_squared(&self) -> T {
        self.w.square() + self.v.dot(&self.v)
    }

    pub fn rotate(&self, v: Vec3<T>) -> Vec3<T> {
        let two = T::ONE + T::ONE;
        let t = self.v.cross(&v) * two;
        v + t * self.w + self.v.cross(&t)
    }

    pub fn slerp(self, other: Self, at: T) -> Self {
        let mut cos = self.w * other.w + self.v.dot(&other.v);
        let other = if cos < T::ZERO {
            cos = -cos;
            other * -T::ONE
        } else {
            other
        };
        let (from, to) = match T::ONE - cos {
            gap if gap < T::EPSILON => (T::ONE - at, at),
            _ => {
                let angle = cos.acos();
                let (sin, _) = angle.sin_cos();
                let weight = |share: T| (share * angle).sin_cos().0 / sin;
                (weight(T::ONE - at), weight(at))
            }
        };
        self * from + other * to
    }

    pub fn to_matrix(self) -> Matrix3<T> {
        let basis = |i: usize| {
            let mut axis = [T::ZERO; 3];
            axis[i] = T::ONE;
            self.rotate(Vec3(axis))
        };
        Matrix3([basis(0), basis(1), basis(2)])
    }
}

#[routine]
impl<T: Real + VmType> Add for Quaternion<T> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            w: self.w + other.w,
            v: self.v + other.v,
        }
    }
}

#[routine]
impl<T: Real + VmType> Mul<T> for Quaternion<T> {
    type Output = Self;

    fn mul(self, factor: T) -> Self {
        Self {
            w: self.w * factor,
            v: self.v * factor,
        }
    }
}

#[routine]
impl<T: Real + VmType> Mul for Quaternion<T> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self {
            w: self.w * other.w - self.v.dot(&other.v),
            v: other.v * self.w + self.v * other.w + self.v.cross(&other.v),
        }
    }
}

#[routine]
impl<T: Real + VmType> Product for Quaternion<T> {
    fn product<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::IDENTITY, |all, next| all * next)
    }
}

/// By columns.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Matrix3<T>([Vec3<T>; 3]);

#[routine]
impl<T: Real + VmType> Index<(usize, usize)> for Matrix3<T> {
    type Output = T;

    fn index(&self, (row, column): (usize, usize)) -> &T {
        &self.0[column].0[row]
    }
}

#[routine]
impl<T: Real + VmType> Matrix3<T> {
    fn trace(&self) -> T {
        (0..3).map(|i| self[(i, i)]).fold(T::ZERO, |sum, x| sum + x)
    }

    fn determinant(&self) -> T {
        let [a, b, c] = &self.0;
        a.dot(&b.cross(c))
    }
}

/// An axis by its letter.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    X,
    Y,
    Z,
}

#[routine]
impl TryFrom<u8> for Axis {
    type Error = u8;

    fn try_from(letter: u8) -> Result<Self, u8> {
        Ok(match letter.to_ascii_lowercase() {
            b'x' => Self::X,
            b'y' => Self::Y,
            b'z' => Self::Z,
            _ => return Err(letter),
        })
    }
}

#[routine]
impl Axis {
    fn unit<T: Real + VmType>(self) -> Vec3<T> {
        let mut v = Vec3::<T>([T::ZERO; 3]);
        v.0[self as usize] = T::ONE;
        v
    }
}

/// Rotations about axes by letters and angles, one after the other, applied to a point.
#[routine]
pub fn rotate_by_letters(letters: &[u8], angles: [f64; 3], point: [f64; 3]) -> Result<[f64; 3], u8> {
    let mut all = Quaternion::<f64>::IDENTITY;
    for (&letter, angle) in letters.iter().zip(angles) {
        let axis = Axis::try_from(letter)?;
        let Some(one) = Quaternion::about(axis.unit(), angle) else {
            unreachable!("units have a length")
        };
        all = one * all;
    }
    Ok(all.rotate(Vec3(point)).0)
}

/// Trace and determinant of the matrix half-way between two rotations, and how far from one its norm is.
#[routine]
pub fn half_way(a: [f32; 4], b: [f32; 4]) -> Option<[f32; 3]> {
    let quaternion = |[x, y, z, angle]: [f32; 4]| Quaternion::about(Vec3([x, y, z]), angle);
    let middle = quaternion(a)?.slerp(quaternion(b)?, 0.5);
    let matrix = middle.to_matrix();
    Some([
        matrix.trace(),
        matrix.determinant(),
        (middle.norm_squared() - 1.0).abs(),
    ])
}

/// A gear of small turns, multiplied up: where it brings a point, and where its inverse brings that.
#[routine]
pub fn turns(axis: [f32; 3], angle: f32, count: u32) -> [[f32; 3]; 2] {
    let step = Quaternion::about(Vec3(axis), angle).unwrap_or(Quaternion::IDENTITY);
    let all: Quaternion<f32> = (0..count).map(|_| step).product();
    let there = all.rotate(Vec3([1.0, 2.0, 3.0]));
    [there.0, all.conjugate().rotate(there).0]
}

impl<T: fmt::Display> fmt::Display for Quaternion<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Vec3([x, y, z]) = &self.v;
        write!(f, "{} + {x}i + {y}j + {z}k", self.w)
    }
}

impl<T: Real> Sum for Vec3<T> {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Vec3([T::ZERO; 3]), |a, b| {
            Vec3(core::array::from_fn(|i| a.0[i] + b.0[i]))
        })
    }
}

pub fn known() {
    use core::f64::consts::FRAC_PI_2;
    let [x, y, z] = rotate_by_letters(b"xyZ", [FRAC_PI_2; 3], [1.0, 2.0, 3.0]).unwrap();
    assert!(
        (x - 3.0).abs() < 1e-9 && (y - 2.0).abs() < 1e-9 && (z + 1.0).abs() < 1e-9,
        "{x} {y} {z}"
    );
    assert_eq!(rotate_by_letters(b"xw", [0.0; 3], [0.0; 3]), Err(b'w'));
    assert_eq!(half_way([0.0; 4], [1.0; 4]), None);
    let [trace, determinant, off] = half_way([0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 2.0, 1.0]).unwrap();
    assert!((trace - (1.0 + 2.0 * 0.5f32.cos())).abs() < 1e-5 && (determinant - 1.0).abs() < 1e-5 && off < 1e-5);
    let [_, back] = turns([1.0, -1.0, 0.5], 0.25, 7);
    assert!(back.iter().zip([1.0, 2.0, 3.0]).all(|(a, b)| (a - b).abs() < 1e-4));
}
