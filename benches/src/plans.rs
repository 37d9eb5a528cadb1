//! What plans cost: phases that do next to nothing, a chain of maps beside one hand-fused map, and folds, sorts and groups beside a plain copy.

use anyhow::{Result, ensure};
use gpuvm::{Buffer, Engine, Handle, Plan, PlanDone, VmType, routine};
use serde::{Deserialize, Serialize};

use crate::peers::cuda::Row;
use crate::problem::Problem;
use crate::stage::Stage;
use crate::timing::median_if_any;

/// One figure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Figure {
    /// What was run.
    pub name: String,
    /// Seconds from the call to the end.
    pub seconds: Option<f64>,
    /// Seconds that the device says it took.
    pub device: Option<f64>,
    /// Bytes that have to go through the device's memory.
    pub bytes: u64,
    /// Phases among which the time is to be divided.
    pub phases: usize,
    /// Why there is no figure.
    pub problem: Option<Problem>,
}

/// Entries of a large column.
const ENTRIES: usize = 10_000_000;
/// Phases in a row.
const PHASES: usize = 1000;
/// Maps in a row.
const MAPS: usize = 10;
/// VMs of a phase that does next to nothing.
const FEW: usize = 64;
/// Bytes of a copy that no cache holds.
const COPIED: usize = 1 << 30;

#[routine]
fn idle(x: u32) -> u32 {
    x ^ 1
}

#[routine]
fn turn(x: f32) -> f32 {
    x * 0.5 + 1.0
}

#[routine]
fn ten_turns(x: f32) -> f32 {
    turn(turn(turn(turn(turn(turn(turn(turn(turn(turn(x))))))))))
}

#[routine]
fn sum(a: f32, b: f32) -> f32 {
    a + b
}

#[routine]
fn is_large(x: f32) -> bool {
    x > 0.5
}

#[routine]
fn numbered(x: f32) -> (f32, u32) {
    (x, gpuvm::vm::id())
}

#[routine]
fn first(pair: (f32, u32)) -> f32 {
    pair.0
}

#[routine]
fn second(pair: (f32, u32)) -> u32 {
    pair.1
}

/// Four in a row are equal.
#[routine]
fn run_of_four(_: f32) -> u32 {
    gpuvm::vm::id() / 4
}

#[routine]
fn bin(x: f32) -> u32 {
    (x * 237.0) as u32
}

#[routine]
fn one_bin(_: f32) -> u32 {
    7
}

#[routine]
fn coarse(x: f32) -> u32 {
    (x * 237.0) as u32
}

#[routine]
fn fine(x: f32) -> u32 {
    (x * 1e6) as u32
}

/// Measures.
///
/// # Errors
///
/// Never yet; what a plan fails with is in its row.
pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let entries = stage.pick(ENTRIES / 100, ENTRIES);
    eprintln!("plans: {entries} entries, {PHASES} phases");
    let column: Vec<f32> = (0..entries)
        .map(|i| (i as u32).wrapping_mul(0x9e37_79b9) as f32 / 4e9)
        .collect();
    let resident = stage.runtime.buffer(&column)?;
    let bench = Bench {
        stage,
        column,
        resident,
    };
    let bytes = 4 * entries as u64;
    let mut figures = vec![
        bench.figure("phases of 64 VMs, each its own step", 0, PHASES, || bench.idle(false)),
        bench.figure("the same, fused where that is possible", 0, PHASES, || bench.idle(true)),
        bench.figure("ten maps", 2 * bytes, 1, || bench.chain(MAPS, "turn")),
        bench.figure("one map, fused by hand", 2 * bytes, 1, || bench.chain(1, "ten_turns")),
        bench.figure("reduce", bytes, 1, || {
            bench.node(f32::to_bits, |plan, column| plan.reduce("sum", column))
        }),
        bench.figure("scan", 2 * bytes, 1, || {
            bench.node(f32::to_bits, |plan, column| plan.scan("sum", column))
        }),
        bench.figure("filter, half is kept", 3 * bytes / 2, 1, || {
            bench.node(f32::to_bits, |plan, column| plan.filter("is_large", column))
        }),
        // Each of four passes reads keys twice and what belongs to them once, and writes both.
        bench.figure("sort", 20 * bytes, 1, || {
            bench.node(f32::to_bits, |plan, column| plan.sort(column))
        }),
        // These go by their numbers, and are picked at the end.
        bench.figure("sort of pairs by their first", 25 * bytes, 1, || {
            bench.node(
                |number| number,
                |plan, column| {
                    let pairs = plan.map("numbered", (column,))?;
                    let sorted = plan.sort_by_key("first", pairs)?;
                    plan.map("second", (sorted,))
                },
            )
        }),
    ];
    figures.extend(bench.verbs(bytes));
    let copies = [
        ("hand-written copy of as much", 4 * entries),
        ("hand-written copy of 1 GiB", stage.pick(4 * entries, COPIED)),
    ];
    for (name, bytes) in copies {
        let copied = stage.gpu.copy(bytes);
        let measured = copied.map(|seconds| (seconds, Some(seconds)));
        figures.push(Figure::new(name, 2 * bytes as u64, 1, measured));
    }
    figures.extend(by_hand(stage));
    Ok(figures)
}

/// Hand-written CUDA's, where it can be built.
fn by_hand(stage: &Stage) -> Vec<Figure> {
    let Some(cuda) = &stage.cuda else {
        return Vec::new();
    };
    let rows = match cuda.run("plans", stage.size) {
        Ok(rows) => rows,
        Err(error) => return vec![Figure::new("CUDA", 0, 1, Err(error))],
    };
    let figure = |row: Row| Figure::new(&format!("CUDA, {}", row.variant), 0, 1, row.times());
    rows.into_iter().map(figure).collect()
}

