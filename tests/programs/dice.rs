//! Dice from a small generator with a method an integer type, made by a macro as crates of random numbers do.

use gpuvm::prelude::*;

/// WyRand.
#[derive(VmType, Debug, PartialEq, Eq)]
pub struct Rng(u64);

macro_rules! integer {
    ($t:tt, $unsigned:tt, $doc:tt) => {
        #[doc = $doc]
        ///
        /// Panics if the range is empty.
        #[inline]
        pub fn $t(&mut self, low: $t, high: $t) -> $t {
            if low > high {
                panic!("empty range: {:?}..={:?}", low, high);
            }
            if low == $t::MIN && high == $t::MAX {
                return self.next_u64() as $t;
            }
            let len = high.wrapping_sub(low).wrapping_add(1) as $unsigned;
            low.wrapping_add(self.below(len as u64) as $t)
        }
    };
}

#[routine]
impl Rng {
    pub const fn with_seed(seed: u64) -> Self {
        Rng(seed)
    }

    fn next_u64(&mut self) -> u64 {
        const ADD: u64 = 0x2d35_8dcc_aa6c_78a5;
        const XOR: u64 = 0x8bb8_4b93_962e_acc9;
        let s = self.0.wrapping_add(ADD);
        self.0 = s;
        let t = u128::from(s) * u128::from(s ^ XOR);
        (t as u64) ^ (t >> 64) as u64
    }

    /// Lemire's way.
    fn below(&mut self, n: u64) -> u64 {
        let mut product = u128::from(self.next_u64()) * u128::from(n);
        if (product as u64) < n {
            let t = n.wrapping_neg() % n;
            while (product as u64) < t {
                product = u128::from(self.next_u64()) * u128::from(n);
            }
        }
        (product >> 64) as u64
    }

    integer!(u8, u8, "A random `u8`.");
    integer!(i16, u16, "A random `i16`.");
    integer!(u64, u64, "A random `u64`.");

    pub fn bool(&mut self) -> bool {
        self.u8(0, u8::MAX) % 2 == 0
    }
}

#[routine]
impl Default for Rng {
    fn default() -> Self {
        Rng::with_seed(0x0ef6_f79e_d30b_a75a)
    }
}

/// Rolls until the sum is at least `goal`, and what it was, how many rolls, and the last coin.
#[routine]
pub fn roll_until(seed: u64, goal: i16) -> (i16, u32, bool) {
    let mut rng = if seed == 0 {
        Rng::default()
    } else {
        Rng::with_seed(seed)
    };
    let mut sum = 0;
    let mut rolls = 0;
    while sum < goal {
        sum += i16::from(rng.u8(1, 6)) + rng.i16(-2, 2);
        rolls += 1;
    }
    let coin = rng.bool() ^ (rng.u64(0, u64::MAX) > u64::MAX / 2);
    (sum, rolls, coin)
}
