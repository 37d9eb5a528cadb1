//! std's methods of slices that give parts of them: by ranges, at their ends, between cuts, in chunks, as arrays.

use gpuvm::prelude::*;

cases! {
    gets_ranges, gets_ranges_mut, splits_at_ends, splits_mut, strips, trims, splits_by_closure, splits_from_behind, splits_in_n, splits_inclusive,
    splits_in_place, runs, chunks_from_behind, chunks_in_place, chunks_and_rest, skipped_chunks, arrays_in_slices, arrays_in_place, arrays_of_arrays, takes_off,
    copies_within, copies_ranges_within, swaps_slices, fills_with, sorts_by, selects, selects_by, searches_by, sorted_by, maps_arrays, chunks_of_none, ascii_slices,
    own_methods_of_those_names,
}

#[routine]
fn gets_ranges(a: u32, b: u32, list: [u32; 8]) -> [Option<usize>; 6] {
    let xs = &list[..(list[0] % 9) as usize];
    let (i, j) = ((a % 10) as usize, (b % 10) as usize);
    [
        xs.get(i..j).map(<[u32]>::len),
        xs.get(i..=j).map(|part| part.len()),
        xs.get(..j).map(|part| part.len()),
        xs.get(..=j).map(|part| part.len()),
        xs.get(i..).map(|part| part.len()),
        list.get(..).map(|part| part.len()),
    ]
}

#[routine]
fn gets_ranges_mut(a: u32, b: u32) -> [u32; 6] {
    let mut values = [1, 2, 3, 4, 5, 6];
    let (i, j) = ((a % 8) as usize, (b % 8) as usize);
    if let Some(part) = values.get_mut(i..j) {
        part.fill(a);
    }
    if let Some(part) = values.get_mut(j..) {
        part.reverse();
    }
    if let Some([x, ..]) = values.get_mut(..=i) {
        *x ^= 7;
    }
    if let Some(x) = values.get_mut(3) {
        *x = x.wrapping_add(1);
    }
    for at in [0, 9] {
        if let Some(x) = values.get_mut(at) {
            *x ^= 1;
        }
    }
    values
}

#[routine]
fn splits_at_ends(a: u32, list: [u32; 8]) -> (u32, u32, Option<usize>, u32) {
    let xs = &list[..(list[0] % 4) as usize];
    let last = match xs.split_last() {
        Some((last, before)) => last ^ before.len() as u32,
        None => 5,
    };
    let first = xs
        .split_first()
        .map_or(7, |(first, rest)| first.wrapping_add(rest.len() as u32));
    let halves = xs
        .split_at_checked((a % 5) as usize)
        .map(|(left, right)| left.len() * 16 + right.len());
    let (left, right) = xs.split_at((a % 5) as usize);
    (last, first, halves, (left.len() * 16 + right.len()) as u32)
}

#[routine]
fn splits_mut(a: u32, b: u32) -> ([u32; 5], u32) {
    let mut values = [a, b, 3, 4, 5];
    let n = (b % 6) as usize;
    if let Some((first, rest)) = values[n..].split_first_mut() {
        *first ^= rest.len() as u32;
        rest.reverse();
    }
    if let Some((last, before)) = values[..n].split_last_mut() {
        *last ^= before.len() as u32;
        before.fill(9);
    }
    let mut seen = 0;
    if let Some((left, right)) = values.split_at_mut_checked((a % 7) as usize) {
        seen = left.len() as u32 ^ 8;
        right.swap_with_slice(&mut [1, 2, 3, 4, 5][..right.len()]);
    }
    (values, seen)
}

#[routine]
fn strips(a: u32, list: [u32; 8]) -> (Option<usize>, Option<usize>, Option<usize>, bool, bool) {
    let xs = &list[..(list[0] % 9) as usize];
    let prefix = &list[..(a % 4) as usize];
    let own = [a % 2, 1, a % 2];
    (
        xs.strip_prefix(prefix).map(|rest| rest.len()),
        own.strip_prefix(&[1]).map(|rest| rest.len()),
        own.strip_suffix(&own[(a % 3) as usize..]).map(|rest| rest.len()),
        xs.ends_with(&list[(a % 8) as usize..]),
        own.starts_with(&[0, 1]),
    )
}