/// Plans over one column.
struct Bench<'s> {
    stage: &'s Stage,
    column: Vec<f32>,
    resident: Buffer<f32>,
}

impl Bench<'_> {
    /// Times a plan. `prepare` gives what runs it, and checks what it gives.
    fn figure<R: FnMut() -> Result<PlanDone>>(
        &self,
        name: &str,
        bytes: u64,
        phases: usize,
        prepare: impl FnOnce() -> Result<R>,
    ) -> Figure {
        let measured = prepare().and_then(|mut run| {
            let mut devices = Vec::new();
            let (seconds, ()) = self.stage.timing.warm(|| {
                devices.extend(run()?.stats().device_time.map(|time| time.as_secs_f64()));
                Ok(())
            })?;
            // Those of the runs that were timed.
            let mut last = devices.split_off(devices.len().saturating_sub(self.stage.timing.repeats.max(1)));
            Ok((seconds, median_if_any(&mut last)))
        });
        Figure::new(name, bytes, phases, measured)
    }

    /// Nodes that are made of several.
    fn verbs(&self, bytes: u64) -> Vec<Figure> {
        let same = |word| word;
        let words = |name, moved, id, add: fn(&mut Plan<'_>, Handle) -> gpuvm::Result<Handle>| {
            self.figure(name, moved, 1, || {
                self.node(same, |plan, column| {
                    let words = plan.map(id, (column,))?;
                    add(plan, words)
                })
            })
        };
        let grouped = |name, id| {
            // A sort by keys, and entries and their groups are read in each turn.
            self.figure(name, 25 * bytes, 1, || {
                self.node(f32::to_bits, |plan, column| plan.group_by(id, column)?.reduce("sum"))
            })
        };
        vec![
            words(
                "dedup, a fourth is kept",
                9 * bytes / 4,
                "run_of_four",
                |plan, words| plan.dedup(words),
            ),
            words("unique", 20 * bytes, "fine", |plan, words| plan.unique(words)),
            words("histogram of 256 bins", bytes, "bin", |plan, words| {
                plan.histogram(words, 256)
            }),
            words("the same, all in one bin", bytes, "one_bin", |plan, words| {
                plan.histogram(words, 256)
            }),
            grouped("group by 256 keys, and sums", "coarse"),
            grouped("group by 10⁶ keys, and sums", "fine"),
        ]
    }

    fn plan(&self) -> Plan<'_> {
        let mut plan = self.stage.runtime.plan();
        plan.engine(Engine::Specialized);
        plan
    }

    fn idle(&self, fuse: bool) -> Result<impl FnMut() -> Result<PlanDone>> {
        let few: Vec<u32> = (0..FEW as u32).collect();
        let judge: Vec<u32> = few.iter().map(|&x| (0..PHASES).fold(x, |x, _| idle(x))).collect();
        let mut plan = self.plan();
        plan.fuse(fuse);
        let mut handle = plan.input(few);
        for _ in 0..PHASES {
            handle = plan.map("idle", (handle,))?;
        }
        judged(plan, handle, judge, |x| x)
    }

    fn chain(&self, maps: usize, id: &'static str) -> Result<impl FnMut() -> Result<PlanDone>> {
        let judge: Vec<f32> = self.column.iter().map(|&x| ten_turns(x)).collect();
        let mut plan = self.plan();
        let mut handle = plan.buffer(&self.resident);
        for _ in 0..maps {
            handle = plan.map(id, (handle,))?;
        }
        judged(plan, handle, judge, f32::to_bits)
    }

    /// Nodes over the column. The native engine's plan of the same judges them.
    fn node<T: VmType>(
        &self,
        bits: fn(T) -> u32,
        add: impl Fn(&mut Plan<'_>, Handle) -> gpuvm::Result<Handle>,
    ) -> Result<impl FnMut() -> Result<PlanDone>> {
        let mut judge = self.stage.runtime.plan();
        judge.engine(Engine::Native);
        let column = judge.input(&self.column);
        let handle = add(&mut judge, column)?;
        let judge: Vec<T> = judge.run()?.get(handle)?;
        let mut plan = self.plan();
        let column = plan.buffer(&self.resident);
        let handle = add(&mut plan, column)?;
        judged(plan, handle, judge, bits)
    }
}

/// What runs a plan that gives a column. It is run once to see that it gives the judge's bits.
fn judged<T: VmType>(
    mut plan: Plan<'_>,
    handle: Handle,
    judge: Vec<T>,
    bits: fn(T) -> u32,
) -> Result<impl FnMut() -> Result<PlanDone>> {
    plan.output(handle);
    let found: Vec<T> = plan.run()?.get(handle)?;
    let same = found.into_iter().map(bits).eq(judge.into_iter().map(bits));
    ensure!(same, "the plan gives something else than its judge");
    Ok(move || Ok(plan.run()?))
}

impl Figure {
    fn new(name: &str, bytes: u64, phases: usize, measured: Result<(f64, Option<f64>)>) -> Figure {
        let mut figure = Figure {
            name: name.to_string(),
            seconds: None,
            device: None,
            bytes,
            phases,
            problem: None,
        };
        match measured {
            Ok((seconds, device)) => (figure.seconds, figure.device) = (Some(seconds), device),
            Err(error) => figure.problem = Some(Problem::of(&error)),
        }
        eprintln!("  {name}: {:?} s, {:?} s on the device", figure.seconds, figure.device);
        figure
    }
}
