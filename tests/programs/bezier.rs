//! Bézier curves of any degree: de Casteljau's subdivision, lines that are flat enough, lengths and the nearest point.

use core::iter::{Sum, once};
use core::ops::{Add, ControlFlow, Mul, Sub};

use gpuvm::prelude::*;

/// What curves are made of: points of a plane, of space, or numbers.
#[routine]
pub trait Affine: Copy + Add<Output = Self> + Sub<Output = Self> + Mul<f32, Output = Self> {
    fn dot(self, other: Self) -> f32;

    fn mix(self, other: Self, t: f32) -> Self {
        self + (other - self) * t
    }

    fn distance(self, other: Self) -> f32 {
        let difference = self - other;
        difference.dot(difference).sqrt()
    }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
pub struct P2 {
    pub x: f32,
    pub y: f32,
}

macro_rules! componentwise {
    ($($operator:ident::$method:ident),+) => {
        $(#[routine]
        impl $operator for P2 {
            type Output = P2;

            fn $method(self, other: P2) -> P2 {
                P2 {
                    x: self.x.$method(other.x),
                    y: self.y.$method(other.y),
                }
            }
        })+
    };
}
componentwise!(Add::add, Sub::sub);

#[routine]
impl Mul<f32> for P2 {
    type Output = Self;

    fn mul(self, factor: f32) -> Self {
        let P2 { x, y } = self;
        P2 {
            x: x * factor,
            y: y * factor,
        }
    }
}

#[routine]
impl Affine for P2 {
    fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y
    }
}

#[routine]
impl Affine for f32 {
    fn dot(self, other: f32) -> f32 {
        self * other
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Curve<P, const N: usize>([P; N]);

#[routine]
impl<P: Affine + VmType, const N: usize> Curve<P, N> {
    fn split(&self, t: f32) -> (Self, Self) {
        let mut points = self.0;
        let (mut left, mut right) = (*self, *self);
        for level in 1..=N {
            left.0[level - 1] = points[0];
            right.0[N - level] = points[N - level];
            for i in 0..N - level {
                points[i] = points[i].mix(points[i + 1], t);
            }
        }
        (left, right)
    }

    fn at(&self, t: f32) -> P {
        let (left, _) = self.split(t);
        left.0[N - 1]
    }

    fn polygon(&self) -> f32 {
        self.0.windows(2).map(|pair| pair[0].distance(pair[1])).sum()
    }

    fn chord(&self) -> f32 {
        let [first, .., last] = &self.0[..] else { return 0.0 };
        first.distance(*last)
    }

    /// Hands on the ends of lines that are as good as the curve, until one is refused.
    fn flatten<F>(&self, tolerance: f32, depth: u32, line: &mut F) -> ControlFlow<P>
    where
        F: FnMut(P) -> ControlFlow<P>,
    {
        if depth == 0 || self.polygon() - self.chord() <= tolerance {
            return line(self.0[N - 1]);
        }
        let (left, right) = self.split(0.5);
        left.flatten(tolerance, depth - 1, line)?;
        right.flatten(tolerance, depth - 1, line)
    }

    fn length(&self) -> f32 {
        let mut from = self.0[0];
        let mut sum = 0.0;
        let _ = self.flatten(1e-3, 6, &mut |to| {
            sum += from.distance(to);
            from = to;
            ControlFlow::Continue(())
        });
        sum
    }

    fn nearest(&self, point: P) -> (f32, f32) {
        const STEPS: u16 = 16;
        let distance = |t: f32| (t, self.at(t).distance(point));
        let nearer = |a: (f32, f32), b: (f32, f32)| if b.1 < a.1 { b } else { a };
        let mut best = (0..=STEPS)
            .map(|i| distance(f32::from(i) / f32::from(STEPS)))
            .reduce(nearer)
            .unwrap_or_default();
        let mut step = 0.5 / f32::from(STEPS);
        while step > 1e-3 {
            best = [best.0 - step, best.0 + step]
                .into_iter()
                .map(|t| distance(t.clamp(0.0, 1.0)))
                .chain(once(best))
                .fold(best, nearer);
            step /= 2.0;
        }
        best
    }
}

#[routine]
impl Sum for P2 {
    fn sum<I: Iterator<Item = P2>>(points: I) -> P2 {
        points.fold(P2::default(), |sum, point| sum + point)
    }
}

type Cubic = Curve<P2, 4>;

#[routine]
fn cubic(numbers: [f32; 8]) -> Cubic {
    let (pairs, _) = numbers.as_chunks::<2>();
    Curve(core::array::from_fn(|i| {
        let [x, y] = pairs[i];
        P2 { x, y }
    }))
}

/// Length, and parameter and distance of the point nearest to another.
#[routine]
pub fn bezier_measures(numbers: [f32; 8], x: f32, y: f32) -> (f32, (f32, f32), P2) {
    let curve = cubic(numbers);
    let middle = curve.0.iter().copied().sum::<P2>() * 0.25;
    (curve.length(), curve.nearest(P2 { x, y }), middle)
}

/// The ends of the lines that a curve becomes, or the point that there was no room for.
#[routine]
pub fn bezier_lines(numbers: [f32; 8], tolerance: f32, out: &mut [P2]) -> Result<u32, P2> {
    let mut places = out.iter_mut();
    let mut count = 0;
    let end = cubic(numbers).flatten(tolerance, 5, &mut |point| match places.next() {
        Some(place) => {
            *place = point;
            count += 1;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(point),
    });
    match end {
        ControlFlow::Continue(()) => Ok(count),
        ControlFlow::Break(point) => Err(point),
    }
}

/// An easing of one's own: a quadratic of numbers.
#[routine]
pub fn eased(control: f32, t: f32) -> f32 {
    Curve([0.0, control, 1.0]).at(t)
}

pub fn known() {
    let line = [0.0, 0.0, 1.0, 0.0, 2.0, 0.0, 3.0, 0.0];
    let (length, (t, distance), middle) = bezier_measures(line, 1.5, 2.0);
    assert!((length - 3.0).abs() < 1e-5 && (t - 0.5).abs() < 0.01 && (distance - 2.0).abs() < 1e-3);
    assert_eq!(middle, P2 { x: 1.5, y: 0.0 });
    let mut out = [P2::default(); 8];
    assert_eq!(bezier_lines(line, 0.01, &mut out), Ok(1));
    let arc = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0];
    assert_eq!(bezier_lines(arc, 0.05, &mut out), Ok(4));
    assert!(bezier_lines(arc, 0.001, &mut out).is_err());
    assert_eq!(eased(0.5, 0.25), 0.25);
}
