//! Iterators: std's sources, adaptors and consumers, the user's own, and what they are when kept in variables and structs.

use gpuvm::prelude::*;

cases! {
    sums, filters, zips, numbered, windows_and_chunks, backwards, steps, taken_and_skipped, while_conditions, chained, flat, scanned, peeked,
    searched, least_and_greatest, by_keys, folded, tried, of_arrays, mutable, sources, own_iterator, kept, ranges_as_values, traps_in_closures,
    ranges_of_signed, nested_chains, sum_overflows, counts, references, skipped_sources, skipped_before_more, flat_before_more, numbered_then_skipped, written_arguments,
}

#[routine]
fn sums(a: u32, b: u32, list: [u32; 8]) -> (u32, u64, u32, f32) {
    let xs = &list[..(list[0] % 9) as usize];
    let k = a % 5;
    (
        xs.iter().map(|x| x % 1000 + k).sum(),
        xs.iter().map(|&x| u64::from(x)).sum::<u64>(),
        xs.iter().map(|x| x % 3 + 1).product::<u32>(),
        xs.iter().map(|x| *x as f32 * 0.25).sum::<f32>() - b as f32,
    )
}

#[routine]
fn filters(a: u32, list: [u32; 8]) -> (u32, usize, Option<u32>) {
    let xs = &list[..(list[0] % 9) as usize];
    let odd = |x: &&u32| **x % 2 == 1;
    (
        xs.iter().filter(|x| **x > a).fold(0, |h: u32, x| h.rotate_left(3) ^ x),
        xs.iter().filter(odd).count(),
        xs.iter().filter_map(|x| x.checked_sub(a)).next(),
    )
}

#[routine]
fn zips(a: u32, b: u32, list: [u32; 8]) -> (u32, u32) {
    let xs = &list[..(list[0] % 9) as usize];
    let weights = [a, b, 3, 4];
    let dot = xs
        .iter()
        .zip(&weights)
        .fold(0u32, |sum, (x, w)| sum.wrapping_add(x.wrapping_mul(*w)));
    let mut mixed = 0;
    for (i, (x, y)) in (1..b % 9).zip(xs.iter().rev()).enumerate() {
        mixed ^= x << (i % 8) ^ y;
    }
    (dot, mixed)
}

#[routine]
fn numbered(a: u32, list: [u32; 8]) -> (Option<usize>, u32) {
    let xs = &list[..(list[0] % 9) as usize];
    let at = xs.iter().enumerate().find(|(_, x)| **x % 7 == a % 7).map(|(i, _)| i);
    let mut hash = 0u32;
    for (i, x) in xs.iter().enumerate().skip(1) {
        hash = hash.wrapping_mul(31) ^ x ^ i as u32;
    }
    (at, hash)
}

#[routine]
fn windows_and_chunks(a: u32, list: [u32; 8]) -> (usize, u32, u32) {
    let xs = &list[..(list[0] % 9) as usize];
    let size = (a % 4 + 1) as usize;
    let rises = xs.windows(2).filter(|pair| pair[0] < pair[1]).count();
    let widths = xs
        .chunks(size)
        .map(|chunk| chunk.len() as u32)
        .fold(0, |h, n| h * 5 + n);
    let exact = xs
        .chunks_exact(size)
        .map(|chunk| chunk[0] ^ chunk[size - 1])
        .fold(0, |h, x| h ^ x);
    (rises, widths, exact)
}

#[routine]
fn backwards(a: u32, list: [u32; 8]) -> (u32, u32, Option<usize>) {
    let xs = &list[..(list[0] % 9) as usize];
    let h = xs.iter().rev().fold(a, |h, x| h.wrapping_mul(17) ^ x);
    let numbered = xs
        .iter()
        .enumerate()
        .rev()
        .map(|(i, x)| i as u32 ^ x)
        .fold(0, |h: u32, x| h.rotate_left(1) ^ x);
    (h, numbered, xs.iter().rposition(|x| *x % 3 == a % 3))
}

