//! Clipping of polygons (Sutherland and Hodgman 1974), lines (Cohen and Sutherland), and simplification (Ramer, Douglas and Peucker).

use core::fmt;
use core::ops::{ControlFlow, Deref, Index, Sub};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

#[routine]
impl Sub for Point {
    type Output = Point;
    fn sub(self, o: Point) -> Point {
        Point {
            x: self.x - o.x,
            y: self.y - o.y,
        }
    }
}

#[routine]
impl Point {
    fn cross(self, o: Point) -> f64 {
        self.x * o.y - self.y * o.x
    }

    fn lerp(self, o: Point, t: f64) -> Point {
        Point {
            x: self.x + (o.x - self.x) * t,
            y: self.y + (o.y - self.y) * t,
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.x, self.y)
    }
}

const MOST: usize = 24;

#[derive(VmType, Clone, Copy, Debug)]
struct Polygon {
    points: [Point; MOST],
    count: usize,
}

#[routine]
impl Polygon {
    fn new() -> Self {
        Polygon {
            points: [Point::default(); MOST],
            count: 0,
        }
    }

    fn push(&mut self, point: Point) -> Result<(), Full> {
        let slot = self.points.get_mut(self.count).ok_or(Full)?;
        *slot = point;
        self.count += 1;
        Ok(())
    }

