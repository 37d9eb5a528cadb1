//! Drawing on a bitmap of bits: Bresenham's lines and circles, polygons by scan lines, flood fill by spans.

use core::ops::{BitOrAssign, Index, Range};

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Pixel {
    pub x: i16,
    pub y: i16,
}

#[routine]
impl From<(i16, i16)> for Pixel {
    fn from((x, y): (i16, i16)) -> Self {
        Pixel { x, y }
    }
}

/// The pixels of a line.
#[derive(VmType, Clone, Copy, Debug)]
struct Line {
    at: Pixel,
    to: Pixel,
    step: (i16, i16),
    delta: (i32, i32),
    error: i32,
    is_done: bool,
}

#[routine]
impl Line {
    fn between(from: impl Into<Pixel>, to: impl Into<Pixel>) -> Self {
        let (at, to) = (from.into(), to.into());
        let (dx, dy) = (i32::from(to.x) - i32::from(at.x), i32::from(to.y) - i32::from(at.y));
        let delta = (dx.abs(), -dy.abs());
        Line {
            at,
            to,
            step: (dx.signum() as i16, dy.signum() as i16),
            delta,
            error: delta.0 + delta.1,
            is_done: false,
        }
    }
}

#[routine]
impl Iterator for Line {
    type Item = Pixel;

    fn next(&mut self) -> Option<Pixel> {
        if self.is_done {
            return None;
        }
        let here = self.at;
        self.is_done = here == self.to;
        let twice = 2 * self.error;
        if twice >= self.delta.1 {
            self.error += self.delta.1;
            self.at.x += self.step.0;
        }
        if twice <= self.delta.0 {
            self.error += self.delta.0;
            self.at.y += self.step.1;
        }
        Some(here)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bitmap<const H: usize> {
    rows: [u32; H],
}

#[routine]
impl<const H: usize> Default for Bitmap<H> {
    fn default() -> Self {
        Bitmap { rows: [0; H] }
    }
}

#[routine]
impl<const H: usize> Index<Pixel> for Bitmap<H> {
    type Output = bool;

    fn index(&self, at: Pixel) -> &bool {
        if self.get(at).unwrap_or(false) { &true } else { &false }
    }
}

#[routine]
impl<const H: usize> BitOrAssign<Pixel> for Bitmap<H> {
    fn bitor_assign(&mut self, at: Pixel) {
        if let (Ok(y), 0..32) = (usize::try_from(at.y), at.x) {
            if let Some(row) = self.rows.get_mut(y) {
                *row |= 1 << at.x;
            }
        }
    }
}

#[routine]
impl<const H: usize> Extend<Pixel> for Bitmap<H> {
    fn extend<I: IntoIterator<Item = Pixel>>(&mut self, pixels: I) {
        for pixel in pixels {
            *self |= pixel;
        }
    }
}

#[routine]
impl<const H: usize> Bitmap<H> {
    fn get(&self, Pixel { x, y }: Pixel) -> Option<bool> {
        let row = self.rows.get(usize::try_from(y).ok()?)?;
        (0..32).contains(&x).then(|| row >> x & 1 == 1)
    }

    fn fill(&mut self, y: i16, span: Range<i16>) {
        self.extend(span.map(|x| Pixel { x, y }));
    }

    fn circle(&mut self, centre: Pixel, radius: i16) {
        let (mut x, mut y, mut error) = (radius, 0, 1 - radius);
        while x >= y {
            for (a, b) in [(x, y), (y, x)] {
                for (sx, sy) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                    *self |= Pixel::from((centre.x + sx * a, centre.y + sy * b));
                }
            }
            y += 1;
            if error < 0 {
                error += 2 * y + 1;
            } else {
                x -= 1;
                error += 2 * (y - x) + 1;
            }
        }
    }

    fn outline(&mut self, corners: &[Pixel]) {
        let next = corners.iter().cycle().skip(1);
        for (&from, &to) in corners.iter().zip(next) {
            self.extend(Line::between(from, to));
        }
    }

    /// Fills what is not set around a place, span by span; how many pixels.
    fn flood(&mut self, start: Pixel) -> Result<u32, Pixel> {
        let mut stack = [Pixel::default(); 64];
        let mut depth = 0;
        let mut count = 0;
        let push = |stack: &mut [Pixel; 64], depth: &mut usize, at: Pixel| {
            *stack.get_mut(*depth).ok_or(at)? = at;
            *depth += 1;
            Ok::<(), Pixel>(())
        };
        push(&mut stack, &mut depth, start)?;
        while let Some(top) = depth.checked_sub(1) {
            depth = top;
            let at = stack[top];
            if self.get(at) != Some(false) {
                continue;
            }
            let is_free = |x: &i16| self.get(Pixel { x: *x, y: at.y }) == Some(false);
            let left = (0..=at.x).rev().take_while(is_free).last().unwrap_or(at.x);
            let right = (at.x..32).take_while(is_free).last().unwrap_or(at.x) + 1;
            self.fill(at.y, left..right);
            count += (right - left) as u32;
            for y in [at.y - 1, at.y + 1] {
                let mut inside = false;
                for x in left..right {
                    let free = self.get(Pixel { x, y }) == Some(false);
                    if free && !inside {
                        push(&mut stack, &mut depth, (x, y).into())?;
                    }
                    inside = free;
                }
            }
        }
        Ok(count)
    }

    fn count(&self) -> u32 {
        self.rows.iter().map(|row| row.count_ones()).sum()
    }
}

/// A circle with a polygon in it, filled from a place.
#[routine]
pub fn raster_scene(corners: [Pixel; 3], radius: i16, fill: Pixel) -> (Bitmap<24>, u32, Result<u32, Pixel>) {
    let mut bitmap = Bitmap::<24>::default();
    bitmap.circle(Pixel { x: 12, y: 12 }, radius.clamp(0, 40));
    bitmap.outline(&corners);
    let before = bitmap.count();
    let filled = bitmap.flood(fill);
    (bitmap, before, filled)
}

/// How long a line is in pixels, whether its middle is set in a picture of it, and its last pixel.
#[routine]
pub fn raster_line(from: Pixel, to: Pixel) -> (u32, bool, Option<Pixel>) {
    let line = Line::between(from, to);
    let length = line.take(500).count() as u32;
    let mut bitmap = Bitmap::<16>::default();
    bitmap.extend(line.take(100));
    let middle = Pixel {
        x: (from.x + to.x) / 2,
        y: (from.y + to.y) / 2,
    };
    (length, bitmap[middle], line.take(500).last())
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn lines() {
        assert_eq!(
            raster_line((0, 0).into(), (7, 3).into()),
            (8, true, Some(Pixel { x: 7, y: 3 }))
        );
        assert_eq!(
            raster_line((3, 9).into(), (3, 2).into()),
            (8, true, Some(Pixel { x: 3, y: 2 }))
        );
        assert_eq!(raster_line((1, 1).into(), (1, 1).into()).0, 1);
    }

    #[test]
    fn scenes() {
        let corners = [(2, 2), (2, 6), (6, 6)].map(Pixel::from);
        let (bitmap, before, filled) = raster_scene(corners, 0, (3, 5).into());
        assert_eq!((before, filled), (13, Ok(3)));
        assert_eq!(bitmap.rows[2..7], [0b100, 0b1100, 0b11100, 0b111100, 0b1111100]);
    }
}
