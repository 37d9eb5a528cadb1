//! Mandelbrot: after how many iterations each pixel's orbit is outside of a circle, at most 1000.
//!
//! A shader compiler may fuse multiplications with additions, which moves the pixels near the set's edge: they may differ.

use anyhow::Result;
use cubecl::prelude::*;
use gpuvm_workloads::Workload as _;
use gpuvm_workloads::mandelbrot::{EDGE, Picture};

use crate::agreement::Tolerance;
use crate::contest::{Contest, Outcome, Routines};
use crate::peers::cube::arg;
use crate::peers::wgsl::Job;
use crate::stage::Stage;

const WGSL: &str = "
struct Settings { width: u32, limit: u32, scale: f32, padding: u32 }
@group(0) @binding(0) var<uniform> settings: Settings;
@group(0) @binding(1) var<storage, read_write> pixels: array<u32>;

// Tiles, so that the pixels of a subgroup need about as many iterations.
@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= settings.width || id.y >= settings.width { return; }
    let cx = f32(id.x) * settings.scale - 2.0;
    let cy = f32(id.y) * settings.scale - 1.5;
    var x = 0.0;
    var y = 0.0;
    var n = 0u;
    while n < settings.limit {
        let xx = x * x;
        let yy = y * y;
        if xx + yy > 4.0 { break; }
        y = 2.0 * x * y + cy;
        x = xx - yy + cx;
        n += 1u;
    }
    pixels[id.y * settings.width + id.x] = n;
}
";

#[cube(launch_unchecked)]
fn mandelbrot_cube(pixels: &mut [u32], width: u32, scale: f32, limit: u32) {
    let column = ABSOLUTE_POS_X;
    let row = ABSOLUTE_POS_Y;
    if column < width && row < width {
        let cx = f32::cast_from(column) * scale - 2.0f32;
        let cy = f32::cast_from(row) * scale - 1.5f32;
        let mut x = 0.0f32;
        let mut y = 0.0f32;
        let mut n = 0u32;
        while n < limit {
            let xx = x * x;
            let yy = y * y;
            if xx + yy > 4.0f32 {
                break;
            }
            y = 2.0f32 * x * y + cy;
            x = xx - yy + cx;
            n += 1u32;
        }
        pixels[(row * width + column) as usize] = n;
    }
}

/// Runs the contest.
///
/// # Errors
///
/// When buffers cannot be made.
pub fn run(stage: &Stage) -> Result<Outcome> {
    let workload = Picture::from(stage.size);
    let Picture { width, scale, limit } = workload;
    let (count, groups) = (workload.pixels(), width.div_ceil(8));
    let mut contest = Contest::of(stage, &workload, Tolerance::Share(EDGE));
    let uniform = [width, limit, scale.to_bits(), 0];
    contest.wgsl(Job {
        source: WGSL,
        uniform: bytemuck::bytes_of(&uniform),
        inputs: &[],
        output: count * 4,
        groups: [groups, groups],
    });
    #[allow(unsafe_code)]
    contest.cube(&[], |client, _, output| {
        let (cubes, pixels) = (CubeCount::Static(groups, groups, 1), arg(output, count));
        // SAFETY: the kernel indexes `pixels`, which has `width * width` entries, only with a row and a column below `width`.
        unsafe { mandelbrot_cube::launch_unchecked(client, cubes, CubeDim::new_2d(8, 8), pixels, width, scale, limit) }
    });
    let runtime = &stage.runtime;
    let left = runtime.buffer(&vec![0u32; count])?;
    contest.gpuvm(
        runtime,
        &Routines {
            returning: "mandelbrot",
            leaving: "mandelbrot_into",
        },
        |launch| workload.launched(launch),
        |launch| launch.args((width, scale, limit, &left)),
        &left,
    );
    contest.gpuvm_relaxed(
        runtime,
        &Routines {
            returning: "mandelbrot_relaxed",
            leaving: "mandelbrot_relaxed_into",
        },
        |launch| workload.launched(launch),
        |launch| launch.args((width, scale, limit, &left)),
        &left,
    );
    contest.cuda();
    Ok(contest.finish())
}
