//! Bit tricks on 128 bits: subsets in order, bits gathered and scattered, Morton codes, Gray codes and a small Lights Out.

use core::fmt;
use core::ops::{BitAnd, BitOr, BitXor, Not, Shl, Sub};

use gpuvm::prelude::*;

/// How many bits of a byte are set, and where the highest is.
const BYTES: [(u8, Option<u8>); 256] = byte_table();

const fn byte_table() -> [(u8, Option<u8>); 256] {
    let mut table = [(0, None); 256];
    let mut byte = 1;
    while byte < 256 {
        let (below, _) = table[byte >> 1];
        let mut highest = 7;
        while byte >> highest == 0 {
            highest -= 1;
        }
        table[byte] = (below + (byte & 1) as u8, Some(highest));
        byte += 1;
    }
    table
}

#[derive(VmType, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Mask(u128);

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#034x}", self.0)
    }
}

macro_rules! binary {
    ($($trait:ident::$method:ident)*) => {$(
        #[routine]
        impl $trait for Mask {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Mask(self.0.$method(other.0))
            }
        }
    )*};
}
binary!(BitAnd::bitand BitOr::bitor BitXor::bitxor);

#[routine]
impl Not for Mask {
    type Output = Self;
    fn not(self) -> Self {
        Self(!self.0)
    }
}

#[routine]
impl Mask {
    pub const NONE: Mask = Mask(0);
    pub const ALL: Self = Self(u128::MAX);

    #[must_use]
    pub const fn single(bit: u32) -> Self {
        Self(1 << (bit & 127))
    }

    const fn lowest(self) -> Self {
        Self(self.0 & self.0.wrapping_neg())
    }

    /// The next larger mask with as many bits, by Gosper.
    fn next_of_same_count(self) -> Option<Self> {
        let Self(bits) = self;
        let lowest = self.lowest().0;
        let ripple = bits.checked_add(lowest).filter(|_| lowest != 0)?;
        let ones = (bits ^ ripple) >> (2 + lowest.trailing_zeros());
        Some(Self(ripple | ones))
    }

    /// Counts by bytes.
    fn count(self) -> u32 {
        self.0
            .to_le_bytes()
            .into_iter()
            .map(|byte| u32::from(BYTES[usize::from(byte)].0))
            .sum()
    }

    fn highest(self) -> Option<u32> {
        self.0
            .to_be_bytes()
            .iter()
            .zip((0..16).rev())
            .find_map(|(&byte, place)| BYTES[byte as usize].1.map(|bit| u32::from(bit) + 8 * place))
    }

    fn bits(self) -> impl Iterator<Item = u32> {
        core::iter::successors(Some(self), |rest| Some(*rest & !rest.lowest()))
            .take_while(|rest| *rest != Mask::NONE)
            .map(|rest| rest.0.trailing_zeros())
    }

    /// Packs the bits that `mask` has to the low end.
    fn gather(self, mask: Mask) -> u128 {
        mask.bits()
            .enumerate()
            .fold(0, |packed, (to, from)| packed | (self.0 >> from & 1) << to)
    }

    fn scatter(packed: u128, mask: Mask) -> Self {
        mask.bits()
            .enumerate()
            .filter(|&(from, _)| packed >> from & 1 == 1)
            .map(|(_, to)| Mask::single(to))
            .fold(Self::NONE, BitOr::bitor)
    }
}

/// Puts a zero before each bit.
#[routine]
fn spread<T>(x: T, steps: &[(u32, T)]) -> T
where
    T: Copy + Shl<u32, Output = T> + BitOr<Output = T> + BitAnd<Output = T>,
{
    steps.iter().fold(x, |x, &(by, mask)| (x | x << by) & mask)
}

const SPREAD: [(u32, u128); 6] = {
    let mut steps = [(0, 0); 6];
    let mut i = 0;
    while i < 6 {
        let width = 32 >> i;
        let mut mask = 0u128;
        let mut at = 0;
        while at < 128 {
            mask |= ((1 << width) - 1) << at;
            at += 2 * width;
        }
        steps[i] = (width, mask);
        i += 1;
    }
    steps
};

#[routine]
pub fn morton(x: u64, y: u64) -> u128 {
    spread(u128::from(x), &SPREAD) | spread(u128::from(y), &SPREAD) << 1
}

#[routine]
pub fn mask_facts(bits: u128, mask: u128) -> (u32, Option<u32>, u128, Mask, Option<Mask>) {
    let (value, mask) = (Mask(bits), Mask(mask));
    let gathered = value.gather(mask);
    assert_eq!(
        Mask::scatter(gathered, mask),
        value & mask,
        "what is gathered can be scattered"
    );
    (
        value.count(),
        value.highest(),
        gathered,
        Mask::scatter(bits, mask),
        value.next_of_same_count(),
    )
}

#[routine]
fn distance<T: Sub<Output = T> + PartialOrd>(a: T, b: T) -> T {
    if a < b { b - a } else { a - b }
}

/// Of `count` subsets of `size` bits in order, how far the Gray codes of neighbours are apart, at most and in sum.
#[routine]
pub fn gray_walk(size: u32, count: u32) -> (u32, u128) {
    let gray = |Mask(bits)| bits ^ bits >> 1;
    let first = Mask(1u128.checked_shl(size).map_or(u128::MAX, |bit| bit - 1));
    let subsets = core::iter::successors(Some(first), |mask| mask.next_of_same_count());
    let mut codes = subsets.take(count as usize).map(gray).peekable();
    let (mut most, mut total) = (0, 0u128);
    while let Some(code) = codes.next() {
        let Some(&next) = codes.peek() else { break };
        most = most.max((code ^ next).count_ones());
        total = total.wrapping_add(distance(code, next));
    }
    (most, total)
}

#[cfg(test)]
mod known {
    use super::*;
    #[test]
    fn all() {
        assert_eq!(morton(0b101, 0b011), 0b011011);
        assert_eq!(morton(u64::MAX, 0), u128::MAX / 3);
        let (count, highest, gathered, scattered, next) = mask_facts(0b1011_0110, 0b1111_0000);
        assert_eq!((count, highest, gathered), (5, Some(7), 0b1011));
        assert_eq!((scattered, next), (Mask(0b0110_0000), Some(Mask(0b1011_1001))));
        assert_eq!(gray_walk(1, 4), (2, 2 + 3 + 6));
    }
}