    fn edges(&self) -> impl Iterator<Item = (Point, Point)> + '_ {
        let next = self.iter().cycle().skip(1);
        self.iter().copied().zip(next.copied())
    }

    fn area(&self) -> f64 {
        self.edges().map(|(a, b)| a.cross(b)).sum::<f64>() / 2.0
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
struct Full;

#[routine]
impl Deref for Polygon {
    type Target = [Point];
    fn deref(&self) -> &[Point] {
        &self.points[..self.count]
    }
}

#[routine]
impl TryFrom<&[Point]> for Polygon {
    type Error = Full;
    fn try_from(points: &[Point]) -> Result<Self, Full> {
        let mut polygon = Polygon::new();
        points.iter().try_for_each(|&point| polygon.push(point))?;
        Ok(polygon)
    }
}

/// A half plane, by how far a point is inside.
#[routine]
fn clip_by(polygon: &Polygon, inside: impl Fn(Point) -> f64) -> Result<Polygon, Full> {
    let mut out = Polygon::new();
    for (from, to) in polygon.edges() {
        let (a, b) = (inside(from), inside(to));
        if a >= 0.0 {
            out.push(from)?;
        }
        if (a < 0.0) != (b < 0.0) {
            out.push(from.lerp(to, a / (a - b)))?;
        }
    }
    Ok(out)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Window {
    pub low: Point,
    pub high: Point,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Side {
    Left,
    Right,
    Below,
    Above,
}

#[routine]
impl Index<Side> for Window {
    type Output = f64;
    fn index(&self, side: Side) -> &f64 {
        match side {
            Side::Left => &self.low.x,
            Side::Right => &self.high.x,
            Side::Below => &self.low.y,
            Side::Above => &self.high.y,
        }
    }
}

#[routine]
impl Window {
    const SIDES: [Side; 4] = [Side::Left, Side::Right, Side::Below, Side::Above];

    fn inside(&self, side: Side, point: Point) -> f64 {
        match side {
            Side::Left => point.x - self[side],
            Side::Right => self[side] - point.x,
            Side::Below => point.y - self[side],
            Side::Above => self[side] - point.y,
        }
    }

    fn code(&self, point: Point) -> u8 {
        Self::SIDES
            .iter()
            .enumerate()
            .filter(|&(_, &side)| self.inside(side, point) < 0.0)
            .map(|(bit, _)| 1 << bit)
            .sum()
    }

    fn clip(&self, polygon: Polygon) -> Result<Polygon, Full> {
        Self::SIDES.into_iter().try_fold(polygon, |polygon, side| {
            clip_by(&polygon, |point| self.inside(side, point))
        })
    }

    fn clip_line(&self, mut from: Point, mut to: Point) -> Option<[Point; 2]> {
        let done = Self::SIDES.iter().enumerate().try_for_each(|(bit, &side)| {
            let (a, b) = (self.inside(side, from), self.inside(side, to));
            match (self.code(from) >> bit & 1, self.code(to) >> bit & 1) {
                (1, 1) => return ControlFlow::Break(()),
                (1, _) => from = from.lerp(to, a / (a - b)),
                (_, 1) => to = to.lerp(from, b / (b - a)),
                _ => {}
            }
            ControlFlow::Continue(())
        });
        done.is_continue().then_some([from, to])
    }
}

/// Hands on the points that are kept, from the first one up to the last, which is not.
#[routine]
fn simplify(points: &[Point], tolerance: f64, keep: &mut impl FnMut(Point)) {
    let [first, middle @ .., last] = points else {
        return;
    };
    let along = *last - *first;
    let far = middle
        .iter()
        .map(|&point| (point - *first).cross(along).abs())
        .enumerate()
        .max_by(|(_, a), (_, b)| a.total_cmp(b));
    match far {
        Some((at, distance)) if distance > tolerance * along.x.hypot(along.y) => {
            simplify(&points[..at + 2], tolerance, keep);
            simplify(&points[at + 1..], tolerance, keep);
        }
        _ => keep(*first),
    }
}

/// The area of what a window shows of a polygon.
#[routine]
pub fn clipped_area(points: &[Point], window: Window) -> f64 {
    let clipped = Polygon::try_from(points).and_then(|polygon| window.clip(polygon));
    match clipped {
        Ok(polygon) if polygon.len() > 2 => polygon.area().abs(),
        Ok(_) => 0.0,
        Err(Full) => f64::NAN,
    }
}

/// What a window shows of a line; twice the same corner where it shows nothing.
#[routine]
pub fn clipped_line(from: Point, to: Point, window: Window) -> [Point; 2] {
    window.clip_line(from, to).unwrap_or([window.low; 2])
}

/// How many points are kept, and the sum of their places along.
#[routine]
pub fn simplified(points: &[Point], tolerance: f64) -> (u32, f64) {
    let (mut count, mut sum) = (0, 0.0);
    let mut keep = |point: Point| {
        count += 1;
        sum += point.x;
    };
    simplify(points, tolerance, &mut keep);
    if let Some(&last) = points.last() {
        keep(last);
    }
    (count, sum)
}

#[cfg(test)]
mod known {
    use super::*;

    const WINDOW: Window = Window {
        low: Point { x: 0.0, y: 0.0 },
        high: Point { x: 4.0, y: 2.0 },
    };

    fn points<const N: usize>(points: [(f64, f64); N]) -> [Point; N] {
        points.map(|(x, y)| Point { x, y })
    }

    #[test]
    fn areas() {
        assert_eq!(
            clipped_area(&points([(-1.0, -1.0), (5.0, -1.0), (5.0, 3.0), (-1.0, 3.0)]), WINDOW),
            8.0
        );
        assert_eq!(clipped_area(&points([(0.0, 0.0), (2.0, 0.0), (0.0, 4.0)]), WINDOW), 3.0);
        assert_eq!(
            clipped_area(&points([(9.0, 9.0), (10.0, 9.0), (9.0, 10.0)]), WINDOW),
            0.0
        );
        assert!(clipped_area(&points([(0.0, 0.0); 25]), WINDOW).is_nan());
    }

    #[test]
    fn lines() {
        let [a, b, c, d] = points([(-2.0, 1.0), (6.0, 1.0), (5.0, 0.0), (5.0, 9.0)]);
        assert_eq!(clipped_line(a, b, WINDOW), points([(0.0, 1.0), (4.0, 1.0)]));
        assert_eq!(clipped_line(c, d, WINDOW), [WINDOW.low; 2]);
        let wave = points([
            (0.0, 0.0),
            (1.0, 0.1),
            (2.0, -0.1),
            (3.0, 5.0),
            (4.0, 6.0),
            (5.0, 7.0),
            (6.0, 8.1),
        ]);
        assert_eq!(simplified(&wave, 0.2), (4, 11.0));
    }
}
