//! Programs of phases: the same bits with every optimisation on or off, in any combination, on every engine; and what is refused.

use std::sync::atomic::{AtomicU32, Ordering};

use gpuvm::prelude::*;
use gpuvm::{Error, Handle, Plan, PlanDone};

use crate::harness::{ENGINES, runtime};
use crate::sample::Rng;

#[routine]
fn plan_step(x: u32) -> u32 {
    x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

#[routine]
fn plan_mix(a: u32, b: u32) -> u32 {
    (a ^ b.rotate_left(7)).wrapping_sub(b)
}

#[routine]
fn plan_at(x: u32) -> u32 {
    x ^ vm::id().wrapping_mul(vm::count())
}

#[routine]
fn plan_pick(x: u32, all: &[u32]) -> u32 {
    if all.is_empty() {
        x
    } else {
        all[x as usize % all.len()] ^ all.len() as u32
    }
}

#[routine]
fn plan_by_reference(x: &u32, all: &[u32]) -> u32 {
    x.wrapping_add(all.len() as u32)
}

#[routine]
fn plan_float(x: u32) -> f32 {
    (x >> 8) as f32 * 0.001 - 7.0
}

#[routine]
fn plan_blend(a: f32, b: f32, by: f32) -> f32 {
    a * by + b * (1.0 - by)
}

#[routine]
fn plan_pair(a: u32, b: f32) -> (u32, f32) {
    (a.count_ones(), b * 1.5)
}

#[routine]
fn plan_unpair(pair: (u32, f32)) -> f32 {
    pair.0 as f32 + pair.1
}

#[routine]
fn plan_sign(x: f32) -> i32 {
    if x < 0.0 { -1 } else { x as i32 }
}

#[routine]
fn plan_word(x: i32) -> u32 {
    (x as u32).swap_bytes()
}

#[routine]
fn plan_add_floats(a: f32, b: f32) -> f32 {
    a + b
}

#[routine]
fn plan_add(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

/// Neither commutative nor associative, so that every change of order tells.
#[routine]
fn plan_fold(a: u32, b: u32) -> u32 {
    a.rotate_left(5).wrapping_mul(3) ^ b
}

#[routine]
fn plan_max(a: i32, b: i32) -> i32 {
    a.max(b)
}

#[routine]
fn plan_odd(x: u32) -> bool {
    x.count_ones() % 2 == 1
}

#[routine]
fn plan_positive(x: f32) -> bool {
    x > 0.0
}

#[routine]
fn plan_never(x: u32) -> bool {
    x == 1 && x == 2
}

/// Types of columns in random plans.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Ty {
    Word,
    Int,
    Float,
    Pair,
}

/// A handle of a random plan; columns of one class have one length.
#[derive(Clone, Copy, Debug)]
struct Known {
    handle: Handle,
    ty: Ty,
    class: usize,
}

/// Makes a random plan of at most 30 nodes.
struct Maker<'p, 'a> {
    plan: &'p mut Plan<'a>,
    rng: Rng,
    known: Vec<Known>,
    classes: usize,
}

impl Maker<'_, '_> {
    fn any(&mut self, ty: Ty, class: Option<usize>) -> Option<Known> {
        let fits = |known: &&Known| known.ty == ty && class.is_none_or(|class| known.class == class);
        let all: Vec<Known> = self.known.iter().filter(fits).copied().collect();
        (!all.is_empty()).then(|| all[self.rng.below(all.len())])
    }

    fn put(&mut self, handle: Handle, ty: Ty, class: usize) {
        self.known.push(Known { handle, ty, class });
    }

    /// Adds a node; `None` if there is nothing for it to work on.
    fn add(&mut self) -> Option<()> {
        let k = self.rng.below(5) as u32;
        let made = match self.rng.below(17) {
            0 => self.word("plan_step"),
            1 => self.word("plan_at"),
            2 | 3 => {
                let a = self.any(Ty::Word, None)?;
                let b = self.any(Ty::Word, Some(a.class))?;
                let handle = self.plan.map("plan_mix", (a.handle, b.handle));
                Some((handle, Ty::Word, a.class))
            }
            4 => {
                let a = self.any(Ty::Word, None)?;
                Some((self.plan.map("plan_mix", (a.handle, k)), Ty::Word, a.class))
            }
            5 => {
                let (a, all) = (self.any(Ty::Word, None)?, self.any(Ty::Word, None)?);
                let id = if k < 2 { "plan_pick" } else { "plan_by_reference" };
                Some((self.plan.map(id, (a.handle, all.handle)), Ty::Word, a.class))
            }
            6 => {
                let a = self.any(Ty::Word, None)?;
                Some((self.plan.map("plan_float", (a.handle,)), Ty::Float, a.class))
            }
            7 => {
                let a = self.any(Ty::Float, None)?;
                let b = self.any(Ty::Float, Some(a.class))?;
                let by = 0.25 * k as f32;
                Some((
                    self.plan.map("plan_blend", (a.handle, b.handle, by)),
                    Ty::Float,
                    a.class,
                ))
            }
            8 => {
                let a = self.any(Ty::Word, None)?;
                let b = self.any(Ty::Float, Some(a.class))?;
                let made = match k {
                    0..3 => self.plan.zip((a.handle, b.handle)),
                    _ => self.plan.map("plan_pair", (a.handle, b.handle)),
                };
                Some((made, Ty::Pair, a.class))
            }
            9 => {
                let a = self.any(Ty::Pair, None)?;
                Some((self.plan.map("plan_unpair", (a.handle,)), Ty::Float, a.class))
            }
            10 => {
                let a = self.any(Ty::Float, None)?;
                Some((self.plan.map("plan_sign", (a.handle,)), Ty::Int, a.class))
            }
            11 => {
                let a = self.any(Ty::Int, None)?;
                Some((self.plan.map("plan_word", (a.handle,)), Ty::Word, a.class))
            }
            12 => self.scan(),
            13 => self.reduce(),
            14 | 15 => self.reduced_as_uniform(),
            _ => self.filter(),
        };
        let (handle, ty, class) = made?;
        self.put(handle.expect("it fits"), ty, class);
        Some(())
    }

    fn word(&mut self, id: &str) -> Option<(gpuvm::Result<Handle>, Ty, usize)> {
        let a = self.any(Ty::Word, None)?;
        Some((self.plan.map(id, (a.handle,)), Ty::Word, a.class))
    }

    fn scan(&mut self) -> Option<(gpuvm::Result<Handle>, Ty, usize)> {
        let (ty, id) = self.operator();
        let a = self.any(ty, None)?;
        Some((self.plan.scan(id, a.handle), ty, a.class))
    }

    fn reduce(&mut self) -> Option<(gpuvm::Result<Handle>, Ty, usize)> {
        let (ty, id) = self.operator();
        let a = self.any(ty, None)?;
        self.classes += 1;
        // What a filter has kept may be nothing, and is not used any further.
        let class = if a.class == 0 { 1 } else { usize::MAX - self.classes };
        Some((self.plan.reduce(id, a.handle), ty, class))
    }

    fn operator(&mut self) -> (Ty, &'static str) {
        match self.rng.below(4) {
            0 => (Ty::Word, "plan_fold"),
            1 => (Ty::Word, "plan_add"),
            2 => (Ty::Float, "plan_add_floats"),
            _ => (Ty::Int, "plan_max"),
        }
    }

    fn reduced_as_uniform(&mut self) -> Option<(gpuvm::Result<Handle>, Ty, usize)> {
        let (a, one) = (self.any(Ty::Word, None)?, self.any(Ty::Word, Some(1))?);
        (a.class < usize::MAX / 2).then(|| (self.plan.map("plan_mix", (a.handle, one.handle)), Ty::Word, a.class))
    }

    fn filter(&mut self) -> Option<(gpuvm::Result<Handle>, Ty, usize)> {
        let (ty, id) = match self.rng.below(5) {
            0 | 1 => (Ty::Word, "plan_odd"),
            2 => (Ty::Word, "plan_never"),
            _ => (Ty::Float, "plan_positive"),
        };
        let a = self.any(ty, None).filter(|known| known.class < usize::MAX / 2)?;
        self.classes += 1;
        Some((self.plan.filter(id, a.handle), ty, self.classes))
    }
}

/// Fills a plan with random nodes, and gives those whose columns are compared.
fn random_plan<'a>(plan: &mut Plan<'a>, seed: u32, words: &'a [u32], floats: &'a [f32]) -> Vec<Known> {
    let mut maker = Maker {
        rng: Rng::named(&format!("plan {seed}")),
        known: Vec::new(),
        classes: 1,
        plan,
    };
    let (words, floats) = (maker.plan.input(words), maker.plan.input(floats));
    maker.put(words, Ty::Word, 0);
    maker.put(floats, Ty::Float, 0);
    let nodes = 3 + maker.rng.below(26);
    for _ in 0..nodes {
        maker.add();
    }
    let share = 1 + maker.rng.below(4);
    let mut computed: Vec<Known> = maker.known.split_off(2);
    let Maker { rng, .. } = &mut maker;
    computed.retain(|_| rng.below(share) == 0);
    computed
}