#[routine]
fn trims(a: u32, b: u32) -> [usize; 3] {
    let text = [b' ', a as u8 % 64, b'\n', b'x', b as u8 % 64, b'\t', 12, b' '];
    let part = &text[..(b % 9) as usize];
    [
        part.trim_ascii().len(),
        part.trim_ascii_start().len(),
        part.trim_ascii_end().len(),
    ]
}

#[routine]
fn splits_by_closure(a: u32, list: [u32; 8]) -> (u32, u32, usize) {
    let xs = &list[..(list[0] % 9) as usize];
    let cut = a % 4;
    let mut hash = 1u32;
    for part in xs.split(|x| x % 4 == cut) {
        hash = hash.wrapping_mul(31).wrapping_add(part.len() as u32);
    }
    let back = xs
        .split(|&x| x % 4 == cut)
        .rev()
        .fold(1u32, |hash, part| hash.wrapping_mul(31).wrapping_add(part.len() as u32));
    let longest = xs.split(|x| x % 4 == cut).map(|part| part.len()).max().unwrap_or(99);
    (hash, back, longest)
}

#[routine]
fn splits_from_behind(a: u32, list: [u32; 8]) -> u32 {
    let xs = &list[..(list[0] % 9) as usize];
    let mut hash = 1u32;
    let mut parts = xs.rsplit(|x| x % 4 == a % 4);
    if let Some(front) = parts.next_back() {
        hash = front.len() as u32;
    }
    for part in parts {
        hash = hash.wrapping_mul(31).wrapping_add(part.len() as u32);
    }
    hash
}

#[routine]
fn splits_in_n(a: u32, list: [u32; 8]) -> (u32, u32, Option<usize>) {
    let xs = &list[..(list[0] % 9) as usize];
    let n = (a % 5) as usize;
    let forth = xs
        .splitn(n, |x| x % 2 == 0)
        .fold(1u32, |hash, part| hash.wrapping_mul(31).wrapping_add(part.len() as u32));
    let back = xs
        .rsplitn(n, |x| x % 2 == 0)
        .fold(1u32, |hash, part| hash.wrapping_mul(31).wrapping_add(part.len() as u32));
    let mut halves = xs.splitn(2, |&x| x % 4 == 1);
    let _ = halves.next();
    (forth, back, halves.next().map(|rest| rest.len()))
}

#[routine]
fn splits_inclusive(a: u32, list: [u32; 8]) -> (u32, u32) {
    let xs = &list[..(list[0] % 9) as usize];
    let forth = xs
        .split_inclusive(|x| x % 3 == a % 3)
        .fold(1u32, |hash, part| hash.wrapping_mul(31).wrapping_add(part.len() as u32));
    let mut back = 1u32;
    let mut parts = xs.split_inclusive(|x| x % 3 == a % 3);
    while let Some(part) = parts.next_back() {
        back = back.wrapping_mul(31).wrapping_add(part.len() as u32);
        if let Some(part) = parts.next() {
            back ^= part.len() as u32;
        }
    }
    (forth, back)
}

#[routine]
fn splits_in_place(a: u32, list: [u32; 8]) -> ([u32; 8], [u32; 8]) {
    let (mut values, mut others) = (list, list);
    for part in values.split_mut(|x| x % 4 == a % 4) {
        part.reverse();
    }
    for (i, part) in others.splitn_mut(3, |x| x % 2 == 1).enumerate() {
        part.fill(i as u32);
    }
    for part in others.split_inclusive_mut(|x| *x == 1) {
        if let Some(last) = part.last_mut() {
            *last ^= 64;
        }
    }
    (values, others)
}

