//! Arc functions: series on a small interval, and identities that lead the rest of the domain there, FDLIBM's all of them.

use gpuvm_macros::routine;

use super::{HIGH_HALF, HIGH_ONE, head21, high_word};

/// pi/2, pi/4 and pi as head and tail; the tail of pi/4 is half of that of pi/2.
const PIO2_HEAD: f64 = core::f64::consts::FRAC_PI_2;
const PIO2_TAIL: f64 = 6.123233995736766e-17;
const PIO4_HEAD: f64 = core::f64::consts::FRAC_PI_4;
const PIO4_TAIL: f64 = 3.061616997868383e-17;
const PI_HEAD: f64 = core::f64::consts::PI;
const PI_TAIL: f64 = 1.2246467991473532e-16;

/// Arc sine, in [-pi/2, pi/2].
///
/// Within 2 ulp (0.81 found). NaN outside [-1, 1]; `asin(±0)` is `±0`.
///
/// A quotient of polynomials up to 1/2; above, `asin x = pi/2 - 2 asin(sqrt((1 - x) / 2))` (FDLIBM's `e_asin.c`).
#[routine(library)]
pub fn asin_f64(x: f64) -> f64 {
    let size = high_word(x);
    let a = x.abs();
    if size >= HIGH_ONE {
        return if a == 1.0 { PIO2_HEAD.copysign(x) } else { f64::NAN };
    }
    let z = asin_square(x, size);
    let series = asin_series(z);
    if size < HIGH_HALF {
        return x + x * series;
    }
    // The root as a head of 21 bits, whose square is exact, and a tail.
    let s = z.sqrt();
    let s_head = head21(s);
    let s_tail = (z - s_head * s_head) / (s + s_head);
    // pi/2 - 2 s_head as pi/4 + (pi/4 - 2 s_head), the difference exact.
    let rest = 2.0 * s * series - (PIO2_TAIL - 2.0 * s_tail);
    (PIO4_HEAD - (rest - (PIO4_HEAD - 2.0 * s_head))).copysign(x)
}

/// Arc cosine, in [0, pi].
///
/// Within 2 ulp (1.11 found). NaN outside [-1, 1]; `acos(1)` is `+0`.
///
/// The series and the identity of [`asin_f64()`] (FDLIBM's `e_acos.c`, without the root's tail).
#[routine(library)]
pub fn acos_f64(x: f64) -> f64 {
    let size = high_word(x);
    if size >= HIGH_ONE && x.abs() != 1.0 {
        return f64::NAN;
    }
    let z = asin_square(x, size);
    let series = asin_series(z);
    if size < HIGH_HALF {
        return PIO2_HEAD - (x - (PIO2_TAIL - x * series));
    }
    let s = z.sqrt();
    let angle = 2.0 * (s + s * series);
    if x.is_sign_negative() {
        PI_HEAD - (angle - PI_TAIL)
    } else {
        angle
    }
}

/// Arc tangent, in [-pi/2, pi/2].
///
/// Within 2 ulp (0.82 found). `atan(±inf)` is `±pi/2`, `atan(±0)` is `±0`.
///
/// A polynomial up to 7/16; above, `atan x = atan c + atan((x - c) / (1 + c x))` with the nearest of 1/2, 1, 3/2 and infinity for `c`
/// (FDLIBM's `s_atan.c`).
#[routine(library)]
pub fn atan_f64(x: f64) -> f64 {
    atan_kernel(x.abs()).copysign(x)
}

/// The angle of the point (`x`, `y`), in [-pi, pi]: `y.atan2(x)`.
///
/// Within 2 ulp (1.42 found). Signed zeros and infinities as IEEE 754 has them: `atan2(±0, +0)` is `±0`,
/// `atan2(±0, -0)` is `±pi`, `atan2(±inf, +inf)` is `±pi/4`, `atan2(±inf, -inf)` is `±3pi/4`.
///
/// [`atan_f64()`] of the quotient.
#[routine(library)]
pub fn atan2_f64(y: f64, x: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let (ax, ay) = (x.abs(), y.abs());
    let angle = if ay == 0.0 {
        0.0
    } else if ax == ay {
        // Also infinity over infinity.
        PIO4_HEAD
    } else {
        atan_kernel(ay / ax)
    };
    let unsigned = if x.to_bits() >> 63 != 0 {
        PI_HEAD - (angle - PI_TAIL)
    } else {
        angle
    };
    unsigned.copysign(y)
}

