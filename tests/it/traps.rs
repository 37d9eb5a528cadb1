//! Traps: each cause, at its place, with its message, while the other VMs go on.

use gpuvm::prelude::*;

cases! {
    index_out_of_bounds, index_of_slice, division_by_zero, remainder_by_zero, division_overflow, assert_plain, assert_message,
    assert_equality, panic_literal, panic_formatted, unreachable_arm, todo_branch, unwrap_none, overflow_add,
    overflow_sub, overflow_mul, overflow_neg, overlong_shift, trap_in_callee, trap_in_loop, trap_after_writes, slice_range_end, slice_range_order,
    debug_assertion, not_equal_assertion, trap_order, overflow_small, overflow_long, trap_in_match_guard, unreachable_message,
}

#[routine]
fn index_out_of_bounds(a: u32, i: u32) -> u32 {
    let values = [a, 1, 2, 3, 4];
    values[(i % 7) as usize]
}

#[routine]
fn at(values: &[u32], i: u32) -> u32 {
    values[i as usize]
}

#[routine]
fn index_of_slice(a: u32, i: u32) -> u32 {
    let values = [a, 5, 6, 7];
    at(&values[1..], i % 5) + at(&values, i % 4)
}

#[routine]
fn division_by_zero(a: u32, b: u32) -> u32 {
    a / (b % 4)
}

#[routine]
fn remainder_by_zero(a: i32, b: i32) -> i32 {
    a % (b / 1000)
}

#[routine]
fn division_overflow(a: i32, b: i32) -> (i32, i32) {
    (a / b, a % b)
}

#[routine]
fn assert_plain(a: u32) -> u32 {
    assert!(a % 5 != 2);
    a / 2
}

#[routine]
fn assert_message(a: u32, b: i32) -> u32 {
    assert!(a % 4 != 1, "a must not be one");
    assert!(b >= -1000, "b is {}, below the limit", b);
    assert!(a % 4 != 2, "remainder of {} and {:?}", a, b);
    a / 3
}

#[routine]
fn assert_equality(a: u32, b: u32) -> u32 {
    assert_eq!(a % 3, b % 3);
    assert_eq!(a % 2, 0, "odd numbers are not wanted");
    a ^ b
}

#[routine]
fn panic_literal(a: i32) -> i32 {
    if a < 0 {
        panic!("negative input");
    }
    if a % 2 == 1 {
        panic!()
    }
    a
}

#[routine]
fn panic_formatted(a: u32, f: f32) -> u32 {
    if a % 3 == 0 {
        panic!("bad value {a}");
    }
    if f > 1.0e6 {
        panic!("{} is too large for {}", f, a);
    }
    a
}

#[routine]
fn unreachable_arm(a: u32) -> u32 {
    match a % 4 {
        0 => 10,
        1 => 20,
        2 => 30,
        _ => unreachable!(),
    }
}

#[routine]
fn unreachable_message(a: u32) -> u32 {
    match a % 3 {
        0 | 1 => a,
        n => unreachable!("remainder {}", n),
    }
}

#[routine]
fn todo_branch(a: u32) -> u32 {
    if a > 1000 { todo!() } else { a + 1 }
}

#[routine]
fn unwrap_none(a: u32, b: u32) -> u32 {
    a.checked_sub(b).unwrap()
}

#[routine]
fn overflow_add(a: i32, b: i32) -> i32 {
    a + b
}

#[routine]
fn overflow_sub(a: u32, b: u32) -> u32 {
    a - b
}

#[routine]
fn overflow_mul(a: i32, b: i32) -> i32 {
    let product = a * b;
    product / 2
}

#[routine]
fn overflow_neg(a: i32) -> i32 {
    -a
}

#[routine]
fn overlong_shift(a: u32, n: u32) -> u32 {
    a << (n % 40)
}

#[routine]
fn checked_index(values: &[u32; 3], i: u32) -> u32 {
    assert!(i < 3, "index {} of 3", i);
    values[i as usize]
}

#[routine]
fn trap_in_callee(a: u32, b: u32) -> u32 {
    let values = [a, b, 7];
    checked_index(&values, a % 4) ^ checked_index(&values, b % 3)
}

#[routine]
fn trap_in_loop(n: u32) -> u32 {
    let values = [1, 2, 3, 4, 5, 6, 7, 8];
    let mut sum = 0;
    for i in 0..n % 12 {
        sum += values[i as usize];
    }
    sum
}

#[routine]
fn trap_after_writes(a: u32, b: u32) -> [u32; 3] {
    let mut out = [1, 2, 3];
    out[0] = a;
    out[(b % 5) as usize] = 9;
    out
}

#[routine]
fn slice_range_end(a: u32, to: u32) -> u32 {
    let values = [a, 2, 3];
    let part = &values[..(to % 6) as usize];
    part.len() as u32
}

#[routine]
fn slice_range_order(a: u32, from: u32, to: u32) -> u32 {
    let values = [a, 2, 3, 4];
    let part = &values[(from % 5) as usize..(to % 5) as usize];
    part.len() as u32
}

#[routine]
fn debug_assertion(a: u32) -> u32 {
    debug_assert!(a % 9 != 4, "only where debug assertions are on");
    a / 9
}

#[routine]
fn not_equal_assertion(a: i32, b: i32) -> i32 {
    assert_ne!(a % 7, b % 7, "equal remainders");
    a / 7 - b / 7
}

#[routine]
fn trap_order(a: u32, b: u32) -> u32 {
    // Which of the three causes wins must be the same on every engine.
    let values = [5, 0, 7];
    values[(a % 4) as usize] / values[(b % 4) as usize] + (a % 2 - b % 2)
}

#[routine]
fn overflow_small(a: u8, b: i8) -> (u8, i8) {
    let sum = a + 100;
    let negated = -b;
    (sum * 1, negated - 1)
}

#[routine]
fn overflow_long(a: u64, b: i64) -> (u64, i64) {
    (a + (1 << 63), b * 3)
}

#[routine]
fn trap_in_match_guard(a: u32, b: u32) -> u32 {
    match a % 3 {
        0 if 10 / (b % 3) > 5 => 1,
        1 if b > 100 => 2,
        _ => 3,
    }
}
