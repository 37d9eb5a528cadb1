//! Arrays: literals, repeats, run-time indices, nesting, copies, iteration, arrays as results.

use gpuvm::prelude::*;

cases! {
    literal_and_index, repeat_and_fill, matrix_product, copies_are_values, array_result, sieve, insertion_sort, rotate_window,
    array_of_tuples, array_of_bools, histogram_local, prefix_sums, array_of_longs, index_expressions, swap_elements,
    array_length_methods, nested_arrays_assigned, array_equality, long_copies, long_behind_references, long_in_structs,
    repeated_by_function,
}

#[routine]
fn literal_and_index(i: u32) -> u32 {
    let primes = [2, 3, 5, 7, 11, 13, 17, 19];
    primes[(i % 8) as usize]
}

#[routine]
fn repeat_and_fill(a: u32, n: u32) -> u32 {
    let mut values = [a % 16; 12];
    for i in 0..n % 13 {
        values[i as usize] = i * 3;
    }
    values[0] + values[5] * 2 + values[11] * 100
}

#[routine]
fn matrix_product(a: f32, b: f32) -> [[f32; 2]; 2] {
    let m = [[a, 1.0], [b, -2.0]];
    let n = [[0.5, b], [a, 3.0]];
    let mut product = [[0.0; 2]; 2];
    for i in 0..2 {
        for j in 0..2 {
            for k in 0..2 {
                product[i][j] += m[i][k] * n[k][j];
            }
        }
    }
    product
}

#[routine]
fn copies_are_values(a: u32, k: u32) -> (u32, u32) {
    let original = [a, 1, 2];
    let mut copy = original;
    copy[(k % 3) as usize] = 99;
    let again = copy;
    copy[0] = 7;
    (original[(k % 3) as usize], again[0] ^ copy[0])
}

#[routine]
fn array_result(a: i32, b: i32) -> [i32; 4] {
    let mut out = [a, b, 0, 0];
    out[2] = a ^ b;
    out[3] = out[2] >> 1;
    if a < b { [out[3], out[2], out[1], out[0]] } else { out }
}

#[routine]
fn sieve(n: u32) -> u32 {
    let limit = (n % 40) as usize;
    let mut composite = [false; 40];
    let mut count = 0;
    for i in 2..limit {
        if !composite[i] {
            count += 1;
            for j in (i * i..limit).step_by(i) {
                composite[j] = true;
            }
        }
    }
    count
}

#[routine]
fn insertion_sort(a: i32, b: i32, c: i32) -> [i32; 6] {
    let mut v = [a, b, c, a ^ b, 5, b ^ c];
    for i in 1..6 {
        let key = v[i];
        let mut j = i;
        while j > 0 && v[j - 1] > key {
            v[j] = v[j - 1];
            j -= 1;
        }
        v[j] = key;
    }
    v
}

#[routine]
fn rotate_window(a: u32, n: u32) -> u32 {
    let mut ring = [0; 5];
    let mut head = 0;
    for i in 0..n % 23 {
        ring[head] = a.rotate_left(i);
        head = (head + 1) % 5;
    }
    ring[0] ^ ring[1] ^ ring[head]
}

#[routine]
fn array_of_tuples(a: u32, b: f32, i: u32) -> f32 {
    let table = [(a, b), (a / 2, b + 1.0), (3, 0.5)];
    let (n, x) = table[(i % 3) as usize];
    let y = table[((i + 1) % 3) as usize].1;
    n as f32 * x - y
}

#[routine]
fn array_of_bools(a: u32) -> bool {
    let bits = [a & 1 != 0, a & 2 != 0, a & 4 != 0, a & 8 != 0];
    let mut parity = false;
    for bit in bits {
        parity ^= bit;
    }
    parity && bits[(a >> 4 & 3) as usize]
}

#[routine]
fn histogram_local(a: u32, b: u32) -> [u8; 4] {
    let mut counts = [0u8; 4];
    let mut x = a;
    for _ in 0..16 {
        counts[(x & 3) as usize] += 1;
        x >>= 2;
    }
    counts[(b % 4) as usize] = 200;
    counts
}

#[routine]
fn prefix_sums(a: u32, b: u32) -> u32 {
    let mut sums = [a % 9, b % 9, 1, 2, 3, 4, 5, 6];
    for i in 1..8 {
        sums[i] += sums[i - 1];
    }
    sums[(a % 8) as usize] * 100 + sums[7]
}

