//! The rest of the language, under lints that a crate may have beyond clippy's defaults: of what is not the user's own style, none is tripped over.

#![deny(
    unused,
    unreachable_code,
    unused_qualifications,
    unused_results,
    single_use_lifetimes,
    trivial_casts,
    trivial_numeric_casts,
    let_underscore_drop,
    clippy::nursery,
    clippy::absolute_paths,
    clippy::allow_attributes_without_reason,
    clippy::as_underscore,
    clippy::clone_on_ref_ptr,
    clippy::dbg_macro,
    clippy::empty_drop,
    clippy::empty_enum_variants_with_brackets,
    clippy::exit,
    clippy::fn_to_numeric_cast_any,
    clippy::get_unwrap,
    clippy::if_then_some_else_none,
    clippy::impl_trait_in_params,
    clippy::infinite_loop,
    clippy::let_underscore_must_use,
    clippy::let_underscore_untyped,
    clippy::lossy_float_literal,
    clippy::map_err_ignore,
    clippy::mem_forget,
    clippy::multiple_inherent_impl,
    clippy::mutex_atomic,
    clippy::needless_raw_strings,
    clippy::redundant_type_annotations,
    clippy::ref_patterns,
    clippy::rest_pat_in_fully_bound_structs,
    clippy::same_name_method,
    clippy::semicolon_inside_block,
    clippy::str_to_string,
    clippy::string_slice,
    clippy::tests_outside_test_module,
    clippy::try_err,
    clippy::undocumented_unsafe_blocks,
    clippy::unnecessary_safety_comment,
    clippy::unneeded_field_pattern,
    clippy::unseparated_literal_suffix,
    clippy::unused_result_ok,
    clippy::unwrap_in_result,
    clippy::unwrap_used,
    clippy::use_debug,
    clippy::verbose_file_reads,
    clippy::wildcard_enum_match_arm
)]

use gpuvm::prelude::*;

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    weight: u32,
    value: u32,
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    Empty,
    TooHeavy { by: u32 },
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
struct Wide(u128);

#[routine]
impl From<Failure> for Wide {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Empty => Self(0),
            Failure::TooHeavy { by } => Self(u128::from(by)),
        }
    }
}

#[routine]
trait Ranked {
    fn rank(&self) -> u32;

    fn best_of<T: Ranked>(&self, other: &T) -> u32 {
        self.rank().max(other.rank())
    }

    fn doubled(&self) -> u32 {
        self.rank() * 2
    }
}

#[routine]
impl Ranked for Item {
    fn rank(&self) -> u32 {
        self.value
    }
}

#[routine]
fn higher<T: Ranked>(a: &T, b: &T) -> u32 {
    a.rank().max(b.rank())
}

#[derive(VmType, Clone, Copy)]
struct Words<'a> {
    bytes: &'a [u8],
    at: usize,
}

#[allow(clippy::copy_iterator, reason = "it stays inside of a routine")]
#[routine]
impl Iterator for Words<'_> {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }
}

#[routine]
const fn power(base: u64, exponent: u32) -> u64 {
    let mut result = 1;
    let mut left = exponent;
    while left > 0 {
        result *= base;
        left -= 1;
    }
    result
}

#[routine]
fn applied<F: Fn(u32) -> u32>(x: u32, f: F) -> u32 {
    f(f(x))
}

#[routine]
fn evens(n: u32) -> impl Iterator<Item = u32> {
    (0..n).filter(|i| i % 2 == 0)
}

#[routine]
fn checked(items: &[Item], limit: u32) -> Result<u32, Failure> {
    let first = items.first().ok_or(Failure::Empty)?;
    let weight: u32 = items.iter().map(|item| item.weight).sum();
    match weight.checked_sub(limit) {
        Some(by) if by > 0 => Err(Failure::TooHeavy { by }),
        Some(_) | None => Ok(first.value),
    }
}

#[routine]
fn asked(items: &[Item], limit: u32) -> Result<u32, Failure> {
    let value = checked(items, limit)?;
    Ok(value + 1)
}

#[routine]
fn widened(items: &[Item], limit: u32) -> Result<u32, Wide> {
    let value = asked(items, limit)?;
    Ok(value * 2)
}

#[routine]
fn wide(n: u32) -> u128 {
    let big = u128::from(n) << 70;
    big.wrapping_mul(3) + u128::from(power(3, 4))
}

#[routine]
fn text(line: u32) -> usize {
    let names = ["one", "two", "three"];
    let name = names[line as usize % 3];
    println!("{name} is {line:>4}");
    name.len() + name.bytes().filter(|byte| *byte == b'e').count()
}

#[routine]
fn language(all: &[u32], out: &mut [u32], n: u32) -> u64 {
    let scale = n + 1;
    let triple = |x: u32| x * 3 + scale;
    let mut seen = 0;
    let mut count = |x: u32| {
        seen += x;
        seen
    };
    let counted = count(n) + count(1);
    let best = all
        .iter()
        .copied()
        .zip(1..)
        .map(|(x, i): (u32, u32)| triple(x) + i)
        .filter(|x| x % 2 == 0)
        .max();
    let sum: u32 = all.windows(2).map(|pair| pair[0].abs_diff(pair[1])).sum();
    for (place, x) in out.iter_mut().zip(evens(n)) {
        *place = applied(x, |y| y + 1);
    }
    let items = [Item { weight: n, value: sum }, Item::default()];
    let rank = items[0].best_of(&items[1]) + items[1].doubled() + higher(&items[0], &items[1]);
    let heavy = match asked(&items, counted) {
        Ok(value @ 0..=9) => value,
        Ok(value) if value > rank => rank,
        Ok(_) => 1,
        Err(Failure::Empty) => 2,
        Err(Failure::TooHeavy { by }) => by,
    };
    let bytes = Words { bytes: b"abc", at: 0 };
    let letters: u32 = bytes.map(u32::from).sum();
    let low = u64::from(wide(n).count_ones());
    if let Some(best) = best
        && best > 3
    {
        return u64::from(best) + low;
    }
    let halved = match widened(&items, counted) {
        Ok(value) => value / 2,
        Err(Wide(by)) => by.count_ones(),
    };
    u64::from(heavy + letters + halved) + text(n) as u64
}

#[derive(RingMessage, Clone, Copy, Debug, PartialEq, Eq)]
struct Query {
    number: u64,
}

#[derive(VmType, Clone, Copy, Default)]
struct Seen {
    sum: u128,
    last: Option<u64>,
}

#[ring_kernel(sends = 2)]
fn answers(seen: &mut Seen, query: Query, ctx: &mut Ring) -> Option<Query> {
    seen.sum += u128::from(query.number);
    if let Some(last) = seen.last.replace(query.number).filter(|last| *last > 7) {
        ctx.send(ctx.actor(), Query { number: last / 2 });
    }
    query.number.is_multiple_of(2).then_some(query)
}
