//! Hyperbolic functions and their inverses: odd polynomials near 0, elsewhere the exponential or the logarithm with
//! its tail.

use gpuvm_macros::routine;

use crate::double_float::{fast_two_sum, two_product, two_sum};
use crate::exponential::{exp_parts, power_of_two, scale};
use crate::logarithm::{ln_1p_parts, ln_parts};

/// From here on `e^-x` is below a quarter of an ulp of `e^x`.
const LARGE: f32 = 20.0;
/// From here on `e^x / 2` is infinite.
const OVERFLOW: f32 = 89.5;
const LN2: f32 = core::f32::consts::LN_2;
const LN2_TAIL: f32 = -1.9046542e-9;

/// (sinh x - x) / x^3 in x^2 on [0, 1]; 2^-31.4 is left.
const SINH_1: f32 = 0.16666667;
const SINH_2: f32 = 0.008333315;
const SINH_3: f32 = 0.00019841666;
const SINH_4: f32 = 2.789984e-6;

/// Hyperbolic sine.
///
/// Within 0.79 ulp. `sinh(±0)` is `±0`, `sinh(±inf)` is `±inf`.
///
/// A polynomial up to 1; above, `e^x / 2 - e^-x / 2`.
#[routine(library)]
pub fn sinh(x: f32) -> f32 {
    let a = x.abs();
    if a <= 1.0 {
        let z = a * a;
        return (a + a * z * (SINH_1 + z * (SINH_2 + z * (SINH_3 + z * SINH_4)))).copysign(x);
    }
    if a > OVERFLOW {
        return f32::INFINITY.copysign(x);
    }
    let (k, head, tail) = exp_parts(a);
    if a > LARGE {
        return scale(head + tail, k.wrapping_sub(1)).copysign(x);
    }
    let half_power = power_of_two(k.wrapping_sub(1));
    let grown = head * half_power;
    let grown_tail = tail * half_power;
    let (sum, error) = fast_two_sum(grown, -0.25 / (grown + grown_tail));
    (sum + (error + grown_tail)).copysign(x)
}

/// Hyperbolic cosine.
///
/// Within 0.87 ulp. `cosh(±inf)` is `+inf`.
///
/// `e^|x| / 2 + e^-|x| / 2`.
#[routine(library)]
pub fn cosh(x: f32) -> f32 {
    let a = x.abs();
    if a > OVERFLOW {
        return f32::INFINITY;
    }
    let (k, head, tail) = exp_parts(a);
    if a > LARGE {
        return scale(head + tail, k.wrapping_sub(1));
    }
    let half_power = power_of_two(k.wrapping_sub(1));
    let grown = head * half_power;
    let grown_tail = tail * half_power;
    let (sum, error) = fast_two_sum(grown, 0.25 / (grown + grown_tail));
    sum + (error + grown_tail)
}

/// (tanh x - x) / x^3 in x^2 on [0, 0.55]; 2^-29.7 is left.
const TANH_1: f32 = -0.33333316;
const TANH_2: f32 = 0.13332555;
const TANH_3: f32 = -0.053849414;
const TANH_4: f32 = 0.021060897;
const TANH_5: f32 = -0.0062601934;

/// Hyperbolic tangent.
///
/// Within 1.49 ulp. `tanh(±0)` is `±0`, `tanh(±inf)` is `±1`.
///
/// A polynomial up to 0.55; above, `1 - 2 / (e^2x + 1)`.
#[routine(library)]
pub fn tanh(x: f32) -> f32 {
    let a = x.abs();
    if a <= 0.55 {
        let z = a * a;
        return (a + a * z * (TANH_1 + z * (TANH_2 + z * (TANH_3 + z * (TANH_4 + z * TANH_5))))).copysign(x);
    }
    // From here on 1 is the nearest.
    if a > 9.02 {
        return 1.0f32.copysign(x);
    }
    let (k, head, tail) = exp_parts(2.0 * a);
    let square = (head + tail) * power_of_two(k);
    (1.0 - 2.0 / (square + 1.0)).copysign(x)
}

