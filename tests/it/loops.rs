//! `loop`, `while`, `while let` and `for` over every accepted kind of range and over arrays.

use gpuvm::prelude::*;

cases! {
    collatz, while_sum, for_exclusive, for_inclusive, for_reversed, for_stepped, for_reversed_stepped, empty_ranges,
    range_bounds_evaluated_once, loop_break_value, nested_loops, continue_in_for, return_from_loop, lcg_long, fibonacci,
    xorshift, mandelbrot, signed_ranges, range_to_type_max, small_type_ranges, long_ranges, loop_variable_shadowed, for_over_array,
    while_with_block_condition, newton, gcd, loop_without_body_effects,
}

#[routine]
fn collatz(n: u32) -> u32 {
    let mut x = n % 1000 + 1;
    let mut steps = 0;
    while x != 1 {
        x = if x % 2 == 0 { x / 2 } else { 3 * x + 1 };
        steps += 1;
    }
    steps
}

#[routine]
fn while_sum(n: u32) -> u32 {
    let n = n % 100;
    let mut i = 0;
    let mut sum = 0;
    while i < n {
        i += 1;
        if i % 3 == 0 {
            continue;
        }
        sum += i;
    }
    sum
}

#[routine]
fn for_exclusive(a: u32, b: u32) -> u32 {
    let mut sum = 0;
    for i in a % 20..b % 40 {
        sum += i * i;
    }
    sum
}

#[routine]
fn for_inclusive(a: u32, b: u32) -> u32 {
    let mut sum = 1;
    for i in a % 20..=b % 40 {
        sum = sum * 3 % 1009 + i;
    }
    sum
}

#[routine]
fn for_reversed(a: u32, b: u32) -> u32 {
    let mut digits = 0u32;
    for i in (a % 5..b % 10).rev() {
        digits = digits * 10 + i;
    }
    for i in (0..=a % 3).rev() {
        digits = digits.wrapping_mul(7) ^ i;
    }
    digits
}

#[routine]
fn for_stepped(a: u32, step: u32) -> u32 {
    let mut sum = 0u32;
    for i in (a % 10..60).step_by((step % 7 + 1) as usize) {
        sum = sum.wrapping_mul(31) + i;
    }
    for i in (0..=a % 50).step_by(9) {
        sum ^= i;
    }
    sum
}

#[routine]
fn for_reversed_stepped(a: i32, n: i32) -> i32 {
    let mut sum = 0i32;
    for i in (a % 10..n % 50).rev().step_by(4) {
        sum = sum.wrapping_mul(31).wrapping_add(i);
    }
    for i in (a % 10..=n % 50).rev().step_by(3) {
        sum = sum.wrapping_mul(17).wrapping_sub(i);
    }
    sum
}

#[routine]
fn empty_ranges(a: i32, b: i32) -> u32 {
    let mut count = 0;
    for _ in a..a {
        count += 1;
    }
    for _ in 10..b.min(20) {
        count += 10;
    }
    for _ in 5..=4 {
        count += 1000;
    }
    count
}

#[routine]
fn range_bounds_evaluated_once(n: u32) -> u32 {
    let mut end = n % 10;
    let mut rounds = 0;
    for i in 0..end {
        end += 5;
        rounds += i + end;
    }
    rounds + end
}

#[routine]
fn loop_break_value(n: u32) -> u32 {
    let mut i = n % 50;
    let found = loop {
        if i * i > 1000 {
            break i;
        }
        if i == 17 {
            break 1000 + i;
        }
        i += 1;
    };
    found * 2
}

#[routine]
fn nested_loops(a: u32, b: u32) -> u32 {
    let mut count = 0;
    for i in 0..a % 12 {
        let mut j = i;
        while j < b % 15 {
            for k in 0..3 {
                if (i + j + k) % 4 == 0 {
                    count += 1;
                }
            }
            j += 2;
        }
    }
    count
}

#[routine]
fn continue_in_for(n: u32, mask: u32) -> u32 {
    let mut sum = 0;
    for i in 0..n % 40 {
        if mask >> (i % 32) & 1 == 1 {
            continue;
        }
        if i > 30 {
            break;
        }
        sum += i;
    }
    sum
}

