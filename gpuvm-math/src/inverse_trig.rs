//! Arc functions: odd polynomials on a small interval, and identities that lead the rest of the domain there.

use gpuvm_macros::routine;

use crate::double_float::head12;

/// pi/2, pi/4 and pi as head and tail; the tail of pi/4 is half of that of pi/2.
const PIO2_HEAD: f32 = core::f32::consts::FRAC_PI_2;
const PIO2_TAIL: f32 = -4.371139e-8;
const PIO4_HEAD: f32 = core::f32::consts::FRAC_PI_4;
const PI_HEAD: f32 = core::f32::consts::PI;
const PI_TAIL: f32 = -8.742278e-8;

/// Arc sine, in [-pi/2, pi/2].
///
/// Within 0.88 ulp. NaN outside [-1, 1]; `asin(±0)` is `±0`.
///
/// A polynomial up to 1/2; above, `asin x = pi/2 - 2 asin(sqrt((1 - x) / 2))`.
#[routine(library)]
pub fn asin(x: f32) -> f32 {
    let a = x.abs();
    if a <= 0.5 {
        return (a + a * asin_series(a * a)).copysign(x);
    }
    // Exact, and negative outside the domain, where the root makes it NaN.
    let z = 0.5 * (1.0 - a);
    if z == 0.0 {
        return PIO2_HEAD.copysign(x);
    }
    // The root as a head of 12 bits, whose square is exact, and a tail.
    let s = z.sqrt();
    let s_head = head12(s);
    let s_tail = (z - s_head * s_head) / (s + s_head);
    // pi/2 - 2 s_head as pi/4 + (pi/4 - 2 s_head), the difference exact.
    let rest = 2.0 * s * asin_series(z) - (PIO2_TAIL - 2.0 * s_tail);
    (PIO4_HEAD - (rest - (PIO4_HEAD - 2.0 * s_head))).copysign(x)
}

/// Arc cosine, in [0, pi].
///
/// Within 1.16 ulp. NaN outside [-1, 1]; `acos(1)` is `+0`.
///
/// The polynomial and the identity of [`asin()`].
#[routine(library)]
pub fn acos(x: f32) -> f32 {
    let a = x.abs();
    if a <= 0.5 {
        return PIO2_HEAD - (x - (PIO2_TAIL - x * asin_series(x * x)));
    }
    let z = 0.5 * (1.0 - a);
    let s = z.sqrt();
    let angle = 2.0 * (s + s * asin_series(z));
    if x < 0.0 { PI_HEAD - (angle - PI_TAIL) } else { angle }
}

/// Arc tangent, in [-pi/2, pi/2].
///
/// Within 1.57 ulp. `atan(±inf)` is `±pi/2`, `atan(±0)` is `±0`.
///
/// A polynomial up to 1; above, `atan x = pi/2 - atan(1 / x)`.
#[routine(library)]
pub fn atan(x: f32) -> f32 {
    let a = x.abs();
    if a <= 1.0 {
        return atan_kernel(a).copysign(x);
    }
    (PIO2_HEAD - (atan_kernel(1.0 / a) - PIO2_TAIL)).copysign(x)
}

/// The angle of the point (`x`, `y`), in [-pi, pi]: `y.atan2(x)`.
///
/// Within 2 ulp (1.52 found). Signed zeros and infinities as IEEE 754 has them: `atan2(±0, +0)` is `±0`,
/// `atan2(±0, -0)` is `±pi`, `atan2(±inf, +inf)` is `±pi/4`, `atan2(±inf, -inf)` is `±3pi/4`.
///
/// The polynomial of [`atan()`] at the quotient of the smaller by the larger.
#[routine(library)]
pub fn atan2(y: f32, x: f32) -> f32 {
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    let (ax, ay) = (x.abs(), y.abs());
    let steep = ay > ax;
    let (small, large) = if steep { (ax, ay) } else { (ay, ax) };
    let q = if large == 0.0 {
        0.0
    } else if small == large {
        // Also infinity over infinity.
        1.0
    } else {
        small / large
    };
    let angle = atan_kernel(q);
    let left = x.to_bits() >> 31 != 0;
    let unsigned = if steep {
        if left {
            PIO2_HEAD + (angle + PIO2_TAIL)
        } else {
            PIO2_HEAD - (angle - PIO2_TAIL)
        }
    } else if left {
        PI_HEAD - (angle - PI_TAIL)
    } else {
        angle
    };
    unsigned.copysign(y)
}

/// (asin x - x) / x^3 in x^2 on [0, 1/2]; 2^-27.6 is left.
const ASIN_1: f32 = 0.16666752;
const ASIN_2: f32 = 0.07495334;
const ASIN_3: f32 = 0.04546455;
const ASIN_4: f32 = 0.024211599;
const ASIN_5: f32 = 0.042108715;

/// `asin(x) / x - 1` for `x^2 = z <= 1/4`.
#[routine(library)]
fn asin_series(z: f32) -> f32 {
    z * (ASIN_1 + z * (ASIN_2 + z * (ASIN_3 + z * (ASIN_4 + z * ASIN_5))))
}

/// (atan q - q) / q^3 in q^2 on [0, 1]; 2^-28.4 is left.
const ATAN_1: f32 = -0.333333;
const ATAN_2: f32 = 0.19998507;
const ATAN_3: f32 = -0.1426365;
const ATAN_4: f32 = 0.10948574;
const ATAN_5: f32 = -0.083918974;
const ATAN_6: f32 = 0.057747893;
const ATAN_7: f32 = -0.030960355;
const ATAN_8: f32 = 0.010794459;
const ATAN_9: f32 = -0.0017661931;

/// `atan(q)` for `q` in [0, 1].
#[routine(library)]
fn atan_kernel(q: f32) -> f32 {
    let z = q * q;
    let upper = ATAN_5 + z * (ATAN_6 + z * (ATAN_7 + z * (ATAN_8 + z * ATAN_9)));
    q + q * z * (ATAN_1 + z * (ATAN_2 + z * (ATAN_3 + z * (ATAN_4 + z * upper))))
}
