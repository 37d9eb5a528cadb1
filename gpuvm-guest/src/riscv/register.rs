//! What a register of 32 or of 64 bits computes. The emulator is written once over this, so the narrow machine does no work of 64 bits.

use gpuvm::prelude::*;

/// An integer register's value, by its width.
#[routine]
pub(crate) trait Register: VmType + Copy {
    /// Bits.
    const WIDTH: u32;

    fn of(word: u32) -> Self;
    fn signed(word: u32) -> Self;
    fn wrapping(double: u64) -> Self;
    fn low(self) -> u32;
    fn double(self) -> u64;
    fn is_address(self) -> bool;

    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn both(self, other: Self) -> Self;
    fn either(self, other: Self) -> Self;
    fn differing(self, other: Self) -> Self;
    fn shifted_left(self, by: u32) -> Self;
    fn shifted_right(self, by: u32) -> Self;
    fn shifted_signed(self, by: u32) -> Self;
    fn same(self, other: Self) -> bool;
    fn below(self, other: Self) -> bool;
    fn below_signed(self, other: Self) -> bool;

    fn times(self, other: Self) -> Self;
    fn times_high(self, other: Self) -> Self;
    fn times_high_mixed(self, other: Self) -> Self;
    fn times_high_unsigned(self, other: Self) -> Self;
    fn divided(self, other: Self) -> Self;
    fn divided_unsigned(self, other: Self) -> Self;
    fn remainder(self, other: Self) -> Self;
    fn remainder_unsigned(self, other: Self) -> Self;
}

#[routine]
impl Register for u32 {
    const WIDTH: u32 = 32;

    fn of(word: u32) -> u32 {
        word
    }

    fn signed(word: u32) -> u32 {
        word
    }

    fn wrapping(double: u64) -> u32 {
        double as u32
    }

    fn low(self) -> u32 {
        self
    }

    fn double(self) -> u64 {
        u64::from(self)
    }

    fn is_address(self) -> bool {
        true
    }

    fn plus(self, other: u32) -> u32 {
        self.wrapping_add(other)
    }

    fn minus(self, other: u32) -> u32 {
        self.wrapping_sub(other)
    }

    fn both(self, other: u32) -> u32 {
        self & other
    }

    fn either(self, other: u32) -> u32 {
        self | other
    }

    fn differing(self, other: u32) -> u32 {
        self ^ other
    }

    fn shifted_left(self, by: u32) -> u32 {
        self.wrapping_shl(by)
    }

    fn shifted_right(self, by: u32) -> u32 {
        self.wrapping_shr(by)
    }

    fn shifted_signed(self, by: u32) -> u32 {
        (self as i32).wrapping_shr(by) as u32
    }

    fn same(self, other: u32) -> bool {
        self == other
    }

    fn below(self, other: u32) -> bool {
        self < other
    }

    fn below_signed(self, other: u32) -> bool {
        (self as i32) < other as i32
    }

    fn times(self, other: u32) -> u32 {
        self.wrapping_mul(other)
    }

    fn times_high(self, other: u32) -> u32 {
        ((self as i32 as i64).wrapping_mul(other as i32 as i64) >> 32) as u32
    }

    fn times_high_mixed(self, other: u32) -> u32 {
        ((self as i32 as i64).wrapping_mul(other as i64) >> 32) as u32
    }

    fn times_high_unsigned(self, other: u32) -> u32 {
        ((self as u64).wrapping_mul(other as u64) >> 32) as u32
    }

    fn divided(self, other: u32) -> u32 {
        if other == 0 {
            u32::MAX
        } else {
            (self as i32).wrapping_div(other as i32) as u32
        }
    }

    fn divided_unsigned(self, other: u32) -> u32 {
        self.checked_div(other).unwrap_or(u32::MAX)
    }

    fn remainder(self, other: u32) -> u32 {
        if other == 0 {
            self
        } else {
            (self as i32).wrapping_rem(other as i32) as u32
        }
    }

    fn remainder_unsigned(self, other: u32) -> u32 {
        if other == 0 { self } else { self % other }
    }
}

#[routine]
impl Register for u64 {
    const WIDTH: u32 = 64;

    fn of(word: u32) -> u64 {
        u64::from(word)
    }

    fn signed(word: u32) -> u64 {
        word as i32 as i64 as u64
    }

    fn wrapping(double: u64) -> u64 {
        double
    }

    fn low(self) -> u32 {
        self as u32
    }

    fn double(self) -> u64 {
        self
    }

    fn is_address(self) -> bool {
        (self >> 32) as u32 == 0
    }

    fn plus(self, other: u64) -> u64 {
        self.wrapping_add(other)
    }

    fn minus(self, other: u64) -> u64 {
        self.wrapping_sub(other)
    }

    fn both(self, other: u64) -> u64 {
        self & other
    }

    fn either(self, other: u64) -> u64 {
        self | other
    }

    fn differing(self, other: u64) -> u64 {
        self ^ other
    }

    fn shifted_left(self, by: u32) -> u64 {
        self.wrapping_shl(by)
    }

    fn shifted_right(self, by: u32) -> u64 {
        self.wrapping_shr(by)
    }

    fn shifted_signed(self, by: u32) -> u64 {
        (self as i64).wrapping_shr(by) as u64
    }

    fn same(self, other: u64) -> bool {
        self == other
    }

    fn below(self, other: u64) -> bool {
        self < other
    }

    fn below_signed(self, other: u64) -> bool {
        (self as i64) < other as i64
    }

    fn times(self, other: u64) -> u64 {
        self.wrapping_mul(other)
    }

    fn times_high(self, other: u64) -> u64 {
        ((self as i64 as i128).wrapping_mul(other as i64 as i128) >> 64) as u64
    }

    fn times_high_mixed(self, other: u64) -> u64 {
        ((self as i64 as i128).wrapping_mul(other as i128) >> 64) as u64
    }

    fn times_high_unsigned(self, other: u64) -> u64 {
        ((self as u128).wrapping_mul(other as u128) >> 64) as u64
    }

    fn divided(self, other: u64) -> u64 {
        if other == 0 {
            u64::MAX
        } else {
            (self as i64).wrapping_div(other as i64) as u64
        }
    }

    fn divided_unsigned(self, other: u64) -> u64 {
        self.checked_div(other).unwrap_or(u64::MAX)
    }

    fn remainder(self, other: u64) -> u64 {
        if other == 0 {
            self
        } else {
            (self as i64).wrapping_rem(other as i64) as u64
        }
    }

    fn remainder_unsigned(self, other: u64) -> u64 {
        if other == 0 { self } else { self % other }
    }
}
