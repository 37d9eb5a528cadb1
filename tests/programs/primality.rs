//! Miller-Rabin for every `u64`, Pollard's rho and the factorisation of a number, with `u128` products.

use gpuvm::prelude::*;

const SMALL_PRIMES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

#[routine]
fn mul_mod(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

#[routine]
fn pow_mod(mut base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let mut result = 1 % modulus;
    base %= modulus;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = mul_mod(result, base, modulus);
        }
        base = mul_mod(base, base, modulus);
        exponent >>= 1;
    }
    result
}

#[routine]
fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Whether `n` is prime: the first twelve primes as bases decide every number below 2^64.
#[routine]
pub fn miller_rabin(n: u64) -> bool {
    if n < 2 {
        return false;
    }
    if let Some(&divisor) = SMALL_PRIMES.iter().find(|&&p| n.is_multiple_of(p)) {
        return n == divisor;
    }
    let twos = (n - 1).trailing_zeros();
    let odd = (n - 1) >> twos;
    'bases: for base in SMALL_PRIMES {
        let mut x = pow_mod(base, odd, n);
        if x == 1 || x == n - 1 {
            continue;
        }
        for _ in 1..twos {
            x = mul_mod(x, x, n);
            if x == n - 1 {
                continue 'bases;
            }
        }
        return false;
    }
    true
}

/// A factor of the composite `n`.
#[routine]
fn pollard_rho(n: u64) -> u64 {
    if n.is_multiple_of(2) {
        return 2;
    }
    (1..)
        .find_map(|increment| {
            let step = |x: u64| ((u128::from(x) * u128::from(x) + increment) % u128::from(n)) as u64;
            let (mut slow, mut fast) = (2, 2);
            loop {
                slow = step(slow);
                fast = step(step(fast));
                match gcd(slow.abs_diff(fast), n) {
                    1 => {}
                    divisor if divisor == n => return None,
                    divisor => return Some(divisor),
                }
            }
        })
        .expect("some increment finds a factor")
}

/// The prime factors found so far, in order, and how often each divides.
#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Factors {
    pub primes: [u64; 16],
    pub exponents: [u8; 16],
    pub len: u32,
}

#[routine]
impl Factors {
    fn new() -> Self {
        Self {
            primes: [0; 16],
            exponents: [0; 16],
            len: 0,
        }
    }

    fn insert(&mut self, prime: u64) {
        let len = self.len as usize;
        match self.primes[..len].binary_search(&prime) {
            Ok(at) => self.exponents[at] += 1,
            Err(at) => {
                self.primes.copy_within(at..len, at + 1);
                self.exponents.copy_within(at..len, at + 1);
                self.primes[at] = prime;
                self.exponents[at] = 1;
                self.len += 1;
            }
        }
    }

    fn split(&mut self, n: u64) {
        if n < 2 {
            return;
        }
        if miller_rabin(n) {
            self.insert(n);
            return;
        }
        let divisor = pollard_rho(n);
        self.split(divisor);
        self.split(n / divisor);
    }

    fn iter(&self) -> impl Iterator<Item = (u64, u32)> + '_ {
        self.primes
            .iter()
            .zip(&self.exponents)
            .take(self.len as usize)
            .map(|(&p, &e)| (p, u32::from(e)))
    }
}

#[routine]
pub fn factorise(n: u64) -> Factors {
    let mut factors = Factors::new();
    factors.split(n);
    factors
}

#[derive(VmType, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divisors {
    pub count: u64,
    pub sum: u128,
    pub totient: u64,
}

/// How many divisors `n` has, their sum, and Euler's totient.
#[routine]
pub fn divisor_functions(n: u64) -> Divisors {
    let factors = factorise(n);
    let count = factors.iter().map(|(_, e)| u64::from(e) + 1).product();
    let sum = factors
        .iter()
        .map(|(p, e)| (0..=e).map(|k| u128::from(p).pow(k)).sum::<u128>())
        .product();
    let totient = factors.iter().fold(n, |totient, (p, _)| totient / p * (p - 1));
    Divisors { count, sum, totient }
}

#[cfg(test)]
mod known {
    use super::*;

    #[test]
    fn primes() {
        assert_eq!((0..100).filter(|&n| miller_rabin(n)).count(), 25);
        assert!(miller_rabin(18_446_744_073_709_551_557));
        assert!(!miller_rabin(u64::MAX));
        // A strong pseudoprime to the first nine bases.
        assert!(!miller_rabin(3_825_123_056_546_413_051));
    }

    #[test]
    fn factors() {
        let factors = factorise(2 * 2 * 3 * 1_000_003 * 998_244_353);
        assert!(factors.iter().eq([(2, 2), (3, 1), (1_000_003, 1), (998_244_353, 1)]));
        assert_eq!(factorise(1).len, 0);
        assert_eq!(
            factorise(4_294_967_291 * 4_294_967_279).primes[..2],
            [4_294_967_279, 4_294_967_291]
        );
    }

    #[test]
    fn divisors() {
        assert_eq!(
            divisor_functions(360),
            Divisors {
                count: 24,
                sum: 1170,
                totient: 96
            }
        );
        assert_eq!(
            divisor_functions(1),
            Divisors {
                count: 1,
                sum: 1,
                totient: 1
            }
        );
    }
}