fn bits(done: &PlanDone, known: &Known) -> Vec<u64> {
    match known.ty {
        Ty::Word => done
            .get::<u32>(known.handle)
            .unwrap()
            .into_iter()
            .map(u64::from)
            .collect(),
        Ty::Int => done
            .get::<i32>(known.handle)
            .unwrap()
            .into_iter()
            .map(|x| x as u32 as u64)
            .collect(),
        Ty::Float => done
            .get::<f32>(known.handle)
            .unwrap()
            .into_iter()
            .map(|x| x.to_bits().into())
            .collect(),
        Ty::Pair => {
            let pairs = done.get::<(u32, f32)>(known.handle).unwrap();
            pairs
                .into_iter()
                .map(|(a, b)| u64::from(a) << 32 | u64::from(b.to_bits()))
                .collect()
        }
    }
}

fn random_results(seed: u32, engine: Engine, switches: usize) -> Vec<Vec<u64>> {
    let mut rng = Rng::named(&format!("columns {seed}"));
    let length = [1, 2, 255, 256, 257, 700][rng.below(6)];
    let words: Vec<u32> = (0..length).map(|_| rng.next() as u32).collect();
    let floats: Vec<f32> = (0..length).map(|_| rng.below(2000) as f32 * 0.013 - 9.0).collect();
    let mut plan = runtime().plan();
    let compared = random_plan(&mut plan, seed, &words, &floats);
    if switches & 16 != 0 || compared.is_empty() {
        compared.iter().for_each(|known| {
            plan.output(known.handle);
        });
    }
    plan.engine(engine).fuse(switches & 1 != 0).share(switches & 2 != 0);
    plan.fold(switches & 4 != 0).reuse(switches & 8 != 0);
    let done = plan
        .run()
        .unwrap_or_else(|error| panic!("plan {seed} on {engine}: {error}\n{}", plan.explain()));
    compared.iter().map(|known| bits(&done, known)).collect()
}