#[routine]
fn array_of_longs(a: u64, b: u64, i: u32) -> u64 {
    let mut values = [a, b, 1, u64::MAX];
    values[(i % 4) as usize] ^= 0x1234_5678_9abc_def0;
    values[((i / 4) % 4) as usize] >>= 7;
    values[0] ^ values[1] ^ values[2] ^ values[3]
}

#[routine]
fn index_expressions(a: u32, b: u32) -> u32 {
    let next = [3, 0, 1, 2];
    let values = [10, 20, 30, 40];
    let mut i = (a % 4) as usize;
    for _ in 0..b % 6 {
        i = next[next[i]];
        i = next[i];
    }
    values[next[i]] + [1, 2, 3][i % 3]
}

#[routine]
fn swap_elements(a: u32, b: u32, c: u32) -> [u32; 3] {
    let mut v = [a, b, c];
    (v[0], v[2]) = (v[2], v[0]);
    let i = (a % 3) as usize;
    let t = v[i];
    v[i] = v[2 - i];
    v[2 - i] = t;
    v
}

#[routine]
fn array_length_methods(a: u32) -> u32 {
    let v = [a; 7];
    let mut n = v.len() as u32;
    if !v.is_empty() {
        n += 100;
    }
    n + v[v.len() - 1] % 5
}

#[routine]
fn nested_arrays_assigned(a: u32, b: u32) -> [[u32; 3]; 2] {
    let mut grid = [[0; 3]; 2];
    let row = [a, b, 1];
    grid[(a % 2) as usize] = row;
    grid[(b % 2) as usize][(a % 3) as usize] ^= 0xff;
    grid
}

#[routine]
fn array_equality(a: u32, b: u32) -> (bool, bool) {
    let left = [a % 2, b % 2, 1];
    let right = [b % 2, a % 2, 1];
    (left == right, left != [0, 1, 1])
}

// More words than are copied one by one.

#[routine]
fn long_copies(a: u32, i: u32) -> (u32, u32, u64, f32) {
    let k = (i % 300) as usize;
    let mut xs = [a; 300];
    xs[k] = a ^ i;
    let ys = xs;
    xs[k / 2] = i;
    let before = xs[k] ^ xs[299 - k];
    xs = ys;
    let mut pairs = [(a, i as u64); 150];
    pairs[k / 2].1 = 5;
    let again = pairs;
    pairs[k / 2] = (1, 2);
    let mut grid = [[a as f32; 20]; 20];
    grid[k % 20] = [0.5; 20];
    let rows = if a > i { grid } else { [[i as f32; 20]; 20] };
    let sum = again[k / 2].1 ^ again[149 - k / 2].1 ^ u64::from(pairs[k / 2].0);
    (before, xs[k] ^ xs[k / 2], sum, rows[k % 20][3] + rows[k / 20][k % 20])
}

#[routine]
fn long_behind_references(a: u32, i: u32) -> (u32, u32) {
    fn put(all: &mut [u32; 300], with: [u32; 300], at: usize) -> u32 {
        let old = *all;
        *all = with;
        all[at] ^= 1;
        old[at]
    }
    fn one_of(all: &[[u32; 300]; 2], which: usize) -> [u32; 300] {
        all[which]
    }
    let k = (i % 300) as usize;
    let mut xs = [a; 300];
    for (n, x) in xs.iter_mut().enumerate() {
        *x = x.wrapping_mul(n as u32);
    }
    let old = put(&mut xs, [i; 300], k);
    let both = [xs, [a; 300]];
    (old, one_of(&both, (a % 2) as usize)[k])
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Long {
    head: u32,
    body: [u32; 270],
    tail: u8,
}

#[routine]
fn long_in_structs(a: u32, i: u32) -> Option<(u32, u32, u8)> {
    fn turned(mut long: Long, at: usize) -> Long {
        long.body[at] = long.head;
        Long { head: 7, ..long }
    }
    let k = (i % 270) as usize;
    let long = Long {
        head: a,
        body: [i; 270],
        tail: (a % 256) as u8,
    };
    let other = (a % 3 != 0).then_some(turned(long, k))?;
    let all = [long, other];
    let found = all[(i % 2) as usize];
    Some((found.head ^ found.body[k], found.body[269 - k], found.tail))
}

#[routine]
fn repeated_by_function(a: u32, i: u32) -> ([u32; 3], [(u32, Option<u8>); 2], u32) {
    let pairs = core::array::repeat((a, (i > 3).then_some(i as u8)));
    let sum = std::array::repeat::<u32, 5>(i % 100).iter().sum();
    (std::array::repeat(a ^ i), pairs, sum)
}
