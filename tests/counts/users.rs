//! Chains as users write them: as many instructions, within 5 %, as the loop that one would write by hand.

use gpuvm::prelude::*;

#[routine]
fn dot_of_fours(data: &[u32], n: u32) -> u32 {
    data.chunks_exact(4)
        .zip(data.chunks_exact(4).skip(1))
        .map(|(a, b)| (a[0] % 100) * (b[1] % 100) + n % 10)
        .sum()
}

#[routine]
fn dot_of_fours_by_hand(data: &[u32], n: u32) -> u32 {
    let mut s = 0;
    let mut i = 0;
    while i + 8 <= data.len() {
        s += (data[i] % 100) * (data[i + 5] % 100) + n % 10;
        i += 4;
    }
    s
}

#[routine]
fn rises(data: &[u32], n: u32) -> u32 {
    data.windows(3)
        .filter(|w| w[0] < w[1] && w[1] < w[2].wrapping_add(n))
        .count() as u32
}

#[routine]
fn rises_by_hand(data: &[u32], n: u32) -> u32 {
    let mut count = 0;
    let mut i = 0;
    while i + 3 <= data.len() {
        if data[i] < data[i + 1] && data[i + 1] < data[i + 2].wrapping_add(n) {
            count += 1;
        }
        i += 1;
    }
    count
}

#[routine]
fn balance(data: &[u32], n: u32) -> u32 {
    data.iter()
        .scan(n, |left, x| {
            *left = left.checked_sub(x % 4)?;
            Some(*left)
        })
        .last()
        .unwrap_or(n)
}

#[routine]
fn balance_by_hand(data: &[u32], n: u32) -> u32 {
    let mut left = n;
    let mut i = 0;
    while i < data.len() {
        let Some(now) = left.checked_sub(data[i] % 4) else {
            break;
        };
        left = now;
        i += 1;
    }
    left
}

const SUM: &str = "12+345+6789+10+0+99+1234+5+66+777+8888+99999+1+22+333+4444";

#[routine]
fn parsed(_: &[u32], n: u32) -> u32 {
    let mut text = SUM.bytes().peekable();
    let mut sum = n;
    while let Some(&byte) = text.peek() {
        if byte == b'+' {
            text.next();
        } else {
            let mut value = 0;
            while let Some(digit) = text.next_if(u8::is_ascii_digit) {
                value = value * 10 + u32::from(digit - b'0');
            }
            sum = sum.wrapping_mul(31) ^ value;
        }
    }
    sum
}

#[routine]
fn parsed_by_hand(_: &[u32], n: u32) -> u32 {
    let text = SUM.as_bytes();
    let mut sum = n;
    let mut i = 0;
    while i < text.len() {
        if text[i] == b'+' {
            i += 1;
        } else {
            let mut value = 0;
            while i < text.len() && text[i].is_ascii_digit() {
                value = value * 10 + u32::from(text[i] - b'0');
                i += 1;
            }
            sum = sum.wrapping_mul(31) ^ value;
        }
    }
    sum
}

#[routine]
fn from_behind(_: &[u32], n: u32) -> u32 {
    let mut s = n;
    for (i, byte) in SUM.bytes().rev().enumerate() {
        s = s.wrapping_mul(31) ^ u32::from(byte).wrapping_mul(i as u32);
    }
    s
}

#[routine]
fn from_behind_by_hand(_: &[u32], n: u32) -> u32 {
    let text = SUM.as_bytes();
    let mut s = n;
    let mut i = text.len();
    while i > 0 {
        i -= 1;
        s = s.wrapping_mul(31) ^ u32::from(text[i]).wrapping_mul((text.len() - 1 - i) as u32);
    }
    s
}

#[routine]
fn digits(_: &[u32], n: u32) -> u32 {
    SUM.chars()
        .filter_map(|c| c.to_digit(10))
        .fold(n, |s, digit| s.wrapping_mul(10).wrapping_add(digit))
}

#[routine]
fn digits_by_hand(_: &[u32], n: u32) -> u32 {
    let mut s = n;
    for c in SUM.chars() {
        if let Some(digit) = c.to_digit(10) {
            s = s.wrapping_mul(10).wrapping_add(digit);
        }
    }
    s
}

#[routine]
fn added_in_place(data: &[u32], n: u32) -> u32 {
    let mut sums = [n; 64];
    sums.iter_mut()
        .zip(data)
        .for_each(|(sum, x)| *sum = sum.wrapping_add(*x));
    sums[(n % 64) as usize]
}

#[routine]
fn added_in_place_by_hand(data: &[u32], n: u32) -> u32 {
    let mut sums = [n; 64];
    let mut i = 0;
    while i < sums.len() && i < data.len() {
        sums[i] = sums[i].wrapping_add(data[i]);
        i += 1;
    }
    sums[(n % 64) as usize]
}