#[test]
fn random_plans_agree_whatever_is_switched_on() {
    let seeds = std::env::var("PLANS")
        .ok()
        .and_then(|seeds| seeds.parse().ok())
        .unwrap_or(12);
    for seed in 0..seeds {
        let expected = random_results(seed, Engine::Reference, 0);
        for (index, engine) in ENGINES.into_iter().enumerate() {
            for switches in [31, Rng::named(&format!("switches {seed} {index}")).below(32)] {
                let found = random_results(seed, engine, switches);
                assert_eq!(found, expected, "plan {seed} on {engine} with {switches:05b}");
            }
        }
    }
}

#[routine]
fn grayscale(pixel: (f32, f32, f32)) -> f32 {
    0.299 * pixel.0 + 0.587 * pixel.1 + 0.114 * pixel.2
}

#[routine]
fn edges(pixel: (f32, f32, f32)) -> f32 {
    (pixel.0 - pixel.1).abs() + (pixel.1 - pixel.2).abs()
}

#[routine]
fn combine(gray: f32, edge: f32) -> f32 {
    0.7 * gray + 0.3 * edge
}

/// The routine of the page on the public surface.
#[routine(id = "add")]
fn add_two(a: f32, b: f32) -> f32 {
    a + b
}

#[test]
fn phases_are_as_the_example_says() -> gpuvm::Result<()> {
    let pixels: Vec<(f32, f32, f32)> = (0..1000).map(|i| (i as f32, 0.5 * i as f32, 1.0)).collect();
    for engine in ENGINES {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let image = plan.input(&pixels);
        let gray = plan.map("grayscale", (image,))?;
        let edges_of = plan.map("edges", (image,))?;
        let mixed = plan.map("combine", (gray, edges_of))?;
        let total = plan.reduce("add", mixed)?;
        let done = plan.run()?;
        let out: Vec<f32> = done.get(mixed)?;
        let expected: Vec<f32> = pixels.iter().map(|p| combine(grayscale(*p), edges(*p))).collect();
        assert_eq!(out, expected);
        assert_eq!(done.get::<f32>(total)?, [folded_in_order(&expected, add_two)]);
        let text = plan.explain().to_string();
        let phase = |phase: usize| {
            text.lines()
                .find(|line| line.starts_with(&format!("phase {phase}:")))
                .unwrap_or("")
        };
        assert!(phase(0).contains("grayscale") && phase(0).contains("edges"), "{text}");
        assert!(phase(1).contains("combine") && phase(2).contains("add"), "{text}");
    }
    Ok(())
}

/// The order of `Plan::reduce`.
fn folded_in_order<T: Copy>(all: &[T], op: fn(T, T) -> T) -> T {
    let lanes = [1, 1 << 6, 1 << 12].into_iter().find(|lanes| all.len() <= 64 * lanes);
    let lanes = lanes.unwrap_or(1 << 16);
    let lane = |lane: usize| all[lane..].iter().step_by(lanes).copied().reduce(op);
    let folded: Vec<T> = (0..lanes).filter_map(lane).collect();
    match folded[..] {
        [last] => last,
        _ => {
            let neighbours = folded.chunks(64).filter_map(|chunk| chunk.iter().copied().reduce(op));
            folded_in_order(&neighbours.collect::<Vec<T>>(), op)
        }
    }
}

