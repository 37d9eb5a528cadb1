//! Plane geometry in integers: convex hull, point in polygon, crossing segments, area, and the widest pair.

use core::cmp::Ordering;
use core::ops::{Add, Mul, Neg, Sub};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    pub x: i32,
    pub y: i32,
}

#[routine]
impl Add for Point {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            x: self.x + other.x,
            y: self.y + other.y,
        }
    }
}

#[routine]
impl Sub for Point {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

#[routine]
impl Neg for Point {
    type Output = Self;

    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y }
    }
}

/// The dot product.
#[routine]
impl Mul for Point {
    type Output = i64;

    fn mul(self, other: Self) -> i64 {
        i64::from(self.x) * i64::from(other.x) + i64::from(self.y) * i64::from(other.y)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    Left,
    Right,
    Straight,
}

#[routine]
impl Point {
    fn cross(self, other: Self) -> i64 {
        i64::from(self.x) * i64::from(other.y) - i64::from(self.y) * i64::from(other.x)
    }

    fn turn(a: Self, b: Self, c: Self) -> Turn {
        match (b - a).cross(c - a).cmp(&0) {
            Ordering::Greater => Turn::Left,
            Ordering::Less => Turn::Right,
            Ordering::Equal => Turn::Straight,
        }
    }

    fn is_between(self, a: Self, b: Self) -> bool {
        Self::turn(a, b, self) == Turn::Straight && (a - self) * (b - self) <= 0
    }

    fn distance_squared(self, other: Self) -> i64 {
        let d = self - other;
        d * d
    }
}

const MOST: usize = 32;

/// Up to 32 corners, counter-clockwise.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Polygon {
    pub corners: [Point; MOST],
    pub len: u32,
}

#[routine]
impl Polygon {
    fn corners(&self) -> &[Point] {
        &self.corners[..self.len as usize]
    }

    fn push(&mut self, point: Point) {
        self.corners[self.len as usize] = point;
        self.len += 1;
    }

    /// Pops what does not turn left to `point`, as long as there are more than `kept`, and pushes the point.
    fn wrap(&mut self, point: Point, kept: u32) {
        while self.len > kept
            && let [.., a, b] = *self.corners()
            && Point::turn(a, b, point) != Turn::Left
        {
            self.len -= 1;
        }
        self.push(point);
    }

    fn sides(&self) -> impl Iterator<Item = (Point, Point)> {
        let corners = self.corners();
        corners.iter().copied().zip(corners.iter().copied().cycle().skip(1))
    }

    fn twice_area(&self) -> i64 {
        self.sides().map(|(a, b)| a.cross(b)).sum()
    }
}

/// The convex hull of the first 24 points, by Andrew's monotone chain.
#[routine]
pub fn convex_hull(points: &[Point]) -> Polygon {
    let mut sorted = [Point::default(); 24];
    let len = points.len().min(sorted.len());
    let sorted = &mut sorted[..len];
    sorted.copy_from_slice(&points[..len]);
    sorted.sort_unstable();

    let mut hull = Polygon {
        corners: [Point::default(); MOST],
        len: 0,
    };
    for &point in sorted.iter() {
        hull.wrap(point, 1);
    }
    let lower = hull.len;
    for &point in sorted.iter().rev().skip(1) {
        hull.wrap(point, lower);
    }
    // The last one is the first again.
    if hull.len > 1 {
        hull.len -= 1;
    }
    hull
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct HullMeasures {
    pub corners: u32,
    pub twice_area: i64,
    pub widest_squared: i64,
}

#[routine]
pub fn hull_measures(points: &[Point]) -> HullMeasures {
    let hull = convex_hull(points);
    let corners = hull.corners();
    let widest = corners
        .iter()
        .enumerate()
        .flat_map(|(i, &a)| corners[i + 1..].iter().map(move |&b| a.distance_squared(b)))
        .max();
    HullMeasures {
        corners: hull.len,
        twice_area: hull.twice_area(),
        widest_squared: widest.unwrap_or(0),
    }
}

/// 1 inside the polygon with these corners, 0 outside, 2 on its border.
#[routine]
pub fn point_in_polygon(corners: &[Point], point: Point) -> u8 {
    let Some(&last) = corners.last() else {
        return 0;
    };
    let mut inside = false;
    let mut a = last;
    for &b in corners {
        if point.is_between(a, b) {
            return 2;
        }
        let (low, high) = if a.y <= b.y { (a, b) } else { (b, a) };
        if (low.y..high.y).contains(&point.y) && Point::turn(low, high, point) == Turn::Left {
            inside = !inside;
        }
        a = b;
    }
    u8::from(inside)
}

/// Whether the segments from a to b and from c to d have a point in common.
#[routine]
pub fn segments_cross(a: Point, b: Point, c: Point, d: Point) -> bool {
    let turns = [
        Point::turn(a, b, c),
        Point::turn(a, b, d),
        Point::turn(c, d, a),
        Point::turn(c, d, b),
    ];
    match turns {
        [Turn::Left, Turn::Right, third, fourth] | [Turn::Right, Turn::Left, third, fourth]
            if third != fourth && ![third, fourth].contains(&Turn::Straight) =>
        {
            true
        }
        _ => c.is_between(a, b) || d.is_between(a, b) || a.is_between(c, d) || b.is_between(c, d),
    }
}

#[cfg(test)]
mod known {
    use super::*;

    const fn p(x: i32, y: i32) -> Point {
        Point { x, y }
    }

    #[test]
    fn hulls() {
        let points = [p(0, 3), p(2, 2), p(1, 1), p(2, 1), p(3, 0), p(0, 0), p(3, 3), p(1, 0)];
        let hull = convex_hull(&points);
        assert_eq!(hull.corners(), [p(0, 0), p(3, 0), p(3, 3), p(0, 3)]);
        assert_eq!(
            hull_measures(&points),
            HullMeasures {
                corners: 4,
                twice_area: 18,
                widest_squared: 18
            }
        );
        assert_eq!(convex_hull(&[p(5, 5)]).corners(), [p(5, 5)]);
        assert_eq!(convex_hull(&[]).len, 0);
        assert_eq!(convex_hull(&[p(0, 0), p(2, 2), p(1, 1)]).corners(), [p(0, 0), p(2, 2)]);
    }

    #[test]
    fn polygons() {
        let arrow = [p(0, 0), p(10, 0), p(10, 10), p(5, 5), p(0, 10)];
        assert_eq!(point_in_polygon(&arrow, p(5, 3)), 1);
        assert_eq!(point_in_polygon(&arrow, p(5, 7)), 0);
        assert_eq!(point_in_polygon(&arrow, p(5, 5)), 2);
        assert_eq!(point_in_polygon(&arrow, p(-1, 10)), 0);
    }

    #[test]
    fn segments() {
        assert!(segments_cross(p(0, 0), p(4, 4), p(0, 4), p(4, 0)));
        assert!(segments_cross(p(0, 0), p(4, 0), p(2, 0), p(6, 0)));
        assert!(!segments_cross(p(0, 0), p(1, 1), p(2, 2), p(3, 3)));
        assert!(!segments_cross(p(0, 0), p(4, 4), p(5, 0), p(9, 1)));
    }
}
