//! `cargo xtask soak`: the soak for as long as one likes, a line for each sample.

use std::process::{Command, ExitCode};
use std::time::Duration;

use clap::{Parser, ValueEnum};
use gpuvm::{Engine, Runtime};
use gpuvm_soak::{Bounds, Soak};
use indicatif::{ProgressBar, ProgressStyle};

/// Keeps ring kernels busy, checks what they do, and watches memory and throughput.
#[derive(Parser)]
#[command(name = "cargo xtask soak", bin_name = "cargo xtask soak")]
struct Options {
    /// How long.
    #[arg(long, default_value_t = 10.0)]
    minutes: f64,
    /// Seconds between two lines.
    #[arg(long, default_value_t = 10.0)]
    every: f64,
    /// On which engines, at the same time; all of them if not given.
    #[arg(long, value_delimiter = ',')]
    engines: Vec<Choice>,
    /// Where the random orders begin.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many times as fast as the middle third the last has to be. Less than 1, because others use the machine too.
    #[arg(long, default_value_t = 0.5)]
    throughput: f64,
    /// How many mebibytes the last third may have more than the middle one.
    #[arg(long, default_value_t = 4)]
    growth: u64,
}

/// An engine, as a person names it.
#[derive(Clone, Copy, ValueEnum)]
enum Choice {
    Native,
    Reference,
    Interpreter,
    Epoch,
    Specialized,
}

/// How many arenas glibc's allocator has. It keeps what each has had, and fills up to eight a core in the course of minutes; with one, memory
/// that grows is memory that nobody frees.
const ARENAS: &str = "MALLOC_ARENA_MAX";

fn main() -> ExitCode {
    let options = Options::parse();
    let done = match std::env::var_os(ARENAS) {
        None => again(),
        Some(_) => run(&options).map(|()| ExitCode::SUCCESS),
    };
    match done {
        Ok(code) => code,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Runs this program once more with one arena, which has to be said before it starts.
fn again() -> Result<ExitCode, String> {
    let this = std::env::current_exe().map_err(|error| error.to_string())?;
    let status = Command::new(this)
        .args(std::env::args_os().skip(1))
        .env(ARENAS, "1")
        .status();
    match status.map_err(|error| error.to_string())?.success() {
        true => Ok(ExitCode::SUCCESS),
        false => Ok(ExitCode::FAILURE),
    }
}

fn run(options: &Options) -> Result<(), String> {
    let chosen = match options.engines.as_slice() {
        [] => Choice::value_variants(),
        engines => engines,
    };
    let soak = Soak {
        time: Duration::try_from_secs_f64(60.0 * options.minutes).map_err(|error| format!("--minutes: {error}"))?,
        every: Duration::try_from_secs_f64(options.every).map_err(|error| format!("--every: {error}"))?,
        engines: chosen.iter().map(|engine| Engine::from(*engine)).collect(),
        seed: options.seed,
        bounds: Bounds {
            growth: options.growth.saturating_mul(1 << 20),
            throughput: options.throughput,
        },
    };
    let runtime = Runtime::builder().backend(gpuvm_tests::gpu_backend()).build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    println!("{}, seed {}", runtime.device(), soak.seed);
    let style = ProgressStyle::with_template("{bar:40} {eta} left").map_err(|error| error.to_string())?;
    // A pipe sees nothing of it.
    let bar = ProgressBar::new(soak.time.as_secs()).with_style(style);
    let samples = soak.run(&runtime, &mut |sample| {
        bar.suspend(|| println!("{sample}"));
        bar.set_position(sample.at.as_secs());
    })?;
    bar.finish_and_clear();
    println!(
        "{} samples: every answer was the model's, memory flat, throughput steady",
        samples.len()
    );
    Ok(())
}

impl From<Choice> for Engine {
    fn from(choice: Choice) -> Engine {
        match choice {
            Choice::Native => Engine::Native,
            Choice::Reference => Engine::Reference,
            Choice::Interpreter => Engine::Interpreter,
            Choice::Epoch => Engine::Epoch,
            Choice::Specialized => Engine::Specialized,
        }
    }
}
