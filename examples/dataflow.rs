//! A relief map of a land that never was. Heights come first; then hillshade, curvature, contour lines and colours, none of which needs
//! another, are in one phase, and meet again in the map. The plan says so, and that the branches become one program.
//!
//! `cargo run --release --example dataflow [-- --seed 7 --engine native --output relief.png]`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use gpuvm::prelude::*;
use gpuvm_examples::{Choice, spinner, write};
use image::RgbImage;

/// Pixels of the map's sides, and how many of them are as long as the largest hills.
const WIDTH: u32 = 1440;
const HEIGHT: u32 = 960;
const HILLS: f32 = 280.0;
/// Where the sea ends, and how high it is from one contour line to the next.
const SEA: f32 = 0.3;
const INTERVAL: f32 = 0.06;

/// A number from 0 to 1 for a corner of the lattice: its bits, mixed (Wang).
#[routine(callee)]
fn corner(x: i32, y: i32, seed: u32) -> f32 {
    let mut bits = (x as u32).wrapping_mul(0x9e37_79b9) ^ (y as u32).wrapping_mul(0x85eb_ca6b) ^ seed;
    bits = (bits ^ 61 ^ (bits >> 16)).wrapping_mul(9);
    bits = (bits ^ (bits >> 4)).wrapping_mul(0x27d4_eb2d);
    ((bits ^ (bits >> 15)) >> 8) as f32 / 16_777_216.0
}

#[routine(callee)]
fn between(a: f32, b: f32, at: f32) -> f32 {
    a + (b - a) * at
}

/// Value noise: smooth between the corners of a lattice.
#[routine(callee)]
fn noise(x: f32, y: f32, seed: u32) -> f32 {
    let (column, row) = (x.floor(), y.floor());
    let (u, v) = (x - column, y - row);
    let (u, v) = (
        u * u * u * (u * (6.0 * u - 15.0) + 10.0),
        v * v * v * (v * (6.0 * v - 15.0) + 10.0),
    );
    let (i, j) = (column as i32, row as i32);
    let above = between(corner(i, j, seed), corner(i + 1, j, seed), u);
    let below = between(corner(i, j + 1, seed), corner(i + 1, j + 1, seed), u);
    between(above, below, v)
}

/// How high the land is at this VM's pixel, from 0 to about 1: octaves of noise, and ridges where it is high (Musgrave).
#[routine]
fn height(seed: u32) -> f32 {
    let (mut x, mut y) = ((vm::id() % WIDTH) as f32 / HILLS, (vm::id() / WIDTH) as f32 / HILLS);
    let (mut land, mut ridges, mut share, mut rough) = (0.0f32, 0.0f32, 0.5f32, 1.0f32);
    for octave in 0..9u32 {
        land += share * noise(0.6 * x, 0.6 * y, seed + octave);
        let ridge = 1.0 - (2.0 * noise(x, y, seed + 100 + octave) - 1.0).abs();
        rough *= 1.1 * ridge * ridge;
        ridges += share * rough;
        share *= 0.5;
        // Turned a little, so that the lattices do not show.
        (x, y) = (1.6 * x + 1.2 * y, 1.6 * y - 1.2 * x);
    }
    let hills = ((land - 0.35) * 2.5).clamp(0.0, 1.0);
    0.8 * land + 0.75 * hills * ridges - 0.1
}

/// The height some pixels away from this VM's; beyond the border the nearest pixel stands for it.
#[routine(callee)]
fn height_at(heights: &[f32], right: i32, down: i32) -> f32 {
    let x = ((vm::id() % WIDTH) as i32 + right).clamp(0, WIDTH as i32 - 1);
    let y = ((vm::id() / WIDTH) as i32 + down).clamp(0, HEIGHT as i32 - 1);
    heights[(y * WIDTH as i32 + x) as usize]
}

/// How bright the sun makes the land, which stands in the north-west (Horn, "Hill shading and the reflectance map", 1981).
#[routine]
fn hillshade(heights: &[f32]) -> f32 {
    let (mut east, mut south) = (0.0f32, 0.0f32);
    for step in -1..=1 {
        let weight = if step == 0 { 2.0f32 } else { 1.0 };
        east += weight * (height_at(heights, 1, step) - height_at(heights, -1, step));
        south += weight * (height_at(heights, step, 1) - height_at(heights, step, -1));
    }
    let (east, south) = (20.0 * east, 20.0 * south);
    let light = (0.5 * east + 0.5 * south + 0.7) / (east * east + south * south + 1.0).sqrt();
    light.clamp(0.0, 1.0)
}

