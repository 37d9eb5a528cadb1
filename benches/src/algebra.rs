//! A billion turns of loops over linear code, for a hundred thousand VMs that each turn another number of times: as powers of matrices,
//! and stepped on the same engine.

use anyhow::{Result, ensure};
use gpuvm::{Engine, Runtime, routine};
use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use crate::stage::Stage;
use crate::timing::once;
use gpuvm_workloads::lcg;

/// One loop.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Raised {
    /// What it is.
    pub name: String,
    /// The engine.
    pub engine: String,
    /// Seconds for a billion turns as powers.
    pub raised: Option<Spent>,
    /// Seconds for stepping through `stepped_turns` of them.
    pub stepped: Option<Spent>,
    /// How many turns were stepped.
    pub stepped_turns: u32,
    /// Why there are no figures.
    pub problem: Option<Problem>,
}

/// Seconds that a launch took.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Spent {
    /// From the call to the results on the host.
    pub launch: f64,
    /// On the device.
    pub device: Option<f64>,
}

/// Turns of a VM: so many and a few more, another number for each.
pub const TURNS: u32 = 1_000_000_000;

#[routine]
fn xorshift(seed: u32, turns: u32) -> u32 {
    let mut x = seed;
    for _ in 0..turns {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    x
}

#[routine]
fn fibonacci(seed: u32, turns: u32) -> u32 {
    let (mut a, mut b) = (seed, 1u32);
    for _ in 0..turns {
        (a, b) = (b, a.wrapping_add(b));
    }
    a
}

#[routine]
fn crc(seed: u32, turns: u32) -> u32 {
    let mut crc = seed;
    for _ in 0..turns {
        crc = if crc & 1 == 1 {
            (crc >> 1) ^ 0xedb8_8320
        } else {
            crc >> 1
        };
    }
    crc
}

#[routine]
fn four_taps(seed: u32, turns: u32) -> u32 {
    let (mut a, mut b, mut c, mut d) = (seed, 1u32, 2u32, 3u32);
    for _ in 0..turns {
        let next = a
            .wrapping_mul(3)
            .wrapping_add(b.wrapping_mul(5))
            .wrapping_sub(c.wrapping_mul(7))
            .wrapping_add(d);
        (a, b, c, d) = (b, c, d, next);
    }
    d
}

/// A routine's id and its native function.
type Loop = (&'static str, fn(u32, u32) -> u32);

const LOOPS: [Loop; 5] = [
    ("lcg", lcg::lcg),
    ("xorshift", xorshift),
    ("fibonacci", fibonacci),
    ("crc", crc),
    ("four_taps", four_taps),
];

/// Measures.
///
/// # Errors
///
/// When the figures cannot be written to their file; what an engine fails with is in its row.
pub fn run(stage: &Stage) -> Result<Vec<Raised>> {
    let vms: u32 = stage.pick(1000, 100_000);
    // Stepping through all of them takes seconds to minutes; what it takes grows with the turns.
    let stepped_turns: u32 = stage.pick(10_000, 10_000_000);
    eprintln!("algebra: {vms} VMs, {TURNS} turns, {stepped_turns} of them stepped");
    let seeds: Vec<u32> = (0..vms).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let turns = |most: u32| -> Vec<u32> { (0..vms).map(|i| most - i % 1000).collect() };
    let (all, stepped, few) = (turns(TURNS), turns(stepped_turns), turns(2000));
    let mut rows = Vec::new();
    for (name, native) in LOOPS {
        for engine in [Engine::Interpreter, Engine::Specialized] {
            let launch = |runtime: &Runtime, turns: &[u32]| -> Result<(Vec<u32>, Option<f64>)> {
                let launch = runtime.launch(name)?.args((&seeds, turns)).engine(engine);
                let done = launch.run()?;
                let device = done.stats().device_time.map(|time| time.as_secs_f64());
                Ok((done.output()?, device))
            };
            let measure = || {
                let judge: Vec<u32> = seeds
                    .iter()
                    .zip(&few)
                    .map(|(seed, turns)| native(*seed, *turns))
                    .collect();
                ensure!(
                    launch(&stage.runtime, &few)?.0 == judge,
                    "its powers give something else than turns"
                );
                let (seconds, (_, device)) = stage.timing.warm(|| launch(&stage.runtime, &all))?;
                let raised = Spent {
                    launch: seconds,
                    device,
                };
                // What goes on with VMs after a slice of 5 ms is a kernel of its own, which is made when the first launch needs it.
                let (warm, times) = match engine {
                    Engine::Specialized => (&stepped, 3),
                    _ => (&few, 1),
                };
                for _ in 0..times {
                    launch(&stage.loops, warm)?;
                }
                let (seconds, (found, device)) = once(|| launch(&stage.loops, &stepped))?;
                ensure!(launch(&stage.runtime, &stepped)?.0 == found, "powers and steps differ");
                let stepped = Spent {
                    launch: seconds,
                    device,
                };
                Ok((raised, stepped))
            };
            let measured = measure();
            eprintln!("  {name}, {engine}: {measured:?}");
            rows.push(Raised {
                name: name.to_string(),
                engine: engine.to_string(),
                raised: measured.as_ref().ok().map(|(raised, _)| *raised),
                stepped: measured.as_ref().ok().map(|(_, stepped)| *stepped),
                stepped_turns,
                problem: measured.as_ref().err().map(Problem::of),
            });
            stage.keep(|report| report.algebra = Some(rows.clone()))?;
        }
    }
    Ok(rows)
}
