//! Programs of every pattern, which know nothing of ranks.

use gpuvm::prelude::*;
use gpuvm::{Error, Launch, Runtime, Share};

use crate::Failure;
use crate::verbs::{column, verbs};

/// Runs a case.
pub fn run(runtime: &Runtime, case: &str, numbers: &[u64]) -> Result<Vec<Vec<u32>>, Failure> {
    let number = |place: usize| numbers.get(place).copied().unwrap_or(1);
    Ok(match case {
        "patterns" => {
            let mut all = Vec::new();
            for len in [1, 2, 3, 64, 65, 1000, 20_000] {
                all.extend(verbs(runtime, &column(len, 5))?);
                all.extend(walk(runtime.launch("walk")?, len)?.0);
            }
            all.extend(stencils(runtime)?);
            all.extend(traps(runtime)?);
            all
        }
        "ensemble" => {
            let mut all = Vec::new();
            for vms in [1, 2, 3, 64, 1000, 20_000] {
                all.extend(walk(runtime.launch("walk")?, vms)?.0);
            }
            all
        }
        "verbs" => verbs(runtime, &column(number(0) as usize, number(1) as u32))?,
        "plan" => random_plan(runtime, number(0) as usize, number(1))?,
        _ => return Err(format!("no case `{case}`").into()),
    })
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Walker {
    at: (i32, i32),
    steps: u64,
}

/// VMs that see everything that VMs can see of columns, and take unequally long.
#[routine(id = "walk")]
fn walker(seed: u32, me: &mut Walker, out: &mut [u32], table: &[u32], bias: i32) -> u32 {
    let mut state = seed ^ vm::id();
    for turn in 0..seed % 37 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let by = table[(state >> 8) as usize % table.len()];
        match state >> 30 {
            0 => me.at.0 = me.at.0.wrapping_add(bias),
            1 => me.at.1 = me.at.1.wrapping_add(by as i32),
            _ => me.at.1 = me.at.1.wrapping_sub(bias),
        }
        out[(turn & 1) as usize] ^= state;
    }
    me.steps += (seed % 37) as u64;
    state ^ vm::count()
}

/// What a launch of walkers gives, and who ran how many.
pub fn walk(launch: Launch<'_>, vms: usize) -> Result<(Vec<Vec<u32>>, Vec<Share>), Failure> {
    let seeds = column(vms, 7);
    let mut walkers = vec![Walker { at: (1, 2), steps: 3 }; vms];
    let mut out = vec![7u32; 2 * vms];
    let table = [3u32, 1, 4, 1, 5];
    let done = launch.args((&seeds, &mut walkers, &mut out, &table[..], -3)).run()?;
    let (results, shares) = (done.output()?, done.stats().shares.clone());
    let walked = walkers
        .iter()
        .flat_map(|walker| [walker.at.0 as u32, walker.at.1 as u32, walker.steps as u32]);
    Ok((vec![results, walked.collect(), out], shares))
}

/// A cell of a grid and its neighbours, in one to three dimensions, with edges that meet.
#[routine]
fn diffuse(me: &mut f32, all: &[f32], width: u32, height: u32, depth: u32) {
    let id = vm::id();
    let (x, y, z) = (id % width, id / width % height, id / (width * height));
    let at = |x: u32, y: u32, z: u32| all[((z * height + y) * width + x) as usize];
    let mut sum = at((x + 1) % width, y, z) + at((x + width - 1) % width, y, z);
    sum += at(x, (y + 1) % height, z) + at(x, (y + height - 1) % height, z);
    sum += at(x, y, (z + 1) % depth) + at(x, y, (z + depth - 1) % depth);
    *me += 0.1 * (sum - 6.0 * *me);
}

fn stencils(runtime: &Runtime) -> Result<Vec<Vec<u32>>, Failure> {
    let grids = [(300u32, 1u32, 1u32), (20, 15, 1), (9, 8, 7)];
    let mut all = Vec::new();
    for (width, height, depth) in grids {
        let cells: Vec<f32> = column((width * height * depth) as usize, 3)
            .iter()
            .map(|x| *x as f32 / 1e9)
            .collect();
        let buffer = runtime.buffer(&cells)?;
        let launch = runtime.launch("diffuse")?;
        launch.args((&buffer, &buffer, width, height, depth)).steps(6).run()?;
        all.push(buffer.read()?.into_iter().map(f32::to_bits).collect());
    }
    Ok(all)
}

#[routine]
fn inverse(x: u32) -> u32 {
    1000 / x
}

fn traps(runtime: &Runtime) -> Result<Vec<Vec<u32>>, Failure> {
    let xs: Vec<u32> = (0..5000).map(|vm| u32::from(vm % 1000 != 399)).collect();
    match runtime.launch("inverse")?.args((&xs,)).all_traps(true).run() {
        Err(Error::Trap(report)) => Ok(vec![
            vec![report.vm, report.count as u32, report.line],
            report.vms.clone(),
            report.done().output()?,
        ]),
        Err(error) => Err(error.into()),
        Ok(_) => Err("nothing has trapped".into()),
    }
}

/// Some verbs in some order, as the seed says.
fn random_plan(runtime: &Runtime, len: usize, seed: u64) -> Result<Vec<Vec<u32>>, Failure> {
    let mut state = seed;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let given = column(len, seed as u32);
    let mut plan = runtime.plan();
    let mut columns = vec![plan.input(&given)];
    for _ in 0..3 + next(5) {
        let from = columns[next(columns.len() as u64) as usize];
        columns.push(match next(7) {
            0 | 1 => plan.map("shake", (from,))?,
            2 => plan.filter("is_odd", from)?,
            3 => plan.scan("sum", from)?,
            4 => plan.sort(from)?,
            5 => plan.dedup(from)?,
            _ => plan.iterate(2, [from], |plan, [now]| Ok([plan.map("shake", (now,))?]))?[0],
        });
    }
    let total = plan.reduce("sum", columns[next(columns.len() as u64) as usize])?;
    for handle in columns.iter().copied().chain([total]) {
        plan.output(handle);
    }
    let done = plan.run()?;
    columns
        .into_iter()
        .chain([total])
        .map(|handle| Ok(done.get::<u32>(handle)?))
        .collect()
}
