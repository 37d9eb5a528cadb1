//! Draws a photograph in ink: a plan of three routines, one VM a pixel. Reads a PNG (by default an astronaut), writes a PNG, and says what
//! ran where.
//!
//! `cargo run --release --example photo [-- input.png --output drawing.png --engine interpreter]`

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use gpuvm::prelude::*;
use gpuvm_examples::{Choice, spinner, write};
use image::{ImageReader, RgbImage};

#[derive(VmType, Clone, Copy)]
struct Pixel {
    red: u8,
    green: u8,
    blue: u8,
}

/// How bright a pixel is, from 0 to 1 (weights of ITU-R BT.709).
#[routine]
fn grayscale(pixel: Pixel) -> f32 {
    (0.2126 * pixel.red as f32 + 0.7152 * pixel.green as f32 + 0.0722 * pixel.blue as f32) / 255.0
}

/// Brightness of a neighbour; beyond the border the nearest pixel stands for it.
#[routine]
fn brightness_at(image: &[Pixel], width: i32, height: i32, x: i32, y: i32) -> f32 {
    let column = x.clamp(0, width - 1);
    let row = y.clamp(0, height - 1);
    grayscale(image[(row * width + column) as usize])
}

/// How much the brightness changes around this VM's pixel: the magnitude of the Sobel gradient.
#[routine]
fn edges(image: &[Pixel], width: u32) -> f32 {
    let (w, h) = (width as i32, image.len() as i32 / width as i32);
    let (x, y) = ((vm::id() % width) as i32, (vm::id() / width) as i32);
    let mut across = 0.0f32;
    let mut down = 0.0f32;
    for step in -1..=1 {
        let weight = if step == 0 { 2.0f32 } else { 1.0 };
        across += weight * brightness_at(image, w, h, x + 1, y + step);
        across -= weight * brightness_at(image, w, h, x - 1, y + step);
        down += weight * brightness_at(image, w, h, x + step, y + 1);
        down -= weight * brightness_at(image, w, h, x + step, y - 1);
    }
    across.hypot(down)
}

/// Ink on paper: the brightness as a wash, the edges as lines.
#[routine]
fn combine(gray: f32, edge: f32) -> Pixel {
    let line = (1.0 - 1.6 * edge).clamp(0.0, 1.0);
    let wash = 0.35 + 0.65 * gray.sqrt();
    let shade = line * wash;
    Pixel {
        red: (255.0 * shade) as u8,
        green: (246.0 * shade) as u8,
        blue: (228.0 * shade) as u8,
    }
}

/// Draws a photograph in ink, one VM a pixel.
#[derive(Parser)]
struct Options {
    /// A PNG to draw.
    #[arg(default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/data/astronaut.png"))]
    input: PathBuf,
    /// Where to write the drawing.
    #[arg(long, default_value = "target/photo.png")]
    output: PathBuf,
    /// What runs the routines.
    #[arg(long, value_enum, default_value = "auto")]
    engine: Choice,
}

fn main() -> ExitCode {
    gpuvm_examples::exit(draw(&Options::parse()))
}

fn draw(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let photo = ImageReader::open(&options.input)
        .map_err(|error| format!("cannot open {}: {error}", options.input.display()))?
        .with_guessed_format()?
        .decode()
        .map_err(|error| format!("cannot read {} as a PNG: {error}", options.input.display()))?
        .to_rgb8();
    let (width, height) = photo.dimensions();
    let pixels: Vec<Pixel> = photo
        .pixels()
        .map(|p| Pixel {
            red: p[0],
            green: p[1],
            blue: p[2],
        })
        .collect();

    let runtime = options.engine.runtime()?;
    println!("{}", runtime.device());
    let mut plan = runtime.plan();
    plan.engine(options.engine.into());
    let image = plan.input(&pixels);
    let gray = plan.map("grayscale", (image,))?;
    let edge = plan.generate("edges", pixels.len(), (image, width))?; // in the same phase as grayscale
    let mixed = plan.map("combine", (gray, edge))?;
    plan.output(mixed);
    println!("{}", plan.explain());

    let spinner = spinner("drawing");
    let done = plan.run()?;
    spinner.finish_and_clear();
    println!("{}", done.stats());
    let drawing: Vec<Pixel> = done.get(mixed)?;

    let bytes = drawing.iter().flat_map(|p| [p.red, p.green, p.blue]).collect();
    let drawing = RgbImage::from_raw(width, height, bytes).ok_or("the drawing has another size")?;
    write(&drawing, &options.output)
}