#[test]
fn long_columns_are_folded_and_scanned_in_order() -> gpuvm::Result<()> {
    let all: Vec<f32> = (0..270_001).map(|i| ((i * 7919) % 1013) as f32 * 0.37).collect();
    let words: Vec<u32> = (0..70_000).collect();
    let mut sums = words.clone();
    (1..sums.len()).for_each(|i| sums[i] = sums[i].wrapping_add(sums[i - 1]));
    for engine in [Engine::Native, Engine::Reference, Engine::Specialized] {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let (floats, ints) = (plan.input(&all), plan.input(&words));
        let total = plan.reduce("add", floats)?;
        let scanned = plan.scan("plan_add", ints)?;
        let odd = plan.filter("plan_odd", scanned)?;
        let done = plan.run()?;
        assert_eq!(done.get::<f32>(total)?, [folded_in_order(&all, add_two)], "{engine}");
        assert_eq!(done.get::<u32>(scanned)?, sums, "{engine}");
        let kept: Vec<u32> = sums.iter().copied().filter(|x| plan_odd(*x)).collect();
        assert_eq!(done.get::<u32>(odd)?, kept, "{engine}");
    }
    Ok(())
}

/// Takes so long for some that their lanes are stopped on the way.
#[routine]
fn plan_dawdle(x: u32) -> u32 {
    let mut y = x;
    let turns = if x % 1000 == 77 { 80_000 } else { x % 3 };
    for turn in 0..turns {
        y = y.wrapping_mul(y) ^ turn;
    }
    y
}

#[test]
fn neighbours_are_folded_when_all_their_lanes_have_ended() -> gpuvm::Result<()> {
    let pairs: Vec<(u32, u32)> = (0..300).map(|k| (k | 1, k)).collect();
    // Of as many entries, one VM, one workgroup and several of them take part.
    let columns = [64, 65, 5000].map(|entries| (0..entries).collect::<Vec<u32>>());
    for engine in [
        Engine::Native,
        Engine::Reference,
        Engine::Interpreter,
        Engine::Specialized,
    ] {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let column = plan.input(&pairs);
        let composed = plan.reduce("plan_compose", column)?;
        let mut folded = Vec::new();
        for column in &columns {
            let words = plan.input(column);
            let slow = plan.map("plan_dawdle", (words,))?;
            folded.push(plan.reduce("plan_fold", slow)?);
        }
        plan.output(composed);
        folded.iter().for_each(|folded| _ = plan.output(*folded));
        let done = plan.run()?;
        let expected = folded_in_order(&pairs, plan_compose);
        assert_eq!(done.get::<(u32, u32)>(composed)?, [expected], "{engine}");
        for (column, folded) in columns.iter().zip(folded) {
            let slow: Vec<u32> = column.iter().map(|x| plan_dawdle(*x)).collect();
            let expected = folded_in_order(&slow, plan_fold);
            assert_eq!(
                done.get::<u32>(folded)?,
                [expected],
                "{engine}, {} entries",
                column.len()
            );
        }
    }
    Ok(())
}

#[test]
fn chains_and_fans_of_a_thousand() -> gpuvm::Result<()> {
    let start: Vec<u32> = (0..100).collect();
    let stepped = |mut x: u32, times: u32| {
        (0..times).for_each(|_| x = plan_step(x));
        x
    };
    for engine in [Engine::Native, Engine::Reference, Engine::Specialized] {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let first = plan.input(&start);
        let [last] = plan.iterate(1000, [first], |plan, [x]| Ok([plan.map("plan_step", (x,))?]))?;
        let fan: Vec<Handle> = (0..1000u32)
            .map(|k| plan.map("plan_mix", (first, k)))
            .collect::<Result<_, _>>()?;
        let mut sum = fan[0];
        for other in &fan[1..] {
            sum = plan.map("plan_add", (sum, *other))?;
        }
        let unused = plan.map("plan_at", (last,))?;
        plan.output(last).output(sum);
        let done = plan.run()?;
        let expected: Vec<u32> = start.iter().map(|x| stepped(*x, 1000)).collect();
        assert_eq!(done.get::<u32>(last)?, expected, "{engine}");
        let mixed = |x: &u32| (0..1000).fold(0, |sum, k| plan_add(sum, plan_mix(*x, k)));
        assert_eq!(
            done.get::<u32>(sum)?,
            start.iter().map(mixed).collect::<Vec<u32>>(),
            "{engine}"
        );
        let error = done.get::<u32>(unused).unwrap_err().to_string();
        assert!(error.contains("is not among the plan's outputs"), "{error}");
    }
    Ok(())
}

#[routine]
fn plan_divide(a: u32, b: u32) -> u32 {
    a / b
}

#[routine]
fn plan_checked(a: u32, b: u32) -> u32 {
    assert!(b != 1_000_005, "too much");
    a ^ b
}

#[routine]
fn plan_not_seven(x: u32) -> bool {
    assert!(x != 7, "seven");
    true
}

