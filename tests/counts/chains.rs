//! Std's own iterators: a chain takes as many instructions, within 5 %, as the loop that one would write by hand.

use gpuvm::prelude::*;

#[routine]
fn squares(data: &[u32], n: u32) -> u32 {
    data.iter()
        .map(|x| x.wrapping_mul(*x))
        .filter(|x| x % 3 != n % 3)
        .fold(n, |s, x| s ^ x)
}

#[routine]
fn squares_by_hand(data: &[u32], n: u32) -> u32 {
    let mut s = n;
    let mut i = 0;
    while i < data.len() {
        let x = data[i].wrapping_mul(data[i]);
        if x % 3 != n % 3 {
            s ^= x;
        }
        i += 1;
    }
    s
}

#[routine]
fn numbered(data: &[u32], n: u32) -> u32 {
    let mut s = n;
    for (i, x) in data.iter().enumerate() {
        s = s.wrapping_mul(31) ^ x.wrapping_add(i as u32);
    }
    s
}

#[routine]
fn numbered_by_hand(data: &[u32], n: u32) -> u32 {
    let mut s = n;
    let mut i = 0;
    while i < data.len() {
        s = s.wrapping_mul(31) ^ data[i].wrapping_add(i as u32);
        i += 1;
    }
    s
}

#[routine]
fn products(data: &[u32], n: u32) -> u32 {
    (0..n)
        .zip(data.iter())
        .map(|(i, x)| i.wrapping_mul(*x))
        .fold(0, |s: u32, x| s.wrapping_add(x))
}

#[routine]
fn products_by_hand(data: &[u32], n: u32) -> u32 {
    let mut s = 0u32;
    let mut i = 0;
    while i < n && (i as usize) < data.len() {
        s = s.wrapping_add(i.wrapping_mul(data[i as usize]));
        i += 1;
    }
    s
}

#[routine]
fn backwards(data: &[u32], n: u32) -> u32 {
    data.iter().rev().skip(2).take_while(|x| **x != n).count() as u32
}

#[routine]
fn backwards_by_hand(data: &[u32], n: u32) -> u32 {
    let mut count = 0;
    let mut i = data.len().saturating_sub(2);
    while i > 0 && data[i - 1] != n {
        count += 1;
        i -= 1;
    }
    count
}

#[routine]
fn one_after_the_other(data: &[u32], n: u32) -> u32 {
    data.iter()
        .chain(data[..data.len() / 2].iter())
        .fold(n, |s, x| s.wrapping_mul(31) ^ x)
}

#[routine]
fn one_after_the_other_by_hand(data: &[u32], n: u32) -> u32 {
    let mut s = n;
    let mut i = 0;
    while i < data.len() {
        s = s.wrapping_mul(31) ^ data[i];
        i += 1;
    }
    i = 0;
    while i < data.len() / 2 {
        s = s.wrapping_mul(31) ^ data[i];
        i += 1;
    }
    s
}

#[routine]
fn every_third(data: &[u32], n: u32) -> u32 {
    data.iter().step_by(3).fold(n, |s, x| s.wrapping_mul(31) ^ x)
}

#[routine]
fn every_third_by_hand(data: &[u32], n: u32) -> u32 {
    let mut s = n;
    let mut i = 0;
    while i < data.len() {
        s = s.wrapping_mul(31) ^ data[i];
        i += 3;
    }
    s
}

#[routine]
fn neighbours(data: &[u32], n: u32) -> u32 {
    data.windows(2)
        .filter(|pair| pair[0] > pair[1])
        .fold(n, |s, pair| s.wrapping_add(pair[0] - pair[1]))
}

#[routine]
fn neighbours_by_hand(data: &[u32], n: u32) -> u32 {
    let mut s = n;
    let mut i = 0;
    while i + 2 <= data.len() {
        if data[i] > data[i + 1] {
            s = s.wrapping_add(data[i] - data[i + 1]);
        }
        i += 1;
    }
    s
}

#[routine]
fn quarters(data: &[u32], n: u32) -> u32 {
    data.chunks_exact(4)
        .map(|part| part[0] ^ part[3])
        .fold(n, |s, x| s.wrapping_mul(31) ^ x)
}

