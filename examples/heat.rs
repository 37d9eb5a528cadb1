//! A grid of actors that pass heat on to their four neighbours, drawn as frames. Heat is counted in whole grains, so none is lost, and the
//! grid is what a sequential run of the same function gives.
//!
//! `cargo run --release --example heat [-- --side 128 --ticks 600 --frames 8 --engine native --output target/heat]`

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use gpuvm::prelude::*;
use gpuvm_examples::{Choice, write};
use image::{Rgb, RgbImage};
use indicatif::ProgressBar;

/// Pixels of a cell's side.
const PIXELS: u32 = 4;
/// Grains of heat in a cell that is as hot as the picture shows.
const HOT: u32 = 1 << 20;

/// What a cell is told.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
enum Signal {
    /// So many grains come in.
    Heat { grains: u32 },
    /// Pass a part on to the neighbours, in a grid of so many cells a side.
    Tick { side: u32 },
    /// Say how hot it is.
    Look,
}

/// How hot a cell is.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Warmth {
    grains: u32,
}

#[ring_kernel(sends = 4)]
fn cell(grains: &mut u32, signal: Signal, ctx: &mut Ring) -> Option<Warmth> {
    match signal {
        Signal::Heat { grains: more } => *grains += more,
        Signal::Look => return Some(Warmth { grains: *grains }),
        Signal::Tick { side } => {
            let (x, y) = (ctx.actor() % side, ctx.actor() / side);
            let share = *grains / 6;
            let heat = Signal::Heat { grains: share };
            // Nothing gets out at the edges.
            if x > 0 {
                *grains -= share;
                ctx.send(ctx.actor() - 1, heat);
            }
            if x + 1 < side {
                *grains -= share;
                ctx.send(ctx.actor() + 1, heat);
            }
            if y > 0 {
                *grains -= share;
                ctx.send(ctx.actor() - side, heat);
            }
            if y + 1 < side {
                *grains -= share;
                ctx.send(ctx.actor() + side, heat);
            }
        }
    }
    None
}

/// Lets heat spread and draws it.
#[derive(Parser)]
struct Options {
    /// Cells of the grid's sides.
    #[arg(long, default_value_t = 128)]
    side: u32,
    /// How often the cells pass heat on.
    #[arg(long, default_value_t = 600)]
    ticks: u32,
    /// How many pictures.
    #[arg(long, default_value_t = 8)]
    frames: u32,
    /// What runs the cells.
    #[arg(long, value_enum, default_value = "auto")]
    engine: Choice,
    /// The folder for the pictures.
    #[arg(long, default_value = "target/heat")]
    output: PathBuf,
}

fn main() -> ExitCode {
    gpuvm_examples::exit(spread(&Options::parse()))
}

fn spread(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = options.engine.runtime()?;
    println!("{}", runtime.device());
    let (side, cells) = (options.side, options.side * options.side);
    let grid = runtime.blocking_launch_ring(
        "cell",
        RingOptions {
            actors: cells,
            queue_capacity: 8 * cells as usize,
            engine: options.engine.into(),
            ..default()
        },
    )?;
    grid.blocking_activate()?;
    grid.blocking_send_all(letters(side))?;
    grid.blocking_settle()?;

    let begin = Instant::now();
    let bar = ProgressBar::new(options.ticks.into());
    let mut model = vec![0; cells as usize];
    sequential(&mut model, letters(side));
    for tick in 0..=options.ticks {
        if is_frame(options, tick) {
            let warmth = look(&runtime, &grid)?;
            if warmth != model {
                return Err(format!("after {tick} ticks the grid is not what a sequential run gives").into());
            }
            bar.suspend(|| write(&picture(side, &warmth), &options.output.join(format!("{tick:04}.png"))))?;
        }
        if tick < options.ticks {
            // They rest until each has its tick, so that nobody is warmed by a neighbour's before its own.
            grid.blocking_deactivate()?;
            grid.blocking_send_all((0..cells).map(|to| (to, Signal::Tick { side })))?;
            grid.blocking_activate()?;
            grid.blocking_settle()?;
            sequential(&mut model, (0..cells).map(|to| (to, Signal::Tick { side })));
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    println!(
        "{} ticks of {cells} cells in {:.2?}, each frame as a sequential run has it",
        options.ticks,
        begin.elapsed()
    );
    println!("{}", grid.blocking_metrics()?);
    grid.blocking_terminate()?;
    Ok(())
}

/// Whether a picture is to be drawn after so many ticks: at the beginning, at the end, and evenly between.
fn is_frame(options: &Options, tick: u32) -> bool {
    let between = options.frames.max(2) - 1;
    (0..=between).any(|frame| frame * options.ticks / between == tick)
}

/// Heat in the shape of a ring with a spot in it.
fn letters(side: u32) -> impl Iterator<Item = (u32, Signal)> {
    let hot = move |cell: u32| {
        let from_middle = |at: u32| at as i32 - side as i32 / 2;
        let (x, y) = (from_middle(cell % side), from_middle(cell / side));
        let far = ((x * x + y * y) as f32).sqrt() / side as f32;
        (0.28..0.34).contains(&far) || far < 0.05
    };
    let heat = Signal::Heat { grains: 2 * HOT };
    (0..side * side)
        .filter(move |cell| hot(*cell))
        .map(move |cell| (cell, heat))
}

/// Handles signals one after the other, and then what cells have sent.
fn sequential(grid: &mut [u32], signals: impl Iterator<Item = (u32, Signal)>) {
    let cells = grid.len() as u32;
    let mut sent = Vec::new();
    for (to, signal) in signals {
        let mut ctx = Ring::new(to, cells);
        cell(&mut grid[to as usize], signal, &mut ctx);
        sent.extend(ctx.sent::<Signal>());
    }
    if !sent.is_empty() {
        sequential(grid, sent.into_iter());
    }
}

/// How hot each cell is.
fn look(runtime: &Runtime, grid: &KernelHandle) -> gpuvm::Result<Vec<u32>> {
    let cells = grid.actors();
    grid.blocking_send_all((0..cells).map(|cell| (cell, Signal::Look)))?;
    let mut found: Vec<(u32, Warmth)> = Vec::new();
    while found.len() < cells as usize {
        grid.blocking_receive_many(&mut found, runtime.config().call_timeout)?;
    }
    let mut grains = vec![0; cells as usize];
    found
        .into_iter()
        .for_each(|(cell, warmth)| grains[cell as usize] = warmth.grains);
    Ok(grains)
}

/// Black, red, yellow, white.
fn picture(side: u32, grains: &[u32]) -> RgbImage {
    RgbImage::from_fn(side * PIXELS, side * PIXELS, |x, y| {
        let grains = grains[(y / PIXELS * side + x / PIXELS) as usize];
        let hot = (grains as f32 / HOT as f32).sqrt() * 2.2;
        Rgb([0.0, 0.8, 1.6].map(|from| ((hot - from).clamp(0.0, 1.0) * 255.0) as u8))
    })
}
