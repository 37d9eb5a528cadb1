//! The same work on one GPU and on all that a back end reaches, from the call to the results.

#[allow(dead_code, reason = "nothing is saved here")]
#[path = "../../examples/reaction/model.rs"]
mod model;

use anyhow::{Result, ensure};
use gpuvm::{Buffer, Devices, Done, Engine, RingOptions, Runtime, Spreading, default, routine, vm};
use gpuvm_workloads::Workload;
use gpuvm_workloads::collatz::Starts;
use gpuvm_workloads::mandelbrot::Picture;
use gpuvm_workloads::option::Market;
use model::{Medium, Reaction};
use serde::{Deserialize, Serialize};

use crate::problem::Problem;
use crate::stage::Stage;
use crate::talk::{Seen, ask_all, tokens};
use crate::timing::once;

/// One kind of work.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Spread {
    /// What it is.
    pub what: String,
    /// Seconds on one device, and on several.
    pub seconds: Option<[f64; 2]>,
    /// Why there are no figures.
    pub problem: Option<Problem>,
}

/// The work on how many devices.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comparison {
    /// How many devices several are.
    pub devices: usize,
    /// What they are together.
    pub name: String,
    /// The work.
    pub rows: Vec<Spread>,
}

/// Results by which the devices are compared: words, or what stands for many of them.
type Outcome = Result<Vec<u32>>;

/// Measures.
///
/// # Errors
///
/// When no device can be opened.
pub fn run(stage: &Stage) -> Result<Comparison> {
    let one = Runtime::builder().backend(stage.backend).build()?;
    let all = Runtime::builder().backend(stage.backend).devices(Devices::All);
    // In small sizes nothing is worth spreading, and all has to be seen to be right.
    let all = all.spreading(stage.pick(Spreading::Always, Spreading::Auto)).build()?;
    let mut rows = launches(stage, &one, &all);
    rows.extend(columns(stage, &one, &all));
    rows.push(talk(stage, &one, &all));
    Ok(Comparison {
        devices: all.own_devices().count(),
        name: all.device().name.clone(),
        rows,
    })
}

/// A row: `make` makes of a runtime what is run and timed, and once more to look at what it leaves, which may take longer.
fn row<R: FnMut(bool) -> Outcome>(
    stage: &Stage,
    what: String,
    [one, all]: [&Runtime; 2],
    make: impl Fn(Runtime) -> Result<R>,
) -> Spread {
    let seconds = || -> Result<[f64; 2]> {
        let timed = |runtime: &Runtime| -> Result<(f64, Vec<u32>)> {
            let mut run = make(runtime.clone())?;
            let (seconds, _) = stage.timing.warm(|| run(false))?;
            Ok((seconds, run(true)?))
        };
        let ((alone, expected), (together, results)) = (timed(one)?, timed(all)?);
        ensure!(results == expected, "several devices give other bits");
        Ok([alone, together])
    };
    let seconds = seconds();
    eprintln!("devices: {what}: {seconds:?} s");
    Spread {
        what,
        problem: seconds.as_ref().err().map(Problem::of),
        seconds: seconds.ok(),
    }
}

/// Says how a launch went whose results are looked at.
fn tell(look: bool, done: &Done) {
    if look {
        eprintln!("  {}", done.stats());
    }
}

/// What stands for many words.
fn digest(words: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let fold = |[sum, mix]: [u32; 2], word: u32| [sum.wrapping_add(word), mix.rotate_left(5) ^ word];
    words.into_iter().fold([0; 2], fold).to_vec()
}

