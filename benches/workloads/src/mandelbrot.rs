//! Mandelbrot: after how many iterations each pixel's orbit is outside of a circle, at most 1000.
//!
//! A shader compiler may fuse multiplications with additions, which moves the pixels near the set's edge: they may differ.

use gpuvm::{Launch, routine, vm};
use rayon::prelude::*;

use crate::{Argument, Size, Workload};

/// Where the picture begins.
const LEFT: f32 = -2.0;
/// Where the picture begins.
const TOP: f32 = -1.5;
/// How wide and high it is.
const SIDE: f32 = 3.0;
/// Share of the pixels that may differ where floats are not exact.
pub const EDGE: f64 = 0.02;

/// Iterations until the orbit of a point is outside.
#[routine]
pub fn escape(cx: f32, cy: f32, limit: u32) -> u32 {
    let (mut x, mut y) = (0.0f32, 0.0f32);
    let mut n = 0;
    while n < limit {
        let (xx, yy) = (x * x, y * y);
        if xx + yy > 4.0 {
            break;
        }
        y = 2.0 * x * y + cy;
        x = xx - yy + cx;
        n += 1;
    }
    n
}

/// One pixel of a picture.
#[routine]
pub fn mandelbrot(width: u32, scale: f32, limit: u32) -> u32 {
    let (x, y) = (vm::id() % width, vm::id() / width);
    escape(x as f32 * scale + LEFT, y as f32 * scale + TOP, limit)
}

/// The same, left in a buffer.
#[routine]
pub fn mandelbrot_into(width: u32, scale: f32, limit: u32, pixel: &mut u32) {
    *pixel = mandelbrot(width, scale, limit);
}

/// The same with floats as the device likes them.
#[routine(relaxed)]
pub fn mandelbrot_relaxed(width: u32, scale: f32, limit: u32) -> u32 {
    mandelbrot(width, scale, limit)
}

/// The same, left in a buffer.
#[routine(relaxed)]
pub fn mandelbrot_relaxed_into(width: u32, scale: f32, limit: u32, pixel: &mut u32) {
    *pixel = mandelbrot(width, scale, limit);
}

/// A square picture.
pub struct Picture {
    /// Pixels in a row.
    pub width: u32,
    /// The distance of two pixels.
    pub scale: f32,
    /// The most iterations.
    pub limit: u32,
}

impl Picture {
    /// How many pixels there are.
    pub fn pixels(&self) -> usize {
        (self.width * self.width) as usize
    }
}

impl From<Size> for Picture {
    fn from(size: Size) -> Picture {
        let (width, limit) = size.pick((96, 200), (2048, 1000));
        Picture {
            width,
            scale: SIDE / width as f32,
            limit,
        }
    }
}

impl Workload for Picture {
    type Output = u32;

    const RETURNING: &'static str = "mandelbrot";

    fn amount(&self) -> String {
        format!("{0} x {0} pixels, {1} iterations", self.width, self.limit)
    }

    fn native(&self) -> Vec<u32> {
        let &Picture { width, scale, limit } = self;
        let pixel = |id: u32| {
            let (x, y) = (id % width, id / width);
            escape(x as f32 * scale + LEFT, y as f32 * scale + TOP, limit)
        };
        (0..width * width).into_par_iter().map(pixel).collect()
    }

    fn launched<'l>(&'l self, launch: Launch<'l>) -> Launch<'l> {
        launch.args((self.width, self.scale, self.limit)).vms(self.pixels())
    }

    fn arguments(&self) -> Vec<Argument> {
        [self.width, self.scale.to_bits(), self.limit]
            .map(|word| Argument::Value(vec![word]))
            .into()
    }
}
