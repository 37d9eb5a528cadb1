//! Columns that a device scans and filters tile by tile: around the borders of chunks and tiles, and what has to go another way.

use gpuvm::prelude::*;
use gpuvm::{Handle, Plan, VmType};
use proptest::prelude::*;

use super::{add_two, plan_compose, plan_fold, plan_odd, plan_step, scanned_in_order};
use crate::harness::runtime;

/// Engines with kernels of their own, and those that say what is right.
const FEW_ENGINES: [Engine; 4] = [
    Engine::Native,
    Engine::Reference,
    Engine::Interpreter,
    Engine::Specialized,
];

/// Around chunks, chunks of chunks, tiles and chunks of tiles.
const LENGTHS: [usize; 18] = [
    0, 1, 2, 15, 16, 17, 255, 256, 257, 4080, 4095, 4096, 4097, 8192, 8209, 12_288, 65_537, 70_001,
];

fn scrambled(number: usize) -> u32 {
    (number as u32).wrapping_mul(0x9e37_79b9) ^ (number as u32) >> 7
}

/// Floats of all kinds; not associative in any order.
fn float(number: usize) -> f32 {
    match scrambled(number) % 1013 {
        0 if number > 5000 => f32::INFINITY,
        1 if number > 60_000 => f32::NAN,
        2 => -0.0,
        3 => 1e-40,
        word => word as f32 * 0.37 - 150.0,
    }
}

/// The bits, but that NaNs are one value.
fn bits(value: f32) -> u32 {
    if value.is_nan() {
        f32::NAN.to_bits()
    } else {
        value.to_bits()
    }
}

/// What a plan gives, and how many launches it took.
fn given<'a, U: VmType>(
    engine: Engine,
    add: impl FnOnce(&mut Plan<'a>) -> gpuvm::Result<Handle>,
) -> gpuvm::Result<(Vec<U>, u64)> {
    let mut plan = runtime().plan();
    plan.engine(engine);
    let handle = add(&mut plan)?;
    plan.output(handle);
    let done = plan.run()?;
    Ok((done.get(handle)?, done.stats().launches))
}

/// What a plan of one node over a column gives.
macro_rules! of_column {
    ($engine:expr, $verb:ident $id:literal, $column:expr => $ty:ty) => {
        given::<$ty>($engine, |plan| {
            let column = plan.input($column);
            plan.$verb($id, column)
        })
    };
}

#[test]
fn scans_have_one_order_on_every_engine() -> gpuvm::Result<()> {
    for length in LENGTHS {
        let words: Vec<u32> = (0..length).map(scrambled).collect();
        let floats: Vec<f32> = (0..length).map(float).collect();
        let pairs: Vec<(u32, u32)> = words.iter().map(|word| (word | 1, word >> 3)).collect();
        let of_words = scanned_in_order(&words, plan_fold);
        let of_floats: Vec<u32> = scanned_in_order(&floats, add_two).into_iter().map(bits).collect();
        let of_pairs = scanned_in_order(&pairs, plan_compose);
        for engine in FEW_ENGINES {
            let (found, launches) = of_column!(engine, scan "plan_fold", &words => u32)?;
            assert!(found == of_words, "words, {engine}, {length}");
            if engine == Engine::Specialized {
                assert_eq!(launches, u64::from(length > 0), "{length}");
            }
            let (found, _) = of_column!(engine, scan "add", &floats => f32)?;
            let found: Vec<u32> = found.into_iter().map(bits).collect();
            assert!(found == of_floats, "floats, {engine}, {length}");
            let (found, _) = of_column!(engine, scan "plan_compose", &pairs => (u32, u32))?;
            assert!(found == of_pairs, "pairs, {engine}, {length}");
        }
    }
    Ok(())
}

#[routine]
fn tile_scrambled() -> u32 {
    vm::id().wrapping_mul(0x9e37_79b9) ^ vm::id() >> 7
}

/// More tiles than one has values are tiles of a level of their own. There is room for one such column on a software rasteriser.
#[test]
fn a_long_column_is_scanned_by_levels() -> gpuvm::Result<()> {
    let length = (1 << 24) + 70_001;
    let words: Vec<u32> = (0..length).map(scrambled).collect();
    let (found, launches) = given::<u32>(Engine::Specialized, |plan| {
        let numbers = plan.generate("tile_scrambled", length, ())?;
        plan.scan("plan_fold", numbers)
    })?;
    assert!(found == scanned_in_order(&words, plan_fold));
    assert_eq!(launches, 1);
    Ok(())
}

#[routine]
fn tile_index(x: u32) -> u32 {
    x ^ vm::id().wrapping_mul(vm::count())
}

#[routine]
fn tile_checked(a: u32, b: u32) -> u32 {
    assert!(a != 1 << 31, "a is too large");
    a.wrapping_add(b)
}

#[routine]
fn tile_doubles(a: f64, b: f64) -> f64 {
    a * 0.5 + b
}

#[routine]
fn tile_triples(a: (u32, u32, u32), b: (u32, u32, u32)) -> (u32, u32, u32) {
    (a.1 ^ b.0, a.2.wrapping_add(b.1), a.0 ^ b.2)
}

#[routine]
fn tile_slow(a: u32, b: u32) -> u32 {
    let mut sum = a;
    for _ in 0..b % 7 {
        sum = sum.rotate_left(3) ^ b;
    }
    sum
}

