//! Random numbers for many VMs from one generator: each VM jumps 10¹² steps further ahead than the one before it, so that no two meet,
//! and then plays the chaos game, which draws a fern. Checks the jumps against steps and against arithmetic of another kind.
//!
//! `cargo run --release --example streams [-- --streams 65536 --points 1000 --output fern.png]`

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use clap::Parser;
use gpuvm::prelude::*;
use gpuvm_examples::{spinner, write};
use image::{Rgb, RgbImage};

/// How far apart streams begin.
const APART: u64 = 1_000_000_000_000;
/// Pixels of the picture's sides.
const WIDTH: u32 = 768;
const HEIGHT: u32 = 1280;
/// The multiplier and the increment of Numerical Recipes' "quick and dirty" generator.
const A: u32 = 1_664_525;
const C: u32 = 1_013_904_223;

/// One step of the linear engine of xoshiro128++ (Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2021).
#[routine(callee)]
fn step(state: [u32; 4]) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = state;
    let shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    [a, b, c ^ shifted, d.rotate_left(11)]
}

/// The state `distance` steps ahead. The loop is linear over GF(2), so it becomes powers of one matrix and is never stepped.
#[routine]
fn jump(seed: [u32; 4], distance: u64) -> [u32; 4] {
    let mut state = seed;
    for _ in 0..distance {
        state = step(state);
    }
    state
}

/// The same for a linear congruential generator, which is linear over Z/2³².
#[routine]
fn jump_lcg(seed: u32, distance: u64) -> u32 {
    let mut x = seed;
    for _ in 0..distance {
        x = x.wrapping_mul(A).wrapping_add(C);
    }
    x
}

/// Draws points of Barnsley's fern: again and again one of four affine maps, chosen by a random number.
#[routine]
fn fern(stream: [u32; 4], points: u32, pixels: &[AtomicU32]) {
    let mut state = stream;
    let (mut x, mut y) = (0.0f32, 0.0f32);
    for point in 0..points {
        let random = (state[0].wrapping_add(state[3])).rotate_left(7).wrapping_add(state[0]) >> 8;
        state = step(state);
        (x, y) = match random % 100 {
            0 => (0.0, 0.16 * y),
            1..=7 => (0.2 * x - 0.26 * y, 0.23 * x + 0.22 * y + 1.6),
            8..=14 => (0.28 * y - 0.15 * x, 0.26 * x + 0.24 * y + 0.44),
            _ => (0.85 * x + 0.04 * y, 0.85 * y - 0.04 * x + 1.6),
        };
        // The first points are not on the fern yet.
        if point >= 16 {
            let column = ((x + 3.0) * (WIDTH as f32 / 6.0)) as u32;
            let row = ((10.2 - y) * (HEIGHT as f32 / 10.4)) as u32;
            if column < WIDTH && row < HEIGHT {
                pixels[(row * WIDTH + column) as usize].fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// Draws a fern from random numbers of streams that begin 10¹² steps apart.
#[derive(Parser)]
struct Options {
    /// How many streams.
    #[arg(long, default_value_t = 65_536)]
    streams: u32,
    /// How many points each of them draws.
    #[arg(long, default_value_t = 1000)]
    points: u32,
    /// Where to write the picture.
    #[arg(long, default_value = "target/fern.png")]
    output: PathBuf,
}

fn main() -> ExitCode {
    gpuvm_examples::exit(draw(&Options::parse()))
}

fn draw(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = Runtime::new()?;
    println!("{}", runtime.device());
    // The native engine steps as the source says; on a CPU the programs that jump run on the interpreter in Rust.
    let engine = match runtime.device().backend {
        Backend::Cpu => Engine::Reference,
        _ => Engine::Auto,
    };

    let spinner = spinner("checking jumps against steps");
    let seed = [0x9e37_79b9u32, 0x243f_6a88, 0xb7e1_5162, 0xdead_beef];
    let near = [0u64, 1, 2, 63, 64, 1000, 123_456, 1_000_000];
    let done = runtime.launch("jump")?.args((seed, &near)).engine(engine).run()?;
    let found: Vec<[u32; 4]> = done.output()?;
    if found != near.map(|distance| jump(seed, distance)) {
        return Err("a jump leads elsewhere than as many steps".into());
    }

    spinner.set_message("checking jumps against modular arithmetic");
    let far = [APART, 3 * APART, APART + 7, u64::MAX];
    let done = runtime.launch("jump_lcg")?.args((1u32, &far)).engine(engine).run()?;
    let found: Vec<u32> = done.output()?;
    if found != far.map(lcg_by_powers) {
        return Err("a jump of the LCG leads elsewhere than its closed form".into());
    }

    spinner.set_message("jumping");
    let distances: Vec<u64> = (0..u64::from(options.streams)).map(|stream| stream * APART).collect();
    let begin = Instant::now();
    let done = runtime.launch("jump")?.args((seed, &distances)).engine(engine).run()?;
    let streams: Vec<[u32; 4]> = done.output()?;
    let jumped = begin.elapsed();
    let steps: f64 = distances.iter().map(|&distance| distance as f64).sum();

    spinner.set_message("drawing");
    let pixels = runtime.buffer(&vec![0u32; (WIDTH * HEIGHT) as usize])?;
    let drawn = runtime
        .launch("fern")?
        .args((&streams, options.points, &pixels))
        .run()?;
    spinner.finish_and_clear();
    println!(
        "jumped {steps:.1e} steps in {jumped:.2?}, compiling included: {}",
        done.stats()
    );
    println!(
        "drew {} points: {}",
        u64::from(options.streams) * u64::from(options.points),
        drawn.stats()
    );

    write(&picture(&pixels.read()?), &options.output)
}

/// The LCG from 1 on in closed form, aⁿ + c (aⁿ - 1) / (a - 1), with aⁿ mod 2³² (a - 1) so that the division is exact.
fn lcg_by_powers(mut distance: u64) -> u32 {
    let modulus = u128::from(A - 1) << 32;
    let (mut power, mut square) = (1, u128::from(A));
    while distance > 0 {
        if distance & 1 == 1 {
            power = power * square % modulus;
        }
        square = square * square % modulus;
        distance >>= 1;
    }
    let sum = (power + modulus - 1) % modulus / u128::from(A - 1);
    (power as u32).wrapping_add(C.wrapping_mul(sum as u32))
}

/// The fern in green on paper, darker where more points fell.
fn picture(pixels: &[u32]) -> RgbImage {
    let most = pixels.iter().copied().max().unwrap_or(0).max(1) as f32;
    RgbImage::from_fn(WIDTH, HEIGHT, |column, row| {
        let hits = pixels[(row * WIDTH + column) as usize] as f32;
        let shade = (1.0 + hits).ln() / (1.0 + most).ln();
        Rgb([(250.0, 20.0), (248.0, 90.0), (240.0, 30.0)].map(|(paper, ink)| (paper + (ink - paper) * shade) as u8))
    })
}
