//! The closest pair of points: divide and conquer in `f64`, with merge sort by a given key on the way.

use gpuvm::prelude::*;

const MOST: usize = 64;

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    pub x: f64,
    pub y: f64,
}

#[routine]
impl Point {
    fn distance(&self, other: &Self) -> f64 {
        (self.x - other.x).hypot(self.y - other.y)
    }
}

/// Merges the two sorted halves of `points` by way of `scratch`.
#[routine]
fn merge(points: &mut [Point], middle: usize, scratch: &mut [Point], key: impl Fn(&Point) -> f64) {
    let scratch = &mut scratch[..points.len()];
    scratch.copy_from_slice(points);
    let (mut left, mut right) = (&scratch[..middle], &scratch[middle..]);
    for slot in points {
        let from_left = match (left.first(), right.first()) {
            (Some(a), Some(b)) => key(a) <= key(b),
            (Some(_), None) => true,
            _ => false,
        };
        let source = if from_left { &mut left } else { &mut right };
        let (&head, tail) = source.split_first().expect("as many are left as slots");
        *slot = head;
        *source = tail;
    }
}

#[routine]
fn sort_by_x(points: &mut [Point], scratch: &mut [Point]) {
    if points.len() < 2 {
        return;
    }
    let middle = points.len() / 2;
    let (left, right) = points.split_at_mut(middle);
    sort_by_x(left, scratch);
    sort_by_x(right, scratch);
    merge(points, middle, scratch, |p| p.x);
}

/// The smallest distance among points sorted by x, which are sorted by y afterwards.
#[routine]
fn closest(points: &mut [Point], scratch: &mut [Point]) -> f64 {
    if points.len() < 2 {
        return f64::INFINITY;
    }
    let middle = points.len() / 2;
    let split_x = points[middle].x;
    let (left, right) = points.split_at_mut(middle);
    let mut best = closest(left, scratch).min(closest(right, scratch));
    merge(points, middle, scratch, |p| p.y);

    // Only points near the line in the middle can be closer, each to few above it.
    let mut near = 0;
    for point in points.iter() {
        if (point.x - split_x).abs() >= best {
            continue;
        }
        for other in scratch[..near].iter().rev() {
            if point.y - other.y >= best {
                break;
            }
            best = best.min(point.distance(other));
        }
        scratch[near] = *point;
        near += 1;
    }
    best
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Distances {
    pub closest: f64,
    /// The same by looking at every pair.
    pub by_pairs: f64,
    pub farthest: f64,
}

/// The closest and farthest distances among the first 64 points of `coordinates`, pairs of x and y.
#[routine]
pub fn closest_pair(coordinates: &[f64]) -> Distances {
    let mut points = [Point::default(); MOST];
    let mut len = 0;
    for (point, pair) in points.iter_mut().zip(coordinates.chunks_exact(2)) {
        *point = Point { x: pair[0], y: pair[1] };
        len += 1;
    }
    let points = &mut points[..len];
    let (mut by_pairs, mut farthest) = (f64::INFINITY, 0.0f64);
    for (i, a) in points.iter().enumerate() {
        for b in &points[..i] {
            let distance = a.distance(b);
            by_pairs = by_pairs.min(distance);
            farthest = farthest.max(distance);
        }
    }
    let mut scratch = [Point::default(); MOST];
    sort_by_x(points, &mut scratch);
    Distances {
        closest: closest(points, &mut scratch),
        by_pairs,
        farthest,
    }
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn distances() {
        let points = [2.0, 3.0, 12.0, 30.0, 40.0, 50.0, 5.0, 1.0, 12.0, 10.0, 3.0, 4.0];
        let found = closest_pair(&points);
        assert_eq!(found.closest, 2.0f64.sqrt());
        assert_eq!(found.by_pairs, found.closest);
        assert!((found.farthest - 60.440_052_945_046_304).abs() < 1e-12);
        assert_eq!(closest_pair(&[1.0, 1.0]).closest, f64::INFINITY);
    }

    #[test]
    fn many() {
        let mut seed = 1u32;
        let points: [f64; 128] = core::array::from_fn(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(seed >> 8)
        });
        let found = closest_pair(&points);
        assert_eq!(found.closest, found.by_pairs);
    }
}
