//! The interface of the crate `rand`: a trait of generators and one that is implemented for all of them, distributions, seeding, and methods of slices.

use gpuvm::prelude::*;

#[routine]
trait RngCore {
    fn next_u32(&mut self) -> u32;
    fn next_u64(&mut self) -> u64 {
        (self.next_u32() as u64) << 32 | self.next_u32() as u64
    }
    fn fill(&mut self, dest: &mut [u32]) {
        for d in dest {
            *d = self.next_u32();
        }
    }
}
#[routine]
impl<R: RngCore + ?Sized> RngCore for &mut R {
    fn next_u32(&mut self) -> u32 {
        (**self).next_u32()
    }
    fn next_u64(&mut self) -> u64 {
        (**self).next_u64()
    }
    fn fill(&mut self, dest: &mut [u32]) {
        (**self).fill(dest)
    }
}
#[routine]
trait SeedableRng: Sized {
    type Seed: Copy + Default;
    fn from_seed(seed: Self::Seed) -> Self;
    fn seed_from_u64(seed: u64) -> Self;
}
#[routine]
trait Standard: Sized {
    fn sample<R: RngCore + ?Sized>(rng: &mut R) -> Self;
}
#[routine]
impl Standard for u32 {
    fn sample<R: RngCore + ?Sized>(rng: &mut R) -> u32 {
        rng.next_u32()
    }
}
#[routine]
impl Standard for f32 {
    fn sample<R: RngCore + ?Sized>(rng: &mut R) -> f32 {
        (rng.next_u32() >> 8) as f32 / 16777216.0
    }
}
#[routine]
impl Standard for bool {
    fn sample<R: RngCore + ?Sized>(rng: &mut R) -> bool {
        rng.next_u32() & 1 == 1
    }
}
#[routine]
impl<A: Standard, B: Standard> Standard for (A, B) {
    fn sample<R: RngCore + ?Sized>(rng: &mut R) -> (A, B) {
        (A::sample(rng), B::sample(rng))
    }
}
#[routine]
trait SampleUniform: Copy + PartialOrd {
    fn between<R: RngCore + ?Sized>(low: Self, high: Self, rng: &mut R) -> Self;
}
#[routine]
impl SampleUniform for u32 {
    fn between<R: RngCore + ?Sized>(low: u32, high: u32, rng: &mut R) -> u32 {
        low + rng.next_u32() % (high - low)
    }
}
#[routine]
impl SampleUniform for f32 {
    fn between<R: RngCore + ?Sized>(low: f32, high: f32, rng: &mut R) -> f32 {
        low + (high - low) * f32::sample(rng)
    }
}
#[routine]
trait Rng: RngCore {
    fn random<T: Standard>(&mut self) -> T {
        T::sample(self)
    }
    fn random_range<T: SampleUniform>(&mut self, range: std::ops::Range<T>) -> T {
        assert!(range.start < range.end, "empty range");
        T::between(range.start, range.end, self)
    }
    fn random_bool(&mut self, p: f32) -> bool {
        self.random::<f32>() < p
    }
    fn sample<T, D: Distribution<T>>(&mut self, d: D) -> T {
        d.sample(self)
    }
}
#[routine]
impl<R: RngCore + ?Sized> Rng for R {}
#[routine]
trait Distribution<T> {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> T;
}
#[derive(VmType, Clone, Copy)]
struct Normal {
    mean: f32,
    dev: f32,
}
#[routine]
impl Distribution<f32> for Normal {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f32 {
        let s: f32 = (0..4).map(|_| rng.random::<f32>()).sum();
        self.mean + self.dev * (s - 2.0)
    }
}
#[routine]
impl<T, D: Distribution<T>> Distribution<T> for &D {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> T {
        (*self).sample(rng)
    }
}
#[derive(VmType, Clone, Copy)]
struct Pcg {
    state: u64,
    inc: u64,
}
#[routine]
impl RngCore for Pcg {
    fn next_u32(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(6364136223846793005).wrapping_add(self.inc | 1);
        let x = (((old >> 18) ^ old) >> 27) as u32;
        x.rotate_right((old >> 59) as u32)
    }
}
#[routine]
impl SeedableRng for Pcg {
    type Seed = [u64; 2];
    fn from_seed(s: [u64; 2]) -> Self {
        Pcg { state: s[0], inc: s[1] }
    }
    fn seed_from_u64(s: u64) -> Self {
        Self::from_seed([s, s ^ 0x9e37])
    }
}
#[routine]
trait SliceRandom {
    type Item;
    fn choose<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<&Self::Item>;
    fn shuffle<R: Rng + ?Sized>(&mut self, rng: &mut R);
}
#[routine]
impl<T> SliceRandom for [T] {
    type Item = T;
    fn choose<R: Rng + ?Sized>(&self, rng: &mut R) -> Option<&T> {
        if self.is_empty() {
            None
        } else {
            Some(&self[rng.random_range(0..self.len() as u32) as usize])
        }
    }
    fn shuffle<R: Rng + ?Sized>(&mut self, rng: &mut R) {
        for i in (1..self.len()).rev() {
            self.swap(i, rng.random_range(0..i as u32 + 1) as usize);
        }
    }
}
#[routine]
fn walk<R: Rng>(rng: &mut R, steps: u32) -> (i32, f32) {
    let mut x = 0;
    for _ in 0..steps {
        x += if rng.random_bool(0.3) { 2 } else { -1 };
    }
    let (a, b): (f32, bool) = rng.random();
    (x, if b { a } else { rng.random_range(-1.0..1.0) })
}
#[routine]
pub fn dealt_and_walked(a: u32) -> ((i32, f32), f32, [u32; 5], Option<u32>) {
    let mut rng = Pcg::seed_from_u64(a as u64);
    let mut list = [1, 2, 3, 4, 5];
    let w = walk(&mut rng, 6);
    let n = Normal { mean: 1.0, dev: 2.0 };
    let s = rng.sample(&n) + n.sample(&mut rng) + rng.sample(n);
    list.shuffle(&mut rng);
    (w, s, list, list[..(a % 3) as usize].choose(&mut rng).copied())
}

pub fn known() {
    // PCG's own demonstration.
    let mut pcg = Pcg::from_seed([0x185706b82c2e03f8, 54 << 1 | 1]);
    assert_eq!(
        [pcg.next_u32(), pcg.next_u32(), pcg.next_u32()],
        [0xa15c02b7, 0x7b47f409, 0xba1d3330]
    );
    let (.., mut list, _) = dealt_and_walked(7);
    list.sort_unstable();
    assert_eq!(list, [1, 2, 3, 4, 5]);
    let mut pcg = Pcg::seed_from_u64(1);
    let normal = Normal { mean: 3.0, dev: 0.5 };
    let mean = (0..1000).map(|_| pcg.sample(&normal)).sum::<f32>() / 1000.0;
    assert!((mean - 3.0).abs() < 0.05, "{mean}");
    assert!((0..1000).all(|_| (3..9).contains(&pcg.random_range(3..9))));
}
