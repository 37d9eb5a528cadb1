//! Superoptimisation: the shortest programs without branches that compute what a function does. All programs of one instruction, then all of two, and so on
//! are run on a sample of inputs, and whoever is right on all of these has to prove itself on every number of 32 bits.
//!
//! A search is one batch after the other, tens of thousands of programs each that did not exist before, without a compiler in between. The proof calls the
//! program that was found and the function side by side.
//!
//! `cargo run --release --example superoptimise [-- absolute --steps 3]`

mod program;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};
use gpuvm::prelude::*;
use gpuvm::{Routine, build};
use indicatif::ProgressBar;
use rayon::prelude::*;

use program::{Program, programs};

/// Without its sign, the smallest number being as it is.
#[routine]
fn absolute(x: u32) -> u32 {
    if x >> 31 == 1 { 0u32.wrapping_sub(x) } else { x }
}

/// The lowest bit that is set, alone; 0 if there is none.
#[routine]
fn lowest_bit(x: u32) -> u32 {
    let mut bit = 1;
    while bit != 0 && x & bit == 0 {
        bit <<= 1;
    }
    bit
}

/// With the lowest bit that is clear set.
#[routine]
fn fill_lowest(x: u32) -> u32 {
    for place in 0..32 {
        if x >> place & 1 == 0 {
            return x | 1 << place;
        }
    }
    x
}

/// Ones where there are zeros behind the lowest bit that is set.
#[routine]
fn trailing_zeros_mask(x: u32) -> u32 {
    let mut mask = 0;
    for place in 0..32 {
        if x >> place & 1 == 1 {
            break;
        }
        mask |= 1 << place;
    }
    mask
}

/// The next even number, from an odd one.
#[routine]
fn round_up_to_even(x: u32) -> u32 {
    if x % 2 == 1 { x.wrapping_add(1) } else { x }
}

/// -1, 0 or 1, as the number is below, is, or is above 0.
#[routine]
fn sign(x: u32) -> u32 {
    match x as i32 {
        0 => 0,
        1.. => 1,
        _ => u32::MAX,
    }
}

#[routine]
fn total(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

/// A function to be computed.
#[derive(Clone, Copy, ValueEnum)]
#[allow(missing_docs, reason = "clap would print them as help, and the names say it all")]
enum Function {
    Absolute,
    LowestBit,
    FillLowest,
    TrailingZerosMask,
    RoundUpToEven,
    Sign,
}

impl Function {
    /// The routine's id, and the function itself.
    fn known(self) -> (&'static str, fn(u32) -> u32) {
        match self {
            Function::Absolute => ("absolute", absolute),
            Function::LowestBit => ("lowest_bit", lowest_bit),
            Function::FillLowest => ("fill_lowest", fill_lowest),
            Function::TrailingZerosMask => ("trailing_zeros_mask", trailing_zeros_mask),
            Function::RoundUpToEven => ("round_up_to_even", round_up_to_even),
            Function::Sign => ("sign", sign),
        }
    }
}

/// Finds the shortest programs that compute a function, and proves them.
#[derive(Parser)]
struct Options {
    /// The function.
    #[arg(value_enum, default_value = "absolute")]
    function: Function,
    /// Instructions at most. Three are some ten thousand programs, four a million.
    #[arg(long, default_value_t = 3)]
    steps: usize,
    /// Numbers that a proof goes through, as a power of two: all of them are 32.
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=32))]
    bits: u32,
}

/// Programs of a batch.
const BATCH: usize = 20_000;
/// Numbers that a proof goes through in one launch, and those of them that one VM takes, as powers of two.
const LAUNCH: u32 = 25;
const TURNS: u32 = 9;

fn main() -> ExitCode {
    gpuvm_examples::exit(superoptimise(&Options::parse()))
}

