//! Functions of floats that are no arithmetic: by the device's estimates of sine, cosine, logarithm and exponential of base 2, and by
//! polynomials, which were fitted at Chebyshev's points and are right to 10^-8 before they are rounded. They are within what WGSL allows
//! whether floats are relaxed or not; its specification has no exact results for them.

use std::f64::consts::{FRAC_PI_2, LN_2, LOG2_E, PI};

use naga::MathFunction;

use crate::Result;
use crate::operand::{Operand, Ty};
use crate::translator::Translator;

/// `atan(x) / x` by `x²`, for x up to 1.
const ARC_TANGENT: [f32; 11] = [
    1.0,
    -0.333_333_22,
    0.199_995_58,
    -0.142_785_76,
    0.110_507_71,
    -0.087_850_43,
    0.066_852_815,
    -0.043_928_41,
    0.021_912_945,
    -0.007_030_67,
    0.001_057_607_5,
];
/// `asin(x) / x` by `x²`, for x up to 1/2.
const ARC_SINE: [f32; 7] = [
    1.0,
    0.166_666_58,
    0.075_005_71,
    0.044_508_71,
    0.031_857_19,
    0.014_295_256,
    0.037_677_13,
];
/// `sinh(x) / x` by `x²`, for x up to 1.
const SINE: [f32; 5] = [1.0, 0.166_666_66, 0.008_333_353, 0.000_198_357_14, 2.819_018_8e-6];
/// `tanh(x) / x` by `x²`, for x up to 0.6.
const TANGENT: [f32; 7] = [
    1.0,
    -0.333_333_3,
    0.133_332_28,
    -0.053_950_537,
    0.021_725_055,
    -0.008_245_525,
    0.002_212_134,
];
/// Two turns of a quarter each, in two parts that make up more than 32 bits.
const TURN: [f32; 2] = [6.283_185_5, -1.748_455_5e-7];

const F: Ty = Ty::F32;

