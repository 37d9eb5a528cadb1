//! What only ranks do, and what goes wrong with them.

use gpuvm::prelude::*;
use gpuvm::{Budget, Engine};
use gpuvm_mpi::Runtime;

use crate::Failure;
use crate::patterns;
use crate::verbs::{column, verbs};

/// Where a case leaves what another one goes on with, in the working directory.
const CHECKPOINT: &str = "slow_count.checkpoint";

#[routine]
fn slow_count(seed: u32) -> u32 {
    let (mut left, mut count) = (seed % 200, seed);
    while left > 0 {
        count = count.wrapping_mul(5).wrapping_add(left);
        left -= 1;
    }
    count
}

/// A token on its way round.
#[derive(RingMessage, Clone, Copy, Debug, PartialEq)]
struct Token {
    at: u32,
    all: u32,
    step: u32,
    left: u32,
    mark: u32,
}

/// How often a token was here, and what came of their marks in the order in which they came.
#[derive(VmType, Clone, Copy, Debug, Default, PartialEq)]
struct Seen {
    tokens: u32,
    marks: u32,
}

#[ring_kernel(id = "passer", forwards = 1)]
fn passer(seen: &mut Seen, token: Token, ctx: &mut Ring<Token>) {
    seen.tokens += 1;
    // The sum of what depends on each, whichever is first.
    seen.marks = seen
        .marks
        .wrapping_add((token.mark ^ token.left).wrapping_mul(747_796_405));
    if token.left > 0 {
        let at = (token.at + token.step) % token.all;
        let left = token.left - 1;
        ctx.forward(at, Token { at, left, ..token });
    }
}

/// Tokens that go round all actors of all ranks, and what these have seen in the end: a dozen of actors in all, whoever has them.
fn tokens(runtime: &Runtime) -> Result<Vec<Vec<u32>>, Failure> {
    let all = 12;
    let actors = all / runtime.size() as u32;
    let options = RingOptions {
        actors,
        ..RingOptions::default()
    };
    let kernel = runtime.blocking_launch_ring("passer", options)?;
    let link = runtime.link_ring(&kernel)?;
    kernel.blocking_activate()?;
    for mark in 0..12 {
        let at = mark * 5 % all;
        let token = Token {
            at,
            all,
            step: 1 + mark % 7,
            left: 40 + mark,
            mark,
        };
        if at / actors == runtime.rank() as u32 {
            kernel.blocking_send(at % actors, token)?;
        }
    }
    link.settle()?;
    kernel.blocking_deactivate()?;
    let mut own = Vec::new();
    for actor in 0..actors {
        let seen: Seen = kernel.blocking_state(actor)?;
        own.extend([seen.tokens, seen.marks]);
    }
    kernel.blocking_terminate()?;
    // Who has what is the ranks' affair; together they have the same.
    let found = runtime.gather_words(&own)?;
    Ok(vec![found])
}

/// Runs a case, if it is one of these.
pub fn run(runtime: &Runtime, case: &str, numbers: &[u64]) -> Result<Option<Vec<Vec<u32>>>, Failure> {
    let number = |place: usize| numbers.get(place).copied().unwrap_or(1) as usize;
    match case {
        // Launches of the patterns, handed out.
        "ensemble" => {
            let mut all = Vec::new();
            for vms in [1, 2, 3, 64, 1000, 20_000] {
                let (found, shares) = patterns::walk(runtime.ensemble("walk")?, vms)?;
                if vms > 1 && shares.iter().map(|share| share.vms).sum::<u64>() != vms as u64 {
                    return Err(format!("{shares:?} of {vms} VMs").into());
                }
                all.extend(found);
            }
            return Ok(Some(all));
        }
        "tokens" => return tokens(runtime).map(Some),
        // So far, saved, and to the end.
        "save" => {
            let seeds = column(3000, 3);
            let launch = runtime.launch("slow_count")?.args((&seeds,));
            let mut execution = launch.engine(Engine::Reference).start()?;
            execution.advance(Budget::cycles(150))?;
            runtime.save(CHECKPOINT, &execution.snapshot()?)?;
            execution.run_to_end()?;
            return Ok(Some(vec![execution.finish()?.output()?]));
        }
        // From there on, on other ranks.
        "load" => {
            let mut execution = runtime.restore(&runtime.load(CHECKPOINT)?)?;
            execution.run_to_end()?;
            return Ok(Some(vec![execution.finish()?.output()?]));
        }
        // A rank that does less than the others.
        "leave" if runtime.rank() == number(0) => return Ok(Some(Vec::new())),
        "panic" if runtime.rank() == number(0) => panic!("this rank has had enough"),
        // One that is killed while the others wait for it.
        "hang" if runtime.rank() == number(0) => loop {
            std::thread::sleep(std::time::Duration::from_secs(1));
        },
        // One that fails, and all that do.
        "fail" if runtime.rank() == number(0) => return Err("this rank has no more paper".into()),
        "fail_all" => return Err("nobody has any paper".into()),
        "trace" => {
            let column = column(1000, 1);
            let mut plan = runtime.plan();
            let given = plan.input(&column);
            let shaken = plan.map("shake", (given,))?;
            plan.output(shaken);
            let done = plan.trace(true).run()?;
            let trace = runtime.trace_json(&done)?.ok_or("no trace")?;
            let has = |rank: usize| trace.contains(&format!("rank {rank} on "));
            return match (0..runtime.size()).all(has) && !has(runtime.size()) {
                true => Ok(Some(Vec::new())),
                false => Err(trace.into()),
            };
        }
        "fail" | "leave" | "panic" | "hang" => {}
        _ => return Ok(None),
    }
    verbs(runtime, &column(1000, 1)).map(Some).map_err(Into::into)
}
