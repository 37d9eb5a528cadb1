//! The ladder: every engine on the same programs, from few VMs to many.

use anyhow::Result;
use gpuvm::{Engine, Runtime, Settings, routine};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::agreement::{Agreement, Tolerance};
use crate::problem::Problem;
use crate::stage::Stage;
use gpuvm_workloads::Size;
use gpuvm_workloads::lcg::lcg;

/// The engines, those that count instructions first.
pub const ENGINES: [Engine; 6] = [
    Engine::Interpreter,
    Engine::Reference,
    Engine::Epoch,
    Engine::Specialized,
    Engine::Auto,
    Engine::Native,
];
/// A rung that would take longer than this in seconds, judged by the one below it, is left out.
const TOO_LONG: f64 = 3.0;

/// A loop of integer and float work.
#[routine]
pub fn mixed(seed: u32, steps: u32) -> u32 {
    let mut n = seed;
    let mut x = 1.0f32;
    for _ in 0..steps {
        n = n.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        n ^= n >> 15;
        x = x * 0.75 + (n & 255) as f32;
    }
    x.to_bits()
}

/// A loop over a run of linear operations on four words, sixteen in the source, which fuse to one matrix.
#[routine]
pub fn linear(seed: u32, steps: u32) -> u32 {
    let (mut a, mut b, mut c, mut d) = (seed, 1u32, 2u32, 3u32);
    for _ in 0..steps {
        (a, b, c, d) = (
            b.wrapping_mul(5).wrapping_add(1),
            c.wrapping_mul(9).wrapping_add(7),
            d.wrapping_mul(13).wrapping_add(11),
            a.wrapping_mul(17).wrapping_add(5),
        );
        (a, b, c, d) = (
            b.wrapping_sub(3).wrapping_mul(21),
            c.wrapping_sub(9).wrapping_mul(25),
            d.wrapping_sub(1).wrapping_mul(29),
            a.wrapping_sub(2).wrapping_mul(33),
        );
    }
    a ^ b ^ c ^ d
}

/// A program of the ladder: a routine and the settings that it is linked with.
struct Program {
    name: &'static str,
    id: &'static str,
    native: fn(u32, u32) -> u32,
    raise: bool,
    fuse: bool,
}

const PROGRAMS: [Program; 5] = [
    Program {
        name: "LCG loop",
        id: "lcg",
        native: lcg,
        raise: false,
        fuse: true,
    },
    Program {
        name: "LCG loop raised to a power (default settings)",
        id: "lcg",
        native: lcg,
        raise: true,
        fuse: true,
    },
    Program {
        name: "integers and floats",
        id: "mixed",
        native: mixed,
        raise: false,
        fuse: true,
    },
    Program {
        name: "linear run, fused",
        id: "linear",
        native: linear,
        raise: false,
        fuse: true,
    },
    Program {
        name: "linear run, not fused",
        id: "linear",
        native: linear,
        raise: false,
        fuse: false,
    },
];

/// One engine on one program with one number of VMs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rung {
    /// How many VMs.
    pub vms: usize,
    /// Seconds for a launch.
    pub seconds: f64,
    /// Instructions that all VMs retired, as the interpreter or the reference counted them.
    pub instructions: Option<u64>,
}

impl Rung {
    /// Instructions a second.
    pub fn rate(&self) -> Option<f64> {
        self.instructions.map(|count| count as f64 / self.seconds)
    }
}

/// One engine on one program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Climb {
    /// The engine's name.
    pub engine: String,
    /// From few VMs to many.
    pub rungs: Vec<Rung>,
    /// Why it has no rungs, or no more.
    pub problem: Option<Problem>,
}

/// One program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Ladder {
    /// Its name.
    pub program: String,
    /// Turns of its loop.
    pub steps: u32,
    /// The engines on it.
    pub climbs: Vec<Climb>,
}

/// Climbs.
///
/// # Errors
///
/// When no device can be opened, or the figures cannot be written to their file.
pub fn run(stage: &Stage) -> Result<Vec<Ladder>> {
    let (sizes, steps): (&[usize], u32) = match stage.size {
        Size::Small => (&[100, 1000, 10_000], 100),
        Size::Full => (&[1000, 10_000, 100_000, 1_000_000, 10_000_000], 1000),
    };
    let mut ladders = Vec::new();
    for program in &PROGRAMS {
        ladders.push(climb(stage, program, sizes, steps)?);
        stage.keep(|report| report.ladder = Some(ladders.clone()))?;
    }
    Ok(ladders)
}

fn climb(stage: &Stage, program: &Program, sizes: &[usize], steps: u32) -> Result<Ladder> {
    eprintln!("{}, {steps} steps", program.name);
    let runtime = stage.runtime(Settings {
        raise: program.raise,
        fuse: program.fuse,
        ..Settings::default()
    })?;
    let mut ladder = Ladder {
        program: program.name.to_string(),
        steps,
        climbs: Vec::new(),
    };
    let mut counted = None;
    for engine in ENGINES {
        let mut climb = Climb {
            engine: engine.to_string(),
            rungs: Vec::new(),
            problem: None,
        };
        for &vms in sizes {
            match rung(stage, &runtime, program, engine, vms, steps) {
                Ok((seconds, instructions)) => {
                    // All VMs of these programs retire the same number, whatever their data.
                    counted = counted.or(instructions.map(|count| count / vms as u64));
                    climb.rungs.push(Rung {
                        vms,
                        seconds,
                        instructions: instructions.or(counted.map(|each| each * vms as u64)),
                    });
                    if seconds * 10.0 > TOO_LONG {
                        break;
                    }
                }
                Err(error) => {
                    climb.problem = Some(Problem::of(&error));
                    break;
                }
            }
        }
        eprintln!("  {engine}: {} rungs", climb.rungs.len());
        ladder.climbs.push(climb);
    }
    Ok(ladder)
}

/// Seconds for a launch, and instructions retired where the engine counts them.
fn rung(
    stage: &Stage,
    runtime: &Runtime,
    program: &Program,
    engine: Engine,
    vms: usize,
    steps: u32,
) -> Result<(f64, Option<u64>)> {
    let seeds: Vec<u32> = (0..vms as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let (seconds, done) = stage.timing.warm(|| {
        let launch = runtime.launch(program.id)?.args((&seeds, steps)).engine(engine);
        Ok(launch.run()?)
    })?;
    let judge: Vec<u32> = seeds.par_iter().map(|seed| (program.native)(*seed, steps)).collect();
    Agreement::check(&judge, &done.output::<Vec<u32>>()?, Tolerance::Exact)?;
    Ok((seconds, done.stats().instructions()))
}
