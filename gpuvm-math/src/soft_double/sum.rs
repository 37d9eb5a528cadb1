//! Sums and differences.

use gpuvm_macros::routine;

use super::{FRACTION, INFINITY, LEADING, MAGNITUDE, NAN, SIGN, pack, pack_normalised, shifted};

/// `a + b`.
#[routine(library)]
pub fn add_f64(a: u64, b: u64) -> u64 {
    let swapped = a & MAGNITUDE < b & MAGNITUDE;
    let (large, small) = if swapped { (b, a) } else { (a, b) };
    let (x, y) = (large & MAGNITUDE, small & MAGNITUDE);
    let sign = large & SIGN;
    let differ = (large ^ small) & SIGN != 0;
    if x >= INFINITY {
        return if x > INFINITY || (y == INFINITY && differ) {
            NAN
        } else {
            large
        };
    }
    // Subnormal numbers have the exponent 1 and no leading bit.
    let (x_normal, y_normal) = ((x >= LEADING) as u64, (y >= LEADING) as u64);
    let mut exponent = (x >> 52).wrapping_add(x_normal ^ 1) as i32;
    let other = (y >> 52).wrapping_add(y_normal ^ 1) as i32;
    let first = (x & FRACTION | x_normal << 52) << 10;
    let second = shifted(
        (y & FRACTION | y_normal << 52) << 10,
        exponent.wrapping_sub(other) as u32,
    );
    if differ {
        let difference = first.wrapping_sub(second);
        return if difference == 0 {
            0
        } else {
            pack_normalised(sign, exponent, difference)
        };
    }
    let mut total = first.wrapping_add(second);
    if total >> 63 != 0 {
        total = total >> 1 | total & 1;
        exponent = exponent.wrapping_add(1);
    }
    pack(sign, exponent, total)
}

/// `a - b`.
#[routine(library)]
pub fn sub_f64(a: u64, b: u64) -> u64 {
    add_f64(a, b ^ SIGN)
}