#[routine]
fn runs(a: u32, list: [u32; 8]) -> (u32, u32, [u32; 8]) {
    let xs = &list[..(list[0] % 9) as usize];
    let mut hash = 1u32;
    for run in xs.chunk_by(|x, y| x % 2 == y % 2) {
        hash = hash.wrapping_mul(31).wrapping_add(run.len() as u32);
    }
    let back = xs
        .chunk_by(|x, y| x <= y)
        .rev()
        .fold(1u32, |hash, run| hash.wrapping_mul(31).wrapping_add(run.len() as u32));
    let mut values = list;
    for run in values.chunk_by_mut(|x, y| x % 4 == y % 4 || *x % 2 == a % 2) {
        run[0] = run.len() as u32;
    }
    (hash, back, values)
}

#[routine]
fn chunks_from_behind(a: u32, list: [u32; 8]) -> (u32, u32, usize, [usize; 2]) {
    let xs = &list[..(list[0] % 9) as usize];
    let size = (a % 4) as usize;
    let forth = xs
        .rchunks(size)
        .fold(1u32, |hash, part| hash.wrapping_mul(31).wrapping_add(part[0]));
    let exact = xs
        .rchunks_exact(size)
        .rev()
        .fold(1u32, |hash, part| hash.wrapping_mul(31).wrapping_add(part[0]));
    let chunks = xs.rchunks_exact(size);
    (
        forth,
        exact,
        chunks.remainder().len(),
        [xs.rchunks(size).len(), chunks.len()],
    )
}

#[routine]
fn chunks_in_place(a: u32, list: [u32; 8]) -> ([u32; 8], [u32; 8]) {
    let (mut values, mut others) = (list, list);
    let n = (list[0] % 9) as usize;
    for (i, part) in values[..n].chunks_mut((a % 4) as usize + 1).enumerate() {
        part.rotate_left(i % part.len());
    }
    for part in values.rchunks_mut(3) {
        part[0] ^= part.len() as u32;
    }
    let mut chunks = others[..n].chunks_exact_mut((a % 3) as usize);
    if let Some(last) = chunks.next_back() {
        last.fill(1);
    }
    for part in &mut chunks {
        part.fill(2);
    }
    chunks.into_remainder().fill(3);
    (values, others)
}

#[routine]
fn chunks_and_rest(a: u32, list: [u32; 8]) -> (u32, usize, [usize; 3]) {
    let xs = &list[..(list[0] % 9) as usize];
    let mut chunks = xs.chunks_exact((a % 5) as usize);
    let before = chunks.remainder().len();
    let mut sum = 0u32;
    while let Some(part) = chunks.next() {
        sum = sum.wrapping_add(part[part.len() - 1]);
    }
    (
        sum,
        before,
        [chunks.remainder().len(), chunks.len(), xs.chunks(2).len()],
    )
}

#[routine]
fn skipped_chunks(a: u32, list: [u32; 8]) -> (u32, Option<u32>, u32) {
    let xs = &list[..(list[0] % 9) as usize];
    let n = (a % 5) as usize;
    let mut left = xs.chunks(2).skip(n);
    let first = left.next().map_or(7, |part| part[0]);
    let second = xs.chunks_exact(2).nth(n).map(|part| part[1]);
    let third = xs
        .rchunks(3)
        .step_by(2)
        .fold(0u32, |sum, part| sum.wrapping_add(part[0]));
    (first, second, third)
}

#[routine]
fn arrays_in_slices(a: u32, list: [u32; 8]) -> (Option<[u32; 3]>, Option<u32>, u32, usize, Option<u32>, u32) {
    let xs = &list[..(list[0] % 9) as usize];
    let last = xs.last_chunk::<2>().map(|[x, y]| x ^ y);
    let mut sum = 0;
    let (chunks, rest) = xs.as_chunks::<3>();
    for [x, y, z] in chunks {
        sum ^= x.wrapping_add(*y).wrapping_mul(*z);
    }
    let split: Option<(&[u32; 2], &[u32])> = xs.split_first_chunk();
    let ends = xs.split_last_chunk().map(|(before, [x])| x ^ before.len() as u32);
    let (before, others) = xs.as_rchunks::<2>();
    (
        xs.first_chunk().copied(),
        last,
        sum,
        rest.len() * 16 + split.map_or(9, |([_, y], rest)| (y % 2) as usize + rest.len()),
        ends,
        others
            .iter()
            .fold(before.len() as u32, |sum, [x, y]| sum ^ x ^ (y << 1)),
    )
}