#[routine]
fn steps(a: u32, b: u32, list: [u32; 8]) -> (u32, u32, u32) {
    let xs = &list[..(list[0] % 9) as usize];
    let step = (a % 4 + 1) as usize;
    let strided = xs.iter().step_by(step).fold(0, |h: u32, x| h.rotate_left(7) ^ x);
    let numbers = (a % 100..a % 100 + b % 50).step_by(step).map(|x| x ^ 3).sum::<u32>();
    let down = (0..=b % 30)
        .rev()
        .step_by(step)
        .fold(0u32, |h, x| h.wrapping_mul(3) + x % 2);
    (strided, numbers, down)
}

#[routine]
fn taken_and_skipped(a: u32, list: [u32; 8]) -> (u32, usize, Option<u32>) {
    let xs = &list[..(list[0] % 9) as usize];
    let n = (a % 9) as usize;
    (
        xs.iter().skip(n).take(3).fold(1, |h: u32, x| h.wrapping_mul(7) ^ x),
        xs.iter().skip(n).count(),
        xs.iter().copied().nth(n),
    )
}

#[routine]
fn while_conditions(a: u32, list: [u32; 8]) -> (usize, u32, u32) {
    let xs = &list[..(list[0] % 9) as usize];
    let bound = a % 2000;
    (
        xs.iter().take_while(|x| **x >= bound).count(),
        xs.iter().skip_while(|x| **x % 2 == 0).fold(0, |h, x| h ^ x),
        xs.iter().map_while(|x| x.checked_sub(bound)).fold(0, |h, x| h ^ x),
    )
}

#[routine]
fn chained(a: u32, b: u32, list: [u32; 8]) -> u32 {
    let xs = &list[..(list[0] % 9) as usize];
    let extra = [a, b];
    xs.iter()
        .chain(&extra)
        .chain([7, 9].iter())
        .fold(0, |h: u32, x| h.rotate_left(5).wrapping_add(*x))
}

#[routine]
fn flat(a: u32, b: u32) -> (u32, u32) {
    let pairs = (0..a % 5).flat_map(|i| (0..i).map(move |j| i * 10 + j)).sum::<u32>();
    let grid = [[a, b], [b, 3], [4, a]];
    (pairs, grid.iter().flatten().fold(0, |h: u32, x| h.rotate_left(9) ^ x))
}

#[routine]
fn scanned(a: u32, list: [u32; 8]) -> (Option<u32>, u32) {
    let xs = &list[..(list[0] % 9) as usize];
    let running = xs.iter().scan(a, |state, x| {
        *state = state.wrapping_add(*x);
        if *state % 11 == 0 { None } else { Some(*state % 13) }
    });
    let mut it = xs.iter().scan(0u32, |n, _| {
        *n += 1;
        Some(*n)
    });
    (running.max(), it.next().unwrap_or(0) + it.next().unwrap_or(0))
}

#[routine]
fn peeked(a: u32, list: [u32; 8]) -> (u32, Option<u32>) {
    let xs = &list[..(list[0] % 9) as usize];
    let mut it = xs.iter().copied().peekable();
    let mut runs = 0;
    while let Some(x) = it.next() {
        while it.next_if(|y| y % 2 == x % 2).is_some() {}
        runs += 1;
        if runs > a % 6 {
            break;
        }
    }
    (runs, it.peek().copied())
}

#[routine]
fn searched(a: u32, list: [u32; 8]) -> (bool, bool, Option<usize>, Option<u32>, Option<u32>) {
    let xs = &list[..(list[0] % 9) as usize];
    let k = a % 13;
    (
        xs.iter().any(|x| x % 13 == k),
        xs.iter().all(|x| x % 13 != k),
        xs.iter().position(|&x| x % 5 == k % 5),
        xs.iter().copied().find(|x| x % 3 == k % 3),
        xs.iter().find_map(|x| x.checked_sub(a)),
    )
}

