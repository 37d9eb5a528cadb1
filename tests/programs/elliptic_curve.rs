//! An elliptic curve over a small prime field: the group law, double and add, orders of points, and a key exchange.

use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fp<const P: u64>(u64);

#[routine]
impl<const P: u64> Fp<P> {
    pub const ZERO: Self = Self(0);
    pub const ONE: Self = Self(1 % P);

    pub const fn new(value: u64) -> Self {
        Self(value % P)
    }

    pub fn pow(self, mut exponent: u64) -> Self {
        let (mut base, mut result) = (self, Self::ONE);
        while exponent != 0 {
            if exponent & 1 != 0 {
                result = result * base;
            }
            base = base * base;
            exponent >>= 1;
        }
        result
    }

    pub fn inverse(self) -> Option<Self> {
        (self != Self::ZERO).then(|| self.pow(P - 2))
    }

    /// For a prime that is 3 modulo 4.
    pub fn sqrt(self) -> Option<Self> {
        const { assert!(P % 4 == 3) };
        let root = self.pow((P + 1) / 4);
        if root * root == self { Some(root) } else { None }
    }
}

#[routine]
impl<const P: u64> From<u32> for Fp<P> {
    fn from(value: u32) -> Self {
        Self::new(value.into())
    }
}

#[routine]
impl<const P: u64> Add for Fp<P> {
    type Output = Self;

    fn add(self, rhs: Self) -> Self {
        match self.0 + rhs.0 {
            sum if sum >= P => Self(sum - P),
            sum => Self(sum),
        }
    }
}

#[routine]
impl<const P: u64> Neg for Fp<P> {
    type Output = Self;

    fn neg(self) -> Self {
        Self((P - self.0) % P)
    }
}

#[routine]
impl<const P: u64> Sub for Fp<P> {
    type Output = Self;

    fn sub(self, rhs: Self) -> Self {
        self + -rhs
    }
}

#[routine]
impl<const P: u64> Mul for Fp<P> {
    type Output = Self;

    fn mul(self, rhs: Self) -> Self {
        Self((u128::from(self.0) * u128::from(rhs.0) % u128::from(P)) as u64)
    }
}

#[routine]
impl<const P: u64> Mul<Fp<P>> for u64 {
    type Output = Fp<P>;

    fn mul(self, rhs: Fp<P>) -> Fp<P> {
        Fp::new(self) * rhs
    }
}

#[routine]
impl<const P: u64> Div for Fp<P> {
    type Output = Self;

    fn div(self, rhs: Self) -> Self {
        self * rhs.inverse().expect("division by zero")
    }
}

/// A curve `y² = x³ + ax + b`, as a type without values.
#[routine]
pub trait Curve<const P: u64> {
    const A: Fp<P>;
    const B: Fp<P>;
    const GENERATOR: (Fp<P>, Fp<P>);
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tiny {}

#[routine]
impl Curve<17> for Tiny {
    const A: Fp<17> = Fp(2);
    const B: Fp<17> = Fp(2);
    const GENERATOR: (Fp<17>, Fp<17>) = (Fp(5), Fp(1));
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Large;

const M61: u64 = (1 << 61) - 1;

#[routine]
impl Curve<M61> for Large {
    const A: Fp<M61> = Fp::new(M61 - 3);
    const B: Fp<M61> = Fp::new(7);
    const GENERATOR: (Fp<M61>, Fp<M61>) = (Fp::ONE, Fp::new(0));
}

#[derive(VmType, Debug)]
pub enum Point<const P: u64, C> {
    Infinity,
    Affine {
        x: Fp<P>,
        y: Fp<P>,
        curve: core::marker::PhantomData<C>,
    },
}

#[routine]
impl<const P: u64, C> Clone for Point<P, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<const P: u64, C> Copy for Point<P, C> {}

#[routine]
impl<const P: u64, C: Curve<P>> Point<P, C> {
    const fn at((x, y): (Fp<P>, Fp<P>)) -> Self {
        Self::Affine {
            x,
            y,
            curve: core::marker::PhantomData,
        }
    }

