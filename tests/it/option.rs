//! `Option<T>`: construction, matching, `?`, methods, in structs, arrays and columns.

use gpuvm::prelude::*;

cases! {
safe_divide, question_mark, nested_option, option_methods, option_in_struct, option_in_array, if_let_some, let_else_some, option_parameter,
option_of_struct, first_match, option_comparison, replace_and_take, option_of_long, unwrap_or_forms,
expect_with_text, options_of_references, option_methods_by_path }

#[routine]
fn divide(a: u32, b: u32) -> Option<u32> {
    if b == 0 { None } else { Some(a / b) }
}

#[routine]
fn safe_divide(a: u32, b: u32) -> Option<u32> {
    divide(a, b % 5)
}

#[routine]
fn question_mark(a: u32, b: u32, c: u32) -> Option<u32> {
    let x = divide(a, b % 4)?;
    let y = divide(x, c % 3)? + 1;
    Some(x ^ y)
}

#[routine]
fn nested_option(a: u32, b: u32) -> Option<Option<u32>> {
    if a % 3 == 0 {
        return None;
    }
    let inner = divide(a, b % 3);
    match Some(inner) {
        Some(Some(x)) if x > 1000 => Some(None),
        other => other,
    }
}

#[routine]
fn option_methods(a: u32, b: u32) -> (bool, bool, u32) {
    let x = divide(a, b % 2);
    (x.is_some(), x.is_none(), x.unwrap_or(77))
}

#[derive(VmType, Clone, Copy, Debug)]
struct Slot {
    key: u32,
    value: Option<f32>,
}

#[routine]
fn option_in_struct(a: u32, b: f32) -> Slot {
    let mut slot = Slot { key: a, value: None };
    if a % 2 == 0 {
        slot.value = Some(b);
    }
    if let Some(v) = &mut slot.value {
        *v += 1.0;
    }
    slot
}

#[routine]
fn option_in_array(a: u32, i: u32) -> u32 {
    let mut slots = [None; 4];
    slots[(a % 4) as usize] = Some(a);
    slots[(i % 3) as usize] = Some(5);
    let mut sum = 0u32;
    for slot in slots {
        sum = match slot {
            Some(x) => sum.wrapping_add(x),
            None => sum.rotate_left(3),
        };
    }
    sum
}

#[routine]
fn if_let_some(a: u32, b: u32) -> u32 {
    if let Some(0 | 1) = divide(a, b) {
        100
    } else if let Some(x @ 2..=9) = divide(a, b) {
        x
    } else {
        0
    }
}

#[routine]
fn let_else_some(a: u32, b: u32) -> u32 {
    let (Some(x), Some(y)) = (divide(a, b % 4), divide(b, a % 4)) else {
        return 12345;
    };
    x ^ y
}

#[routine]
fn option_parameter(a: Option<u32>, b: Option<f32>) -> Option<f32> {
    match (a, b) {
        (Some(n), Some(x)) => Some(n as f32 + x),
        (Some(n), None) => Some(n as f32),
        (None, x) => x,
    }
}

#[derive(VmType, Clone, Copy, Debug)]
struct Hit {
    distance: f32,
    index: u32,
}

#[routine]
fn intersect(radius: f32, at: f32, index: u32) -> Option<Hit> {
    let d = radius * radius - at * at;
    if d < 0.0 {
        return None;
    }
    Some(Hit {
        distance: d.sqrt(),
        index,
    })
}

#[routine]
fn option_of_struct(a: f32, b: f32) -> Option<Hit> {
    let mut nearest: Option<Hit> = None;
    for i in 0..4 {
        if let Some(hit) = intersect(a, b + i as f32, i) {
            let better = match nearest {
                None => true,
                Some(Hit { distance, .. }) => hit.distance < distance,
            };
            if better {
                nearest = Some(hit);
            }
        }
    }
    nearest
}

#[routine]
fn position(values: &[u32], wanted: u32) -> Option<u32> {
    for i in 0..values.len() {
        if values[i] == wanted {
            return Some(i as u32);
        }
    }
    None
}

#[routine]
fn first_match(a: u32, b: u32) -> Option<u32> {
    let values = [a % 5, b % 5, 3, 1, 4];
    let first = position(&values, 4)?;
    let second = position(&values[first as usize + 1..], a % 3);
    second
}

#[routine]
fn option_comparison(a: u32, b: u32) -> (bool, bool) {
    (divide(a, b % 3) == None, divide(a, b % 3) == Some(a))
}

#[routine]
fn replace_and_take(a: u32, b: u32) -> (Option<u32>, Option<u32>) {
    let mut slot = divide(a, b % 2);
    let old = slot;
    slot = match slot {
        Some(x) if x > 50 => None,
        None => Some(1),
        some => some,
    };
    (old, slot)
}

#[routine]
fn option_of_long(a: u64, b: u64) -> Option<u64> {
    let sum = a.checked_add(b)?;
    if sum % 2 == 0 { sum.checked_mul(3) } else { Some(sum) }
}

#[routine]
fn unwrap_or_forms(a: i32, b: i32) -> (i32, i32, i32) {
    (
        a.checked_add(b).unwrap_or(i32::MAX),
        a.checked_div(b).unwrap_or(0),
        a.checked_rem(b).unwrap_or(-1),
    )
}

#[routine]
fn expect_with_text(a: u32, b: u32) -> u32 {
    let difference = a.checked_sub(b % 1000).expect("a is not below b");
    let half = if a & 64 == 0 { Some(difference / 2) } else { None };
    half.expect("bit 6 is clear") + 1
}

#[routine]
fn options_of_references(a: u32, b: u32) -> ([bool; 4], u32, u32) {
    let (values, others) = ([a % 3, b % 3, 2], [b % 3, 2, a % 5]);
    let (first, other) = (values.get((b % 4) as usize), others.get((a % 4) as usize));
    let found = [
        first == other,
        values.get(1) == Some(&2),
        first < other,
        (first, a) == (other, b),
    ];
    let line = &values[..(a % 4) as usize];
    let line = line.strip_suffix(&[2]).unwrap_or(line);
    (
        found,
        *first.unwrap_or(&7) + other.unwrap_or(&values[0]),
        line.len() as u32,
    )
}

#[routine]
fn option_methods_by_path(a: [u32; 4], n: u32) -> (usize, u32, u32, u32, u32) {
    let less = a.map(|x| x.checked_sub(n % 64));
    (
        less.iter().filter(|x| Option::is_some(x)).count(),
        a.iter()
            .map(|x| x.checked_sub(5))
            .filter(Option::is_some)
            .flatten()
            .fold(n, |s, x| s ^ x),
        less.into_iter().map(Option::unwrap_or_default).fold(7, u32::max),
        a.iter()
            .map(|x| if x % 3 == 0 { Err(x >> 8) } else { Ok(x >> 3) })
            .filter_map(Result::ok)
            .fold(0, |s, x| s ^ x),
        less[0].unwrap_or_else(Default::default) ^ less[1].map_or_else(u32::default, u32::count_ones),
    )
}
