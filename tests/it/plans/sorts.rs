//! Columns in the order of their entries, or of keys.

use gpuvm::prelude::*;
use proptest::prelude::*;

use super::told_of_trap;
use crate::harness::{ENGINES, runtime};

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Parcel {
    to: u16,
    weight: f32,
    number: u64,
}

fn parcels(count: u32) -> Vec<Parcel> {
    let parcel = |number: u32| {
        let word = number.wrapping_mul(0x9e37_79b9) ^ number >> 7;
        Parcel {
            to: (word >> 20) as u16 % 97,
            weight: f32::from((word >> 8) as u16) - 30_000.0,
            number: u64::from(number) << 30,
        }
    };
    (0..count).map(parcel).collect()
}

#[routine]
fn parcel_to(parcel: Parcel) -> u16 {
    parcel.to
}

#[routine]
fn parcel_weight(parcel: Parcel) -> f32 {
    parcel.weight
}

#[routine]
fn parcel_order(parcel: Parcel) -> i64 {
    parcel.number as i64 * if parcel.to % 2 == 0 { 1 } else { -1 }
}

/// Sorts a column on every engine; the entries are compared as they are shown, which tells zeros and NaNs apart.
macro_rules! sorted_as {
    ($given:expr, $expected:expr) => {
        let (given, expected) = ($given.to_vec(), $expected.to_vec());
        for engine in ENGINES {
            let mut plan = runtime().plan();
            plan.engine(engine);
            let column = plan.input(&given);
            let sorted = plan.sort(column)?;
            let mut found = expected.clone();
            found.clone_from(&plan.run()?.get(sorted)?);
            assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{engine}");
        }
    };
}

#[test]
fn scalars_of_each_type_are_sorted() -> gpuvm::Result<()> {
    macro_rules! integers {
        ($($ty:ident)*) => {$(
            let given = [3, $ty::MAX, 0, 1, $ty::MIN, $ty::MAX - 1, 2, 0, $ty::MIN + 1];
            let mut expected = given;
            expected.sort();
            sorted_as!(given, expected);
        )*};
    }
    integers! { u8 u16 u32 u64 i8 i16 i32 i64 }
    sorted_as!([5usize, 0, u32::MAX as usize, 5], [0, 5, 5, u32::MAX as usize]);
    sorted_as!([5isize, -3, 0, i32::MIN as isize], [i32::MIN as isize, -3, 0, 5]);
    sorted_as!([true, false, true, false], [false, false, true, true]);
    sorted_as!(['z', 'ß', 'a', '\u{10ffff}', '\0'], ['\0', 'a', 'z', 'ß', '\u{10ffff}']);
    let (nan, infinity) = (f32::NAN, f32::INFINITY);
    sorted_as!(
        [nan, 0.0, -1.5, infinity, -0.0, 1e-45, -infinity, -nan, 2.5],
        [-infinity, -1.5, -0.0, 0.0, 1e-45, 2.5, infinity, nan, nan]
    );
    let (nan, infinity) = (f64::NAN, f64::INFINITY);
    sorted_as!(
        [nan, 0.0, -1.5, infinity, -0.0, 5e-324, -infinity, 2.5],
        [-infinity, -1.5, -0.0, 0.0, 5e-324, 2.5, infinity, nan]
    );
    Ok(())
}

#[test]
fn records_are_sorted_by_keys_and_stay_in_order_where_these_are_equal() -> gpuvm::Result<()> {
    for count in [0, 1, 63, 4097] {
        let all = parcels(count);
        let (mut by_to, mut by_weight, mut by_order) = (all.clone(), all.clone(), all.clone());
        by_to.sort_by_key(|parcel| parcel.to);
        by_weight.sort_by(|one, other| one.weight.total_cmp(&other.weight));
        by_order.sort_by_key(|parcel| parcel_order(*parcel));
        for engine in ENGINES {
            let mut plan = runtime().plan();
            plan.engine(engine);
            let column = plan.input(&all);
            let sorted = [
                plan.sort_by_key("parcel_to", column)?,
                plan.sort_by_key("parcel_weight", column)?,
                plan.sort_by_key("parcel_order", column)?,
            ];
            let done = plan.run()?;
            for (sorted, expected) in sorted.into_iter().zip([&by_to, &by_weight, &by_order]) {
                assert_eq!(&done.get::<Parcel>(sorted)?, expected, "{engine}");
            }
        }
    }
    Ok(())
}

#[routine]
fn sort_scrambled(x: u32) -> u32 {
    x.wrapping_mul(0x9e37_79b9) ^ 77
}

#[routine]
fn sort_low(x: u32) -> u8 {
    x as u8
}

#[routine]
fn sort_is_kept(x: u32) -> bool {
    x % 3 != 0
}

#[routine]
fn sort_changed(x: &mut u32) {
    *x ^= 0x55;
}