#[routine]
fn arrays_in_place(a: u32, list: [u32; 8]) -> [u32; 8] {
    let mut values = list;
    let n = (a % 9) as usize;
    if let Some([x, y]) = values[n..].first_chunk_mut::<2>() {
        std::mem::swap(x, y);
    }
    if let Some(last) = values[..n].last_chunk_mut::<3>() {
        last[1] = a;
    }
    let (chunks, rest) = values[..n].as_chunks_mut::<2>();
    for chunk in chunks {
        chunk.reverse();
    }
    rest.fill(5);
    if let Some((first, rest)) = values.split_first_chunk_mut::<4>() {
        first[0] ^= rest[0];
        rest[3] ^= first[1];
    }
    values
}

#[routine]
fn arrays_of_arrays(a: u32, b: u32) -> ([[u32; 3]; 2], u32, usize) {
    let mut rows = [[a, b, 3], [4, a ^ b, 6]];
    rows.as_flattened_mut()[1..5].reverse();
    let n = (a % 3) as usize;
    let part = rows[..n].as_flattened();
    (
        rows,
        part.iter().fold(0, |sum, x| sum ^ x),
        part.len() + rows.as_flattened().len(),
    )
}

#[routine]
fn takes_off(a: u32, list: [u32; 8]) -> (u32, usize, [u32; 8]) {
    let mut rest = &list[..(list[0] % 9) as usize];
    let mut hash = 0u32;
    while let Some(first) = rest.split_off_first() {
        hash = hash.wrapping_mul(31).wrapping_add(*first);
        if first % 4 == a % 4 {
            break;
        }
        if let Some(last) = rest.split_off_last() {
            hash ^= *last;
        }
    }
    let left = rest.len();
    let mut values = list;
    let mut tail = &mut values[2..];
    while let Some(x) = tail.split_off_first_mut() {
        *x = hash;
        tail.split_off_last_mut();
    }
    (hash, left, values)
}

#[routine]
fn copies_within(a: u32, b: u32, list: [u32; 8]) -> [u32; 8] {
    let mut values = list;
    let (i, j) = ((a % 9) as usize, (b % 9) as usize);
    values.copy_within(i.min(j)..i.max(j), (a >> 8) as usize % 9);
    values
}

#[routine]
fn copies_ranges_within(a: u32, b: u32, list: [u32; 8]) -> [u32; 8] {
    let mut values = list;
    let (i, j) = ((a % 9) as usize, (b % 9) as usize);
    match a / 16 % 5 {
        0 => values.copy_within(i..j, 1),
        1 => values.copy_within(i.., j),
        2 => values.copy_within(..j, i),
        3 => values.copy_within(i..=j, 2),
        _ => values.copy_within(..=j, i),
    }
    values
}

#[routine]
fn swaps_slices(a: u32, b: u32, list: [u32; 8]) -> ([u32; 8], [u32; 4]) {
    let mut values = list;
    let mut others = [a, b, 1, 2];
    values[(a % 5) as usize..][..3].swap_with_slice(&mut others[1..]);
    others.clone_from_slice(&values[(b % 4) as usize..][..(b % 6).max(3) as usize]);
    (values, others)
}

#[routine]
fn fills_with(a: u32, b: u32) -> [u32; 6] {
    let mut values = [0; 6];
    let mut next = a;
    values[(b % 7) as usize..].fill_with(|| {
        next = next.wrapping_mul(5).wrapping_add(1);
        next
    });
    values[..1].fill_with(Default::default);
    values
}

#[routine]
fn sorts_by(a: u32, b: u32) -> ([(u32, u32); 5], [i32; 4], u32) {
    let mut pairs = [(a % 4, 0), (b % 4, 1), (2, 2), (3, 3), (a % 2, 4)];
    let mut compared = 0;
    pairs.sort_by(|x, y| {
        compared += 1;
        y.0.cmp(&x.0)
    });
    let mut signed = [a as i32, -3, b as i32, 0];
    signed.sort_unstable_by(i32::cmp);
    signed[1..].sort_by(|x, y| y.cmp(x));
    (pairs, signed, (compared > 3) as u32)
}

