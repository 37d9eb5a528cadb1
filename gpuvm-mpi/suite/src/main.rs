//! What ranks run in the tests: each prints what came of it, and a process alone does the same.

mod patterns;
mod ranks;
#[path = "../../../tests/devices/verbs.rs"]
mod verbs;

use std::hash::{DefaultHasher, Hash, Hasher};

use gpuvm::Spreading;

type Failure = Box<dyn std::error::Error>;

/// The arguments: `alone` or `ranks`, the name of a case, and the numbers that it takes.
fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [place, case, numbers @ ..] = &arguments[..] else {
        return Err("`alone` or `ranks`, a case, and its numbers".into());
    };
    let numbers: Vec<u64> = numbers.iter().map(|number| number.parse()).collect::<Result<_, _>>()?;
    match &**place {
        "alone" => {
            let runtime = gpuvm::Runtime::new()?;
            let found = patterns::run(&runtime, case, &numbers)?;
            println!("{:016x}", digest(&found));
        }
        _ => {
            let runtime = gpuvm_mpi::Runtime::builder().spreading(Spreading::Always).build()?;
            let found = match ranks::run(&runtime, case, &numbers)? {
                Some(found) => found,
                None => patterns::run(&runtime, case, &numbers)?,
            };
            println!("rank {} of {}: {:016x}", runtime.rank(), runtime.size(), digest(&found));
        }
    }
    Ok(())
}

fn digest(words: &[Vec<u32>]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}
