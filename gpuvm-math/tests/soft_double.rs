//! The soft doubles against the CPU's own: all pairs of edges, and random numbers whose exponents are near each other as often as not.

use gpuvm_math as math;

/// SplitMix64.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn double(&mut self) -> f64 {
        let (bits, how) = (self.next(), self.next());
        // Long runs of equal bits are where rounding goes wrong.
        let fraction = match how >> 61 {
            0 => 0,
            1 => bits & (u64::MAX << (how % 53)),
            2 => bits | (u64::MAX >> (12 + how % 52)),
            3 => bits & 3,
            4 => bits | u64::MAX << 3,
            _ => bits,
        } & ((1 << 52) - 1);
        let exponent = match how >> 8 & 7 {
            0 => how >> 16 & 0x7ff,
            1 => how >> 16 & 3,
            2 => 0x7fc + (how >> 16 & 3),
            3 => 1023 + (how >> 16 & 127),
            _ => 1003 + (how >> 16 & 63),
        };
        f64::from_bits(bits & 1 << 63 | exponent << 52 | fraction)
    }
}

fn edges() -> Vec<f64> {
    let mut edges = vec![
        0.0,
        1.0,
        0.5,
        1.5,
        2.5,
        3.0,
        0.1,
        1e-10,
        1e300,
        f64::MAX,
        f64::MIN_POSITIVE,
        f64::EPSILON,
        f64::INFINITY,
        f64::NAN,
    ];
    edges.extend([1, 2, 3, (1 << 52) - 1, 1 << 51].map(f64::from_bits));
    for exponent in [
        -1074, -1022, -150, -149, -127, -126, -2, 24, 31, 32, 52, 53, 63, 64, 127, 128, 512, 1023,
    ] {
        let power = 2f64.powi(exponent);
        edges.extend([power, power.next_up(), power.next_down(), power * 1.5, power - 0.5]);
    }
    let negative: Vec<f64> = edges.iter().map(|x| -x).collect();
    edges.extend(negative);
    edges
}

fn bits(x: f64) -> u64 {
    if x.is_nan() { math::NAN_F64 } else { x.to_bits() }
}

#[track_caller]
fn same(soft: u64, hard: f64, what: &str, arguments: &[f64]) {
    assert_eq!(
        bits(f64::from_bits(soft)),
        bits(hard),
        "{what} of {arguments:?} is {hard:?}, not {:?}",
        f64::from_bits(soft)
    );
}

fn unary(x: f64) {
    let (a, of) = (x.to_bits(), &[x]);
    same(math::sqrt_f64(a), x.sqrt(), "sqrt", of);
    same(math::floor_f64(a), x.floor(), "floor", of);
    same(math::ceil_f64(a), x.ceil(), "ceil", of);
    same(math::trunc_f64(a), x.trunc(), "trunc", of);
    same(math::round_f64(a), x.round(), "round", of);
    same(math::round_even_f64(a), x.round_ties_even(), "round_ties_even", of);
    let narrow = x as f32;
    let soft = f32::from_bits(math::f64_to_f32(a));
    assert!(
        soft.to_bits() == narrow.to_bits() || soft.is_nan() && narrow.is_nan(),
        "{x:?} as f32 is {narrow:?}, not {soft:?}"
    );
    assert_eq!(math::f64_to_i64(a), x as i64, "{x:?} as i64");
    assert_eq!(math::f64_to_u64(a), x as u64, "{x:?} as u64");
    assert_eq!(math::f64_to_i128(a), x as i128, "{x:?} as i128");
    assert_eq!(math::f64_to_u128(a), x as u128, "{x:?} as u128");
    let low = f32::from_bits(a as u32);
    same(math::f32_to_f64(a as u32), low as f64, "f32 as f64", &[low as f64]);
    same(math::u64_to_f64(a), a as f64, "u64 as f64", of);
    same(math::i64_to_f64(a as i64), a as i64 as f64, "i64 as f64", of);
    let wide = u128::from(a) << 64 | u128::from(a.rotate_left(17));
    for by in [0, 1, 63, 64, 75, 90] {
        same(math::u128_to_f64(wide >> by), (wide >> by) as f64, "u128 as f64", of);
        same(
            math::i128_to_f64(wide as i128 >> by),
            (wide as i128 >> by) as f64,
            "i128 as f64",
            of,
        );
        same(
            math::u64_to_f64(a >> (by & 63)),
            (a >> (by & 63)) as f64,
            "u64 as f64",
            of,
        );
    }
}

fn binary(x: f64, y: f64) {
    let (a, b, of) = (x.to_bits(), y.to_bits(), &[x, y]);
    same(math::add_f64(a, b), x + y, "sum", of);
    same(math::sub_f64(a, b), x - y, "difference", of);
    same(math::mul_f64(a, b), x * y, "product", of);
    same(math::div_f64(a, b), x / y, "quotient", of);
    same(math::rem_f64(a, b), x % y, "remainder", of);
    assert_eq!(math::eq_f64(a, b), x == y, "{of:?}");
    assert_eq!(math::lt_f64(a, b), x < y, "{of:?}");
    assert_eq!(math::le_f64(a, b), x <= y, "{of:?}");
    let is_zero = x == y && x == 0.0;
    let (less, more) = if is_zero {
        // std leaves the sign open.
        (f64::from_bits(a | b), f64::from_bits(a & b))
    } else {
        (x.min(y), x.max(y))
    };
    same(math::min_f64(a, b), less, "min", of);
    same(math::max_f64(a, b), more, "max", of);
}

fn ternary(x: f64, y: f64, z: f64) {
    let soft = math::mul_add_f64(x.to_bits(), y.to_bits(), z.to_bits());
    same(soft, x.mul_add(y, z), "mul_add", &[x, y, z]);
}

#[test]
fn edges_are_right() {
    let edges = edges();
    for &x in &edges {
        unary(x);
        for &y in &edges {
            binary(x, y);
            for z in [
                0.0,
                -0.0,
                1.0,
                f64::MIN_POSITIVE,
                -f64::MAX,
                f64::NEG_INFINITY,
                f64::NAN,
                x,
                -y,
                -(x * y),
                x * y,
                5e-324,
            ] {
                ternary(x, y, z);
            }
        }
    }
}

#[test]
fn random_numbers_are_right() {
    let mut rng = Rng(64);
    for _ in 0..1_000_000 {
        let (x, y) = (rng.double(), rng.double());
        binary(x, y);
        ternary(x, y, rng.double());
        // Where nearly everything cancels.
        ternary(x, y, -(x * y));
        let z = f64::from_bits(x.to_bits() ^ rng.next() >> 60);
        binary(x, -z);
    }
    for _ in 0..300_000 {
        unary(rng.double());
        unary(f64::from_bits(rng.next()));
    }
}