/// The grid's side.
const SIDE: i32 = 20;

#[routine]
fn living_neighbours(data: &[u32], n: u32) -> u32 {
    let mut s = n;
    for cell in 0..SIDE * SIDE {
        let (x, y) = (cell % SIDE, cell / SIDE);
        let alive = (-1..=1)
            .flat_map(|dy| (-1..=1).map(move |dx| (dx, dy)))
            .filter(|&(dx, dy)| (dx, dy) != (0, 0))
            .map(|(dx, dy)| (x + dx, y + dy))
            .filter(|&(x, y)| (0..SIDE).contains(&x) && (0..SIDE).contains(&y))
            .filter(|&(x, y)| data[(y * SIDE + x) as usize] % 2 == 1)
            .count();
        s = s.wrapping_mul(31) ^ alive as u32;
    }
    s
}

#[routine]
#[allow(
    clippy::manual_range_contains,
    reason = "it is what one writes by hand that is counted"
)]
fn living_neighbours_by_hand(data: &[u32], n: u32) -> u32 {
    let mut s = n;
    for cell in 0..SIDE * SIDE {
        let (x, y) = (cell % SIDE, cell / SIDE);
        let mut alive = 0;
        let mut dy = -1;
        while dy <= 1 {
            let mut dx = -1;
            while dx <= 1 {
                if (dx, dy) != (0, 0) {
                    let (x, y) = (x + dx, y + dy);
                    if 0 <= x && x < SIDE && 0 <= y && y < SIDE && data[(y * SIDE + x) as usize] % 2 == 1 {
                        alive += 1;
                    }
                }
                dx += 1;
            }
            dy += 1;
        }
        s = s.wrapping_mul(31) ^ alive;
    }
    s
}

#[routine]
fn keyed(data: &[u32], n: u32) -> u32 {
    let key = [n, n ^ 1, n ^ 5];
    key.iter()
        .cycle()
        .take(1_000)
        .zip(data)
        .fold(0, |s: u32, (key, x)| s.wrapping_mul(31) ^ key ^ x)
}

#[routine]
fn keyed_by_hand(data: &[u32], n: u32) -> u32 {
    let key = [n, n ^ 1, n ^ 5];
    let mut s = 0u32;
    let (mut i, mut k) = (0, 0);
    while i < 1_000 && i < data.len() {
        if k == key.len() {
            k = 0;
        }
        s = s.wrapping_mul(31) ^ key[k] ^ data[i];
        i += 1;
        k += 1;
    }
    s
}

#[routine]
fn last_place(data: &[u32], n: u32) -> u32 {
    data.iter()
        .rposition(|&x| x % 4_096 == n)
        .map_or(0, |place| place as u32)
}

#[routine]
fn last_place_by_hand(data: &[u32], n: u32) -> u32 {
    let mut i = data.len();
    while i > 0 {
        i -= 1;
        if data[i] % 4_096 == n {
            return i as u32;
        }
    }
    0
}

#[routine]
fn nearest(data: &[u32], n: u32) -> u32 {
    data.iter()
        .map(|&x| (x as f32 - n as f32).abs())
        .min_by(|a, b| a.partial_cmp(b).unwrap())
        .map_or(0, |distance| distance as u32)
}

#[routine]
fn nearest_by_hand(data: &[u32], n: u32) -> u32 {
    let mut nearest = f32::INFINITY;
    let mut i = 0;
    while i < data.len() {
        let distance = (data[i] as f32 - n as f32).abs();
        assert!(!distance.is_nan());
        if distance < nearest {
            nearest = distance;
        }
        i += 1;
    }
    nearest as u32
}

#[routine]
fn table(_: &[u32], n: u32) -> u32 {
    let squares: [u32; 100] = std::array::from_fn(|i| (i as u32).wrapping_mul(n));
    squares.into_iter().rev().fold(n, |s, x| s.wrapping_mul(31) ^ x)
}

#[routine]
fn table_by_hand(_: &[u32], n: u32) -> u32 {
    let mut squares = [0u32; 100];
    let mut i = 0;
    while i < squares.len() {
        squares[i] = (i as u32).wrapping_mul(n);
        i += 1;
    }
    let mut s = n;
    while i > 0 {
        i -= 1;
        s = s.wrapping_mul(31) ^ squares[i];
    }
    s
}

crate::chains::as_by_hand! {
    dot_of_fours, dot_of_fours_by_hand;
    rises, rises_by_hand;
    balance, balance_by_hand;
    parsed, parsed_by_hand;
    from_behind, from_behind_by_hand;
    digits, digits_by_hand;
    added_in_place, added_in_place_by_hand;
    living_neighbours, living_neighbours_by_hand;
    keyed, keyed_by_hand;
    last_place, last_place_by_hand;
    nearest, nearest_by_hand;
    table, table_by_hand;
}