#[test]
fn traps_are_told_alike_fused_or_not() -> gpuvm::Result<()> {
    let (all, by) = (
        (0..600).collect::<Vec<u32>>(),
        (0..600u32).map(|i| i % 37).collect::<Vec<u32>>(),
    );
    let mut told = Vec::new();
    for engine in ENGINES {
        for fuse in [false, true] {
            let trap = |build: &dyn Fn(&mut Plan<'_>) -> gpuvm::Result<Handle>| {
                let mut plan = runtime().plan();
                plan.engine(engine).fuse(fuse);
                let last = build(&mut plan)?;
                plan.output(last);
                match plan.run() {
                    Err(Error::Trap(report)) => Ok::<_, Error>(report.to_string()),
                    other => panic!("no trap on {engine}: {other:?}"),
                }
            };
            told.push([
                trap(&|plan| {
                    let (a, b) = (plan.input(all.clone()), plan.input(by.clone()));
                    let a = plan.map("plan_step", (a,))?;
                    let quotient = plan.map("plan_divide", (a, b))?;
                    plan.map("plan_step", (quotient,))
                })?,
                trap(&|plan| {
                    let (a, b) = (plan.input(all.clone()), plan.input(by.clone()));
                    let quotient = plan.map("plan_divide", (a, b))?;
                    plan.reduce("plan_add", quotient)
                })?,
                trap(&|plan| {
                    let a = plan.input((1_000_000..1_000_500).collect::<Vec<u32>>());
                    plan.scan("plan_checked", a)
                })?,
                trap(&|plan| {
                    let a = plan.input(all.clone());
                    plan.filter("plan_not_seven", a)
                })?,
            ]);
        }
    }
    assert!(
        told[0][0].starts_with("VM 0 of `plan_divide` trapped at ") && told[0][0].contains("plans.rs:"),
        "{}",
        told[0][0]
    );
    assert!(
        told[0][0].ends_with("attempt to divide by zero (and 16 more VMs trapped)"),
        "{}",
        told[0][0]
    );
    assert!(told[0][3].starts_with("VM 7 of `plan_not_seven`"), "{}", told[0][3]);
    assert!(
        told[0][2].contains("of `plan_checked` trapped") && told[0][2].contains("too much"),
        "{}",
        told[0][2]
    );
    told.iter().for_each(|other| assert_eq!(*other, told[0]));
    Ok(())
}

#[routine]
fn plan_write(me: &mut u32, add: u32) {
    *me = me.wrapping_add(add);
}

#[routine]
fn plan_write_both(me: &mut u32, all: &[u32]) -> u32 {
    *me = me.wrapping_mul(2);
    all[(vm::id() as usize + 1) % all.len()]
}

#[test]
fn readers_of_a_buffer_come_after_its_writer() -> gpuvm::Result<()> {
    for engine in ENGINES {
        let buffer = runtime().buffer(&[1u32, 2, 3])?;
        let mut plan = runtime().plan();
        plan.engine(engine);
        let handle = plan.buffer(&buffer);
        let read = plan.map("plan_step", (handle,))?;
        let written = plan.map("plan_write", (&buffer, 10u32))?;
        plan.output(read);
        let done = plan.run()?;
        assert_eq!(done.get::<u32>(read)?, [11, 12, 13].map(plan_step), "{engine}");
        assert_eq!(buffer.read()?, [11, 12, 13], "{engine}");
        assert_eq!(done.get::<u32>(handle)?, [11, 12, 13], "{engine}");
        plan.run()?;
        assert_eq!(buffer.read()?, [21, 22, 23], "{engine}");

        let mut plan = runtime().plan();
        plan.engine(engine);
        let handle = plan.buffer(&buffer);
        let neighbours = plan.map("plan_write_both", (handle, handle))?;
        assert_eq!(plan.run()?.get::<u32>(neighbours)?, [22, 23, 21], "{engine}");
        assert_eq!(buffer.read()?, [42, 44, 46], "{engine}");
    }
    Ok(())
}

#[routine]
fn plan_yield(x: u32) -> u32 {
    vm::yield_now();
    x ^ 5
}

#[routine]
fn plan_maybe_halt(x: u32) -> u32 {
    if x % 3 == 0 {
        vm::halt();
    }
    x
}

#[test]
fn vms_that_yield_or_halt_are_steps_of_their_own() -> gpuvm::Result<()> {
    let all: Vec<u32> = (1..200).collect();
    for engine in [&ENGINES[..], &[Engine::Auto]].concat() {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let input = plan.input(&all);
        let first = plan.map("plan_step", (input,))?;
        let yielded = plan.map("plan_yield", (first,))?;
        let halted = plan.map("plan_maybe_halt", (yielded,))?;
        let last = plan.map("plan_step", (halted,))?;
        plan.output(last);
        let expected = all
            .iter()
            .map(|x| plan_step(*x) ^ 5)
            .map(|x| plan_step(if x % 3 == 0 { 0 } else { x }));
        assert_eq!(
            plan.run()?.get::<u32>(last)?,
            expected.collect::<Vec<u32>>(),
            "{engine}"
        );
    }
    Ok(())
}

