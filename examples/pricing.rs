//! A book of a hundred thousand options, priced by Monte Carlo on every device of the machine, with error bars, beside the formula of Black and Scholes, and how one
//! of the prices converges, as a picture.
//!
//! `cargo run --release --example pricing [-- --contracts 100000 --paths 4096 --output pricing.png]`

use std::collections::BTreeMap;
use std::f32::consts::TAU;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;
use gpuvm::Devices;
use gpuvm::prelude::*;
use gpuvm_examples::{exit, write};
use image::{Rgb, RgbImage};
use indicatif::{ProgressBar, ProgressStyle};

/// A European option.
#[derive(VmType, Clone, Copy, Debug)]
struct Contract {
    spot: f32,
    strike: f32,
    years: f32,
    volatility: f32,
    interest: f32,
    /// Whether it is one to sell.
    is_put: bool,
}

/// Four random words: Philox4x32 with ten rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011).
#[routine(callee)]
fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let [mut a, mut b, mut c, mut d] = counter;
    let [mut k, mut l] = key;
    for _ in 0..10 {
        let (x, y) = (a as u64 * 0xd251_1f53, c as u64 * 0xcd9e_8d57);
        (a, b, c, d) = ((y >> 32) as u32 ^ b ^ k, y as u32, (x >> 32) as u32 ^ d ^ l, x as u32);
        k = k.wrapping_add(0x9e37_79b9);
        l = l.wrapping_add(0xbb67_ae85);
    }
    [a, b, c, d]
}

/// Two normal numbers of two random words (Box and Muller).
#[routine(callee)]
fn normals(a: u32, b: u32) -> (f32, f32) {
    let u = ((a >> 8) as f32 + 0.5) / 16_777_216.0;
    let angle = TAU * ((b >> 8) as f32 / 16_777_216.0);
    let radius = (-2.0 * u.ln()).sqrt();
    (radius * angle.cos(), radius * angle.sin())
}

/// What a contract pays if the price moves by so many standard deviations.
#[routine(callee)]
fn payoff(contract: Contract, normal: f32) -> f32 {
    let Contract {
        spot,
        strike,
        years,
        volatility,
        interest,
        is_put,
    } = contract;
    let drift = (interest - 0.5 * volatility * volatility) * years;
    let end = spot * (drift + volatility * years.sqrt() * normal).exp();
    if is_put {
        (strike - end).max(0.0)
    } else {
        (end - strike).max(0.0)
    }
}

/// The sum of what a contract pays on four paths for each block, and the sum of the squares.
#[routine]
fn simulate(contract: Contract, first: u32, blocks: u32) -> (f32, f32) {
    let (mut sum, mut squares) = (0.0f32, 0.0f32);
    for block in first..first + blocks {
        let [a, b, c, d] = philox([block, vm::id(), 0, 0], [2026, 19]);
        let ((p, q), (r, s)) = (normals(a, b), normals(c, d));
        for normal in [p, q, r, s] {
            let pays = payoff(contract, normal);
            sum += pays;
            squares += pays * pays;
        }
    }
    (sum, squares)
}

/// What is known of a contract's price after some paths.
#[derive(Clone, Copy, Default)]
struct Estimate {
    sum: f64,
    squares: f64,
    paths: f64,
}

impl Estimate {
    /// The price today, and its standard error.
    fn price(&self, contract: &Contract) -> (f64, f64) {
        let mean = self.sum / self.paths;
        let variance = (self.squares / self.paths - mean * mean).max(0.0) / (self.paths - 1.0).max(1.0);
        let discount = f64::from(-contract.interest * contract.years).exp();
        (mean * discount, variance.sqrt() * discount)
    }
}

