//! Walkers that climb by Collatz's rule: a small program to debug.

use gpuvm::prelude::*;

#[routine]
fn climb(n: u32) -> u32 {
    let third = n * 3;
    third + 1
}

#[routine]
fn walk(start: u32) -> u32 {
    let mut n = start;
    let mut steps = 0;
    while n > 1 {
        if n & 1 == 0 {
            n /= 2;
        } else {
            n = climb(n);
        }
        steps += 1;
    }
    steps
}

fn main() -> gpuvm::Result<()> {
    // Others may be named in place of these.
    let named = std::env::args().skip(1).filter_map(|start| start.parse().ok());
    let starts: Vec<u32> = named.chain(1..=50).take(50).collect();
    let runtime = Runtime::new()?;
    let steps: Vec<u32> = runtime.launch("walk")?.args((&starts,)).run()?.output()?;
    println!(
        "VM 26 walks {} steps, all of them {}",
        steps[26],
        steps.iter().sum::<u32>()
    );
    Ok(())
}

// With it the program serves a debugger, as by the feature `debug` of gpuvm, which here would be one of all tests of the workspace.
use gpuvm_debug as _;