#[routine]
fn plan_count(x: u32, bins: &[AtomicU32]) {
    bins[x as usize % bins.len()].fetch_add(1, Ordering::Relaxed);
}

#[routine]
fn plan_spread(x: u32, out: &mut [u32]) -> u32 {
    for i in 0..out.len() {
        out[i] = x + i as u32;
    }
    vm::id()
}

#[routine]
fn plan_index() -> u32 {
    vm::id() * vm::count()
}

#[routine]
fn plan_compose(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
    (a.0.wrapping_mul(b.0), a.1.wrapping_mul(b.0).wrapping_add(b.1))
}

#[test]
fn every_kind_of_parameter_is_there() -> gpuvm::Result<()> {
    for engine in ENGINES {
        let (bins, wide) = (runtime().buffer(&[0u32; 10])?, runtime().buffer(&[0u32; 600])?);
        let mut plan = runtime().plan();
        plan.engine(engine);
        let index = plan.generate("plan_index", 300, ())?;
        let counted = plan.buffer(&bins);
        plan.map("plan_count", (index, counted))?;
        let ids = plan.map("plan_spread", (index, &wide))?;
        let sum = plan.reduce("plan_add", counted)?;
        let shifted = plan.map("plan_mix", (ids, sum))?;
        let pairs = plan.zip([index, ids])?;
        let composed = plan.scan("plan_compose", pairs)?;
        let all = plan.reduce("plan_compose", pairs)?;
        let done = plan.run()?;
        let expected: Vec<u32> = (0..300).map(|id| id * 300).collect();
        assert_eq!(done.get::<u32>(index)?, expected, "{engine}");
        assert_eq!(bins.read()?, [300, 0, 0, 0, 0, 0, 0, 0, 0, 0], "{engine}");
        let spread: Vec<u32> = expected.iter().flat_map(|x| [*x, x + 1]).collect();
        assert_eq!(wide.read()?, spread, "{engine}");
        assert_eq!(done.get::<u32>(sum)?, [300], "{engine}");
        assert_eq!(
            done.get::<u32>(shifted)?,
            (0..300).map(|id| plan_mix(id, 300)).collect::<Vec<u32>>(),
            "{engine}"
        );
        let pairs: Vec<(u32, u32)> = expected.iter().copied().zip(0..).collect();
        let mut prefixes = pairs.clone();
        (1..300).for_each(|i| prefixes[i] = plan_compose(prefixes[i - 1], pairs[i]));
        assert_eq!(done.get::<(u32, u32)>(composed)?, prefixes, "{engine}");
        assert_eq!(done.get::<(u32, u32)>(all)?.len(), 1, "{engine}");

        let mut plan = runtime().plan();
        plan.engine(engine);
        let odd = plan.input(&[1u32; 7]);
        assert_eq!(
            plan.map("plan_spread", (odd, &wide)).unwrap_err().to_string(),
            "argument `out` of map `plan_spread` (node 2) has 600 entries, which 7 VMs cannot share evenly; a multiple of 7 is needed"
        );
    }
    Ok(())
}

#[test]
fn a_plan_that_runs_again_sees_what_is_there_by_then() -> gpuvm::Result<()> {
    for engine in ENGINES {
        let (words, bins) = (runtime().buffer(&[0u32; 50])?, runtime().buffer(&[0u32; 7])?);
        let mut plan = runtime().plan();
        plan.engine(engine).fuse(false).fold(false);
        let column = plan.buffer(&words);
        let odd = plan.filter("plan_odd", column)?;
        let mixed = plan.map("plan_mix", (column, 9u32))?;
        let picked = plan.map("plan_pick", (mixed, odd))?;
        let counted = plan.buffer(&bins);
        plan.map("plan_count", (picked, counted))?;
        plan.output(picked);
        let mut counts = [0u32; 7];
        // The filter keeps 25 entries, 25 others, none, and 24.
        for now in
            [|i| i, |i| 3 * i, |i| 2 * i, |i| i / 2].map(|of: fn(u32) -> u32| (0..50).map(of).collect::<Vec<u32>>())
        {
            words.write(&now)?;
            let odd: Vec<u32> = now.iter().copied().filter(|x| plan_odd(*x)).collect();
            let picked_now: Vec<u32> = now.iter().map(|x| plan_pick(plan_mix(*x, 9), &odd)).collect();
            picked_now.iter().for_each(|x| counts[*x as usize % 7] += 1);
            assert_eq!(plan.run()?.get::<u32>(picked)?, picked_now, "{engine}");
            assert_eq!(bins.read()?, counts, "{engine}");
        }
    }
    Ok(())
}

