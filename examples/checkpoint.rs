//! A long job that survives being killed: a Lyapunov fractal, one VM a pixel. It is saved every second; started again, it goes on
//! where it was, on whatever engine and device you name now, and the picture is the same to the last bit.
//!
//! `cargo run --release --example checkpoint [-- --turns 20000 --engine interpreter --file fractal.snapshot]`

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use gpuvm::Snapshot;
use gpuvm::prelude::*;
use image::RgbImage;
use indicatif::{ProgressBar, ProgressStyle};

/// How chaotic the logistic map is whose rate alternates between `a` and `b`: the mean of ln |r(1 − 2x)| along its way.
#[routine]
fn lyapunov(a: f32, b: f32, turns: u32) -> f32 {
    let mut x = 0.5f32;
    let mut sum = 0.0f32;
    for _ in 0..turns {
        let mut stretch = 1.0f32;
        for rate in [a, a, b, a, b, b] {
            x = rate * x * (1.0 - x);
            stretch *= rate * (1.0 - 2.0 * x);
        }
        sum += (stretch.abs() + 1e-30).ln();
    }
    sum / (6.0 * turns as f32)
}

/// Draws a Lyapunov fractal in slices of a second, each of which is saved.
#[derive(Parser)]
struct Options {
    /// How often each VM turns its loop: some 20,000 take this CPU a minute, some millions a large GPU.
    #[arg(long, default_value_t = 1_000)]
    turns: u32,
    /// Pixels a side.
    #[arg(long, default_value_t = 192)]
    size: u32,
    /// What runs the routine.
    #[arg(long, value_enum, default_value = "auto")]
    engine: Choice,
    /// Where the job is saved, and looked for at the start.
    #[arg(long, default_value = "target/fractal.snapshot")]
    file: PathBuf,
    /// Where to write the picture.
    #[arg(long, default_value = "target/fractal.png")]
    output: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Choice {
    Auto,
    Reference,
    Interpreter,
    Specialized,
}

impl From<Choice> for Engine {
    fn from(choice: Choice) -> Engine {
        match choice {
            Choice::Auto => Engine::Auto,
            Choice::Reference => Engine::Reference,
            Choice::Interpreter => Engine::Interpreter,
            Choice::Specialized => Engine::Specialized,
        }
    }
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = match options.engine {
        Choice::Auto | Choice::Reference => Runtime::new()?,
        Choice::Interpreter | Choice::Specialized => Runtime::builder().backend(Backend::Wgpu).build()?,
    };
    let Options { size, turns, .. } = *options;
    let rate = |step: u32| 2.0 + 2.0 * step as f32 / size as f32;
    let a: Vec<f32> = (0..size * size).map(|vm| rate(vm % size)).collect();
    let b: Vec<f32> = (0..size * size).map(|vm| rate(vm / size)).collect();
    let mut execution = match std::fs::read(&options.file) {
        Ok(bytes) => {
            let snapshot = Snapshot::from_bytes(&bytes)?;
            println!("going on from {}", options.file.display());
            runtime.restore_on(&snapshot, options.engine.into())?
        }
        Err(_) => runtime
            .launch("lyapunov")?
            .args((&a, &b, turns))
            .engine(options.engine.into())
            .start()?,
    };
    let bar = ProgressBar::new(execution.vms().into());
    bar.set_style(ProgressStyle::with_template(
        "{bar:40} {percent}% of VMs, {elapsed}  {msg}",
    )?);
    let mut saved = Instant::now();
    while execution.advance(Budget::time(Duration::from_millis(100)))? == Signal::Checkpoint {
        let view = execution.vm(size * size / 2)?;
        bar.set_message(format!("sum = {}", view.variable("sum").unwrap_or("?")));
        if saved.elapsed() > Duration::from_secs(1) {
            save(&execution.snapshot()?, &options.file)?;
            saved = Instant::now();
        }
    }
    bar.finish_and_clear();
    let done = execution.finish()?;
    println!("{}", done.stats());
    let exponents: Vec<f32> = done.output()?;
    picture(&exponents, size).save(&options.output)?;
    // Whatever the engines on the way were, this is always the same number.
    let sum = exponents.iter().fold(0u32, |sum, x| sum.rotate_left(5) ^ x.to_bits());
    println!("{} written, checksum {sum:08x}", options.output.display());
    if options.file.exists() {
        std::fs::remove_file(&options.file)?;
    }
    Ok(())
}

/// Writes the snapshot such that there is always a whole one.
fn save(snapshot: &Snapshot, file: &Path) -> std::io::Result<()> {
    let unfinished = file.with_extension("part");
    std::fs::write(&unfinished, snapshot.to_bytes())?;
    std::fs::rename(unfinished, file)
}

/// Order in gold, the darker the stabler; chaos in blue.
fn picture(exponents: &[f32], size: u32) -> RgbImage {
    RgbImage::from_fn(size, size, |x, y| {
        let exponent = exponents[((size - 1 - y) * size + x) as usize];
        let shade = |scale: f32| (255.0 * (-scale * exponent.abs()).exp()) as u8;
        image::Rgb(match exponent < 0.0 {
            true => [shade(0.6), shade(1.1), shade(4.0)],
            false => [0, shade(6.0) / 4, 255 - shade(4.0)],
        })
    })
}