#[routine]
fn least_and_greatest(a: u32, list: [u32; 8]) -> (Option<u32>, Option<u32>, Option<i32>, u32) {
    let xs = &list[..(list[0] % 9) as usize];
    (
        xs.iter().max().copied(),
        xs.iter().map(|x| x ^ a).min(),
        xs.iter().map(|x| *x as i32 - 500).min(),
        xs.iter().copied().reduce(|x, y| x.max(y) ^ (a & 1)).unwrap_or(77),
    )
}

#[routine]
fn by_keys(a: u32, list: [u32; 8]) -> (Option<usize>, Option<usize>) {
    let xs = &list[..(list[0] % 9) as usize];
    let k = a % 6 + 1;
    (
        xs.iter().enumerate().max_by_key(|(_, x)| **x % k).map(|(i, _)| i),
        xs.iter().enumerate().min_by_key(|(_, x)| **x % k).map(|(i, _)| i),
    )
}

#[routine]
fn folded(a: u32, b: u32) -> (u32, [u32; 3]) {
    let counts = (a..a.saturating_add(b % 40)).fold([0u32; 3], |mut counts, x| {
        counts[(x % 3) as usize] += 1;
        counts
    });
    let mut seen = 0;
    (0..b % 9).for_each(|i| seen ^= i << i);
    (seen, counts)
}

#[routine]
fn tried(a: u32, list: [u32; 8]) -> (Option<u32>, Result<u32, u32>) {
    let xs = &list[..(list[0] % 9) as usize];
    (
        xs.iter().try_fold(a, |sum, x| sum.checked_add(*x)),
        xs.iter()
            .try_fold(0u32, |sum, x| if *x % 97 == 5 { Err(*x) } else { Ok(sum ^ x) }),
    )
}

#[routine]
fn of_arrays(a: u32, b: u32) -> (u32, u32, f32) {
    let values = [a, b, a ^ b];
    let mut sum = 0;
    for x in values {
        sum ^= x.rotate_left(3);
    }
    let floats = [a as f32, b as f32, 0.5];
    (
        sum,
        values.into_iter().map(|x| x / 2).max().unwrap_or(0),
        floats.iter().fold(0.0, |m: f32, x| m.max(*x)),
    )
}

#[routine]
fn mutable(a: u32, b: u32) -> [u32; 5] {
    let mut values = [a, b, 1, 2, 3];
    for x in values.iter_mut().rev().take(3) {
        *x ^= a;
    }
    values
        .iter_mut()
        .enumerate()
        .for_each(|(i, x)| *x = x.wrapping_add(i as u32));
    values[1..].iter_mut().zip([5, 6]).for_each(|(x, y)| *x ^= y);
    values
}

#[routine]
fn sources(a: u32, b: u32) -> (u32, u32, u32, [u32; 4], u32) {
    let powers = std::iter::successors(Some(1u32), |x| x.checked_mul(3))
        .take_while(|x| *x < a % 10000)
        .sum();
    let mut state = b;
    let random = std::iter::from_fn(|| {
        state = state.wrapping_mul(1664525).wrapping_add(1013904223);
        Some(state >> 24)
    });
    (
        powers,
        random.take(4).fold(0, |h, x| h ^ x),
        std::iter::repeat(a)
            .take((b % 5) as usize)
            .fold(0, |h: u32, x| h.rotate_left(1) ^ x),
        std::array::from_fn(|i| a ^ i as u32),
        std::iter::once(a)
            .chain(std::iter::once(b))
            .fold(1, |h: u32, x| h.wrapping_mul(3) ^ x),
    )
}

/// The Collatz sequence.
#[derive(VmType, Clone, Copy, Debug)]
struct Collatz {
    n: u32,
}

#[routine]
impl Iterator for Collatz {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.n <= 1 {
            return None;
        }
        self.n = if self.n % 2 == 0 {
            self.n / 2
        } else {
            self.n.wrapping_mul(3).wrapping_add(1)
        };
        Some(self.n)
    }
}

