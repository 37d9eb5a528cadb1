//! A product and a sum, rounded once.

use gpuvm_macros::routine;

use super::{INFINITY, MAGNITUDE, NAN, SIGN, add_f64, pack, unpack};
use crate::wide::{shl_u128, shr_u128, widening_mul};

/// `value >> by`, with the last bit set if any bit was lost.
#[routine(library)]
fn shifted_wide(value: u128, by: u32) -> u128 {
    if by > 126 {
        return (value != 0) as u128;
    }
    let kept = shr_u128(value, by);
    kept | (shl_u128(kept, by) != value) as u128
}

/// `a * b + c`.
#[routine(library)]
pub fn mul_add_f64(a: u64, b: u64, c: u64) -> u64 {
    let sign = (a ^ b) & SIGN;
    let (x, y, z) = (a & MAGNITUDE, b & MAGNITUDE, c & MAGNITUDE);
    if x > INFINITY || y > INFINITY || z > INFINITY {
        return NAN;
    }
    let zero = x == 0 || y == 0;
    if x == INFINITY || y == INFINITY {
        let against = z == INFINITY && c & SIGN != sign;
        return if zero || against { NAN } else { sign | INFINITY };
    }
    if z == INFINITY {
        return c;
    }
    if zero {
        return add_f64(sign, c);
    }
    let ((x_exponent, x), (y_exponent, y)) = (unpack(x), unpack(y));
    // Leading bits at bit 126, where the product's 106 bits and the addend's 53 leave room to be shifted without loss as far as their
    // difference can lose more than one leading bit.
    let mut product = widening_mul(x << 11, y << 10);
    let mut exponent = x_exponent.wrapping_add(y_exponent).wrapping_sub(1022);
    if product >> 126 == 0 {
        product <<= 1;
        exponent = exponent.wrapping_sub(1);
    }
    let mut total = product;
    let mut total_sign = sign;
    if z != 0 {
        let (z_exponent, z) = unpack(z);
        let mut addend = (z as u128) << 74;
        let apart = exponent.wrapping_sub(z_exponent);
        if apart >= 0 {
            addend = shifted_wide(addend, apart as u32);
        } else {
            product = shifted_wide(product, 0i32.wrapping_sub(apart) as u32);
            exponent = z_exponent;
        }
        if c & SIGN == sign {
            total = product.wrapping_add(addend);
        } else if product >= addend {
            total = product.wrapping_sub(addend);
        } else {
            total = addend.wrapping_sub(product);
            total_sign = sign ^ SIGN;
        }
        if total == 0 {
            return 0;
        }
    }
    // One bit up to bit 127, or down to wherever the first one is.
    let zeros = total.leading_zeros();
    let leading = shl_u128(total, zeros);
    let significand = (leading >> 65) as u64 | (leading << 63 != 0) as u64;
    pack(
        total_sign,
        exponent.wrapping_add(1).wrapping_sub(zeros as i32),
        significand,
    )
}