#[routine]
fn return_from_loop(n: u32, wanted: u32) -> u32 {
    for i in 0..n % 30 {
        let mut j = 0;
        loop {
            if i * j % 17 == wanted % 17 && i > 2 {
                return i * 100 + j;
            }
            j += 1;
            if j > i {
                break;
            }
        }
    }
    u32::MAX
}

#[routine]
fn lcg_long(seed: u32, n: u32) -> u32 {
    let mut state = seed;
    for _ in 0..n % 200 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
    state
}

#[routine]
fn fibonacci(n: u32) -> u32 {
    let (mut a, mut b) = (0u32, 1u32);
    for _ in 0..n % 90 {
        (a, b) = (b, a.wrapping_add(b));
    }
    a
}

#[routine]
fn xorshift(seed: u32, n: u32) -> u32 {
    let mut x = seed;
    let mut i = 0;
    while i < n % 150 {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        i += 1;
    }
    x
}

#[routine]
fn mandelbrot(a: f32, b: f32) -> u32 {
    let (mut x, mut y) = (0.0, 0.0);
    let mut i = 0;
    while i < 60 && x * x + y * y <= 4.0 {
        (x, y) = (x * x - y * y + a, 2.0 * x * y + b);
        i += 1;
    }
    i
}

#[routine]
fn signed_ranges(a: i32, b: i32) -> i32 {
    let mut sum = 0;
    for i in -(a % 10).abs()..b % 20 {
        sum += i;
    }
    for i in (-5..=5).rev() {
        sum = sum * 2 % 1_000 - i;
    }
    sum
}

#[routine]
fn range_to_type_max(n: u32) -> (u32, u32) {
    let mut count = 0;
    for _ in u32::MAX - n % 5..=u32::MAX {
        count += 1;
    }
    let mut bytes = 0;
    for i in 250u8..=255 {
        bytes += i as u32;
    }
    (count, bytes)
}

#[routine]
fn small_type_ranges(a: u8, b: i8) -> u32 {
    let mut sum = 0u32;
    for i in a..=255 {
        sum += i as u32;
    }
    for i in i8::MIN..b {
        sum = sum.wrapping_add(i as u32);
    }
    sum
}

#[routine]
fn long_ranges(a: u64, n: u32) -> u64 {
    let start = a >> 1;
    let mut sum = 0u64;
    for i in start..start + (n % 20) as u64 {
        sum ^= i.rotate_left(7);
    }
    for i in (-3i64..=2).rev() {
        sum = sum.wrapping_add(i as u64);
    }
    sum
}

#[routine]
fn loop_variable_shadowed(n: u32) -> u32 {
    let i = 1000;
    let mut sum = 0;
    for i in 0..n % 10 {
        let i = i * 2;
        sum += i;
    }
    sum + i
}

#[routine]
fn for_over_array(a: u32, b: u32) -> u32 {
    let mut sum = 0;
    for x in [a % 100, b % 100, 7] {
        for (p, q) in [(x, 1), (2, x)] {
            sum += p * q;
        }
    }
    sum
}

#[routine]
fn while_with_block_condition(n: u32) -> u32 {
    let mut x = n % 77;
    let mut rounds = 0;
    while {
        rounds += 1;
        x /= 2;
        x > 0
    } {
        rounds += 10;
    }
    rounds
}

#[routine]
fn newton(a: f32) -> f32 {
    let target = a.abs() % 1000.0 + 1.0;
    let mut x = target;
    for _ in 0..20 {
        let next = 0.5 * (x + target / x);
        if next == x {
            break;
        }
        x = next;
    }
    x
}

#[routine]
fn gcd(a: u32, b: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        let r = a % b;
        a = b;
        b = r;
    }
    a
}

#[routine]
fn loop_without_body_effects(n: u32) -> u32 {
    let mut i = 0;
    while i < n % 100 {
        i += 3;
    }
    loop {
        break;
    }
    i
}