#[routine]
fn own_iterator(a: u32, b: u32) -> (usize, u32, u32) {
    let start = Collatz { n: a % 1000 + 1 };
    let odd = start.take(100).filter(|n| n % 2 == 1).count();
    let mut peak = 0;
    for (i, n) in (Collatz { n: b % 1000 + 1 }).enumerate() {
        peak = peak.max(n);
        if i > 60 {
            break;
        }
    }
    let mut by_hand = Collatz { n: b % 100 + 2 };
    let mut steps = 0;
    while let Some(n) = by_hand.next() {
        steps += n % 2;
        if steps > 20 {
            break;
        }
    }
    (odd, peak, steps)
}

/// A reader of bytes that keeps an iterator.
#[derive(VmType)]
struct Reader<'a> {
    bytes: std::slice::Iter<'a, u32>,
    read: u32,
}

#[routine]
impl<'a> Reader<'a> {
    fn word(&mut self) -> Option<u32> {
        let word = self.bytes.next()?;
        self.read += 1;
        Some(*word)
    }

    fn pair(&mut self) -> Option<(u32, u32)> {
        Some((self.word()?, self.word()?))
    }
}

#[routine]
fn kept(a: u32, list: [u32; 8]) -> (u32, u32, Option<u32>) {
    let xs = &list[..(list[0] % 9) as usize];
    let mut reader = Reader {
        bytes: xs.iter(),
        read: 0,
    };
    let mut hash = a;
    while let Some((x, y)) = reader.pair() {
        hash = hash.rotate_left(3) ^ x.wrapping_sub(y);
        if hash % 7 == 0 {
            break;
        }
    }
    let rest = reader.word();
    (hash, reader.read, rest)
}

#[routine]
fn ranges_as_values(a: u32, b: i32) -> (bool, bool, bool, u32, bool) {
    let range = 10..a % 50;
    let closed = -5..=b % 10;
    (
        range.contains(&20),
        closed.contains(&b),
        (..7).contains(&a),
        range.end - 1,
        (3u32..).contains(&a),
    )
}

#[routine]
fn traps_in_closures(a: u32, list: [u32; 8]) -> u32 {
    let xs = &list[..(list[0] % 9) as usize];
    xs.iter().map(|x| xs[(x % 30) as usize] / (a % 3)).fold(0, |h, x| h ^ x)
}

#[routine]
fn ranges_of_signed(a: i32, b: u8) -> (i32, u32, i64) {
    (
        (a % 20..7).map(|x| x * x).sum(),
        (b..=255).map(u32::from).sum(),
        (-3i64..=i64::from(a % 5)).rev().fold(0, |h, x| h * 10 + x),
    )
}

#[routine]
fn sum_overflows(a: u32, b: u32) -> u32 {
    [a, b, 1].iter().sum()
}

#[routine]
fn counts(a: u8, list: [u32; 8]) -> (usize, Option<u32>) {
    let xs = &list[..(list[0] % 9) as usize];
    (xs.iter().filter(|x| **x as u8 >= a).count(), xs.iter().copied().last())
}

#[routine]
fn references(a: u32, list: [u32; 8]) -> (u32, bool) {
    let xs = &list[..(list[0] % 9) as usize];
    let first = xs.first();
    let same = xs.iter().find(|x| **x % 5 == a % 5);
    (
        first.map_or(0, |x| *x) ^ same.copied().unwrap_or(3),
        same.is_some_and(|x| *x > a),
    )
}

/// The products wrap: how far std's `Zip` goes in the longer of two slices' maps is its own affair, so a trap there would prove nothing.
#[routine]
fn nested_chains(a: u32, list: [u32; 8]) -> u32 {
    let xs = &list[..(list[0] % 9) as usize];
    xs.iter()
        .map(|x| (0..x % 4).map(|i| i.wrapping_mul(*x) % 7).sum::<u32>())
        .zip(xs.windows(2).map(|pair| pair.iter().map(|x| x % 5).max().unwrap_or(0)))
        .filter(|(x, y)| (x ^ y ^ a) % 2 == 0)
        .map(|(x, y)| x * 8 + y)
        .sum()
}

