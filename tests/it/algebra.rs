//! Loops that are powers of a linear map, or nearly so, as users write them: equal to stepping. How far they jump is in `jumps`.

use gpuvm::prelude::*;

cases! {
    lcg_signed_count, lcg_long_count, lcg_long_signed_count, lcg_between, lcg_down, lcg_long_down, lcg_up_while, count_read_after,
    high_half_read, xorshift_long_count, fibonacci_pair, crc_masked, crc_multiplied, crc_if, crc_if_shared, crc_if_long_count,
    crc_high_bit, crc_sign, crc_bytes, four_taps, four_taps_in_array, xoshiro_jump, side_by_side, sums_of_sums, turns_in_turns,
    rotation_by_or, wide_xorshift, affine_beside_products, called_steps, crc_text, feedback_register, counted_back, lcg_signed_up,
    loops_in_a_row,
}

pub const A: u32 = 1_664_525;
pub const C: u32 = 1_013_904_223;
const POLYNOMIAL: u32 = 0xedb8_8320;

#[routine]
fn lcg_signed_count(x: u32, n: i32) -> u32 {
    let mut x = x;
    for _ in 0..n % 200 {
        x = x.wrapping_mul(A).wrapping_add(C);
    }
    x
}

#[routine]
pub fn lcg_jump(x: u32, n: u64) -> u32 {
    let mut x = x;
    for _ in 0..n {
        x = x.wrapping_mul(A).wrapping_add(C);
    }
    x
}

#[routine]
fn lcg_long_count(x: u32, n: u64) -> u32 {
    lcg_jump(x, n % 200)
}

#[routine]
fn lcg_long_signed_count(x: u32, n: i64) -> u32 {
    let mut x = x;
    for _ in -100..n % 100 {
        x = x.wrapping_mul(A).wrapping_add(C);
    }
    x
}

#[routine]
fn lcg_between(x: u32, from: u64, n: u32) -> u32 {
    let mut x = x;
    for _ in from..from.saturating_add((n % 200) as u64) {
        x = x.wrapping_mul(A).wrapping_add(C);
    }
    x
}

#[routine]
fn lcg_down(x: u32, n: u32) -> u32 {
    let mut x = x;
    let mut n = n % 200;
    while n > 0 {
        x = x.wrapping_mul(A).wrapping_add(C);
        n -= 1;
    }
    x
}

#[routine]
fn lcg_long_down(x: u32, n: u64) -> u32 {
    let mut x = x;
    let mut n = n % 200;
    while n != 0 {
        x = x.wrapping_mul(A).wrapping_add(C);
        n = n.wrapping_sub(1);
    }
    x
}

#[routine]
fn lcg_up_while(x: u32, n: u64) -> u32 {
    let mut x = x;
    let mut i = 0;
    while i < n % 200 {
        x = x.wrapping_mul(A).wrapping_add(C);
        i += 1;
    }
    x
}

#[routine]
fn count_read_after(x: u32, from: u64, n: u64) -> (u32, u64) {
    let mut x = x;
    let mut i = from;
    let to = from.wrapping_add(n % 200);
    while i != to {
        x = x.wrapping_mul(A).wrapping_add(C);
        i = i.wrapping_add(1);
    }
    (x, i)
}

#[routine]
fn high_half_read(x: u32, from: u64, n: u64) -> u32 {
    let mut x = x;
    let mut i = from;
    let to = from.wrapping_add(n % 200);
    while i != to {
        i = i.wrapping_add(1);
        x = x.wrapping_mul(A) ^ ((i >> 32) as u32);
    }
    x
}