#[routine]
fn sort_same(a: u32, b: u32) -> bool {
    a == b
}

#[routine]
fn sort_and(a: bool, b: bool) -> bool {
    a & b
}

#[routine]
fn sort_halved(x: u32) -> u32 {
    x / 2
}

/// What is made, filtered, sorted, written and repeated around a sort.
#[test]
fn sorts_are_nodes_like_others() -> gpuvm::Result<()> {
    let words: Vec<u32> = (0..5000).collect();
    let mut made: Vec<u32> = words.iter().map(|x| sort_scrambled(*x)).collect();
    made.sort();
    let mut kept: Vec<u32> = made.iter().copied().filter(|x| sort_is_kept(*x)).collect();
    kept.sort_by_key(|x| *x as u8);
    let changed: Vec<u32> = words.iter().map(|x| x ^ 0x55).collect();
    for engine in ENGINES {
        for fuse in [true, false] {
            let buffer = runtime().buffer(&words)?;
            let mut plan = runtime().plan();
            plan.engine(engine).fuse(fuse);
            let column = plan.input(&words);
            let scrambled = plan.map("sort_scrambled", (column,))?;
            let sorted = plan.sort(scrambled)?;
            let some = plan.filter("sort_is_kept", sorted)?;
            let by_low = plan.sort_by_key("sort_low", some)?;
            let given = plan.buffer(&buffer);
            plan.map("sort_changed", (given,))?;
            let of_buffer = plan.sort(given)?;
            let ([last], turns) = plan.iterate_until(40, [sorted], |plan, [now]| {
                let halved = plan.map("sort_halved", (now,))?;
                let next = plan.sort_by_key("sort_low", halved)?;
                let next = plan.sort(next)?;
                let same = plan.map("sort_same", (now, next))?;
                Ok(([next], plan.reduce("sort_and", same)?))
            })?;
            for column in [sorted, by_low, of_buffer, last, turns] {
                plan.output(column);
            }
            let done = plan.run()?;
            assert_eq!(done.get::<u32>(sorted)?, made, "{engine}");
            assert_eq!(done.get::<u32>(by_low)?, kept, "{engine}");
            let mut expected = changed.clone();
            expected.sort();
            assert_eq!(done.get::<u32>(of_buffer)?, expected, "{engine}");
            assert_eq!(buffer.read()?, changed, "{engine}");
            assert_eq!(done.get::<u32>(last)?, vec![0; 5000], "{engine}");
            assert_eq!(done.get::<u32>(turns)?, [33], "{engine}");
        }
    }
    Ok(())
}

#[routine]
fn sort_trapping(x: u32) -> u32 {
    assert!(x != 4000, "no key for 4000");
    x
}

#[test]
fn a_key_that_traps_is_told_alike() -> gpuvm::Result<()> {
    let words: Vec<u32> = (0..5000).collect();
    let told = told_of_trap(|plan| {
        let column = plan.input(&words);
        let sorted = plan.sort_by_key("sort_trapping", column)?;
        plan.sort(sorted)?;
        Ok(())
    })?;
    assert!(told.contains("no key for 4000"), "{told}");
    Ok(())
}

#[routine]
fn sort_pair(x: u32) -> (u32, u32) {
    (x, x)
}

#[test]
fn what_is_no_key_is_told() -> gpuvm::Result<()> {
    let mut plan = runtime().plan();
    let (words, pairs) = (plan.input(&[1u32, 2]), plan.input(&[(1u32, 2.0f32)]));
    let text = |result: gpuvm::Result<gpuvm::Handle>| result.unwrap_err().to_string();
    assert_eq!(
        text(plan.sort(pairs)),
        "argument `column` of sort (node 2) is 1 entry of `(u32, f32)`, and a column of integers of up to 64 bits, floats, `bool`s or \
         `char`s (`sort_by_key` sorts others) is needed"
    );
    assert_eq!(
        text(plan.sort_by_key("sort_pair", words)),
        "sort by `sort_pair` (node 2) needs a routine `fn(u32) -> K`, where `K` is an integer of up to 64 bits, a float, a `bool` or a \
         `char`, and `sort_pair` is `fn(u32) -> (u32, u32)`"
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_column_is_sorted(
        mut given in prop::collection::vec(prop_oneof![any::<i64>(), -3..3_i64], 0..3000),
    ) {
        let mut all = Vec::new();
        for engine in [Engine::Native, Engine::Reference, Engine::Specialized] {
            let mut plan = runtime().plan();
            plan.engine(engine);
            let column = plan.input(&given);
            let sorted = plan.sort(column).unwrap();
            all.push(plan.run().unwrap().get::<i64>(sorted).unwrap());
        }
        given.sort();
        prop_assert!(all.iter().all(|sorted| *sorted == given));
    }
}
