//! Slices of arrays and of launch parameters: ranges, lengths, iteration, mutation, passing to routines.

use gpuvm::prelude::*;

cases! {
    sum_of_slice, sub_slices, mutable_sub_slices, slice_iteration, slice_iteration_mut, fill_through_slice, binary_search_slice,
    reverse_in_place, slice_of_structs, first_and_last, slice_get, split_recursive, max_of_slice, iterate_with_index, copy_between, range_values,
}

#[derive(VmType, Clone, Copy, Debug)]
struct Item {
    weight: u32,
    value: f32,
}

#[routine]
fn total(values: &[u32]) -> u32 {
    let mut sum = 0u32;
    for i in 0..values.len() {
        sum = sum.wrapping_add(values[i]);
    }
    sum
}

#[routine]
fn sum_of_slice(a: u32, b: u32) -> u32 {
    let values = [a, b, a ^ b, 9];
    total(&values)
}

#[routine]
fn sub_slices(a: u32, from: u32, to: u32) -> u32 {
    let values = [a, 1, 2, 3, 4, 5];
    let from = (from % 7) as usize;
    let to = (to % 7) as usize;
    let (from, to) = if from <= to { (from, to) } else { (to, from) };
    let middle = &values[from..to];
    let tail = &values[from..];
    let head = &values[..to];
    total(middle) ^ total(tail).rotate_left(8) ^ total(head).rotate_left(16) ^ total(&values[..]) ^ middle.len() as u32
}

#[routine]
fn mutable_sub_slices(a: u32, k: u32) -> [u32; 6] {
    let mut values = [a, 1, 2, 3, 4, 5];
    let k = (k % 5) as usize;
    let tail = &mut values[k..];
    tail[0] = 100;
    tail[1] ^= 7;
    values[5] = k as u32;
    values
}

#[routine]
fn slice_iteration(a: f32, b: f32, n: u32) -> f32 {
    let values = [a, b, 1.5, -2.0];
    let mut sum = 0.0;
    for v in &values[..(n % 5) as usize] {
        sum += *v;
    }
    for &v in &values[1..] {
        sum -= v * 0.5;
    }
    sum
}

#[routine]
fn slice_iteration_mut(a: u32, b: u32) -> [u32; 4] {
    let mut values = [a, b, 3, 4];
    for v in &mut values {
        *v /= 2;
    }
    let middle = &mut values[1..3];
    for v in middle.iter_mut() {
        *v ^= 0xf0;
    }
    values
}

#[routine]
fn fill(values: &mut [u32], with: u32) {
    let mut i = 0;
    while i < values.len() {
        values[i] = with + i as u32;
        i += 1;
    }
}

#[routine]
fn fill_through_slice(a: u32, k: u32) -> [u32; 5] {
    let mut values = [0; 5];
    let k = (k % 6) as usize;
    fill(&mut values[k..], a % 1000);
    fill(&mut values[..k / 2], 7);
    values
}

#[routine]
fn find(sorted: &[i32], wanted: i32) -> Option<u32> {
    let (mut low, mut high) = (0, sorted.len());
    while low < high {
        let middle = low + (high - low) / 2;
        if sorted[middle] == wanted {
            return Some(middle as u32);
        }
        if sorted[middle] < wanted {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    None
}

#[routine]
fn binary_search_slice(wanted: i32) -> Option<u32> {
    find(&[-50, -7, -1, 0, 1, 2, 3, 8, 12, 99], wanted)
}

#[routine]
fn reverse(values: &mut [u32]) {
    let n = values.len();
    for i in 0..n / 2 {
        let t = values[i];
        values[i] = values[n - 1 - i];
        values[n - 1 - i] = t;
    }
}

#[routine]
fn reverse_in_place(a: u32, b: u32, k: u32) -> [u32; 7] {
    let mut values = [a, b, 2, 3, 4, 5, 6];
    reverse(&mut values[(k % 4) as usize..]);
    reverse(&mut values);
    values
}

#[routine]
fn best(items: &[Item]) -> Item {
    let mut best = items[0];
    for item in items {
        if item.value > best.value {
            best = *item;
        }
    }
    best
}

#[routine]
fn slice_of_structs(a: u32, x: f32, y: f32) -> Item {
    let items = [
        Item { weight: a, value: x },
        Item { weight: 2, value: y },
        Item { weight: 3, value: 1.0 },
    ];
    best(&items[(a % 3) as usize..])
}

#[routine]
fn first_and_last(a: u32, n: u32) -> (Option<u32>, Option<u32>) {
    let values = [a, 5, 6];
    let view = &values[..(n % 4) as usize];
    match view {
        [] => (None, None),
        [only] => (Some(*only), None),
        [first, .., last] => (Some(*first), Some(*last)),
    }
}

#[routine]
fn element(values: &[u32], i: usize) -> Option<u32> {
    if i < values.len() { Some(values[i]) } else { None }
}

#[routine]
fn slice_get(a: u32, i: u32) -> u32 {
    let values = [a, 5, 6, 7];
    match element(&values, (i % 8) as usize) {
        Some(v) => v,
        None => 1000,
    }
}

#[routine]
fn sum_halves(values: &[u32]) -> u32 {
    if values.len() <= 1 {
        return if values.len() == 1 { values[0] } else { 0 };
    }
    let half = values.len() / 2;
    sum_halves(&values[..half])
        .wrapping_mul(3)
        .wrapping_add(sum_halves(&values[half..]))
}

#[routine]
fn split_recursive(a: u32, b: u32) -> u32 {
    sum_halves(&[a, b, 1, 2, a ^ b, 7, 9])
}

#[routine]
fn max_of_slice(a: i32, b: i32, c: i32) -> i32 {
    let values = [a, b, c];
    let mut best = i32::MIN;
    for &v in &values {
        best = best.max(v);
    }
    best
}

#[routine]
fn iterate_with_index(a: u32) -> u32 {
    let values = [a % 7, a % 11, a % 13];
    let mut sum = 0;
    let mut i = 0;
    for v in values.iter() {
        sum += *v * (i + 1);
        i += 1;
    }
    sum
}

#[routine]
fn copy_between(a: u32, b: u32) -> [u32; 4] {
    let source = [a, b, 30, 40];
    let mut target = [0; 4];
    for i in 0..source.len() {
        target[(i + 1) % 4] = source[i];
    }
    let from = &source[2..];
    let to = &mut target[1..3];
    to[0] = from[1];
    to[1] = from[0];
    target
}

#[routine]
fn range_values(a: u32, b: u32, k: u32) -> [u32; 6] {
    let mut values = [a, b, 30, 40, 50];
    let (from, to) = ((a % 7) as usize, (b % 7) as usize);
    let whole = ..;
    let part = from..to.max(from);
    let all = total(&values[whole]) ^ total(&values[part.clone()]).rotate_left(4);
    let slice = &mut values[..];
    let mut closed = 1..=(k % 4) as usize;
    slice[closed.clone()].reverse();
    let sums = [total(&slice[part.start..]), total(&slice[closed.clone()])];
    while closed.next().is_some() {}
    // What has come to its end is empty.
    let (rest, first, last) = (slice[closed].len() as u32, ..=to / 2, to / 2..);
    [all, sums[0], sums[1], rest, total(&slice[first]), total(&slice[last])]
}