/// Above 0 where the land is hollow, below where it is a ridge.
#[routine]
fn curvature(heights: &[f32]) -> f32 {
    let around =
        height_at(heights, 3, 0) + height_at(heights, -3, 0) + height_at(heights, 0, 3) + height_at(heights, 0, -3);
    (12.0 * (0.25 * around - height_at(heights, 0, 0))).clamp(-0.2, 0.2)
}

/// How dark a contour line is here: as wide as a pixel, and every fifth one twice that.
#[routine]
fn contour(heights: &[f32]) -> f32 {
    let east = 0.5 * (height_at(heights, 1, 0) - height_at(heights, -1, 0));
    let south = 0.5 * (height_at(heights, 0, 1) - height_at(heights, 0, -1));
    let level = (height_at(heights, 0, 0) - SEA) / INTERVAL;
    let nearest = level.round();
    let pixels = (level - nearest).abs() * INTERVAL / east.hypot(south).max(1e-5);
    let width = if nearest as i32 % 5 == 0 { 1.6f32 } else { 0.9 };
    (width - pixels).clamp(0.0, 1.0)
}

#[routine(callee)]
fn mixed(a: [f32; 3], b: [f32; 3], at: f32) -> [f32; 3] {
    [
        between(a[0], b[0], at),
        between(a[1], b[1], at),
        between(a[2], b[2], at),
    ]
}

/// The colour of a height: from deep sea to snow.
#[routine]
fn tint(height: f32) -> [f32; 3] {
    if height < SEA {
        let depth = ((SEA - height) / SEA * 1.6).min(1.0);
        return mixed([0.55, 0.75, 0.80], [0.13, 0.30, 0.45], depth.sqrt());
    }
    let at = (height - SEA) / (1.0 - SEA) * 5.0;
    let within = at - at.floor();
    match at as u32 {
        0 => mixed([0.55, 0.68, 0.45], [0.74, 0.78, 0.52], within),
        1 => mixed([0.74, 0.78, 0.52], [0.86, 0.78, 0.56], within),
        2 => mixed([0.86, 0.78, 0.56], [0.72, 0.58, 0.45], within),
        3 => mixed([0.72, 0.58, 0.45], [0.97, 0.96, 0.95], within),
        _ => [0.97, 0.96, 0.95],
    }
}

/// A pixel of the map.
#[routine]
fn relief(height: f32, tint: [f32; 3], shade: f32, hollow: f32, line: f32) -> [u8; 3] {
    let is_land = height >= SEA;
    let light = if is_land { 0.35 + 0.9 * shade - hollow } else { 1.0 };
    let ink = if is_land { 0.35 * line } else { 0.12 * line };
    let pixel = mixed(tint, [0.25, 0.18, 0.12], ink);
    let light = 255.0 * light;
    [
        (pixel[0] * light) as u8,
        (pixel[1] * light) as u8,
        (pixel[2] * light) as u8,
    ]
}

/// Draws a relief map, one VM a pixel.
#[derive(Parser)]
struct Options {
    /// Which land.
    #[arg(long, default_value_t = 7)]
    seed: u32,
    /// What runs the plan.
    #[arg(long, value_enum, default_value = "auto")]
    engine: Choice,
    /// Where to write the map.
    #[arg(long, default_value = "target/relief.png")]
    output: PathBuf,
}

fn main() -> ExitCode {
    gpuvm_examples::exit(draw(&Options::parse()))
}

fn draw(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = options.engine.runtime()?;
    println!("{}", runtime.device());
    let pixels = (WIDTH * HEIGHT) as usize;
    let mut plan = runtime.plan();
    plan.engine(options.engine.into());
    let heights = plan.generate("height", pixels, (options.seed,))?;
    let shade = plan.generate("hillshade", pixels, (heights,))?;
    let hollow = plan.generate("curvature", pixels, (heights,))?;
    let line = plan.generate("contour", pixels, (heights,))?;
    let tint = plan.map("tint", (heights,))?;
    let relief = plan.map("relief", (heights, tint, shade, hollow, line))?;
    plan.output(relief);
    println!("{}", plan.explain());

    let spinner = spinner("drawing");
    let done = plan.run()?;
    spinner.finish_and_clear();
    println!("{}", done.stats());
    let bytes = done.get::<[u8; 3]>(relief)?.concat();
    let map = RgbImage::from_raw(WIDTH, HEIGHT, bytes).ok_or("the map has another size")?;
    write(&map, &options.output)
}