/// The normal distribution's share below a number (Abramowitz and Stegun, 26.2.17; off by 7.5e-8 at most).
fn below(x: f64) -> f64 {
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let poly =
        t * (0.319_381_530 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let above = (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt() * poly;
    if x < 0.0 { above } else { 1.0 - above }
}

/// The price by the formula of Black and Scholes.
fn formula(contract: &Contract) -> f64 {
    let [spot, strike, years] = [contract.spot, contract.strike, contract.years].map(f64::from);
    let [volatility, interest] = [contract.volatility, contract.interest].map(f64::from);
    let scatter = volatility * years.sqrt();
    let d = ((spot / strike).ln() + (interest + 0.5 * volatility * volatility) * years) / scatter;
    let later = strike * (-interest * years).exp();
    match contract.is_put {
        false => spot * below(d) - later * below(d - scatter),
        true => later * below(scatter - d) - spot * below(-d),
    }
}

/// A book of different contracts, the first one at the money for a year.
fn book(contracts: u32) -> Vec<Contract> {
    let contract = |number: u32| {
        let [a, b, c, d] = philox([number, 0, 0, 1], [7, 7]).map(|word| (word >> 8) as f32 / 16_777_216.0);
        let [strike, years, volatility] = match number {
            0 => [100.0, 1.0, 0.2],
            _ => [60.0 + 80.0 * a, 0.1 + 2.9 * b, 0.1 + 0.4 * c],
        };
        Contract {
            spot: 100.0,
            strike,
            years,
            volatility,
            interest: 0.05,
            is_put: number > 0 && d < 0.5,
        }
    };
    (0..contracts).map(contract).collect()
}

/// Prices a book of options by Monte Carlo on every device there is.
#[derive(Parser)]
struct Options {
    /// How many contracts.
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    contracts: u32,
    /// Paths of each contract, in all.
    #[arg(long, default_value_t = 4096, value_parser = clap::value_parser!(u32).range(64..))]
    paths: u32,
    /// The picture of how the first price converges.
    #[arg(long, default_value = "pricing.png")]
    output: PathBuf,
}

fn main() -> ExitCode {
    exit(run(&Options::parse()))
}

fn run(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = Runtime::builder().devices(Devices::All).build()?;
    let devices: Vec<String> = runtime.own_devices().map(ToString::to_string).collect();
    println!("{}", devices.join("\n"));
    let contracts = book(options.contracts);
    let mut estimates = vec![Estimate::default(); contracts.len()];
    let mut course = Vec::new();
    let mut work: BTreeMap<String, u64> = BTreeMap::new();
    let bar = ProgressBar::new(u64::from(options.paths)).with_style(ProgressStyle::with_template(
        "{bar:40} {pos} of {len} paths, {elapsed}",
    )?);
    let begin = std::time::Instant::now();
    // Each round has as many paths as all before it, so that the error shrinks by the same factor.
    let (mut first, mut blocks) = (0, 8);
    while first < options.paths / 4 {
        blocks = blocks.min(options.paths / 4 - first);
        let done = runtime.launch("simulate")?.args((&contracts, first, blocks)).run()?;
        let (sums, squares): (Vec<f32>, Vec<f32>) = done.output()?;
        for (estimate, (sum, squares)) in estimates.iter_mut().zip(sums.iter().zip(&squares)) {
            estimate.sum += f64::from(*sum);
            estimate.squares += f64::from(*squares);
            estimate.paths += f64::from(4 * blocks);
        }
        let stats = done.stats();
        let alone = stats.shares.is_empty().then_some((&stats.device, stats.vms));
        let shares = stats.shares.iter().map(|share| (&share.device, share.vms));
        for (device, vms) in shares.chain(alone) {
            *work.entry(device.name.clone()).or_default() += vms * u64::from(blocks);
        }
        course.push((estimates[0].paths, estimates[0].price(&contracts[0])));
        first += blocks;
        blocks = first;
        bar.set_position(u64::from(4 * first));
    }
    bar.finish_and_clear();
    let paths = f64::from(4 * first) * contracts.len() as f64;
    let seconds = begin.elapsed().as_secs_f64();
    println!(
        "{} contracts, {paths:.2e} paths in {seconds:.2} s, {:.2e} a second",
        contracts.len(),
        paths / seconds
    );
    let all: u64 = work.values().sum();
    for (device, done) in &work {
        println!("  {:>3.0} % by {device}", 100.0 * *done as f64 / all as f64);
    }
    tell(&contracts, &estimates);
    write(&picture(&course, formula(&contracts[0])), &options.output)
}

/// Some prices with their error bars, and how many of all are where they should be.
fn tell(contracts: &[Contract], estimates: &[Estimate]) {
    println!("        strike  years  volatility      price (± 2 standard errors)    formula");
    for (contract, estimate) in contracts.iter().zip(estimates).take(8) {
        let (price, error) = estimate.price(contract);
        let kind = if contract.is_put { "put" } else { "call" };
        let Contract {
            strike,
            years,
            volatility,
            ..
        } = contract;
        println!(
            "  {kind:<4}  {strike:>6.2}  {years:>5.2}  {volatility:>10.3}  {price:>9.4} ± {:<20.4} {:>9.4}",
            2.0 * error,
            formula(contract)
        );
    }
    let within = contracts.iter().zip(estimates).filter(|(contract, estimate)| {
        let (price, error) = estimate.price(contract);
        (price - formula(contract)).abs() <= 2.0 * error
    });
    let share = 100.0 * within.count() as f64 / contracts.len() as f64;
    println!("the formula is within the error bar of {share:.1} % of the contracts; 95.4 % are to be expected");
}

const WIDTH: u32 = 900;
const HEIGHT: u32 = 500;
const MARGIN: f64 = 40.0;

/// How a price converges: its error bars over the paths, which double from one to the next, and the formula's price as a line.
fn picture(course: &[(f64, (f64, f64))], truth: f64) -> RgbImage {
    let mut picture = RgbImage::from_pixel(WIDTH, HEIGHT, Rgb([12, 14, 22]));
    let (least, most) = (course[0].0.log2(), course[course.len() - 1].0.log2());
    // The first error bar fills the height.
    let reach = 3.0 * course[0].1.1.max(1e-9);
    let x_of =
        |paths: f64| MARGIN + (f64::from(WIDTH) - 2.0 * MARGIN) * (paths.log2() - least) / (most - least).max(1.0);
    let y_of = |price: f64| {
        f64::from(HEIGHT) / 2.0 - (f64::from(HEIGHT) / 2.0 - MARGIN) * ((price - truth) / reach).clamp(-1.0, 1.0)
    };
    let mut fill = |x: f64, y: f64, width: f64, height: f64, colour: [u8; 3]| {
        for y in y.max(0.0) as u32..((y + height) as u32).min(HEIGHT) {
            for x in x.max(0.0) as u32..((x + width) as u32).min(WIDTH) {
                picture.put_pixel(x, y, Rgb(colour));
            }
        }
    };
    fill(0.0, y_of(truth) - 1.0, f64::from(WIDTH), 2.0, [40, 200, 140]);
    for (paths, (price, error)) in course {
        let (x, top, bottom) = (x_of(*paths), y_of(price + 2.0 * error), y_of(price - 2.0 * error));
        fill(x - 1.0, top, 2.0, bottom - top, [120, 140, 200]);
        fill(x - 7.0, top - 1.0, 14.0, 2.0, [120, 140, 200]);
        fill(x - 7.0, bottom - 1.0, 14.0, 2.0, [120, 140, 200]);
        fill(x - 4.0, y_of(*price) - 4.0, 8.0, 8.0, [255, 240, 190]);
    }
    picture
}
