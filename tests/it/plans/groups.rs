//! Columns whose entries are counted in bins, or grouped by keys.

use gpuvm::prelude::*;
use proptest::prelude::*;

use super::{add_two, folded_in_order, plan_compose, told_of_trap};
use crate::harness::{ENGINES, runtime};

#[routine]
fn histogram_bin(x: f32) -> u32 {
    (x * 10.0) as u32
}

#[routine]
fn histogram_more(x: u32) -> u32 {
    x * 3 % 256
}

#[routine]
fn histogram_is_odd(x: u32) -> bool {
    x % 2 == 1
}

fn counted(entries: impl IntoIterator<Item = u32>, bins: usize) -> Vec<u32> {
    let mut counts = vec![0; bins];
    entries.into_iter().for_each(|bin| counts[bin as usize] += 1);
    counts
}

#[test]
fn entries_are_counted_in_bins() -> gpuvm::Result<()> {
    let words: Vec<u32> = (0..5000u32).map(|x| x.wrapping_mul(0x9e37_79b9) >> 24).collect();
    let floats: Vec<f32> = (0..3000).map(|i| i as f32 / 3000.0).collect();
    for engine in ENGINES {
        let buffer = runtime().buffer(&words)?;
        let mut plan = runtime().plan();
        plan.engine(engine);
        let (column, none) = (plan.input(&words), plan.input(&[0u32; 0]));
        let (of_input, of_buffer) = (plan.histogram(column, 256)?, plan.histogram(column, 300)?);
        let given = plan.buffer(&buffer);
        let many = plan.histogram(given, 20_000)?;
        let (empty, nothing) = (plan.histogram(none, 3)?, plan.histogram(none, 0)?);
        let values = plan.input(&floats);
        let bins = plan.map("histogram_bin", (values,))?;
        let tenths = plan.histogram(bins, 10)?;
        let odd = plan.filter("histogram_is_odd", column)?;
        let of_odd = plan.histogram(odd, 256)?;
        let [last] = plan.iterate(3, [column], |plan, [now]| Ok([plan.map("histogram_more", (now,))?]))?;
        let of_last = plan.histogram(last, 256)?;
        let outputs = [of_input, of_buffer, many, empty, nothing, tenths, of_odd, of_last];
        outputs.into_iter().for_each(|column| _ = plan.output(column));
        for _ in 0..2 {
            let done = plan.run()?;
            let odd = words.iter().copied().filter(|x| histogram_is_odd(*x));
            let more = words.iter().map(|x| histogram_more(histogram_more(histogram_more(*x))));
            let expected = [
                counted(words.clone(), 256),
                counted(words.clone(), 300),
                counted(words.clone(), 20_000),
                vec![0; 3],
                Vec::new(),
                counted(floats.iter().map(|x| histogram_bin(*x)), 10),
                counted(odd, 256),
                counted(more, 256),
            ];
            for (column, expected) in outputs.into_iter().zip(expected) {
                assert_eq!(done.get::<u32>(column)?, expected, "{engine}");
            }
        }
    }
    Ok(())
}

#[test]
fn one_bin_takes_all() -> gpuvm::Result<()> {
    let words = vec![2u32; 70_000];
    for engine in [Engine::Native, Engine::Interpreter, Engine::Specialized] {
        let mut plan = runtime().plan();
        plan.engine(engine);
        let column = plan.input(&words);
        let counts = plan.histogram(column, 3)?;
        assert_eq!(plan.run()?.get::<u32>(counts)?, [0, 0, 70_000], "{engine}");
    }
    Ok(())
}

