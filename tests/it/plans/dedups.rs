//! Columns without neighbours that are equal, and the distinct entries of columns.

use gpuvm::prelude::*;
use proptest::prelude::*;

use super::told_of_trap;
use crate::harness::{ENGINES, runtime};

/// Checks what a column becomes on every engine; the entries are compared as they are shown, which tells zeros apart.
macro_rules! becomes {
    ($given:expr, dedup $deduped:expr, unique $distinct:expr) => {
        let [given, deduped, distinct] = [$given.to_vec(), $deduped.to_vec(), $distinct.to_vec()];
        for engine in ENGINES {
            let mut plan = runtime().plan();
            plan.engine(engine);
            let column = plan.input(&given);
            let (neighbours, all) = (plan.dedup(column)?, plan.unique(column)?);
            let done = plan.run()?;
            let (mut found, mut found_distinct) = (given.clone(), given.clone());
            found.clone_from(&done.get(neighbours)?);
            found_distinct.clone_from(&done.get(all)?);
            assert_eq!(format!("{found:?}"), format!("{deduped:?}"), "{engine}");
            assert_eq!(format!("{found_distinct:?}"), format!("{distinct:?}"), "{engine}");
        }
    };
}

#[test]
fn equal_neighbours_become_one() -> gpuvm::Result<()> {
    macro_rules! integers {
        ($($ty:ident)*) => {$(
            becomes!(
                [3, 3, $ty::MAX, $ty::MIN, $ty::MIN, 3, 0, 0, 0],
                dedup [3, $ty::MAX, $ty::MIN, 3, 0],
                unique {
                    let mut distinct = vec![3, $ty::MAX, $ty::MIN, 0];
                    distinct.sort();
                    distinct.dedup();
                    distinct
                }
            );
        )*};
    }
    integers! { u8 u16 u32 u64 i8 i16 i32 i64 }
    // Keys of two words that differ in one of them.
    becomes!([1u64, 1 << 32, 1 << 32 | 1, 1], dedup [1, 1 << 32, 1 << 32 | 1, 1], unique [1, 1 << 32, 1 << 32 | 1]);
    becomes!([true, true, false, true], dedup [true, false, true], unique [false, true]);
    becomes!(['ß', 'ß', 'a', 'ß'], dedup ['ß', 'a', 'ß'], unique ['a', 'ß']);
    becomes!([7u32; 0], dedup [7; 0], unique [7; 0]);
    becomes!([7u32], dedup[7], unique[7]);
    let nan = f32::NAN;
    becomes!([nan, -nan, 0.0, 0.0, -0.0, nan], dedup [nan, 0.0, -0.0, nan], unique [-0.0, 0.0, nan]);
    let nan = f64::NAN;
    becomes!([nan, nan, -0.0, 0.0, 1.5, 1.5], dedup [nan, -0.0, 0.0, 1.5], unique [-0.0, 0.0, 1.5, nan]);
    // Several tiles, of which some keep nothing.
    becomes!([5u32; 9000], dedup[5], unique[5]);
    let all: Vec<u32> = (0..9000).collect();
    becomes!(all, dedup all, unique all);
    let long: Vec<u32> = (0..9000).map(|x| x / 2100).collect();
    becomes!(long, dedup [0, 1, 2, 3, 4], unique [0, 1, 2, 3, 4]);
    Ok(())
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Stop {
    line: u8,
    at: f32,
    number: u64,
}

fn stops(count: u32) -> Vec<Stop> {
    let stop = |number: u32| Stop {
        line: (number / 5 % 7) as u8,
        at: (number / 3) as f32 * 0.5 - 3.0,
        number: u64::from(number) << 33,
    };
    (0..count).map(stop).collect()
}

#[routine]
fn dedup_line(stop: Stop) -> u8 {
    stop.line
}

#[routine]
fn dedup_at(stop: Stop) -> f32 {
    stop.at
}

#[test]
fn records_with_equal_keys_become_the_first_of_them() -> gpuvm::Result<()> {
    for count in [0, 1, 2049] {
        let all = stops(count);
        let (mut by_line, mut by_at) = (all.clone(), all.clone());
        by_line.dedup_by_key(|stop| stop.line);
        by_at.dedup_by_key(|stop| stop.at);
        for engine in ENGINES {
            let mut plan = runtime().plan();
            plan.engine(engine);
            let column = plan.input(&all);
            let lines = plan.dedup_by_key("dedup_line", column)?;
            let places = plan.dedup_by_key("dedup_at", column)?;
            let done = plan.run()?;
            assert_eq!(done.get::<Stop>(lines)?, by_line, "{engine}");
            assert_eq!(done.get::<Stop>(places)?, by_at, "{engine}");
        }
    }
    Ok(())
}

#[routine]
fn dedup_scrambled(x: u32) -> u32 {
    x.wrapping_mul(0x9e37_79b9) >> 24
}

#[routine]
fn dedup_is_kept(x: u32) -> bool {
    x % 3 != 0
}

#[routine]
fn dedup_changed(x: &mut u32) {
    *x /= 10;
}

#[routine]
fn dedup_halved(x: u32) -> u32 {
    x / 2
}

#[routine]
fn dedup_max(a: u32, b: u32) -> u32 {
    a.max(b)
}

#[routine]
fn dedup_second(_: u32, b: u32) -> u32 {
    b
}

#[routine]
fn dedup_mixed(x: u32, last: u32, all: &[u32]) -> u32 {
    x ^ last ^ all.len() as u32 ^ vm::id() << 8 ^ vm::count() << 16
}

#[routine]
fn dedup_is_zero(x: u32) -> bool {
    x == 0
}

/// What is made, filtered, sorted, written and repeated around.
#[test]
fn dedups_are_nodes_like_others() -> gpuvm::Result<()> {
    let words: Vec<u32> = (0..5000).collect();
    let mut distinct: Vec<u32> = words.iter().map(|x| dedup_scrambled(*x)).collect();
    distinct.sort();
    distinct.dedup();
    let kept: Vec<u32> = distinct.iter().copied().filter(|x| dedup_is_kept(*x)).collect();
    let mut halves: Vec<u32> = kept.iter().map(|x| x / 2).collect();
    halves.dedup();
    let (last, count) = (*kept.last().unwrap(), kept.len() as u32);
    let mix = |(i, x): (usize, &u32)| x ^ last ^ count ^ (i as u32) << 8 ^ count << 16;
    let mixed: Vec<u32> = kept.iter().enumerate().map(mix).collect();
    let changed: Vec<u32> = words.iter().map(|x| x / 10).collect();
    for engine in ENGINES {
        for fuse in [true, false] {
            let buffer = runtime().buffer(&words)?;
            let mut plan = runtime().plan();
            plan.engine(engine).fuse(fuse);
            let column = plan.input(&words);
            let scrambled = plan.map("dedup_scrambled", (column,))?;
            let all = plan.unique(scrambled)?;
            let some = plan.filter("dedup_is_kept", all)?;
            let halved = plan.map("dedup_halved", (some,))?;
            let fewer = plan.dedup(halved)?;
            let end = plan.reduce("dedup_max", some)?;
            let tangled = plan.map("dedup_mixed", (some, end, some))?;
            let given = plan.buffer(&buffer);
            plan.map("dedup_changed", (given,))?;
            let of_buffer = plan.dedup(given)?;
            let [state] = plan.iterate(3, [end], |plan, [now]| {
                let shifted = plan.map("dedup_mixed", (halved, now, halved))?;
                let fewer = plan.unique(shifted)?;
                Ok([plan.reduce("dedup_max", fewer)?])
            })?;
            let ([state_until], turns) = plan.iterate_until(9, [end], |plan, [now]| {
                let next = plan.map("dedup_halved", (now,))?;
                let spread = plan.map("dedup_mixed", (halved, next, halved))?;
                let fewer = plan.unique(spread)?;
                let last = plan.reduce("dedup_max", fewer)?;
                let flag = plan.map("dedup_is_zero", (next,))?;
                let next = plan.map("dedup_second", (last, next))?;
                Ok(([next], flag))
            })?;
            for column in [all, some, fewer, tangled, of_buffer, state, state_until, turns] {
                plan.output(column);
            }
            for run in 0..2 {
                if run > 0 {
                    buffer.write(&words)?;
                }
                let done = plan.run()?;
                assert_eq!(done.get::<u32>(all)?, distinct, "{engine}");
                assert_eq!(done.get::<u32>(some)?, kept, "{engine}");
                assert_eq!(done.get::<u32>(fewer)?, halves, "{engine}");
                assert_eq!(done.get::<u32>(tangled)?, mixed, "{engine}");
                let mut expected = changed.clone();
                expected.dedup();
                assert_eq!(done.get::<u32>(of_buffer)?, expected, "{engine}");
                assert_eq!(buffer.read()?, changed, "{engine}");
                let turn = |now: u32| {
                    let halves = kept.iter().map(|x| x / 2).enumerate();
                    halves
                        .map(|(i, x)| x ^ now ^ count ^ (i as u32) << 8 ^ count << 16)
                        .max()
                        .unwrap()
                };
                assert_eq!(done.get::<u32>(state)?, [turn(turn(turn(last)))], "{engine}");
                assert_eq!(done.get::<u32>(state_until)?, [0], "{engine}");
                assert_eq!(done.get::<u32>(turns)?, [u32::BITS - last.leading_zeros()], "{engine}");
            }
        }
    }
    Ok(())
}

#[routine]
fn dedup_trapping(x: u32) -> u32 {
    assert!(x != 4000, "no key for 4000");
    x
}

#[test]
fn a_key_that_traps_is_told_alike() -> gpuvm::Result<()> {
    let words: Vec<u32> = (0..5000).collect();
    let told = told_of_trap(|plan| {
        let column = plan.input(&words);
        let fewer = plan.dedup_by_key("dedup_trapping", column)?;
        plan.output(fewer);
        Ok(())
    })?;
    assert!(told.contains("no key for 4000"), "{told}");
    Ok(())
}

#[test]
fn what_has_no_key_is_told() {
    let mut plan = runtime().plan();
    let (words, pairs) = (plan.input(&[1u32, 2]), plan.input(&[(1u32, 2.0f32)]));
    let text = |result: gpuvm::Result<gpuvm::Handle>| result.unwrap_err().to_string();
    assert_eq!(
        text(plan.dedup(pairs)),
        "argument `column` of dedup (node 2) is 1 entry of `(u32, f32)`, and a column of integers of up to 64 bits, floats, `bool`s or \
         `char`s (`dedup_by_key` takes others) is needed"
    );
    assert_eq!(
        text(plan.unique(pairs)),
        "argument `column` of unique (node 2) is 1 entry of `(u32, f32)`, and a column of integers of up to 64 bits, floats, `bool`s or \
         `char`s (`sort_by_key` and then `dedup_by_key` take others) is needed"
    );
    assert_eq!(
        text(plan.dedup_by_key("dedup_line", words)),
        "dedup by `dedup_line` (node 2) needs a routine `fn(u32) -> K`, where `K` is an integer of up to 64 bits, a float, a `bool` or a \
         `char`, and `dedup_line` is `fn(Stop) -> u8`"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_column_loses_what_std_drops(
        given in prop::collection::vec(prop_oneof![any::<i64>(), -2..2_i64, -2..2_i64], 0..5000),
    ) {
        let (mut deduped, mut distinct) = (given.clone(), given.clone());
        deduped.dedup();
        distinct.sort();
        distinct.dedup();
        for engine in [Engine::Native, Engine::Reference, Engine::Specialized] {
            let mut plan = runtime().plan();
            plan.engine(engine);
            let column = plan.input(&given);
            let (neighbours, all) = (plan.dedup(column).unwrap(), plan.unique(column).unwrap());
            let done = plan.run().unwrap();
            prop_assert_eq!(&done.get::<i64>(neighbours).unwrap(), &deduped);
            prop_assert_eq!(&done.get::<i64>(all).unwrap(), &distinct);
        }
    }
}
