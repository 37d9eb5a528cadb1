//! Generators of random numbers behind one trait, and what is made of them: bounded integers without bias, floats, normal deviates,
//! shuffles and samples.

use core::ops::Range;

use gpuvm::prelude::*;

#[routine]
pub trait Rng {
    fn next_u32(&mut self) -> u32;

    fn next_u64(&mut self) -> u64 {
        u64::from(self.next_u32()) << 32 | u64::from(self.next_u32())
    }

    /// In `0.0..1.0`.
    fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Lemire's method: no bias, hardly ever a division.
    fn below(&mut self, bound: u32) -> u32 {
        let mut product = u64::from(self.next_u32()) * u64::from(bound);
        if (product as u32) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u32) < threshold {
                product = u64::from(self.next_u32()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    fn range(&mut self, range: Range<i32>) -> i32 {
        assert!(!range.is_empty(), "an empty range");
        let width = range.end.wrapping_sub(range.start) as u32;
        range.start.wrapping_add_unsigned(self.below(width))
    }

    fn shuffle<T>(&mut self, items: &mut [T])
    where
        Self: Sized,
    {
        for i in (1..items.len()).rev() {
            items.swap(i, self.below(i as u32 + 1) as usize);
        }
    }

    fn choose<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        match items.len() {
            0 => None,
            len => items.get(self.below(len as u32) as usize),
        }
    }
}

#[routine]
impl<R: Rng> Rng for &mut R {
    fn next_u32(&mut self) -> u32 {
        (**self).next_u32()
    }
}

#[routine]
pub trait SeedableRng: Sized {
    type Seed: Default + AsMut<[u8]>;

    fn from_seed(seed: Self::Seed) -> Self;

    fn seed_from_u64(mut state: u64) -> Self {
        let mut seed = Self::Seed::default();
        for chunk in seed.as_mut().chunks_mut(8) {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^= z >> 31;
            chunk.copy_from_slice(&z.to_le_bytes()[..chunk.len()]);
        }
        Self::from_seed(seed)
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Xoshiro256 {
    s: [u64; 4],
}

#[routine]
impl SeedableRng for Xoshiro256 {
    type Seed = [u8; 32];

    fn from_seed(seed: [u8; 32]) -> Self {
        let mut s = [0; 4];
        for (word, bytes) in s.iter_mut().zip(seed.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().unwrap());
        }
        Self { s }
    }
}

#[routine]
impl Rng for Xoshiro256 {
    fn next_u32(&mut self) -> u32 {
        (self.next_u64() >> 32) as u32
    }

    fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.s;
        let result = b.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= t;
        *d = d.rotate_left(45);
        result
    }
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pcg32 {
    state: u64,
    increment: u64,
}

#[routine]
impl Pcg32 {
    const MULTIPLIER: u64 = 6_364_136_223_846_793_005;

    pub fn new(seed: u64, stream: u64) -> Self {
        let mut this = Self {
            state: 0,
            increment: stream << 1 | 1,
        };
        this.next_u32();
        this.state = this.state.wrapping_add(seed);
        this.next_u32();
        this
    }

    /// As many steps as one likes, in logarithmic time.
    pub fn advance(&mut self, mut delta: u64) {
        let (mut multiplier, mut plus) = (Self::MULTIPLIER, self.increment);
        let (mut all_multiplier, mut all_plus) = (1u64, 0u64);
        while delta > 0 {
            if delta & 1 == 1 {
                all_multiplier = all_multiplier.wrapping_mul(multiplier);
                all_plus = all_plus.wrapping_mul(multiplier).wrapping_add(plus);
            }
            plus = multiplier.wrapping_add(1).wrapping_mul(plus);
            multiplier = multiplier.wrapping_mul(multiplier);
            delta /= 2;
        }
        self.state = all_multiplier.wrapping_mul(self.state).wrapping_add(all_plus);
    }
}

#[routine]
impl Rng for Pcg32 {
    fn next_u32(&mut self) -> u32 {
        let next = self.state.wrapping_mul(Self::MULTIPLIER).wrapping_add(self.increment);
        let old = core::mem::replace(&mut self.state, next);
        let xorshifted = ((old >> 18 ^ old) >> 27) as u32;
        xorshifted.rotate_right((old >> 59) as u32)
    }
}

/// MT19937.
#[derive(VmType, Clone, Debug)]
pub struct MersenneTwister {
    state: [u32; Self::N],
    index: usize,
}

#[routine]
impl MersenneTwister {
    const N: usize = 624;
    const M: usize = 397;

    pub fn new(seed: u32) -> Self {
        let mut state = [seed; Self::N];
        for i in 1..Self::N {
            let before = state[i - 1];
            state[i] = (before ^ before >> 30)
                .wrapping_mul(1_812_433_253)
                .wrapping_add(i as u32);
        }
        Self { state, index: Self::N }
    }

