//! What ranks run in the tests: each prints what came of it, and a process alone does the same.

mod patterns;
mod ranks;
#[path = "../../../tests/devices/verbs.rs"]
mod verbs;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::ExitCode;

use gpuvm::Spreading;

type Failure = Box<dyn std::error::Error>;

/// The arguments: `alone` or `ranks`, the name of a case, and the numbers that it takes.
fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [place, case, numbers @ ..] = &arguments[..] else {
        eprintln!("`alone` or `ranks`, a case, and its numbers");
        return ExitCode::FAILURE;
    };
    let numbers: Vec<u64> = numbers.iter().filter_map(|number| number.parse().ok()).collect();
    match &**place {
        "alone" => match alone(case, &numbers) {
            Ok(found) => {
                println!("{:016x}", digest(&found));
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        },
        _ => {
            let builder = gpuvm_mpi::Runtime::builder().spreading(Spreading::Always);
            gpuvm_mpi::run_with(builder, |runtime| on_ranks(runtime, case, &numbers))
        }
    }
}

fn alone(case: &str, numbers: &[u64]) -> Result<Vec<Vec<u32>>, Failure> {
    patterns::run(&gpuvm::Runtime::new()?, case, numbers)
}

fn on_ranks(runtime: &gpuvm_mpi::Runtime, case: &str, numbers: &[u64]) -> Result<(), Failure> {
    let found = match ranks::run(runtime, case, numbers)? {
        Some(found) => found,
        None => patterns::run(runtime, case, numbers)?,
    };
    println!("rank {} of {}: {:016x}", runtime.rank(), runtime.size(), digest(&found));
    Ok(())
}

fn digest(words: &[Vec<u32>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}