#[test]
fn an_entry_without_a_bin_traps() -> gpuvm::Result<()> {
    let mut words = vec![1u32; 400];
    (words[300], words[77]) = (u32::MAX, 16);
    for (bins, expected) in [
        (
            16,
            "index out of bounds: the len is 16 but the index is 16 (and 1 more VM trapped)",
        ),
        (
            0,
            "index out of bounds: the len is 0 but the index is 1 (and 399 more VMs trapped)",
        ),
    ] {
        let told = told_of_trap(|plan| {
            let column = plan.input(&words);
            let counts = plan.histogram(column, bins)?;
            plan.output(counts);
            Ok(())
        })?;
        let vm = if bins == 0 { 0 } else { 77 };
        assert!(
            told.starts_with(&format!("VM {vm} of `histogram` trapped at ")),
            "{told}"
        );
        assert!(told.ends_with(expected), "{told}");
    }
    Ok(())
}

#[test]
fn what_is_no_bin_is_told() {
    let mut plan = runtime().plan();
    let (floats, words) = (plan.input(&[1.0f32, 2.0]), plan.input(&[1u32]));
    let text = |result: gpuvm::Result<gpuvm::Handle>| result.unwrap_err().to_string();
    assert_eq!(
        text(plan.histogram(floats, 4)),
        "argument `column` of histogram (node 2) is 2 entries of `f32`, and a column of `u32`, the number of each entry's bin (a `map` in \
         front of it gives that) is needed"
    );
    assert_eq!(
        text(plan.histogram(words, 1 << 33)),
        "argument `bins` of histogram (node 2) is 8589934592, and less than 2³² is needed"
    );
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Sale {
    region: i16,
    amount: f32,
    number: u32,
}

/// So many sales in so many regions.
fn sales(count: u32, regions: u32) -> Vec<Sale> {
    let sale = |number: u32| {
        let word = number.wrapping_mul(0x9e37_79b9) ^ number >> 7;
        Sale {
            region: (word % regions) as i16 - 3,
            amount: (word >> 9) as f32 * 0.37 - 9000.0,
            number,
        }
    };
    (0..count).map(sale).collect()
}

#[routine]
fn sale_region(sale: Sale) -> i16 {
    sale.region
}

#[routine]
fn sale_amount(sale: Sale) -> f32 {
    sale.amount
}

#[routine]
fn sale_step(sale: Sale) -> (u32, u32) {
    (sale.number | 1, sale.number)
}

/// Neither commutative nor associative.
#[routine]
fn sale_merged(a: Sale, b: Sale) -> Sale {
    Sale {
        region: a.region,
        amount: a.amount * 0.5 + b.amount,
        number: a.number.rotate_left(3) ^ b.number,
    }
}

/// What std makes of the groups: keys, the entries of each.
fn grouped(all: &[Sale]) -> Vec<(i16, Vec<Sale>)> {
    let mut sorted = all.to_vec();
    sorted.sort_by_key(|sale| sale.region);
    let groups = sorted.chunk_by(|a, b| a.region == b.region);
    groups.map(|group| (group[0].region, group.to_vec())).collect()
}

fn check_groups(all: &[Sale], engine: Engine, fuse: bool) -> gpuvm::Result<()> {
    let expected = grouped(all);
    let mut plan = runtime().plan();
    plan.engine(engine).fuse(fuse);
    let column = plan.input(all);
    let mut groups = plan.group_by("sale_region", column)?;
    let (regions, entries) = (groups.keys(), groups.entries());
    let (starts, counts) = (groups.starts()?, groups.counts()?);
    let merged = groups.reduce("sale_merged")?;
    let totals = groups.map("sale_amount")?.reduce("add")?;
    let steps = groups.map("sale_step")?.reduce("plan_compose")?;
    for column in [regions, entries, starts, counts, merged, totals, steps] {
        plan.output(column);
    }
    let done = plan.run()?;
    let size = |(_, group): &(i16, Vec<Sale>)| group.len() as u32;
    let lengths: Vec<u32> = expected.iter().map(size).collect();
    let begins = lengths.iter().scan(0, |sum, length| {
        *sum += length;
        Some(*sum - length)
    });
    let folded = |op: fn(Sale, Sale) -> Sale| expected.iter().map(move |(_, group)| folded_in_order(group, op));
    assert_eq!(
        done.get::<i16>(regions)?,
        expected.iter().map(|(region, _)| *region).collect::<Vec<_>>(),
        "{engine}"
    );
    let all: Vec<Sale> = expected.iter().flat_map(|(_, group)| group).copied().collect();
    assert_eq!(done.get::<Sale>(entries)?, all, "{engine}");
    assert_eq!(done.get::<u32>(counts)?, lengths, "{engine}");
    assert_eq!(done.get::<u32>(starts)?, begins.collect::<Vec<_>>(), "{engine}");
    assert_eq!(
        done.get::<Sale>(merged)?,
        folded(sale_merged).collect::<Vec<_>>(),
        "{engine}"
    );
    let amounts = |(_, group): &(i16, Vec<Sale>)| {
        let amounts: Vec<f32> = group.iter().map(|sale| sale.amount).collect();
        folded_in_order(&amounts, add_two)
    };
    assert_eq!(
        done.get::<f32>(totals)?,
        expected.iter().map(amounts).collect::<Vec<_>>(),
        "{engine}"
    );
    let composed = |(_, group): &(i16, Vec<Sale>)| {
        let steps: Vec<(u32, u32)> = group.iter().map(|sale| sale_step(*sale)).collect();
        folded_in_order(&steps, plan_compose)
    };
    assert_eq!(
        done.get::<(u32, u32)>(steps)?,
        expected.iter().map(composed).collect::<Vec<_>>(),
        "{engine}"
    );
    Ok(())
}

#[test]
fn groups_are_folded_as_columns_are() -> gpuvm::Result<()> {
    // None, one of each, groups around the sizes that one lane folds and that 64 do.
    let columns = [
        Vec::new(),
        sales(1, 1),
        sales(64, 64),
        sales(64, 1),
        sales(65, 1),
        sales(300, 2),
        [sales(4200, 1), sales(200, 7), sales(65, 200)].concat(),
    ];
    for all in &columns {
        for engine in ENGINES {
            check_groups(all, engine, true)?;
        }
        check_groups(all, Engine::Reference, false)?;
    }
    Ok(())
}

#[test]
fn long_groups_are_folded_in_order() -> gpuvm::Result<()> {
    let all = [sales(5000, 2000), sales(264_000, 1), sales(1000, 3)].concat();
    for engine in [Engine::Native, Engine::Reference, Engine::Specialized] {
        check_groups(&all, engine, true)?;
    }
    Ok(())
}

#[routine]
fn group_same(x: u32) -> u32 {
    x
}

#[routine]
fn group_float(x: f32) -> f32 {
    x
}

#[routine]
fn group_sum(a: u32, b: u32) -> u32 {
    a.wrapping_add(b)
}

#[routine]
fn group_spread(x: u32, all: &[u32]) -> u32 {
    (x ^ all[0]) % 50
}

#[test]
fn groups_are_columns_like_others() -> gpuvm::Result<()> {
    let words: Vec<u32> = (0..2000u32).map(|x| x.wrapping_mul(0x9e37_79b9) >> 25).collect();
    let odd: Vec<u32> = words.iter().copied().filter(|x| histogram_is_odd(*x)).collect();
    let sums = |all: &[u32]| {
        let mut sorted = all.to_vec();
        sorted.sort();
        let groups = sorted.chunk_by(|a, b| a == b);
        groups.map(|group| group[0] * group.len() as u32).collect::<Vec<u32>>()
    };
    let (nan, floats) = (f32::NAN, [0.5, f32::NAN, -0.0, 0.0, -f32::NAN, 0.5, 0.0]);
    for engine in ENGINES {
        let buffer = runtime().buffer(&words)?;
        let mut plan = runtime().plan();
        plan.engine(engine);
        let given = plan.buffer(&buffer);
        let of_buffer = plan.group_by("group_same", given)?.reduce("group_sum")?;
        let kept = plan.filter("histogram_is_odd", given)?;
        let of_kept = plan.group_by("group_same", kept)?.reduce("group_sum")?;
        let values = plan.input(&floats);
        let mut groups = plan.group_by("group_float", values)?;
        let (keys, counts) = (groups.keys(), groups.counts()?);
        let start = plan.input(&words);
        let [state] = plan.iterate(2, [start], |plan, [now]| {
            let sums = plan.group_by("group_same", now)?.reduce("group_sum")?;
            Ok([plan.map("group_spread", (now, sums))?])
        })?;
        for column in [of_buffer, of_kept, keys, counts, state] {
            plan.output(column);
        }
        let done = plan.run()?;
        assert_eq!(done.get::<u32>(of_buffer)?, sums(&words), "{engine}");
        assert_eq!(done.get::<u32>(of_kept)?, sums(&odd), "{engine}");
        let found = done.get::<f32>(keys)?;
        assert_eq!(format!("{found:?}"), format!("{:?}", [-0.0, 0.0, 0.5, nan]), "{engine}");
        assert_eq!(done.get::<u32>(counts)?, [1, 2, 2, 2], "{engine}");
        let mut now = words.clone();
        for _ in 0..2 {
            let sums = sums(&now);
            now.iter_mut().for_each(|x| *x = group_spread(*x, &sums));
        }
        assert_eq!(done.get::<u32>(state)?, now, "{engine}");
    }
    Ok(())
}

#[routine]
fn group_checked(a: u32, b: u32) -> u32 {
    assert!(b != 90, "ninety");
    a + b
}

#[test]
fn an_operator_that_traps_is_told_alike() -> gpuvm::Result<()> {
    let words: Vec<u32> = (0..1000).map(|x| x % 91).collect();
    let told = told_of_trap(|plan| {
        let column = plan.input(&words);
        let sums = plan.group_by("group_same", column)?.reduce("group_checked")?;
        plan.output(sums);
        Ok(())
    })?;
    assert!(
        told.contains("of `group_checked` trapped") && told.contains("ninety"),
        "{told}"
    );
    Ok(())
}

#[test]
fn what_cannot_be_grouped_is_told() -> gpuvm::Result<()> {
    let mut plan = runtime().plan();
    let column = plan.input(&[1u32, 2]);
    assert_eq!(
        plan.group_by("sale_region", column).unwrap_err().to_string(),
        "group by `sale_region` (node 1) needs a routine `fn(u32) -> K`, where `K` is an integer of up to 64 bits, a float, a `bool` or a \
         `char`, and `sale_region` is `fn(Sale) -> i16`"
    );
    let mut groups = plan.group_by("group_same", column)?;
    assert_eq!(
        groups.reduce("add").unwrap_err().to_string(),
        "reduce groups by `add` (node 9) needs a routine `fn(u32, u32) -> u32`, and `add` is `fn(f32, f32) -> f32`"
    );
    assert_eq!(
        groups.map("sale_amount").unwrap_err().to_string(),
        "argument `sale` of map `sale_amount` (node 8) is a column of `u32`, sort by `group_same` (node 1), and a column of `Sale` or one \
         `Sale` for all VMs is needed"
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn any_entries_are_grouped(count in 0..6000_u32, regions in 1..3000_u32) {
        let all = sales(count, regions);
        for engine in [Engine::Native, Engine::Reference, Engine::Specialized] {
            check_groups(&all, engine, true).unwrap();
        }
    }

    #[test]
    fn any_entries_are_counted(words in prop::collection::vec(0..40_u32, 0..4000)) {
        for engine in [Engine::Native, Engine::Reference, Engine::Specialized] {
            let mut plan = runtime().plan();
            plan.engine(engine);
            let column = plan.input(&words);
            let counts = plan.histogram(column, 40).unwrap();
            let found = plan.run().unwrap().get::<u32>(counts).unwrap();
            prop_assert_eq!(found, counted(words.clone(), 40));
        }
    }
}
