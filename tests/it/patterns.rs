//! Every pattern of the language in `match`: literals, ranges, alternatives, bindings, guards, tuples, slices, constants.

use gpuvm::prelude::*;

cases! {
    literals, ranges, half_open_ranges, or_patterns, bindings_at, guards, tuple_patterns, nested_tuples, constants_in_patterns,
    slice_patterns, array_patterns_by_value, negative_literals, bool_patterns, guard_falls_through, match_on_references,
    mutable_bindings, wildcards_and_rest, ref_bindings, char_free_matches, binding_modes, rest_of_arrays,
}

const LOW: u32 = 10;
const HIGH: u32 = 20;

#[routine]
fn literals(a: u32) -> u32 {
    match a % 8 {
        0 => 100,
        1 => 7,
        2 => 0xffff_ffff,
        5 => a,
        _ => 3,
    }
}

#[routine]
fn ranges(a: i32) -> i32 {
    match a % 64 {
        0..=9 => 1,
        10..20 => 2,
        -9..=-1 => 3,
        -63..-40 => 4,
        _ => 5,
    }
}

#[routine]
fn half_open_ranges(a: u32, b: i32) -> u32 {
    let x = match a {
        ..10 => 0,
        10..=100 => 1,
        101.. => 2,
    };
    let y = match b {
        ..=-1 => 0,
        0 => 1,
        1.. => 2,
    };
    x * 3 + y
}

#[routine]
fn or_patterns(a: u32, b: u32) -> u32 {
    match (a % 6, b % 6) {
        (0 | 1, 2 | 3) => 1,
        (2, x) | (x, 2) => x + 10,
        (4 | 5, y @ (0 | 1 | 5)) => y + 100,
        _ => 0,
    }
}

#[routine]
fn bindings_at(a: u32) -> u32 {
    match a % 100 {
        n @ 0..=9 => n,
        n @ (10 | 20 | 30) => n * 2,
        n @ 31.. => n * 3,
        n => n * 5,
    }
}

#[routine]
fn guards(a: i32, b: i32) -> i32 {
    match a {
        x if x < 0 && b < 0 => -1,
        0 if b == 0 => 0,
        x if x > b => x / 2,
        x if x == b => 42,
        _ => b / 2,
    }
}

#[routine]
fn tuple_patterns(a: bool, b: bool, c: u32) -> u32 {
    match (a, b, c % 3) {
        (true, true, _) => 1,
        (true, false, 0) => 2,
        (_, true, n) => n + 10,
        (false, false, 1) => 4,
        (_, ..) => 5,
    }
}

#[routine]
fn nested_tuples(a: u32, b: i32, c: bool) -> i32 {
    match ((a % 3, b % 4), (c, a % 5)) {
        ((0, y), (true, _)) => y,
        ((1 | 2, -3..=0), (_, z)) => z as i32,
        ((x, y), (false, 0)) => x as i32 - y,
        ((x, _), _) => -(x as i32),
    }
}

#[routine]
fn constants_in_patterns(a: u32) -> u32 {
    match a % 32 {
        LOW => 1,
        HIGH => 2,
        LOW..=HIGH => 3,
        u32::MIN => 4,
        _ => 5,
    }
}

#[routine]
fn slice_patterns(a: u32, b: u32, c: u32) -> u32 {
    let values = [a % 4, b % 4, c % 4, a / 5, b / 7];
    let view = &values[..(c % 6) as usize];
    match view {
        [] => 0,
        [one] => 10 + *one,
        [0, second] => 20 + *second,
        [first, second] => 30 + first * second,
        [first, .., 3] => 50 + *first,
        [first, rest @ ..] => first + rest.len() as u32 * 1000,
    }
}

#[routine]
fn array_patterns_by_value(a: i32, b: i32, c: i32) -> i32 {
    match [a % 3, b % 3, c % 3] {
        [0, 0, 0] => 1000,
        [x, 0, y] => x - y,
        [1 | 2, .., last] => last * 7,
        [_, middle, _] => middle,
    }
}

#[routine]
fn negative_literals(a: i32) -> i32 {
    match a {
        -1 => 1,
        -2147483648 => 2,
        i32::MAX => 3,
        -128..=-2 => 4,
        _ => 5,
    }
}

#[routine]
fn bool_patterns(a: u32) -> u32 {
    match a % 2 == 0 {
        true => match a > 100 {
            false => 1,
            true => 2,
        },
        false => 3,
    }
}

#[routine]
fn guard_falls_through(a: u32, b: u32) -> u32 {
    let mut tried = 0;
    let answer = match a % 4 {
        0 | 1
            if {
                tried += 1;
                b % 2 == 0
            } =>
        {
            1
        }
        1 if {
            tried += 10;
            b % 3 == 0
        } =>
        {
            2
        }
        0 => 3,
        _ => 4,
    };
    answer * 100 + tried
}

#[routine]
fn match_on_references(a: u32, b: u32) -> u32 {
    let pair = (a % 5, b % 5);
    let view = &pair;
    let x = match view {
        (0, y) => *y,
        &(x, 0) => x,
        (x, y) => x * y,
    };
    match *view {
        (p, q) if p == q => x + 100,
        (p, _) => x + p,
    }
}

#[routine]
fn mutable_bindings(a: u32) -> u32 {
    let mut pair = (a % 10, a % 7);
    match &mut pair {
        (0, y) => *y += 100,
        (x, y) => {
            *x += 1;
            *y *= 2;
        }
    }
    match pair {
        (mut x, y) if x > y => {
            x -= y;
            x
        }
        (x, mut y) => {
            y -= x;
            y + 1000
        }
    }
}

#[routine]
fn wildcards_and_rest(a: u32, b: u32, c: u32) -> u32 {
    let (first, ..) = (a, b, c);
    let (_, _, last) = (a, b, c);
    let (_, middle, _) = (a, b, c);
    first ^ last.rotate_left(3) ^ middle.rotate_left(9)
}

#[routine]
fn ref_bindings(a: i32, b: i32) -> i32 {
    let mut pair = (a % 100, b % 100);
    let (ref mut x, ref y) = pair;
    *x += *y;
    let (x, y) = pair;
    x * 2 - y
}

#[routine]
fn char_free_matches(a: u32, b: u32) -> bool {
    matches!(a % 10, 1 | 3 | 5..=6) || matches!((a % 2, b), (0, n) if n > 100)
}

#[routine]
fn binding_modes(a: u32, b: u32) -> u32 {
    let mut grid = [(a % 4, b % 4), (b % 8, a % 8)];
    let [(p, q), second] = &mut grid;
    *p += *q;
    second.0 += *p;
    let &[(x, _), (y, z)] = &grid;
    x * 10_000 + y * 100 + z
}

#[routine]
fn second_of(values: [u32; 3]) -> u32 {
    values[1]
}

#[routine]
fn rest_of_arrays(a: u32, b: u32) -> (u32, [u32; 3]) {
    let mut values = [a % 3, b % 7, a / 3, b / 5, 9];
    let [first, rest @ .., last] = values;
    // The rest is a copy.
    values[2] = 1;
    let more = match Some(values) {
        Some([0, more @ ..]) => more.len() as u32 + more[1],
        Some([.., two, _]) => two / 2,
        None => 0,
    };
    let [_, mut changed @ ..] = values;
    changed[0] += 5;
    ((first + last + values[1]) ^ second_of(rest) ^ more ^ changed[0], rest)
}
