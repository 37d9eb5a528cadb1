//! A reaction of two substances that diffuse in a cube, on all devices of the machine: each has its part of the cells, and what it needs of its neighbours' goes between them in each step.
//! Leaves pictures of the plane in the middle, and a checkpoint from which it goes on.
//!
//! `cargo run --release --example reaction [-- --side 128 --steps 2000 --frames 10 --folder reaction]`

mod model;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use gpuvm::{Devices, Runtime};
use gpuvm_examples::{exit, write};
use image::{Rgb, RgbImage};
use indicatif::{ProgressBar, ProgressStyle};

use model::{Medium, Reaction};

/// Two substances that react and diffuse.
#[derive(Parser)]
struct Options {
    /// Cells a side of the cube.
    #[arg(long, default_value_t = 128)]
    side: u32,
    /// Steps.
    #[arg(long, default_value_t = 2000)]
    steps: u32,
    /// Pictures on the way, after each of which it is saved.
    #[arg(long, default_value_t = 10)]
    frames: u32,
    /// Where they go, and where it goes on from if it was saved there.
    #[arg(long, default_value = "reaction")]
    folder: PathBuf,
}

fn main() -> ExitCode {
    exit(run(&Options::parse()))
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let runtime = Runtime::builder().devices(Devices::All).build()?;
    for device in runtime.own_devices() {
        println!("on {device}");
    }
    std::fs::create_dir_all(&options.folder)?;
    let checkpoint = options.folder.join("checkpoint");
    let mut reaction = match std::fs::read(&checkpoint) {
        Ok(bytes) => {
            let restored = Reaction::restored(&runtime, &bytes)?;
            restored.ok_or_else(|| format!("{} is no checkpoint of this program", checkpoint.display()))?
        }
        Err(_) => Reaction::new(&runtime, Medium::cube(options.side))?,
    };
    if reaction.steps > 0 {
        println!("goes on after {} steps", reaction.steps);
    }
    let style = ProgressStyle::with_template("{bar:40} {pos} of {len} steps")?;
    let bar = ProgressBar::new(options.steps.into()).with_style(style);
    let each = options.steps.div_ceil(options.frames.max(1)).max(1);
    let (begin, first) = (Instant::now(), reaction.steps);
    while reaction.steps < options.steps {
        reaction.advance(&runtime, each.min(options.steps - reaction.steps))?;
        bar.set_position(reaction.steps.into());
        picture(&runtime, &reaction, options)?;
        std::fs::write(&checkpoint, reaction.saved()?)?;
    }
    bar.finish_and_clear();
    let (steps, time) = (reaction.steps - first, begin.elapsed());
    let (width, height) = reaction.size();
    println!("{steps} steps of {width} × {height} × {width} cells in {time:.1?}, with pictures and checkpoints");
    Ok(())
}

/// Draws the plane in the middle.
fn picture(runtime: &Runtime, reaction: &Reaction, options: &Options) -> Result<(), Box<dyn Error>> {
    let (width, height) = reaction.size();
    let pixels = reaction.section(runtime)?;
    let color = |x, y| {
        let level = pixels[(y * width + x) as usize];
        Rgb([level, level.saturating_mul(2) / 3, 255 - level])
    };
    let path = options.folder.join(format!("{:06}.png", reaction.steps));
    write(&RgbImage::from_fn(width, height, color), &path)
}
