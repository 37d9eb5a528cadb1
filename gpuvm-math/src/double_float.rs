//! Double-float helpers: a value as an unevaluated sum `head + tail` of two `f32`.
//! The transformations are error-free (Dekker, Knuth) as long as nothing overflows or becomes subnormal; every caller
//! keeps its operands in a range where neither happens.

use gpuvm_macros::routine;

/// Adding and subtracting this rounds `|x| < 2^22` to the nearest integer, ties to even: 1.5 * 2^23.
pub(crate) const ROUND: f32 = 12582912.0;

/// `x` without its 12 low significand bits. Products of two such values are exact.
#[routine(library)]
pub(crate) fn head12(x: f32) -> f32 {
    f32::from_bits(x.to_bits() & 0xffff_f000)
}

/// `a + b` rounded, and the exact rounding error. Needs `|a| >= |b|` or `a == 0`.
#[routine(library)]
pub(crate) fn fast_two_sum(a: f32, b: f32) -> (f32, f32) {
    let sum = a + b;
    (sum, b - (sum - a))
}

/// `a + b` rounded, and the exact rounding error, whichever is larger.
#[routine(library)]
pub(crate) fn two_sum(a: f32, b: f32) -> (f32, f32) {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (sum, (a - a_part) + (b - b_part))
}

/// `a * b` rounded, and the exact rounding error.
///
/// Dekker's product; the factors are split by truncation rather than Veltkamp's way, which takes two operations
/// instead of four, cannot overflow, and leaves the four partial products exact all the same.
#[routine(library)]
pub(crate) fn two_product(a: f32, b: f32) -> (f32, f32) {
    let product = a * b;
    let (a_head, b_head) = (head12(a), head12(b));
    let (a_tail, b_tail) = (a - a_head, b - b_head);
    let error = ((a_head * b_head - product) + a_head * b_tail + a_tail * b_head) + a_tail * b_tail;
    (product, error)
}