#[test]
fn empty_columns_are_no_trouble() -> gpuvm::Result<()> {
    let all: Vec<u32> = (0..300).collect();
    for engine in ENGINES {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let input = plan.input(&all);
        let none = plan.filter("plan_never", input)?;
        let stepped = plan.map("plan_step", (none,))?;
        let picked = plan.map("plan_pick", (input, none))?;
        let scanned = plan.scan("plan_add", stepped)?;
        let folded = plan.reduce("plan_add", stepped)?;
        let again = plan.filter("plan_odd", scanned)?;
        let zipped = plan.zip((none, stepped))?;
        let done = plan.run()?;
        for handle in [none, stepped, scanned, folded, again] {
            assert_eq!(done.get::<u32>(handle)?, [], "{engine}");
        }
        assert_eq!(done.get::<(u32, u32)>(zipped)?, [], "{engine}");
        assert_eq!(done.get::<u32>(picked)?, all, "{engine}");
        let mixed = plan.map("plan_mix", (input, folded))?;
        plan.output(mixed);
        assert_eq!(
            plan.run().unwrap_err().to_string(),
            format!(
                "argument `b` of map `plan_mix` (node 8) has no value: reduce `plan_add` (node 5) was given no entries"
            )
        );
    }
    Ok(())
}

#[routine]
fn plan_both(a: &[u32], b: &mut u32) {
    *b = a.len() as u32;
}

#[routine]
fn plan_halt(a: u32, b: u32) -> u32 {
    if a == b {
        vm::halt();
    }
    a
}

#[routine]
fn plan_id(a: u32, b: u32) -> u32 {
    a ^ b ^ vm::id()
}

#[test]
fn what_does_not_fit_is_told_by_node_and_parameter() -> gpuvm::Result<()> {
    let (words, floats) = ([1u32, 2, 3], [1.0f32, 2.0]);
    let (first, second) = (runtime().buffer(&[0u32; 3])?, runtime().buffer(&[0u32; 3])?);
    let mut plan = runtime().plan();
    let (w, f) = (plan.input(&words), plan.input(&floats));
    let short = plan.input(&words[..2]);
    let other = runtime().plan().input(&words);
    let text = |result: gpuvm::Result<Handle>| result.unwrap_err().to_string();
    assert_eq!(
        text(plan.map("plan_step", (f,))),
        "argument `x` of map `plan_step` (node 3) is a column of `f32`, input 1, and a column of `u32` or one `u32` for all VMs is needed"
    );
    assert_eq!(
        text(plan.map("plan_step", (1.5f32,))),
        "argument `x` of map `plan_step` (node 3) is one `f32`, and a column of `u32` or one `u32` for all VMs is needed"
    );
    assert_eq!(
        text(plan.map("plan_step", (w, w))),
        "map `plan_step` (node 3) takes 1 arguments (x) and was given 2"
    );
    assert_eq!(
        text(plan.map("plan_mix", (w, short))),
        "argument `b` of map `plan_mix` (node 3) has 2 entries, and there are 3 VMs (`a` has as many entries)"
    );
    assert_eq!(
        text(plan.map("plan_step", (1u32,))),
        "how many VMs map `plan_step` (node 3) has is not known: no argument is a column with an entry a VM; use `plan.generate(id, n, args)`"
    );
    assert_eq!(
        text(plan.map("plan_step", (other,))),
        "argument `x` of map `plan_step` (node 3) is a handle of another plan; a plan knows only what its own methods gave"
    );
    assert_eq!(
        text(plan.map("plan_write", (w, 1u32))),
        "argument `me` of map `plan_write` (node 3) is a column of `u32`, input 0, and a buffer or zeros of `u32` is needed"
    );
    assert_eq!(
        text(plan.reduce("plan_step", w)),
        "reduce `plan_step` (node 3) needs a routine `fn(u32, u32) -> u32`, and `plan_step` is `fn(u32) -> u32`"
    );
    assert_eq!(
        text(plan.reduce("plan_halt", w)),
        "reduce `plan_halt` (node 3) needs a routine `fn(u32, u32) -> u32`, and `plan_halt` halts its VM"
    );
    assert_eq!(
        text(plan.scan("plan_id", w)),
        "scan `plan_id` (node 3) needs a routine `fn(u32, u32) -> u32`, and `plan_id` asks for `vm::id()` or `vm::count()`"
    );
    assert_eq!(
        text(plan.filter("plan_positive", w)),
        "filter `plan_positive` (node 3) needs a routine `fn(u32) -> bool`, and `plan_positive` is `fn(f32) -> bool`"
    );
    assert_eq!(
        text(plan.zip((w, f))),
        "argument `1` of zip (node 3) has 2 entries, and there are 3 VMs (`0` has as many entries)"
    );
    assert_eq!(
        text(plan.map("plan_stepp", (w,))),
        "no routine has the id `plan_stepp`; did you mean `plan_step`?"
    );
    let stated = plan.iterate(2, [w], |_, _| Ok([short]));
    assert_eq!(
        stated.unwrap_err().to_string(),
        "state 0 of `iterate` begins as 3 entries of `u32`, and its body made 2 entries of `u32` of it; a state keeps its type and length"
    );
    let step = plan.map("plan_step", (w,))?;
    let done = plan.run()?;
    assert_eq!(
        done.get::<f32>(step).unwrap_err().to_string(),
        "map `plan_step` (node 3) gives `Vec<u32>`, and was asked for as `Vec<f32>`"
    );
    assert_eq!(
        done.get::<u32>(w).unwrap_err().to_string(),
        "input 0 is not among the plan's outputs; name it with `plan.output(handle)` before the run"
    );
    assert_eq!(
        done.get::<u32>(other).unwrap_err().to_string(),
        "argument `handle` of `get` is a handle of another plan; a plan knows only what its own methods gave"
    );

    plan.output(other);
    assert_eq!(
        plan.run().unwrap_err().to_string(),
        "argument `column` of `output` is a handle of another plan; a plan knows only what its own methods gave"
    );

    let mut plan = runtime().plan();
    plan.map("plan_write", (&first, 1u32))?;
    assert_eq!(
        text(plan.map("plan_write", (&first, 2u32))),
        "map `plan_write` (node 1) and map `plan_write` (node 2) both write buffer 0; let one of them write another buffer, or return a column"
    );

    let mut plan = runtime().plan();
    let (a, b) = (plan.buffer(&first), plan.buffer(&second));
    plan.map("plan_both", (a, b))?;
    plan.map("plan_both", (b, a))?;
    let cycle = "map `plan_both` (node 2) and map `plan_both` (node 3) wait for each other in a circle: who reads a buffer sees it as its \
                 writer has left it; carry what goes round in a buffer of its own";
    assert!(
        plan.run().unwrap_err().to_string().ends_with(&cycle[58..]),
        "{:?}",
        plan.run()
    );
    assert!(plan.explain().to_string().contains("wait for each other in a circle"));
    Ok(())
}