#[routine]
fn quarters_by_hand(data: &[u32], n: u32) -> u32 {
    let mut s = n;
    let mut i = 0;
    while i + 4 <= data.len() {
        s = s.wrapping_mul(31) ^ data[i] ^ data[i + 3];
        i += 4;
    }
    s
}

#[routine]
fn rows(_: &[u32], n: u32) -> u32 {
    (0..n / 20)
        .flat_map(|row| 0..row)
        .fold(n, |s, x| s.wrapping_mul(31) ^ x)
}

#[routine]
fn rows_by_hand(_: &[u32], n: u32) -> u32 {
    let mut s = n;
    let mut row = 0;
    while row < n / 20 {
        let mut x = 0;
        while x < row {
            s = s.wrapping_mul(31) ^ x;
            x += 1;
        }
        row += 1;
    }
    s
}

#[routine]
fn running(data: &[u32], n: u32) -> u32 {
    data.iter()
        .scan(n, |sum, x| {
            *sum = sum.wrapping_add(*x);
            Some(*sum)
        })
        .fold(0, |s, x| s ^ x)
}

#[routine]
fn running_by_hand(data: &[u32], n: u32) -> u32 {
    let (mut sum, mut s) = (n, 0);
    let mut i = 0;
    while i < data.len() {
        sum = sum.wrapping_add(data[i]);
        s ^= sum;
        i += 1;
    }
    s
}

#[routine]
fn middle(data: &[u32], n: u32) -> u32 {
    data.iter().skip(100).take(500).fold(n, |s, x| s.wrapping_mul(31) ^ x)
}

#[routine]
fn middle_by_hand(data: &[u32], n: u32) -> u32 {
    let mut s = n;
    let mut i = 100;
    while i < data.len() && i < 600 {
        s = s.wrapping_mul(31) ^ data[i];
        i += 1;
    }
    s
}

#[routine]
fn from_the_first_large(data: &[u32], n: u32) -> u32 {
    data.iter()
        .copied()
        .skip_while(|x| *x < 60_000)
        .map(|x| x / 7)
        .fold(n, |s, x| s.wrapping_mul(31) ^ x)
}

#[routine]
fn from_the_first_large_by_hand(data: &[u32], n: u32) -> u32 {
    let mut s = n;
    let mut i = 0;
    while i < data.len() && data[i] < 60_000 {
        i += 1;
    }
    while i < data.len() {
        s = s.wrapping_mul(31) ^ (data[i] / 7);
        i += 1;
    }
    s
}

#[routine]
fn halves(data: &[u32], n: u32) -> u32 {
    data.iter()
        .filter_map(|x| if x & 1 == 0 { Some(x / 2) } else { None })
        .fold(n, |s, x| s ^ x)
}

#[routine]
fn halves_by_hand(data: &[u32], n: u32) -> u32 {
    let mut s = n;
    let mut i = 0;
    while i < data.len() {
        if data[i] & 1 == 0 {
            s ^= data[i] / 2;
        }
        i += 1;
    }
    s
}

#[routine]
fn largest(data: &[u32], n: u32) -> u32 {
    data.iter().map(|x| x ^ n).max().unwrap_or(0)
}

#[routine]
fn largest_by_hand(data: &[u32], n: u32) -> u32 {
    let mut largest = 0;
    let mut i = 0;
    while i < data.len() {
        let x = data[i] ^ n;
        if x >= largest {
            largest = x;
        }
        i += 1;
    }
    largest
}

#[routine]
fn place(data: &[u32], n: u32) -> u32 {
    data.iter().position(|x| *x == n).map_or(0, |place| place as u32)
}

#[routine]
fn place_by_hand(data: &[u32], n: u32) -> u32 {
    let mut i = 0;
    while i < data.len() {
        if data[i] == n {
            return i as u32;
        }
        i += 1;
    }
    0
}

#[routine]
fn collatz(_: &[u32], n: u32) -> u32 {
    std::iter::successors(Some(n), |x| {
        if *x == 1 {
            None
        } else {
            Some(if x & 1 == 0 { x / 2 } else { 3 * x + 1 })
        }
    })
    .fold(0, |s: u32, x| s.wrapping_mul(31) ^ x)
}