#[routine]
pub fn xorshift_far(x: u32, n: u64) -> u32 {
    let mut x = x;
    for _ in 0..n {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    x
}

#[routine]
fn xorshift_long_count(x: u32, n: u64) -> u32 {
    xorshift_far(x, n % 200)
}

#[routine]
pub fn fibonacci_far(a: u32, b: u32, n: u32) -> u32 {
    let (mut a, mut b) = (a, b);
    for _ in 0..n {
        (a, b) = (b, a.wrapping_add(b));
    }
    a
}

#[routine]
fn fibonacci_pair(a: u32, b: u32, n: u32) -> u32 {
    fibonacci_far(a, b, n % 200)
}

#[routine]
fn crc_masked(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n % 200 {
        let mask = 0u32.wrapping_sub(c & 1);
        c = (c >> 1) ^ (POLYNOMIAL & mask);
    }
    c
}

#[routine]
fn crc_multiplied(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n % 200 {
        c = (c >> 1) ^ (c & 1).wrapping_mul(POLYNOMIAL);
    }
    c
}

#[routine]
pub fn crc_far(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n {
        c = if c & 1 != 0 { (c >> 1) ^ POLYNOMIAL } else { c >> 1 };
    }
    c
}

#[routine]
fn crc_if(c: u32, n: u32) -> u32 {
    crc_far(c, n % 200)
}

#[routine]
fn crc_if_shared(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n % 200 {
        let low = c & 1;
        c >>= 1;
        if low == 1 {
            c ^= POLYNOMIAL;
        }
    }
    c
}

#[routine]
fn crc_if_long_count(c: u32, n: u64) -> u32 {
    let mut c = c;
    for _ in 0..n % 200 {
        c = if c & 1 == 0 { c >> 1 } else { (c >> 1) ^ POLYNOMIAL };
    }
    c
}

#[routine]
fn crc_high_bit(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n % 200 {
        c = if c & 0x8000_0000 != 0 {
            (c << 1) ^ 0x04c1_1db7
        } else {
            c << 1
        };
    }
    c
}

#[routine]
fn crc_sign(c: i32, n: u32) -> i32 {
    let mut c = c;
    for _ in 0..n % 200 {
        c = if c < 0 { (c << 1) ^ 0x04c1_1db7 } else { c << 1 };
    }
    c
}

#[routine]
fn crc_bytes(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n % 100 {
        for _ in 0..8 {
            c = if c & 1 != 0 { (c >> 1) ^ POLYNOMIAL } else { c >> 1 };
        }
    }
    c
}

#[routine]
pub fn four_taps_far(start: [u32; 4], n: u32) -> u32 {
    let [mut a, mut b, mut c, mut d] = start;
    for _ in 0..n {
        let e = a
            .wrapping_mul(3)
            .wrapping_add(b.wrapping_mul(5))
            .wrapping_sub(c)
            .wrapping_add(d.wrapping_mul(7));
        (a, b, c, d) = (b, c, d, e);
    }
    d
}

#[routine]
fn four_taps(a: u32, b: u32, n: u32) -> u32 {
    four_taps_far([a, b, 1, 2], n % 200)
}

#[routine]
fn four_taps_in_array(a: i32, b: i32, n: u32) -> i32 {
    let mut w = [a, b, 1, 2];
    for _ in 0..n % 200 {
        let next = w[0].wrapping_add(w[1].wrapping_mul(2)).wrapping_sub(w[3]);
        w = [w[1], w[2], w[3], next];
    }
    w[3]
}

/// xoshiro128++, whose engine is linear and whose output is not.
#[derive(VmType, Clone, Copy, Debug, PartialEq)]
pub struct Xoshiro {
    pub s: [u32; 4],
}

#[routine]
impl Xoshiro {
    pub fn next(&mut self) -> u32 {
        let result = self.s[0].wrapping_add(self.s[3]).rotate_left(7).wrapping_add(self.s[0]);
        let t = self.s[1] << 9;
        self.s[2] ^= self.s[0];
        self.s[3] ^= self.s[1];
        self.s[1] ^= self.s[2];
        self.s[0] ^= self.s[3];
        self.s[2] ^= t;
        self.s[3] = self.s[3].rotate_left(11);
        result
    }
}

#[routine]
pub fn xoshiro_far(start: [u32; 4], n: u64) -> u32 {
    let mut engine = Xoshiro { s: start };
    for _ in 0..n {
        engine.next();
    }
    engine.next()
}

#[routine]
fn xoshiro_jump(a: u32, b: u32, n: u64) -> u32 {
    xoshiro_far([a, b, 3, 4], n % 200)
}

#[routine]
fn side_by_side(x: u32, n: u32) -> (u32, u32, u32) {
    let (mut x, mut y, mut sum) = (x, x | 1, 0u32);
    for i in 0..n % 200 {
        x = x.wrapping_mul(A).wrapping_add(C);
        y ^= y << 13;
        y ^= y >> 17;
        y ^= y << 5;
        sum = sum.wrapping_add(i);
    }
    (x, y, sum)
}

#[routine]
fn sums_of_sums(n: u64) -> (u32, u32) {
    let (mut sum, mut sums) = (0u32, 0u32);
    for i in 0..n % 200 {
        sum = sum.wrapping_add(i as u32);
        sums = sums.wrapping_add(sum);
    }
    (sum, sums)
}

#[routine]
fn turns_in_turns(x: u32, n: u32, m: u32) -> u32 {
    let mut x = x;
    for _ in 0..n % 20 {
        for _ in 0..100 {
            x = x.wrapping_mul(A).wrapping_add(C);
        }
        x = x.wrapping_add(7);
    }
    for _ in 0..n % 7 {
        for _ in 0..m % 200 {
            x ^= x << 13;
            x ^= x >> 17;
        }
        x = x.wrapping_mul(3);
    }
    x
}

#[routine]
fn rotation_by_or(x: u32, n: u32) -> u32 {
    let mut x = x;
    for _ in 0..n % 200 {
        x = ((x << 5) | (x >> 27)) ^ (x >> 3);
    }
    x
}

#[routine]
fn wide_xorshift(x: u64, n: u32) -> u64 {
    let mut x = x | 1;
    for _ in 0..n % 200 {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    x
}

#[routine]
fn affine_beside_products(x: u32, n: u32) -> (u32, u32) {
    let (mut x, mut y, mut most) = (x, x, 0);
    for _ in 0..n % 200 {
        x = x.wrapping_mul(A).wrapping_add(C);
        y = y.wrapping_mul(y) ^ 5;
        most = most.max(y);
    }
    (x, most)
}

#[routine]
fn lcg_step(x: u32) -> u32 {
    x.wrapping_mul(A).wrapping_add(C)
}

#[routine]
fn crc_step(c: u32) -> u32 {
    if c & 1 != 0 { (c >> 1) ^ POLYNOMIAL } else { c >> 1 }
}

#[routine]
fn called_steps(x: u32, n: u32) -> (u32, u32) {
    let (mut x, mut c) = (x, x);
    for _ in 0..n % 200 {
        x = lcg_step(x);
        c = crc_step(c);
    }
    (x, c)
}

#[routine]
fn crc_text(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n % 100 {
        c ^= 0x41;
        for _ in 0..8 {
            c = crc_step(c);
        }
    }
    c
}

#[routine]
fn feedback_register(c: u32, n: u32) -> u32 {
    let mut c = c;
    for _ in 0..n % 200 {
        let bit = (c ^ (c >> 2) ^ (c >> 3) ^ (c >> 5)) & 1;
        c = (c >> 1) | (bit << 31);
    }
    c
}

#[routine]
fn counted_back(x: u32, n: u32) -> (u32, u32) {
    let (mut x, mut sum) = (x, 0u32);
    for i in (0..n % 200).rev() {
        x = lcg_step(x);
        sum = sum.wrapping_add(i);
    }
    (x, sum)
}

#[routine]
fn lcg_signed_up(x: u32, from: i32, n: i32) -> u32 {
    let mut x = x;
    let mut i = from % 100;
    while i < n % 100 {
        x = lcg_step(x);
        i += 1;
    }
    x
}

#[routine]
fn loops_in_a_row(x: u32, n: u32) -> u32 {
    let (mut x, n) = (x, n % 200);
    for _ in 0..n {
        x = lcg_step(x);
    }
    for _ in 0..n {
        x = crc_step(x);
    }
    for _ in 0..n {
        x = x.wrapping_add(n);
    }
    x
}