    fn is_on_curve(&self) -> bool {
        match *self {
            Self::Infinity => true,
            Self::Affine { x, y, .. } => y * y == x * x * x + C::A * x + C::B,
        }
    }

    fn lift(x: Fp<P>) -> Option<Self> {
        let y = (x * x * x + C::A * x + C::B).sqrt()?;
        Some(Self::at((x, y)))
    }

    fn order(self, most: u64) -> Option<u64> {
        core::iter::successors(Some(self), |&point| Some(point + self))
            .zip(1..=most)
            .find_map(|(point, n)| matches!(point, Point::Infinity).then_some(n))
    }
}

#[routine]
impl<const P: u64, C: Curve<P>> Add for Point<P, C> {
    type Output = Self;

    fn add(self, rhs: Self) -> Self {
        let (x1, y1, x2, y2) = match (self, rhs) {
            (Self::Infinity, other) | (other, Self::Infinity) => return other,
            (Self::Affine { x: x1, y: y1, .. }, Self::Affine { x: x2, y: y2, .. }) => (x1, y1, x2, y2),
        };
        let slope = if x1 != x2 {
            (y2 - y1) / (x2 - x1)
        } else if y1 == y2 && y1 != Fp::ZERO {
            (3 * (x1 * x1) + C::A) / (2 * y1)
        } else {
            return Self::Infinity;
        };
        let x = slope * slope - x1 - x2;
        Self::at((x, slope * (x1 - x) - y1))
    }
}

#[routine]
impl<const P: u64, C: Curve<P>> AddAssign for Point<P, C> {
    fn add_assign(&mut self, rhs: Self) {
        *self = *self + rhs;
    }
}

#[routine]
impl<const P: u64, C: Curve<P>> Mul<Point<P, C>> for u64 {
    type Output = Point<P, C>;

    fn mul(self, point: Point<P, C>) -> Self::Output {
        let mut sum = Point::Infinity;
        for i in (0..u64::BITS - self.leading_zeros()).rev() {
            sum += sum;
            if self >> i & 1 == 1 {
                sum += point;
            }
        }
        sum
    }
}

#[routine]
fn coordinates<const P: u64, C: Curve<P>>(point: Point<P, C>) -> Option<(u64, u64)> {
    let Point::Affine { x: Fp(x), y: Fp(y), .. } = point else {
        return None;
    };
    point.is_on_curve().then_some((x, y))
}

/// A multiple of the tiny curve's generator, and its order.
#[routine]
pub fn tiny_multiple(times: u64) -> (Option<(u64, u64)>, Option<u64>) {
    let point = times * Point::<17, Tiny>::at(Tiny::GENERATOR);
    (coordinates(point), point.order(20))
}

/// What two parties agree on, if both come to the same.
#[routine]
pub fn key_exchange(x: u32, mine: u64, yours: u64) -> Option<(u64, u64)> {
    let base = (x..).map(Fp::from).find_map(Point::<M61, Large>::lift)?;
    let (public_mine, public_yours) = (mine * base, yours * base);
    let (a, b) = (mine * public_yours, yours * public_mine);
    coordinates(a).filter(|_| coordinates(a) == coordinates(b))
}

/// How many points the tiny curve has, the one at infinity among them.
#[routine]
pub fn tiny_points() -> u32 {
    let all = || (0..17).map(Fp::<17>::new);
    1 + all()
        .flat_map(|x| all().map(move |y| Point::<17, Tiny>::at((x, y))))
        .filter(Point::is_on_curve)
        .count() as u32
}

pub fn known() {
    assert_eq!(tiny_multiple(1), (Some((5, 1)), Some(19)));
    assert_eq!(tiny_multiple(2), (Some((6, 3)), Some(19)));
    assert_eq!(tiny_multiple(19), (None, Some(1)));
    assert_eq!(tiny_multiple(18), (Some((5, 16)), Some(19)));
    assert_eq!(tiny_points(), 19);
    assert!(key_exchange(3, 0x1234_5678_9abc, 987_654_321).is_some());
    assert_eq!(key_exchange(3, 0, 5), None);
}
