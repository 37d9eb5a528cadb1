//! Traps: each cause, at its place, with its message, while the other VMs go on.

use gpuvm::prelude::*;

cases! {
    index_out_of_bounds, index_of_slice, division_by_zero, remainder_by_zero, division_overflow, assert_plain, assert_message,
    assert_equality, panic_literal, panic_formatted, unreachable_arm, todo_branch, unwrap_none, overflow_add,
    overflow_sub, overflow_mul, overflow_neg, overlong_shift, trap_in_callee, trap_in_loop, trap_after_writes, slice_range_end, slice_range_order,
    debug_assertion, not_equal_assertion, trap_order, overflow_small, overflow_long, trap_in_match_guard, unreachable_message,
    panic_of_four, panic_of_widths, assertion_with_values, pairs_compared, changed_in_text,
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

#[routine]
fn panic_of_four(a: u32, b: i32, c: bool, d: f32) -> u32 {
    assert!(a % 3 != 1, "{a} {b} {c} {d}");
    if b < 0 {
        panic!("{c:?} of {}, {d:.2} and {a:#x}", b / 2);
    }
    if c {
        unreachable!("{0} {0} {1}", a % 7, b % 7);
    }
    a / 3
}

#[routine]
fn panic_of_widths(a: u64, b: u8, c: char, d: i128) -> u64 {
    assert!(a % 3 != 1, "{b} {a} {c}");
    assert!(a % 3 != 2, "{:>1$} of {c}", b, (b % 9) as usize);
    assert!(d > 0, "{d}");
    a / 3
}

#[routine]
fn assertion_with_values(a: u32, b: u32) -> u32 {
    assert_eq!(a % 3, b % 3, "of {a} and {}", b);
    assert_ne!(a % 5, b % 5, "in {}", "rounds");
    debug_assert_eq!(a % 2, 0, "{b:?} and no more");
    a ^ b
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
enum Cell {
    Free,
    Taken(u32),
}

#[routine]
fn pairs_compared(a: u64, b: u64, c: u32) -> u64 {
    let cell = if c % 3 == 0 { Cell::Free } else { Cell::Taken(c) };
    assert_eq!(cell, Cell::Taken(c));
    assert_eq!((a % 2, c as u8), (b % 2, c as u8));
    assert_eq!((a % 3) as u8, (b % 3) as u8, "{}", "");
    a
}

#[routine]
fn changed_in_text(a: u32) -> [u32; 2] {
    let mut asked = 0;
    let mut next = || {
        asked += 1;
        asked
    };
    assert!(a % 3 != 1, "{} {} {}", next(), next(), next());
    assert_eq!(next(), 1 + a % 2, "{} then {}", next(), next());
    [asked, a]
}

/// What a text shows that has more in it than a trap records.
#[routine]
fn shows_much(a: u64, kind: u32) -> u32 {
    let wide = u128::from(a);
    match kind {
        0 => panic!("{a} {a} {a}"),
        1 => panic!("{kind} {a} {a} {kind}"),
        2 => panic!("{kind} {wide} {kind}"),
        3 => assert_eq!(wide, 8, "not {}", kind),
        4 => assert_eq!([kind; 3], [a as u32; 3]),
        5 => panic!("{kind} {kind} {kind} {kind} {kind} {a} {}", kind + 1),
        6 => panic!("{:1$} {2:3$}", kind, 3, kind, 4),
        _ => panic!("{} {} {}", "a text", "another", kind),
    }
    kind
}

/// Numbers and texts are whole or not there, what else has parts is shown as far as it goes, and the function itself says all.
#[test]
fn texts_show_what_is_recorded() {
    let texts = [
        ("7 7 ?", "7 7 7"),
        ("1 7 ? 1", "1 7 7 1"),
        ("2 ? 2", "2 7 2"),
        (
            "assertion `left == right` failed: not 3\n  left: ?\n right: ?",
            "assertion `left == right` failed: not 3\n  left: 7\n right: 8",
        ),
        (
            "assertion `left == right` failed\n  left: [4, 4, ?]\n right: [7, 7, ?]",
            "assertion `left == right` failed\n  left: [4, 4, 4]\n right: [7, 7, 7]",
        ),
        ("5 5 5 5 ? ? ?", "5 5 5 5 5 7 6"),
        ("  6    6", "  6    6"),
        ("a text another ?", "a text another 7"),
    ];
    for engine in crate::harness::ENGINES {
        for (kind, (recorded, whole)) in (0u32..).zip(texts) {
            let launch = crate::harness::runtime().launch("shows_much").unwrap();
            let error = launch.args((&[7u64], kind)).engine(engine).run().unwrap_err();
            let gpuvm::Error::Trap(report) = error else {
                panic!("{engine}: {error}")
            };
            let expected = if engine == Engine::Native { whole } else { recorded };
            assert_eq!(report.message, expected, "{engine}");
        }
    }
}