#[routine]
fn selects(a: u32, b: u32, list: [u32; 8]) -> ([u32; 8], u32, usize) {
    let mut values = list;
    let (before, median, behind) = values.select_nth_unstable((a % 9) as usize);
    let found = *median;
    let sizes = before.len() * 16 + behind.len();
    (values, found, sizes)
}

#[routine]
fn selects_by(a: u32, list: [u32; 8]) -> ([u32; 8], u32, u32) {
    let mut values = list;
    let (_, second, _) = values.select_nth_unstable_by(1, |x, y| y.cmp(x));
    let second = *second;
    let (_, third, _) = values[..6].select_nth_unstable_by_key(2, |x| x % 16);
    let third = *third;
    (values, second, third)
}

#[routine]
fn searches_by(a: u32, b: u32) -> (Result<usize, usize>, Result<usize, usize>) {
    let sorted = [1, 3, 3, 3, 8, 20, 20, 31];
    let part = &sorted[..(b % 9) as usize];
    let down = [(9, 8), (7, 1), (7, 2), (2, 3)];
    (
        part.binary_search_by(|x| x.cmp(&(a % 33))),
        down.binary_search_by(|pair| (b % 11).cmp(&pair.0)),
    )
}

#[routine]
fn sorted_by(a: u32, list: [u32; 8]) -> (bool, bool, bool) {
    let xs = &list[..(a % 4) as usize];
    (
        xs.is_sorted_by(|x, y| x % 8 < y % 8),
        xs.is_sorted_by_key(|x| x % 4),
        [a, 3, 4].is_sorted_by_key(|x| std::cmp::Reverse(*x)),
    )
}

#[routine]
fn maps_arrays(a: u32, b: u32) -> ([u64; 3], [Option<u32>; 2], [[u32; 2]; 3], u32) {
    let mut sum = 0u32;
    let wide = [a, b, 7].map(u64::from);
    let rows = [a, b, 1].map(|x| {
        sum = sum.wrapping_add(x);
        [x, sum]
    });
    (
        [wide[0], wide[1], 1].map(|x| x << 3),
        [a, b].map(|x| x.checked_sub(5)),
        rows,
        sum,
    )
}

#[routine]
fn chunks_of_none(a: u32, b: u32) -> usize {
    let values = [a, b, 3];
    values[..(b % 4) as usize].chunks((a % 3) as usize).count()
}

#[routine]
fn ascii_slices(a: u32, b: u32) -> (bool, bool, [u8; 4], [u8; 4]) {
    let mut text = a.to_le_bytes();
    let mut other = b.to_le_bytes();
    let plain = text[..(b % 5) as usize].is_ascii();
    let alike = [text[0], b'Q', b'.'].eq_ignore_ascii_case(&[text[0] ^ 0x20, b'q', b'.']);
    text.make_ascii_lowercase();
    other[1..].make_ascii_uppercase();
    (plain, alike, text, other)
}

/// A type whose methods have names that std has, too, with variables where std has closures.
#[derive(VmType, Clone, Copy, Debug)]
struct Tree {
    parents: [u8; 4],
}

#[routine]
impl Tree {
    fn find(&self, mut node: usize) -> usize {
        while self.parents[node] as usize != node {
            node = self.parents[node] as usize;
        }
        node
    }

    fn split(&mut self, node: usize) {
        self.parents[node] = node as u8;
    }
}

#[routine]
fn own_methods_of_those_names(a: u32, b: u32) -> (usize, usize, Tree) {
    const ROOT: usize = 0;
    let mut tree = Tree { parents: [0, 0, 1, 2] };
    let node = (a % 4) as usize;
    let before = tree.find(node);
    let other = (b % 4) as usize;
    tree.split(other);
    (before, tree.find(node) + tree.find(ROOT), tree)
}