/// What is computed for an element goes through tiles with it; operators that may trap, take long or have much to carry go another way.
#[test]
fn what_is_scanned_may_be_computed_and_operators_may_be_any() -> gpuvm::Result<()> {
    for length in [1, 17, 4097, 9000] {
        let words: Vec<u32> = (0..length).map(scrambled).collect();
        let small: Vec<u32> = words.iter().map(|word| word % 8).collect();
        let doubles: Vec<f64> = words.iter().map(|word| f64::from(*word) * 0.1).collect();
        let triples: Vec<(u32, u32, u32)> = words.iter().map(|&word| (word, word >> 5, !word)).collect();
        let at = |(number, word): (usize, &u32)| plan_step(*word) ^ (number as u32).wrapping_mul(length as u32);
        let computed: Vec<u32> = words.iter().enumerate().map(at).collect();
        for engine in FEW_ENGINES {
            let (found, _) = given::<u32>(engine, |plan| {
                let column = plan.input(&words);
                let stepped = plan.map("plan_step", (column,))?;
                let placed = plan.map("tile_index", (stepped,))?;
                plan.scan("plan_fold", placed)
            })?;
            assert!(found == scanned_in_order(&computed, plan_fold), "{engine}, {length}");
            let (found, _) = of_column!(engine, scan "tile_checked", &small => u32)?;
            assert!(found == scanned_in_order(&small, tile_checked), "{engine}, {length}");
            let (found, _) = of_column!(engine, scan "tile_slow", &words => u32)?;
            assert!(found == scanned_in_order(&words, tile_slow), "{engine}, {length}");
            let (found, _) = of_column!(engine, scan "tile_doubles", &doubles => f64)?;
            assert!(found == scanned_in_order(&doubles, tile_doubles), "{engine}, {length}");
            let (found, _) = of_column!(engine, scan "tile_triples", &triples => (u32, u32, u32))?;
            assert!(found == scanned_in_order(&triples, tile_triples), "{engine}, {length}");
        }
    }
    Ok(())
}

#[routine]
fn tile_not_small(x: f32) -> bool {
    !(x.abs() < 100.0)
}

#[routine]
fn tile_first_odd(pair: (u32, f32, u32)) -> bool {
    plan_odd(pair.0)
}

#[routine]
fn tile_divided(x: u32) -> bool {
    1000 / (x | 1) % 2 == 1
}

#[test]
fn filters_keep_the_same_on_every_engine() -> gpuvm::Result<()> {
    for length in LENGTHS {
        let floats: Vec<f32> = (0..length).map(float).collect();
        let triples: Vec<(u32, f32, u32)> = (0..length)
            .map(|number| (scrambled(number), float(number).abs().min(1e9), !0))
            .collect();
        let words: Vec<u32> = (0..length).map(scrambled).collect();
        let stepped: Vec<u32> = words.iter().map(|word| plan_step(*word)).collect();
        let kept: Vec<u32> = floats
            .iter()
            .copied()
            .filter(|x| tile_not_small(*x))
            .map(bits)
            .collect();
        let kept_triples: Vec<_> = triples.iter().copied().filter(|x| tile_first_odd(*x)).collect();
        let kept_words: Vec<u32> = stepped.iter().copied().filter(|x| plan_odd(*x)).collect();
        let divided: Vec<u32> = words.iter().copied().filter(|x| tile_divided(*x)).collect();
        for engine in FEW_ENGINES {
            let (found, _) = of_column!(engine, filter "tile_not_small", &floats => f32)?;
            let found: Vec<u32> = found.into_iter().map(bits).collect();
            assert!(found == kept, "floats, {engine}, {length}");
            let (found, _) = of_column!(engine, filter "tile_first_odd", &triples => (u32, f32, u32))?;
            assert!(found == kept_triples, "triples, {engine}, {length}");
            let (found, _) = of_column!(engine, filter "tile_divided", &words => u32)?;
            assert!(found == divided, "divided, {engine}, {length}");
            // What is kept is computed by the same launch.
            let mut plan = runtime().plan();
            plan.engine(engine);
            let input = plan.input(&words);
            let all = plan.map("plan_step", (input,))?;
            let some = plan.filter("plan_odd", all)?;
            let folded = plan.scan("plan_fold", some)?;
            plan.output(all).output(some).output(folded);
            let done = plan.run()?;
            assert!(done.get::<u32>(all)? == stepped, "{engine}, {length}");
            assert!(done.get::<u32>(some)? == kept_words, "{engine}, {length}");
            assert!(
                done.get::<u32>(folded)? == scanned_in_order(&kept_words, plan_fold),
                "{engine}, {length}"
            );
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_column_is_scanned_and_filtered_in_order(
        words in prop::collection::vec(any::<u32>(), 1..13_000),
        again in 0..2_usize,
    ) {
        let scanned = scanned_in_order(&words, plan_fold);
        let kept: Vec<u32> = scanned.iter().copied().filter(|x| plan_odd(*x)).collect();
        let mut plan = runtime().plan();
        plan.engine(Engine::Specialized);
        let input = plan.input(&words);
        let all = plan.scan("plan_fold", input).unwrap();
        let some = plan.filter("plan_odd", all).unwrap();
        plan.output(all).output(some);
        for _ in 0..=again {
            let done = plan.run().unwrap();
            prop_assert!(done.get::<u32>(all).unwrap() == scanned);
            prop_assert!(done.get::<u32>(some).unwrap() == kept);
        }
    }
}
