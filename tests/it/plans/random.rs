//! Random plans: the same bits with every optimisation on or off, in any combination, on every engine.

use gpuvm::prelude::*;
use gpuvm::{Handle, Plan, PlanDone};

use crate::harness::{ENGINES, runtime};
use crate::sample::Rng;

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
fn plan_max(a: i32, b: i32) -> i32 {
    a.max(b)
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