/// Launches whose arguments and results are the host's.
fn launches(stage: &Stage, one: &Runtime, all: &Runtime) -> Vec<Spread> {
    let both = [one, all];
    let mut rows = Vec::new();
    let width: u32 = stage.pick(64, 8192);
    let (scale, limit) = (3.0 / width as f32, 1000u32);
    let picture = |runtime: Runtime| {
        Ok(move |look| {
            let launch = runtime.launch(Picture::RETURNING)?.args((width, scale, limit));
            let done = launch.vms((width * width) as usize).run()?;
            tell(look, &done);
            Ok(digest(done.output::<Vec<u32>>()?.into_iter().step_by(997)))
        })
    };
    rows.push(row(
        stage,
        format!("launch: Mandelbrot, {width} x {width}"),
        both,
        picture,
    ));
    let starts: Vec<u32> = (0..stage.pick(1 << 10, 1 << 26))
        .map(|start: u32| start.wrapping_mul(0x9e37_79b9) >> 8 | 1)
        .collect();
    let what = format!("launch: Collatz, {} starts", starts.len());
    rows.push(row(stage, what, both, |runtime| {
        let starts = &starts;
        Ok(move |look| {
            let done = runtime.launch(Starts::RETURNING)?.args((starts,)).run()?;
            tell(look, &done);
            Ok(digest(done.output::<Vec<u32>>()?.into_iter().step_by(997)))
        })
    }));
    let market = Market {
        vms: stage.pick(1 << 10, 1 << 20),
        blocks: stage.pick(8, 1 << 14),
        ..Market::from(stage.size)
    };
    let what = format!("launch: Monte Carlo, {:.1e} paths", market.paths());
    rows.push(row(stage, what, both, |runtime| {
        let market = &market;
        Ok(move |look| {
            let done = market.launched(runtime.launch(Market::RETURNING)?).run()?;
            tell(look, &done);
            Ok(done.output::<Vec<f32>>()?.into_iter().map(f32::to_bits).collect())
        })
    }));
    rows
}

#[routine]
fn devices_scramble(x: u32, turns: u32, out: &mut u32) {
    let mut now = x;
    let mut left = turns;
    while left > 0 {
        now = now.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) ^ (now >> 7);
        left -= 1;
    }
    *out = now;
}

#[routine]
fn devices_make() -> u32 {
    vm::id().wrapping_mul(0x9e37_79b9) ^ vm::id() >> 3
}