/// (asinh x - x) / x^3 in x^2 on [0, 1]; 2^-28 is left.
const ASINH_1: f32 = -0.1666663;
const ASINH_2: f32 = 0.07498694;
const ASINH_3: f32 = -0.04448502;
const ASINH_4: f32 = 0.029442098;
const ASINH_5: f32 = -0.019147336;
const ASINH_6: f32 = 0.010385908;
const ASINH_7: f32 = -0.0038089547;
const ASINH_8: f32 = 0.00066625315;

/// Inverse hyperbolic sine.
///
/// Within 1.34 ulp. `asinh(±0)` is `±0`, `asinh(±inf)` is `±inf`.
///
/// A polynomial up to 1; above, `ln(x + sqrt(x^2 + 1))`.
#[routine(library)]
pub fn asinh(x: f32) -> f32 {
    let a = x.abs();
    if a <= 1.0 {
        let z = a * a;
        let upper = ASINH_4 + z * (ASINH_5 + z * (ASINH_6 + z * (ASINH_7 + z * ASINH_8)));
        return (a + a * z * (ASINH_1 + z * (ASINH_2 + z * (ASINH_3 + z * upper)))).copysign(x);
    }
    if a.is_nan() || a == f32::INFINITY {
        return x;
    }
    // From 2^12 on the 1 under the root is below a quarter of an ulp of the logarithm.
    if a >= 4096.0 {
        return ln_twice(a).copysign(x);
    }
    let (sum, error) = fast_two_sum((a * a + 1.0).sqrt(), a);
    let (head, tail) = ln_parts(sum);
    (head + (tail + error / sum)).copysign(x)
}

/// Inverse hyperbolic cosine.
///
/// Within 0.68 ulp. NaN below 1, `acosh(1)` is `+0`.
///
/// `ln(1 + t + sqrt(2 t + t^2))` with `t = x - 1`, the root as head and tail.
#[routine(library)]
pub fn acosh(x: f32) -> f32 {
    if x.is_nan() || x < 1.0 {
        return f32::NAN;
    }
    if x == f32::INFINITY {
        return x;
    }
    if x >= 4096.0 {
        return ln_twice(x);
    }
    // Exact near 1, where it matters.
    let t = x - 1.0;
    if t == 0.0 {
        return 0.0;
    }
    let (square, square_tail) = two_product(t, t);
    let (radicand, error) = two_sum(2.0 * t, square);
    let root = radicand.sqrt();
    let (back, back_tail) = two_product(root, root);
    let root_tail = ((radicand - back) + ((error + square_tail) - back_tail)) / (root + root);
    let (a, a_tail) = two_sum(root, t);
    let (head, tail) = ln_1p_parts(a, a_tail + root_tail);
    head + tail
}

/// (atanh x - x) / x^3 in x^2 on [0, 1/2]; 2^-29.4 is left.
const ATANH_1: f32 = 0.33333302;
const ATANH_2: f32 = 0.20002434;
const ATANH_3: f32 = 0.14224337;
const ATANH_4: f32 = 0.11810967;
const ATANH_5: f32 = 0.051826924;
const ATANH_6: f32 = 0.1760517;

/// Inverse hyperbolic tangent.
///
/// Within 0.91 ulp. NaN outside [-1, 1], `atanh(±1)` is `±inf`, `atanh(±0)` is `±0`.
///
/// A polynomial up to 1/2; above, `ln((1 + x) / (1 - x)) / 2`.
#[routine(library)]
pub fn atanh(x: f32) -> f32 {
    let a = x.abs();
    if a <= 0.5 {
        let z = a * a;
        return (a + a * z * (ATANH_1 + z * (ATANH_2 + z * (ATANH_3 + z * (ATANH_4 + z * (ATANH_5 + z * ATANH_6))))))
            .copysign(x);
    }
    if a.is_nan() || a >= 1.0 {
        return if a == 1.0 { f32::INFINITY.copysign(x) } else { f32::NAN };
    }
    // ln(1 + 2x / (1 - x)); the difference is exact.
    let (head, tail) = ln_1p_parts((a + a) / (1.0 - a), 0.0);
    (0.5 * (head + tail)).copysign(x)
}

/// `ln(2 x)` for finite `x >= 4096`.
#[routine(library)]
fn ln_twice(x: f32) -> f32 {
    let (head, tail) = ln_parts(x);
    let (sum, error) = fast_two_sum(head, LN2);
    sum + (error + (tail + LN2_TAIL))
}