#[test]
fn a_plan_says_what_it_does() -> gpuvm::Result<()> {
    let all = [1u32; 256];
    let mut plan = runtime().plan();
    plan.engine(Engine::Reference);
    let input = plan.input(&all);
    let [stepped] = plan.iterate(3, [input], |plan, [x]| Ok([plan.map("plan_step", (x,))?]))?;
    let a = plan.map("plan_mix", (stepped, 5u32))?;
    let b = plan.map("plan_mix", (stepped, 5u32))?;
    let both = plan.map("plan_add", (a, b))?;
    let sum = plan.scan("plan_fold", both)?;
    let kept = plan.filter("plan_odd", sum)?;
    let unused = plan.map("plan_at", (input,))?;
    plan.output(kept);
    let text = plan.explain().to_string();
    let has = |line: &str| {
        assert!(
            text.lines().any(|found| found.starts_with(line)),
            "no `{line}` in\n{text}"
        )
    };
    has("10 nodes in 7 phases and 2 steps on the reference engine");
    has("phase 3: map `plan_mix` (node 4)");
    has(
        "step 0: map `plan_step` (node 1), map `plan_step` (node 2), map `plan_step` (node 3), map `plan_mix` (node 4), map `plan_add` (node 6), scan `plan_fold` (node 7), fused; ",
    );
    has("step 1: filter `plan_odd` (node 8); ");
    has("column of scan `plan_fold` (node 7): 256 entries of `u32`, 1.0 KiB, from step 0 to step 1");
    has("column of filter `plan_odd` (node 8): at most 256 entries of `u32`, 1.0 KiB, from step 1 to the end");
    has("columns take 3.0 KiB at a time, and would take 3.0 KiB if none used another's memory again");
    has("map `plan_mix` (node 5) is map `plan_mix` (node 4)");
    has("left out, as no output needs it: map `plan_at` (node 9)");
    has("matrices: ");
    let graph = plan.explain_dot()?;
    for part in [
        "n0 [label=\"input 0\\n256 × u32\", shape=ellipse];",
        "  subgraph cluster_1 {\n    label=\"step 1\"; color=gray;\n    n8 [label=\"filter `plan_odd` (node 8)\\nat most 256 × u32\", peripheries=2];\n  }",
        "n4 -> n5 [style=dotted, label=\"the same\"];",
        "n9 [label=\"map `plan_at` (node 9)\\n256 × u32\", style=dotted];",
        "n0 -> n1 [label=\"\"];",
    ] {
        assert!(graph.contains(part), "no `{part}` in\n{graph}");
    }
    plan.fuse(false).share(false);
    let text = plan.explain().to_string();
    assert!(text.contains("8 steps") && !text.contains("fused"), "{text}");
    assert!(
        text.contains("columns take 3.0 KiB at a time, and would take 9.0 KiB"),
        "{text}"
    );
    let done = plan.run()?;
    assert_eq!(done.stats().launches, 12, "{}", done.stats());
    assert!(
        done.stats()
            .to_string()
            .starts_with("7 phases in 12 launches on the reference engine"),
        "{}",
        done.stats()
    );
    Ok(())
}