#[routine]
fn devices_step(x: u32) -> u32 {
    x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

#[routine]
fn devices_float(x: u32) -> f32 {
    (x >> 8) as f32 * 0.000_1
}

#[routine]
fn devices_add(a: f32, b: f32) -> f32 {
    a + b
}

#[routine]
fn devices_mix(a: u32, b: u32) -> u32 {
    a.wrapping_mul(3) ^ b
}

#[routine]
fn devices_odd(x: u32) -> bool {
    x & 1 == 1
}

#[routine]
fn devices_smooth(all: &[f32]) -> f32 {
    let (id, len) = (vm::id() as usize, all.len());
    all[id] * 0.5 + (all[(id + len - 1) % len] + all[(id + 1) % len]) * 0.25
}

/// Tokens that go from actor to actor at random, wherever these are.
fn talk(stage: &Stage, one: &Runtime, all: &Runtime) -> Spread {
    let (actors, times): (u32, u32) = (stage.pick(1 << 11, 1 << 23), stage.pick(7, 50));
    let seconds = || -> Result<[f64; 2]> {
        let timed = |runtime: &Runtime| -> Result<(f64, Vec<u32>)> {
            stage.timing.warm_by(|| {
                let options = RingOptions {
                    actors,
                    queue_capacity: actors as usize,
                    sent_capacity: 2 * actors as usize,
                    engine: Engine::Auto,
                    ..default()
                };
                let kernel = runtime.blocking_launch_ring("relay", options)?;
                kernel.blocking_send_all(tokens(actors, times))?;
                let (seconds, ()) = once(|| {
                    kernel.blocking_activate()?;
                    Ok(kernel.blocking_settle()?)
                })?;
                let seen = ask_all(&kernel, actors)?;
                Ok((seconds, digest(seen.into_iter().flat_map(Seen::words))))
            })
        };
        let ((alone, expected), (together, results)) = (timed(one)?, timed(all)?);
        ensure!(results == expected, "several devices give other bits");
        Ok([alone, together])
    };
    let seconds = seconds();
    let what = format!("ring kernel: {actors} actors hand on as many tokens, {times} times");
    eprintln!("devices: {what}: {seconds:?} s");
    Spread {
        what,
        problem: seconds.as_ref().err().map(Problem::of),
        seconds: seconds.ok(),
    }
}

/// What works on columns that stay on the devices.
fn columns(stage: &Stage, one: &Runtime, all: &Runtime) -> Vec<Spread> {
    let both = [one, all];
    let mut rows = Vec::new();
    let entries: usize = stage.pick(1 << 12, 1 << 26);
    let start: Vec<u32> = (0..entries as u32).collect();
    let what = format!("launch on a buffer: {entries} records, 1000 turns each");
    rows.push(row(stage, what, both, |runtime| {
        let (from, to) = (runtime.buffer(&start)?, runtime.buffer(&start)?);
        Ok(move |look| {
            let done = runtime.launch("devices_scramble")?.args((&from, 1000u32, &to)).run()?;
            tell(look, &done);
            Ok(if look { digest(to.read()?) } else { Vec::new() })
        })
    }));
    let medium = Medium::cube(stage.pick(12, 800));
    let what = format!(
        "launch on a buffer: ten steps of a reaction in {} cells",
        medium.cells()
    );
    rows.push(row(stage, what, both, |runtime| {
        let mut reaction = Reaction::new(&runtime, medium)?;
        Ok(move |look| {
            if look {
                // However often it has been timed.
                reaction = Reaction::new(&runtime, medium)?;
            }
            reaction.advance(&runtime, 10)?;
            Ok(match look {
                true => digest(reaction.section(&runtime)?.into_iter().map(u32::from)),
                false => Vec::new(),
            })
        })
    }));
    let many: usize = stage.pick(1 << 13, 100_000_000);
    let buffer_of = |runtime: &Runtime| -> Result<Buffer<u32>> {
        Ok(runtime.buffer(
            &(0..many as u32)
                .map(|entry| entry.wrapping_mul(0x9e37_79b9))
                .collect::<Vec<_>>(),
        )?)
    };
    rows.push(row(
        stage,
        format!("plan: ten maps of {many} entries"),
        both,
        |runtime| {
            let buffer = buffer_of(&runtime)?;
            Ok(move |_| {
                let mut plan = runtime.plan();
                let mut last = plan.buffer(&buffer);
                for _ in 0..10 {
                    last = plan.map("devices_step", (last,))?;
                }
                plan.fuse(false).output(last);
                plan.run()?;
                Ok(Vec::new())
            })
        },
    ));
    rows.push(row(stage, format!("plan: reduce of {many} entries"), both, |runtime| {
        let buffer = buffer_of(&runtime)?;
        Ok(move |_| {
            let mut plan = runtime.plan();
            let column = plan.buffer(&buffer);
            let floats = plan.map("devices_float", (column,))?;
            let sum = plan.reduce("devices_add", floats)?;
            plan.output(sum);
            Ok(plan.run()?.get::<f32>(sum)?.into_iter().map(f32::to_bits).collect())
        })
    }));
    rows.push(row(stage, format!("plan: scan of {many} entries"), both, |runtime| {
        let buffer = buffer_of(&runtime)?;
        Ok(move |_| {
            let mut plan = runtime.plan();
            let column = plan.buffer(&buffer);
            let scanned = plan.scan("devices_mix", column)?;
            let last = plan.reduce("devices_mix", scanned)?;
            plan.output(last);
            Ok(plan.run()?.get::<u32>(last)?)
        })
    }));
    rows.push(row(
        stage,
        format!("plan: filter of {many} entries, half is kept"),
        both,
        |runtime| {
            let buffer = buffer_of(&runtime)?;
            Ok(move |_| {
                let mut plan = runtime.plan();
                let column = plan.buffer(&buffer);
                let kept = plan.filter("devices_odd", column)?;
                let last = plan.reduce("devices_mix", kept)?;
                plan.output(last);
                Ok(plan.run()?.get::<u32>(last)?)
            })
        },
    ));
    rows.push(row(stage, format!("plan: sort of {many} entries"), both, |runtime| {
        let buffer = buffer_of(&runtime)?;
        Ok(move |_| {
            let mut plan = runtime.plan();
            let column = plan.buffer(&buffer);
            let sorted = plan.sort(column)?;
            let last = plan.reduce("devices_mix", sorted)?;
            plan.output(last);
            Ok(plan.run()?.get::<u32>(last)?)
        })
    }));
    let cells: usize = stage.pick(1 << 12, 1 << 26);
    rows.push(row(
        stage,
        format!("plan: ten steps of a stencil over {cells} cells"),
        both,
        |runtime| {
            Ok(move |_| {
                let mut plan = runtime.plan();
                let made = plan.generate("devices_make", cells, ())?;
                let mut last = plan.map("devices_float", (made,))?;
                for _ in 0..10 {
                    last = plan.generate("devices_smooth", cells, (last,))?;
                }
                let sum = plan.reduce("devices_add", last)?;
                plan.output(sum);
                Ok(plan.run()?.get::<f32>(sum)?.into_iter().map(f32::to_bits).collect())
            })
        },
    ));
    rows
}