#[routine]
fn skipped_sources(a: u32, b: u32) -> (u32, u32, [Option<u32>; 6]) {
    let mut state = a;
    let count = (b % 3) as usize;
    let drawn = std::iter::from_fn(|| {
        state = state.wrapping_mul(5).wrapping_add(1);
        if state % 8 == 0 { None } else { Some(state) }
    })
    .skip(count)
    .take(4)
    .fold(0u32, |h, x| h.rotate_left(3) ^ x);
    let firsts = [
        a.checked_sub(b).into_iter().skip(count).next(),
        std::iter::once(a).step_by(count + 1).last(),
        std::iter::empty::<u32>().skip(count).next(),
        std::iter::repeat(a).skip(count).step_by(2).take(2).last(),
        std::iter::repeat_n(b, 2).skip(count).last(),
        std::iter::successors(Some(a), |x| x.checked_sub(7))
            .skip(count)
            .step_by(3)
            .take(3)
            .last(),
    ];
    (drawn, state, firsts)
}

#[routine]
fn numbered_then_skipped(a: u32, list: [u32; 8]) -> (Option<(usize, u32)>, u32) {
    let xs = &list[..(list[0] % 9) as usize];
    let count = (a % 4) as usize;
    (
        xs.iter().copied().filter(|x| x % 2 == 0).enumerate().skip(count).next(),
        xs.iter()
            .filter_map(|x| x.checked_sub(a))
            .enumerate()
            .step_by(count + 1)
            .fold(0u32, |h, (i, x)| h.rotate_left(5) ^ x ^ i as u32),
    )
}

/// std's functions have the type of their closure among their arguments, which routines have not.
#[routine]
fn written_arguments(a: u32, b: u32) -> ([u32; 4], u32, u32) {
    let mut state = a;
    let drawn = std::iter::from_fn::<u32, _>(|| {
        state = state.wrapping_mul(5).wrapping_add(1);
        Some(state)
    });
    (
        std::array::from_fn::<_, 4, _>(|i| a.rotate_left(i as u32) ^ b),
        drawn.take((b % 4) as usize).fold(0, |h, x| h ^ x),
        std::iter::successors::<u32, _>(Some(b % 100), |x| x.checked_sub(7)).sum(),
    )
}

/// What has given `None` is not asked again, though it would give more.
#[routine]
fn skipped_before_more(start: u32, count: u8) -> (u32, u32, u32) {
    let mut a = start;
    let odd = std::iter::from_fn(|| {
        a = a.wrapping_mul(5).wrapping_add(1);
        if a % 8 == 0 { None } else { Some(a) }
    });
    let skipped = odd
        .skip((count % 5) as usize)
        .take(4)
        .fold(0u32, |h, x| h.rotate_left(3) ^ x);
    let mut b = start % 7;
    let every = std::iter::from_fn(|| {
        b = (b + 1) % 7;
        if b == 0 { None } else { Some(b) }
    });
    let stepped = every
        .step_by((count % 3) as usize + 1)
        .take(9)
        .fold(1u32, |h, x| h.wrapping_mul(31) + x);
    let mut c = start % 5;
    let mut thirds = std::iter::from_fn(|| {
        c = (c + 1) % 5;
        (c != 2).then_some(c)
    });
    (skipped, stepped, thirds.nth((count % 4) as usize).unwrap_or(99))
}

/// Nor is what is flattened.
#[routine]
fn flat_before_more(start: u32) -> (u32, u32) {
    let mut a = start % 6;
    let mut flat = std::iter::from_fn(|| {
        a = (a + 1) % 6;
        (a != 3).then_some(a)
    })
    .flat_map(|x| 0..x % 3);
    let mut b = start % 5;
    let mut flattened = std::iter::from_fn(|| {
        b = (b + 1) % 5;
        (b != 2).then_some((b % 2 == 0).then_some(b))
    })
    .flatten();
    let (mut h, mut k) = (1u32, 1u32);
    for _ in 0..20 {
        h = h.rotate_left(3) ^ flat.next().unwrap_or(77);
        k = k.rotate_left(3) ^ flattened.next().unwrap_or(78);
    }
    (h, k)
}
