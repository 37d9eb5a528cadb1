//! A long job that survives being killed: a Lyapunov fractal, one VM a pixel. It is saved every two seconds; started again, it goes on
//! where it was, on whatever engine and device you name now, and the picture is the same to the last bit.
//!
//! `cargo run --release --example checkpoint [-- --turns 20000 --engine interpreter --file fractal.snapshot]`
//!
//! With `--seconds 60` it proves it: a job that would take that long is killed half-way, and carried on by another process on another
//! engine; a third one does it all on a third engine, and the two results are compared.

mod proof;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use gpuvm::prelude::*;
use gpuvm::{Done, Launch, Snapshot, Stats};
use gpuvm_examples::Choice;
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

/// Draws a Lyapunov fractal, and saves what there is of it every two seconds.
#[derive(Clone, Parser)]
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
    /// Proves that being killed does no harm, by a job that takes the engine so many seconds.
    #[arg(long, value_name = "N")]
    seconds: Option<f64>,
    /// The engines that carry the job of the proof on, and do it all for comparison.
    #[arg(long, value_enum, num_args = 2, default_values = ["specialized", "native"])]
    others: Vec<Choice>,
}

fn main() -> ExitCode {
    let options = Options::parse();
    gpuvm_examples::exit(match options.seconds {
        Some(seconds) => proof::run(&options, seconds),
        None => draw(&options),
    })
}

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn draw(options: &Options) -> Result<()> {
    let (runtime, columns) = (options.engine.runtime()?, columns(options.size));
    let done = match (options.engine, std::fs::read(&options.file)) {
        (engine, Ok(bytes)) => {
            println!("going on from {}", options.file.display());
            drive(
                runtime.restore_on(&Snapshot::from_bytes(&bytes)?, engine.into())?,
                options,
            )?
        }
        (Choice::Native, Err(_)) => launch(&runtime, options, &columns)?.run()?,
        (_, Err(_)) => drive(launch(&runtime, options, &columns)?.start()?, options)?,
    };
    println!("{}", costs(done.stats()));
    let exponents: Vec<f32> = done.output()?;
    picture(&exponents, options.size).save(&options.output)?;
    if options.file.exists() {
        std::fs::remove_file(&options.file)?;
    }
    // Whatever the engines on the way were, this is always the same number.
    let sum = exponents.iter().fold(0u32, |sum, x| sum.rotate_left(5) ^ x.to_bits());
    println!("{} written, checksum {sum:08x}", options.output.display());
    Ok(())
}

/// The rates of all pixels.
fn columns(size: u32) -> [Vec<f32>; 2] {
    let rate = |step: u32| 2.0 + 2.0 * step as f32 / size as f32;
    let vms = 0..size * size;
    [
        vms.clone().map(|vm| rate(vm % size)).collect(),
        vms.map(|vm| rate(vm / size)).collect(),
    ]
}

fn launch<'a>(runtime: &Runtime, options: &Options, [a, b]: &'a [Vec<f32>; 2]) -> gpuvm::Result<Launch<'a>> {
    let launch = runtime.launch("lyapunov")?.args((a, b, options.turns));
    Ok(launch.engine(options.engine.into()))
}

/// Runs the job to its end, and saves it every two seconds.
fn drive(mut execution: Execution<'_>, options: &Options) -> Result<Done> {
    let bar = ProgressBar::new(execution.vms().into());
    bar.set_style(ProgressStyle::with_template(
        "{bar:40} {percent}% of VMs, {elapsed}  {msg}",
    )?);
    let mut saved = Instant::now();
    while execution.advance(Budget::time(Duration::from_millis(100)))? == Signal::Checkpoint {
        let view = execution.vm(execution.vms() / 2)?;
        bar.set_message(format!("sum = {}", view.variable("sum").unwrap_or("?")));
        if saved.elapsed() > Duration::from_secs(2) {
            save(&execution.snapshot()?, &options.file)?;
            bar.suspend(|| println!("saved: {}", costs(&execution.stats())));
            saved = Instant::now();
        }
    }
    bar.finish_and_clear();
    Ok(execution.finish()?)
}

/// What it has cost, and how long it has kept the device at a stretch.
fn costs(stats: &Stats) -> String {
    match stats.longest_submission {
        Some(longest) => format!("{stats}, {} submissions of at most {longest:.2?}", stats.submissions),
        None => stats.to_string(),
    }
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