impl Translator<'_> {
    /// A function of floats.
    pub(super) fn transcendental(&mut self, fun: MathFunction, ty: Ty, arguments: &[Operand]) -> Result<Operand> {
        use MathFunction as M;
        if ty != F {
            return Err(Self::refused_function(fun, ty));
        }
        Ok(match (fun, arguments) {
            (M::Sin, &[x]) => {
                let x = self.within_turn(x);
                self.text.op("sin.approx", F, &[x])
            }
            (M::Cos, &[x]) => {
                let x = self.within_turn(x);
                self.text.op("cos.approx", F, &[x])
            }
            (M::Tan, &[x]) => {
                let x = self.within_turn(x);
                let (sine, cosine) = (self.text.op("sin.approx", F, &[x]), self.text.op("cos.approx", F, &[x]));
                self.quotient(F, sine, cosine)
            }
            (M::Asin, &[x]) => self.arc_sine(x),
            (M::Acos, &[x]) => self.arc_cosine(x),
            (M::Atan, &[x]) => self.arc_tangent(x, F.float(1.0)),
            (M::Atan2, &[y, x]) => self.arc_tangent(y, x),
            (M::Sinh, &[x]) => {
                let [up, down] = self.half_exponentials(x);
                let large = self.minus(F, up, down);
                self.small_or(x, 1.0, &SINE, large)
            }
            (M::Cosh, &[x]) => {
                let [up, down] = self.half_exponentials(x);
                self.plus(F, up, down)
            }
            (M::Tanh, &[x]) => {
                // 1 - 2 / (e^2x + 1), which has its limits where the exponential has gone to 0 or infinity.
                let power = self.product(F, x, F.float(2.0 * LOG2_E));
                let square = self.text.op("ex2.approx", F, &[power]);
                let more = self.plus(F, square, F.float(1.0));
                let part = self.text.op("rcp.approx", F, &[more]);
                let large = self.fused(F, F.float(-2.0), part, F.float(1.0));
                self.small_or(x, 0.6, &TANGENT, large)
            }
            (M::Asinh, &[x]) => {
                let size = self.text.op("abs", F, &[x]);
                let square = self.fused(F, size, size, F.float(1.0));
                let root = self.root(F, square);
                let sum = self.plus(F, size, root);
                let logarithm = self.logarithm(sum);
                self.with_sign_of(logarithm, x)
            }
            (M::Acosh, &[x]) => {
                let square = self.fused(F, x, x, F.float(-1.0));
                let root = self.root(F, square);
                let sum = self.plus(F, x, root);
                self.logarithm(sum)
            }
            (M::Atanh, &[x]) => {
                let (above, below) = (self.plus(F, F.float(1.0), x), self.minus(F, F.float(1.0), x));
                let quotient = self.quotient(F, above, below);
                let logarithm = self.logarithm(quotient);
                self.product(F, logarithm, F.float(0.5))
            }
            (M::Exp, &[x]) => {
                let power = self.product(F, x, F.float(LOG2_E));
                self.text.op("ex2.approx", F, &[power])
            }
            (M::Exp2, &[x]) => self.text.op("ex2.approx", F, &[x]),
            (M::Log, &[x]) => self.logarithm(x),
            (M::Log2, &[x]) => self.text.op("lg2.approx", F, &[x]),
            (M::Pow, &[x, y]) => {
                let logarithm = self.text.op("lg2.approx", F, &[x]);
                let power = self.product(F, y, logarithm);
                self.text.op("ex2.approx", F, &[power])
            }
            _ => return Err(Self::refused_function(fun, ty)),
        })
    }

    /// The same angle within half a turn from 0, where the device's estimates are good. Relaxed floats leave it to the device.
    fn within_turn(&mut self, x: Operand) -> Operand {
        if !self.is_exact() {
            return x;
        }
        let turns = self.product(F, x, F.float(0.5 / PI));
        let whole = self.text.convert("cvt.rni", F, F, turns);
        let less = self.text.op("neg", F, &[whole]);
        let [large, small] = TURN.map(|part| Operand::ConstWord(part.to_bits()));
        let rest = self.fused(F, less, large, x);
        self.fused(F, less, small, rest)
    }

    /// Half of e^x and of e^-x. The half is taken from the power, so that it does not overflow before the result does.
    fn half_exponentials(&mut self, x: Operand) -> [Operand; 2] {
        [LOG2_E, -LOG2_E].map(|factor| {
            let power = self.fused(F, x, F.float(factor), F.float(-1.0));
            self.text.op("ex2.approx", F, &[power])
        })
    }

    fn logarithm(&mut self, x: Operand) -> Operand {
        let logarithm = self.text.op("lg2.approx", F, &[x]);
        self.product(F, logarithm, F.float(LN_2))
    }

    /// `x` times a polynomial of its square where it is smaller than a limit, `large` elsewhere, which would cancel there.
    fn small_or(&mut self, x: Operand, limit: f64, coefficients: &[f32], large: Operand) -> Operand {
        let square = self.product(F, x, x);
        let factor = self.polynomial(square, coefficients);
        let near = self.product(F, x, factor);
        let size = self.text.op("abs", F, &[x]);
        let is_small = self.text.compare("lt", F, size, F.float(limit));
        self.text.select(is_small, near, large)
    }

    /// A number without sign with another's.
    fn with_sign_of(&mut self, x: Operand, sign: Operand) -> Operand {
        let bit = self.sign_bit(sign);
        self.text.op("or", Ty::B32, &[x, bit])
    }

    /// The arc sine of half a unit at most.
    fn arc_sine_small(&mut self, x: Operand) -> Operand {
        let square = self.product(F, x, x);
        let factor = self.polynomial(square, &ARC_SINE);
        self.product(F, x, factor)
    }

    /// The arc sine of |x| and of the root of (1 - |x|) / 2, which is half of what the former lacks to a right angle, the one that is
    /// better known; and whether it is the latter.
    fn arc_sine_parts(&mut self, x: Operand) -> (Operand, Operand) {
        let size = self.text.op("abs", F, &[x]);
        let half = self.fused(F, size, F.float(-0.5), F.float(0.5));
        let root = self.root(F, half);
        let is_large = self.text.compare("gt", F, size, F.float(0.5));
        let chosen = self.text.select(is_large, root, size);
        (self.arc_sine_small(chosen), is_large)
    }

    fn arc_sine(&mut self, x: Operand) -> Operand {
        let (part, is_large) = self.arc_sine_parts(x);
        let large = self.fused(F, part, F.float(-2.0), F.float(FRAC_PI_2));
        let size = self.text.select(is_large, large, part);
        // NaN keeps the bits it has, whatever its sign.
        self.with_sign_of(size, x)
    }

    fn arc_cosine(&mut self, x: Operand) -> Operand {
        let (part, is_large) = self.arc_sine_parts(x);
        let twice = self.product(F, part, F.float(2.0));
        let signed = self.with_sign_of(part, x);
        let small = self.minus(F, F.float(FRAC_PI_2), signed);
        let negative = self.text.compare("lt", F, x, F.float(0.0));
        let far = self.minus(F, F.float(PI), twice);
        let large = self.text.select(negative, far, twice);
        self.text.select(is_large, large, small)
    }

    /// The angle of a point.
    fn arc_tangent(&mut self, y: Operand, x: Operand) -> Operand {
        let (height, width) = (self.text.op("abs", F, &[y]), self.text.op("abs", F, &[x]));
        let least = self.text.op("min", F, &[height, width]);
        let most = self.text.op("max", F, &[height, width]);
        // Far away and very near, both are brought where a quotient is known; the origin and infinity have quotients of their own.
        let is_far = self.text.compare("gt", F, most, F.float(f64::from(2.0_f32.powi(64))));
        let scale = self.text.select(
            is_far,
            F.float(f64::from(2.0_f32.powi(-64))),
            F.float(f64::from(2.0_f32.powi(24))),
        );
        let (small, large) = (self.product(F, least, scale), self.product(F, most, scale));
        let quotient = self.quotient(F, small, large);
        let is_diagonal = self.text.compare("eq", F, least, F.float(f64::INFINITY));
        let quotient = self.text.select(is_diagonal, F.float(1.0), quotient);
        let is_origin = self.text.compare("eq", F, most, F.float(0.0));
        let quotient = self.text.select(is_origin, F.float(0.0), quotient);

        let square = self.product(F, quotient, quotient);
        let factor = self.polynomial(square, &ARC_TANGENT);
        let near = self.product(F, quotient, factor);
        let is_steep = self.text.compare("gt", F, height, width);
        let steep = self.minus(F, F.float(FRAC_PI_2), near);
        let quarter = self.text.select(is_steep, steep, near);
        // Of -0 as well.
        let is_behind = self.text.compare("lt", Ty::S32, x, Operand::ConstWord(0));
        let behind = self.minus(F, F.float(PI), quarter);
        let half = self.text.select(is_behind, behind, quarter);
        let angle = self.with_sign_of(half, y);
        // The smaller one of a number and NaN is the number.
        let sum = self.plus(F, x, y);
        let is_nan = self.text.compare("nan", F, x, y);
        self.text.select(is_nan, sum, angle)
    }
}
