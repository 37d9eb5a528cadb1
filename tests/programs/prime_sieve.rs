//! The sieve of Eratosthenes in a bit set, an iterator of its primes, and counts over them.

use core::ops::RangeInclusive;

use gpuvm::prelude::*;

const LIMIT: usize = 4096;

/// One bit for each odd number below `2 * 64 * WORDS`.
#[derive(VmType, Clone, Copy)]
struct Sieve<const WORDS: usize> {
    composite: [u64; WORDS],
}

#[routine]
impl<const WORDS: usize> Sieve<WORDS> {
    const END: usize = WORDS * 128;

    fn new() -> Self {
        let mut sieve = Self { composite: [0; WORDS] };
        sieve.composite[0] = 1;
        for n in (3..).step_by(2).take_while(|n| n * n < Self::END) {
            if sieve.is_prime(n) {
                for multiple in (n * n..Self::END).step_by(2 * n) {
                    sieve.composite[multiple / 128] |= 1 << (multiple / 2 % 64);
                }
            }
        }
        sieve
    }

    fn is_prime(&self, n: usize) -> bool {
        n == 2 || n % 2 == 1 && self.composite[n / 128] >> (n / 2 % 64) & 1 == 0
    }

    fn primes(&self) -> Primes<'_, WORDS> {
        Primes {
            sieve: self,
            range: 2..=Self::END - 1,
        }
    }
}

#[derive(VmType, Clone)]
struct Primes<'a, const WORDS: usize> {
    sieve: &'a Sieve<WORDS>,
    range: RangeInclusive<usize>,
}

#[routine]
impl<const WORDS: usize> Iterator for Primes<'_, WORDS> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        self.range.find(|&n| self.sieve.is_prime(n)).map(|n| n as u32)
    }
}

#[routine]
impl<const WORDS: usize> DoubleEndedIterator for Primes<'_, WORDS> {
    fn next_back(&mut self) -> Option<u32> {
        self.range.rfind(|&n| self.sieve.is_prime(n)).map(|n| n as u32)
    }
}

#[derive(VmType, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrimeCounts {
    pub primes: u32,
    pub twins: u32,
    pub widest_gap: u32,
    pub last: u32,
    pub sum: u64,
}

/// What there is of primes up to `n`, below 4096.
#[routine]
pub fn prime_counts(n: u32) -> PrimeCounts {
    let sieve = Sieve::<{ LIMIT / 128 }>::new();
    let up_to = || sieve.primes().take_while(|&p| p <= n);
    let gaps = || up_to().zip(up_to().skip(1)).map(|(p, q)| q - p);
    PrimeCounts {
        primes: up_to().count() as u32,
        twins: gaps().filter(|&gap| gap == 2).count() as u32,
        widest_gap: gaps().max().unwrap_or(0),
        last: sieve.primes().rev().find(|&p| p <= n).unwrap_or(0),
        sum: up_to().map(u64::from).sum(),
    }
}

/// The n-th prime, the first being 2; 0 beyond the sieve.
#[routine]
pub fn nth_prime(n: u32) -> u32 {
    match n.checked_sub(1) {
        Some(n) => Sieve::<64>::new().primes().nth(n as usize).unwrap_or_default(),
        None => 0,
    }
}

/// Whether the even number is a sum of two primes, and the pair with the smallest first.
#[routine]
pub fn goldbach(even: u16) -> [u16; 2] {
    let sieve = Sieve::<32>::new();
    let even = usize::from(even);
    let pair = sieve
        .primes()
        .map(|p| p as usize)
        .take_while(|p| 2 * p <= even)
        .map(|p| (p, even - p))
        .find(|&(_, q)| q < Sieve::<32>::END && sieve.is_prime(q));
    pair.map_or([0, 0], |(p, q)| [p as u16, q as u16])
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(
            prime_counts(100),
            PrimeCounts {
                primes: 25,
                twins: 8,
                widest_gap: 8,
                last: 97,
                sum: 1060
            }
        );
        assert_eq!(prime_counts(4095).primes, 564);
        assert_eq!(prime_counts(1), PrimeCounts::default());
    }

    #[test]
    fn places() {
        assert_eq!(nth_prime(1), 2);
        assert_eq!(nth_prime(1000), 7919);
        assert_eq!(nth_prime(0), 0);
        assert_eq!(goldbach(100), [3, 97]);
        assert_eq!(goldbach(11), [0, 0]);
        assert_eq!(goldbach(3000), [29, 2971]);
    }
}