fn superoptimise(options: &Options) -> Result<(), Box<dyn std::error::Error>> {
    let runtime = Runtime::new()?;
    println!("{}", runtime.device());
    let (id, function) = options.function.known();
    let inputs = sample();
    let wanted: Vec<u32> = inputs.iter().map(|input| function(*input)).collect();
    for steps in 1..=options.steps {
        let begin = Instant::now();
        let all = programs(steps);
        let right = search(&runtime, &all, (&inputs, &wanted))?;
        println!(
            "{} programs of {steps} in {:.1} s: {} right on {} numbers",
            all.len(),
            begin.elapsed().as_secs_f64(),
            right.len(),
            inputs.len()
        );
        let mut proven = 0;
        for program in right {
            match prove(&runtime, program, id, options.bits)? {
                Proof::Right(time) => {
                    println!(
                        "\n{program}proven on 2^{} numbers in {:.1} s",
                        options.bits,
                        time.as_secs_f64()
                    );
                    proven += 1;
                }
                Proof::Wrong(count) => println!("\n{program}wrong on {count} numbers"),
            }
        }
        if proven > 0 {
            return Ok(());
        }
    }
    println!("no program of {} instructions or fewer computes it", options.steps);
    Ok(())
}

/// Numbers on which programs are likely to differ: around powers of two, and some that look random.
fn sample() -> Vec<u32> {
    let powers = (0..32).flat_map(|place| [1u32 << place, (1u32 << place).wrapping_sub(1), !(1u32 << place)]);
    let random = (1..=32u32).map(|number| number.wrapping_mul(0x9e37_79b9));
    powers.chain(random).collect()
}

/// The programs that are right on all inputs.
fn search<'p>(
    runtime: &Runtime,
    all: &'p [Program],
    (inputs, wanted): (&[u32], &[u32]),
) -> gpuvm::Result<Vec<&'p Program>> {
    let bar = ProgressBar::new(all.len() as u64);
    let mut right = Vec::new();
    for programs in all.chunks(BATCH) {
        let routines: Vec<Routine> = programs.par_iter().map(checked).collect::<gpuvm::Result<_>>()?;
        let wrong: Vec<u32> = runtime
            .batch(&routines)?
            .args((inputs, wanted))
            .fold("total")?
            .run()?
            .all()?;
        right.extend(
            programs
                .iter()
                .zip(wrong)
                .filter(|(_, wrong)| *wrong == 0)
                .map(|(program, _)| program),
        );
        bar.inc(programs.len() as u64);
    }
    bar.finish_and_clear();
    Ok(right)
}

/// A program that says whether it is wrong: 1 where it does not give what is wanted.
fn checked(program: &Program) -> gpuvm::Result<Routine> {
    build("checked", |f| {
        let x = f.param::<u32>("x");
        let wanted = f.param::<u32>("wanted");
        let found = program.built(f, x);
        f.ret(f.select(found.ne(wanted), 1u32, 0u32));
    })
}

/// What a proof has come to.
enum Proof {
    Right(Duration),
    /// On how many numbers it is wrong.
    Wrong(u64),
}

/// Runs a program and the function of that id on all numbers of so many bits.
fn prove(runtime: &Runtime, program: &Program, id: &str, bits: u32) -> gpuvm::Result<Proof> {
    let found = build("found", |f| {
        let x = f.param::<u32>("x");
        f.ret(program.built(f, x));
    })?;
    let function = Routine::of(id)?;
    let turns = TURNS.min(bits);
    let proof = build("proof", |f| {
        let first = f.param::<u32>("first");
        let begin = first + f.vm_id() * (1u32 << turns);
        let wrong = f.variable("wrong", 0u32);
        f.for_(0u32, 1u32 << turns, |f, turn| {
            let x = begin + turn;
            let differs = f.call::<u32>(&found, (x,)).ne(f.call::<u32>(&function, (x,)));
            wrong.set(wrong.get() + f.select(differs, 1u32, 0u32));
        });
        f.ret(wrong.get());
    })?;
    let (launch, begin) = (LAUNCH.min(bits), Instant::now());
    let bar = ProgressBar::new(1 << (bits - launch));
    let mut wrong = 0;
    for piece in 0..1u32 << (bits - launch) {
        let done = runtime
            .launch(&proof)?
            .args((piece << launch,))
            .vms(1 << (launch - turns))
            .run()?;
        wrong += done
            .output::<Vec<u32>>()?
            .iter()
            .map(|wrong| u64::from(*wrong))
            .sum::<u64>();
        bar.inc(1);
        if wrong > 0 {
            break;
        }
    }
    bar.finish_and_clear();
    Ok(match wrong {
        0 => Proof::Right(begin.elapsed()),
        wrong => Proof::Wrong(wrong),
    })
}