/// The square whose series an arc sine or cosine takes, given the high word of `|x|`: of `x`, or from 1/2 on `(1 - |x|) / 2`, which is exact.
#[routine(library)]
fn asin_square(x: f64, size: u32) -> f64 {
    if size < HIGH_HALF { x * x } else { 0.5 * (1.0 - x.abs()) }
}

/// asin(x) / x - 1 as a quotient of polynomials in z = x^2 on [0, 1/4], FDLIBM's; 2^-58.75 is left.
const ASIN_1: f64 = 0.16666666666666666;
const ASIN_2: f64 = -0.3255658186224009;
const ASIN_3: f64 = 0.20121253213486293;
const ASIN_4: f64 = -0.04005553450067941;
const ASIN_5: f64 = 0.0007915349942898145;
const ASIN_6: f64 = 3.479331075960212e-5;
const ASIN_BELOW_1: f64 = -2.403394911734414;
const ASIN_BELOW_2: f64 = 2.0209457602335057;
const ASIN_BELOW_3: f64 = -0.6882839716054533;
const ASIN_BELOW_4: f64 = 0.07703815055590194;

/// `asin(x) / x - 1` for `x^2 = z <= 1/4`.
#[routine(library)]
fn asin_series(z: f64) -> f64 {
    let above = z * (ASIN_1 + z * (ASIN_2 + z * (ASIN_3 + z * (ASIN_4 + z * (ASIN_5 + z * ASIN_6)))));
    let below = 1.0 + z * (ASIN_BELOW_1 + z * (ASIN_BELOW_2 + z * (ASIN_BELOW_3 + z * ASIN_BELOW_4)));
    above / below
}

/// atan(1/2) and atan(3/2) as head and tail.
const ATAN_HALF_HEAD: f64 = 0.4636476090008061;
const ATAN_HALF_TAIL: f64 = 2.2698777452961687e-17;
const ATAN_3_2_HEAD: f64 = 0.982793723247329;
const ATAN_3_2_TAIL: f64 = 1.3903311031230998e-17;

/// (t - atan t) / t^3 in t^2 on [0, 0.1914], FDLIBM's.
const ATAN_1: f64 = 0.3333333333333293;
const ATAN_2: f64 = -0.19999999999876483;
const ATAN_3: f64 = 0.14285714272503466;
const ATAN_4: f64 = -0.11111110405462356;
const ATAN_5: f64 = 0.09090887133436507;
const ATAN_6: f64 = -0.0769187620504483;
const ATAN_7: f64 = 0.06661073137387531;
const ATAN_8: f64 = -0.058335701337905735;
const ATAN_9: f64 = 0.049768779946159324;
const ATAN_10: f64 = -0.036531572744216916;
const ATAN_11: f64 = 0.016285820115365782;

/// `atan(a)` for `a` from 0 to infinity.
#[routine(library)]
fn atan_kernel(a: f64) -> f64 {
    let size = high_word(a);
    // From 2^66 on pi/2 is the nearest, and below 2^-27 the number itself.
    if size >= 0x4410_0000 {
        return if a.is_nan() { f64::NAN } else { PIO2_HEAD };
    }
    if size < 0x3e40_0000 {
        return a;
    }
    // Below 7/16 as it is.
    let mut t = a;
    let (mut head, mut tail) = (0.0, 0.0);
    if size >= 0x3fdc_0000 {
        // Below 39/16.
        if size < 0x4003_8000 {
            // Below 11/16, and below 19/16.
            let c;
            (c, head, tail) = if size < 0x3fe6_0000 {
                (0.5, ATAN_HALF_HEAD, ATAN_HALF_TAIL)
            } else if size < 0x3ff3_0000 {
                (1.0, PIO4_HEAD, PIO4_TAIL)
            } else {
                (1.5, ATAN_3_2_HEAD, ATAN_3_2_TAIL)
            };
            t = (a - c) / (1.0 + c * a);
        } else {
            t = -1.0 / a;
            (head, tail) = (PIO2_HEAD, PIO2_TAIL);
        }
    }
    let z = t * t;
    let upper = ATAN_6 + z * (ATAN_7 + z * (ATAN_8 + z * (ATAN_9 + z * (ATAN_10 + z * ATAN_11))));
    let series = z * (ATAN_1 + z * (ATAN_2 + z * (ATAN_3 + z * (ATAN_4 + z * (ATAN_5 + z * upper)))));
    head - ((t * series - tail) - t)
}