#[routine]
fn collatz_by_hand(_: &[u32], n: u32) -> u32 {
    let mut s = 0u32;
    let mut x = n;
    loop {
        s = s.wrapping_mul(31) ^ x;
        if x == 1 {
            return s;
        }
        x = if x & 1 == 0 { x / 2 } else { 3 * x + 1 };
    }
}

#[routine]
fn through(_: &[u32], n: u32) -> u32 {
    (1..=n).map(|x| x ^ n).sum()
}

#[routine]
fn through_by_hand(_: &[u32], n: u32) -> u32 {
    let mut s = 0;
    let mut x = 1;
    while x <= n {
        s += x ^ n;
        x += 1;
    }
    s
}

#[routine]
#[allow(clippy::manual_contains, reason = "it is `any` that is counted")]
fn all_below(data: &[u32], n: u32) -> u32 {
    u32::from(data.iter().all(|x| *x < 70_000)) + u32::from(data.iter().any(|x| *x == n))
}

#[routine]
fn all_below_by_hand(data: &[u32], n: u32) -> u32 {
    let (mut all, mut any) = (true, false);
    let mut i = 0;
    while i < data.len() {
        if data[i] >= 70_000 {
            all = false;
            break;
        }
        i += 1;
    }
    i = 0;
    while i < data.len() {
        if data[i] == n {
            any = true;
            break;
        }
        i += 1;
    }
    u32::from(all) + u32::from(any)
}

#[routine]
fn by_all_adaptors(_: &[u32], n: u32) -> u32 {
    (0..n)
        .rev()
        .step_by(7)
        .take_while(|x| *x > 3)
        .flat_map(|x| 0..x % 5)
        .fold(n, |s, x| s.wrapping_mul(31) ^ x)
}

#[routine]
fn by_all_adaptors_by_hand(_: &[u32], n: u32) -> u32 {
    let mut s = n;
    let mut x = n - 1;
    while x > 3 {
        let mut y = 0;
        while y < x % 5 {
            s = s.wrapping_mul(31) ^ y;
            y += 1;
        }
        if x < 7 {
            break;
        }
        x -= 7;
    }
    s
}

#[routine]
fn drawn(_: &[u32], n: u32) -> u32 {
    let mut state = n;
    std::iter::from_fn(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        Some(state >> 16)
    })
    .take(1_000)
    .inspect(|x| assert!(*x < 65_536))
    .fold(0, |s, x| s ^ x)
}

#[routine]
fn drawn_by_hand(_: &[u32], n: u32) -> u32 {
    let (mut state, mut s) = (n, 0);
    let mut i = 0;
    while i < 1_000 {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let x = state >> 16;
        assert!(x < 65_536);
        s ^= x;
        i += 1;
    }
    s
}

/// How many numbers the walks go over.
const LENGTH: usize = 5_000;

/// The arguments of all walks.
pub fn arguments() -> (Vec<u32>, u32) {
    let data = (0..LENGTH as u32).map(|i| i.wrapping_mul(40_503) % 65_521).collect();
    (data, 4_001)
}

macro_rules! as_by_hand {
    ($($chain:ident, $by_hand:ident;)*) => {
        mod takes_as_many_as {
            $(
                #[test]
                fn $chain() {
                    let (data, n) = $crate::chains::arguments();
                    let right = super::$chain(&data, n);
                    assert_eq!(right, super::$by_hand(&data, n));
                    $crate::takes_as_many(stringify!($chain), stringify!($by_hand), (&data[..], &[n][..]), right);
                }
            )*
        }
    };
}
pub(crate) use as_by_hand;

as_by_hand! {
    squares, squares_by_hand;
    numbered, numbered_by_hand;
    products, products_by_hand;
    backwards, backwards_by_hand;
    one_after_the_other, one_after_the_other_by_hand;
    every_third, every_third_by_hand;
    neighbours, neighbours_by_hand;
    quarters, quarters_by_hand;
    rows, rows_by_hand;
    running, running_by_hand;
    middle, middle_by_hand;
    from_the_first_large, from_the_first_large_by_hand;
    halves, halves_by_hand;
    largest, largest_by_hand;
    place, place_by_hand;
    collatz, collatz_by_hand;
    through, through_by_hand;
    all_below, all_below_by_hand;
    by_all_adaptors, by_all_adaptors_by_hand;
    drawn, drawn_by_hand;
}