    fn twist(&mut self) {
        for i in 0..Self::N {
            let y = self.state[i] & 1 << 31 | self.state[(i + 1) % Self::N] & !(1 << 31);
            let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + Self::M) % Self::N] ^ y >> 1 ^ odd;
        }
        self.index = 0;
    }
}

#[routine]
impl Rng for MersenneTwister {
    fn next_u32(&mut self) -> u32 {
        if self.index >= Self::N {
            self.twist();
        }
        let mut y = self.state[self.index];
        self.index += 1;
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c_5680;
        y ^= y << 15 & 0xefc6_0000;
        y ^ y >> 18
    }
}

/// Marsaglia's polar method; every second number is left over from the first.
#[derive(VmType, Clone, Copy, Debug, Default)]
pub struct Normal {
    mean: f64,
    deviation: f64,
    spare: Option<f64>,
}

#[routine]
impl Normal {
    fn new(mean: f64, deviation: f64) -> Self {
        Self {
            mean,
            deviation,
            ..Default::default()
        }
    }

    fn sample(&mut self, rng: &mut impl Rng) -> f64 {
        if let Some(spare) = self.spare.take() {
            return self.mean + self.deviation * spare;
        }
        let (u, v, s) = loop {
            let (u, v) = (2.0 * rng.unit() - 1.0, 2.0 * rng.unit() - 1.0);
            let s = u * u + v * v;
            if s < 1.0 && s != 0.0 {
                break (u, v, s);
            }
        };
        let factor = (-2.0 * s.ln() / s).sqrt();
        self.spare = Some(v * factor);
        self.mean + self.deviation * (u * factor)
    }
}

/// Vitter's algorithm R.
#[routine]
fn reservoir<R: Rng, I: Iterator, const K: usize>(rng: &mut R, items: I) -> [Option<I::Item>; K] {
    let mut kept = [const { None }; K];
    for (i, item) in items.enumerate() {
        let place = if i < K { i } else { rng.below(i as u32 + 1) as usize };
        if let Some(slot) = kept.get_mut(place) {
            *slot = Some(item);
        }
    }
    kept
}

#[routine]
fn deal<R: Rng>(mut rng: R) -> [u8; 8] {
    let mut deck: [u8; 32] = core::array::from_fn(|card| card as u8);
    rng.shuffle(&mut deck);
    *deck.first_chunk().unwrap()
}

#[routine]
pub fn dealt(kind: u8, seed: u64) -> [u8; 8] {
    match kind {
        0 => deal(Xoshiro256::seed_from_u64(seed)),
        1 => deal(Pcg32::new(seed, 54)),
        _ => {
            let mut twister = MersenneTwister::new(seed as u32);
            deal(&mut twister)
        }
    }
}

#[routine]
pub fn pcg_jump(seed: u64, stream: u64, delta: u64) -> [u32; 2] {
    let mut rng = Pcg32::new(seed, stream);
    let first = rng.next_u32();
    rng.advance(delta);
    [first, rng.next_u32()]
}

#[routine]
pub fn normal_moments(seed: u64, count: u32) -> [f64; 2] {
    let mut rng = Xoshiro256::seed_from_u64(seed);
    let mut normal = Normal::new(10.0, 2.0);
    let (sum, squares) = (0..count)
        .map(|_| normal.sample(&mut rng))
        .fold((0.0, 0.0), |(sum, squares), x| (sum + x, squares + x * x));
    let mean = sum / f64::from(count);
    [mean, squares / f64::from(count) - mean * mean]
}

#[routine]
pub fn sampled(words: &[u8], seed: u64) -> ([Option<u8>; 3], i32, Option<u8>) {
    let mut rng = Pcg32::new(seed, 1);
    let kept = reservoir(
        &mut rng,
        words.split(|b| *b == b' ').filter_map(|word| word.first().copied()),
    );
    (kept, rng.range(-5..6), rng.choose(words).copied())
}

pub fn known() {
    // PCG's own demonstration, and what MT19937 gives for 5489.
    let mut pcg = Pcg32::new(42, 54);
    assert_eq!(
        [pcg.next_u32(), pcg.next_u32(), pcg.next_u32()],
        [0xa15c_02b7, 0x7b47_f409, 0xba1d_3330]
    );
    let mut twister = MersenneTwister::new(5489);
    assert_eq!([twister.next_u32(), twister.next_u32()], [3_499_211_612, 581_869_302]);
    let [first, fourth] = pcg_jump(42, 54, 1);
    assert_eq!([first, fourth], [0xa15c_02b7, 0xba1d_3330]);
    let [mean, variance] = normal_moments(1, 2000);
    assert!(
        (mean - 10.0).abs() < 0.2 && (variance - 4.0).abs() < 0.5,
        "{mean} {variance}"
    );
    let (kept, number, chosen) = sampled(b"one two", 3);
    assert_eq!(kept, [Some(b'o'), Some(b't'), None]);
    assert!((-5..6).contains(&number) && chosen.is_some());
    let mut cards = dealt(2, 1);
    cards.sort_unstable();
    assert!(cards.windows(2).all(|pair| pair[0] < pair[1]));
}
