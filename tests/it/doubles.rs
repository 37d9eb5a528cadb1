//! `f64`, which devices need not have: arithmetic, comparisons, conversions, methods, functions, and which of the two a literal is.

use std::f64::consts;

use gpuvm::prelude::*;

cases! {
    double_sum, double_product, double_quotient, double_rest, double_root, double_fused, double_order, double_same, double_negation,
    double_rounding, double_extremes, double_clamp, double_signs, double_classes, double_bits, double_of_bits, double_parts, double_angles,
    double_euclid, double_to_integers, double_to_small, double_to_wide, integers_to_double, small_to_double, wide_to_double, single_to_double,
    double_to_single, double_constants, literal_by_partner, literal_alone, literal_by_result, literal_by_argument, literal_in_struct,
    literals_in_branches, literals_in_array, literals_in_generics, literal_patterns, double_in_message, double_in_array, double_assigned,
    double_horner, newton_in_double, mandelbrot_in_double, harmonic, complex_product, kahan, mixed_precision, double_by_reference, user_constant, logistic,
    double_partial_order, double_sine, double_tangent, double_arcs, double_arc_of_two, double_exponentials, double_logarithms,
    double_logarithm_to_base, double_powers, double_whole_powers, double_roots, double_hyperbolics, double_areas, double_functions_by_path,
    double_wave, double_gaussian,
}

#[routine]
fn double_sum(a: f64, b: f64) -> (f64, f64) {
    (a + b, a - b)
}

#[routine]
fn double_product(a: f64, b: f64) -> f64 {
    a * b
}

#[routine]
fn double_quotient(a: f64, b: f64) -> f64 {
    a / b
}

#[routine]
fn double_rest(a: f64, b: f64) -> f64 {
    a % b
}

#[routine]
fn double_root(a: f64) -> f64 {
    a.sqrt()
}

#[routine]
fn double_fused(a: f64, b: f64, c: f64) -> f64 {
    a.mul_add(b, c)
}

#[routine]
fn double_order(a: f64, b: f64) -> (bool, bool, bool, bool) {
    (a < b, a <= b, a > b, a >= b)
}

#[routine]
fn double_same(a: f64, b: f64) -> (bool, bool, bool) {
    (a == b, a != b, (a, 1u8) == (b, 1))
}

#[routine]
fn double_negation(a: f64) -> (f64, f64) {
    (-a, a.abs())
}

#[routine]
fn double_rounding(a: f64) -> (f64, f64, f64, f64, f64, f64) {
    (
        a.floor(),
        a.ceil(),
        a.trunc(),
        a.round(),
        a.round_ties_even(),
        a.fract(),
    )
}

#[routine]
fn double_extremes(a: f64, b: f64) -> (f64, f64) {
    (a.min(b), f64::max(a, b))
}

#[routine]
fn double_clamp(a: f64, b: f64, c: f64) -> f64 {
    a.clamp(b, c)
}

#[routine]
fn double_signs(a: f64, b: f64) -> (f64, f64, bool, bool) {
    (a.copysign(b), a.signum(), a.is_sign_negative(), b.is_sign_positive())
}

#[routine]
fn double_classes(a: f64) -> (bool, bool, bool, bool) {
    (a.is_nan(), a.is_finite(), a.is_infinite(), a.is_normal())
}

#[routine]
fn double_bits(a: f64) -> (u64, u32) {
    (a.to_bits(), a.to_bits().count_ones())
}

#[routine]
fn double_of_bits(a: u64) -> (f64, f64) {
    (f64::from_bits(a), f64::from_bits(a ^ 1) + 0.0)
}

#[routine]
fn double_parts(a: f64) -> (u64, u64) {
    (a.to_bits() >> 52 & 0x7ff, a.to_bits() & 0xf_ffff_ffff_ffff)
}

#[routine]
fn double_angles(a: f64) -> (f64, f64, f64) {
    (a.to_degrees(), a.to_radians(), a.recip())
}

#[routine]
fn double_euclid(a: f64, b: f64) -> (f64, f64) {
    (a.div_euclid(b), a.rem_euclid(b))
}

#[routine]
fn double_to_integers(a: f64) -> (i32, u32, i64, u64) {
    (a as i32, a as u32, a as i64, a as u64)
}

#[routine]
fn double_to_small(a: f64) -> (i8, u8, i16, u16) {
    (a as i8, a as u8, a as i16, a as u16)
}

#[routine]
fn double_to_wide(a: f64) -> (i128, u128) {
    (a as i128, a as u128)
}

#[routine]
fn integers_to_double(a: i32, b: u32, c: i64, d: u64) -> (f64, f64, f64, f64) {
    (a as f64, f64::from(b), c as f64, d as f64)
}

#[routine]
fn small_to_double(a: i8, b: u8, c: i16, d: u16) -> (f64, f64, f64, f64) {
    (f64::from(a), b as f64, c as f64, d as f64)
}

#[routine]
fn wide_to_double(a: i128, b: u128) -> (f64, f64) {
    (a as f64, b as f64)
}

#[routine]
fn single_to_double(a: f32) -> (f64, f64) {
    (a as f64, f64::from(a) + 1e-30)
}

#[routine]
fn double_to_single(a: f64) -> (f32, f64) {
    (a as f32, a as f32 as f64)
}

#[routine]
fn double_constants(n: u32) -> f64 {
    match n % 8 {
        0 => f64::MAX,
        1 => f64::MIN_POSITIVE,
        2 => f64::EPSILON,
        3 => f64::NEG_INFINITY,
        4 => consts::PI,
        5 => std::f64::consts::LN_2,
        6 => f64::NAN,
        _ => f64::default(),
    }
}

#[routine]
fn literal_by_partner(a: f64, b: f32) -> (f64, f32, bool, f64) {
    (0.1 * a, b * 0.1 + 1e-3, 0.3 > a, (0.1 + 0.2) * a)
}

#[routine]
fn literal_alone(n: u32) -> (f64, u32, u64) {
    let third = 1.0 / 3.0;
    let mut sum = 0.1;
    for _ in 0..n % 10 {
        sum += 0.1;
    }
    (sum + third, (third * 1e9) as u32, (0.1f64 + 0.2).to_bits())
}

#[routine]
fn literal_by_result(n: u32) -> f64 {
    if n % 2 == 0 {
        return 0.1;
    }
    0.7
}

#[routine(callee)]
fn scaled(x: f64, y: f32) -> f64 {
    x * y as f64
}

#[routine]
fn literal_by_argument(n: u32) -> f64 {
    scaled(0.1, 0.1) + scaled(n as f64, 0.3)
}

#[derive(VmType, Clone, Copy, Debug, PartialEq)]
struct Body {
    mass: f64,
    charge: f32,
    kind: u8,
}

#[routine]
fn literal_in_struct(a: f64) -> (Body, bool) {
    let mut body = Body {
        mass: 0.1,
        charge: 0.1,
        kind: 2,
    };
    let same = body.mass == 0.1;
    body.mass *= a;
    body.charge += 0.7;
    (body, same && body.mass < 1e9)
}

#[routine]
fn literals_in_branches(n: u32, a: f64) -> (f64, f32) {
    let x = if n % 2 == 0 { 0.1 } else { a };
    let y = match n % 3 {
        0 => 0.1,
        1 => 0.2,
        _ => 0.3f32,
    };
    let z = loop {
        break 0.7;
    };
    (x + z, y)
}

#[routine]
fn literals_in_array(i: u32) -> (f64, f32) {
    let table = [0.1, 0.2, 0.3];
    let short: [f32; 2] = [0.1; 2];
    let (a, b) = (0.6, 1.2f32);
    (table[i as usize % 3] + a, short[i as usize % 2] + b)
}

#[routine(callee)]
fn twice<T: VmType + std::ops::Add<Output = T>>(x: T) -> T {
    x + x
}

#[routine]
fn literals_in_generics(a: f64) -> (f64, f32) {
    (twice(0.1) + a, twice(0.1))
}

#[routine]
fn literal_patterns(a: f64) -> u32 {
    match a {
        0.5 => 1,
        1.0..=20.0 => 2,
        x if x > 0.1 => 3,
        -4.0..0.0 => 4,
        _ => 5,
    }
}

#[routine]
fn double_in_message(a: f64, b: f64) -> f64 {
    assert!(a != 1.5, "{a} is not {b:?}");
    assert_eq!(a.abs() < 1e18, true);
    a
}

#[routine]
fn double_in_array(a: f64, i: u32) -> f64 {
    let mut table = [1.0; 6];
    for k in 1..6 {
        table[k] = table[k - 1] * a + 0.1;
    }
    table[(i % 6) as usize]
}

#[routine]
fn double_assigned(a: f64, b: f64) -> f64 {
    let mut x = a;
    x += b;
    x *= 1.1;
    x -= 0.3;
    x /= 7.0;
    x %= 3.3;
    x = -x;
    x
}

#[routine]
fn double_horner(x: f64) -> f64 {
    (((0.5 * x + 1.25) * x - 3.1) * x + 0.125) * x - 1.0
}

#[routine]
fn newton_in_double(a: f64) -> f64 {
    let target = a.abs().min(1e12) + 0.1;
    let mut x = target;
    for _ in 0..12 {
        x = 0.5 * (x + target / x);
    }
    x
}

#[routine]
fn mandelbrot_in_double(x: u32, y: u32) -> u32 {
    let (cx, cy) = (f64::from(x % 64) / 24.0 - 2.0, f64::from(y % 64) / 24.0 - 1.3);
    let (mut a, mut b) = (0.0, 0.0);
    for i in 0..40 {
        if a * a + b * b > 4.0 {
            return i;
        }
        (a, b) = (a * a - b * b + cx, 2.0 * a * b + cy);
    }
    40
}

#[routine]
fn harmonic(n: u32) -> f64 {
    let mut sum = 0.0;
    for k in 1..n % 50 {
        sum += 1.0 / k as f64;
    }
    sum
}

#[routine]
fn complex_product(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

#[routine]
fn kahan(a: [f64; 4]) -> f64 {
    let (mut sum, mut lost) = (0.0, 0.0);
    for x in a {
        let y = x - lost;
        let t = sum + y;
        lost = (t - sum) - y;
        sum = t;
    }
    sum
}

#[routine]
fn mixed_precision(a: f32, b: f64) -> f32 {
    let wide = a as f64 * b;
    (wide.sqrt() as f32).max(a) + b as f32
}

#[routine(callee)]
fn add_to(sum: &mut f64, x: &f64) {
    *sum += *x * 0.1;
}

#[routine]
fn double_by_reference(a: f64, b: f64) -> f64 {
    let mut sum = a;
    add_to(&mut sum, &b);
    add_to(&mut sum, &0.3);
    sum
}

const GRAVITY: f64 = 6.674_3e-11;
const WEIGHTS: [f64; 3] = [0.1, 0.2, f64::MAX];

#[routine]
fn user_constant(a: f64, n: u32) -> f64 {
    a * GRAVITY + WEIGHTS[n as usize % 3]
}

#[routine]
fn logistic(a: f64, n: u32) -> f64 {
    let mut x = (a.abs() % 1.0).max(0.01);
    for _ in 0..n % 60 {
        x = 3.9 * x * (1.0 - x);
    }
    x
}

#[routine]
fn double_partial_order(a: f64, b: f64) -> (u32, bool) {
    let order = match a.partial_cmp(&b) {
        Some(std::cmp::Ordering::Less) => 0,
        Some(std::cmp::Ordering::Equal) => 1,
        Some(std::cmp::Ordering::Greater) => 2,
        None => 3,
    };
    (order, (a, 1u8) < (b, 2))
}

#[routine]
fn double_sine(a: f64) -> (f64, f64, (f64, f64)) {
    (a.sin(), a.cos(), a.sin_cos())
}

#[routine]
fn double_tangent(a: f64) -> f64 {
    a.tan()
}

#[routine]
fn double_arcs(a: f64) -> (f64, f64, f64) {
    (a.asin(), a.acos(), a.atan())
}

#[routine]
fn double_arc_of_two(a: f64, b: f64) -> f64 {
    a.atan2(b)
}

#[routine]
fn double_exponentials(a: f64) -> (f64, f64, f64) {
    (a.exp(), a.exp2(), a.exp_m1())
}

#[routine]
fn double_logarithms(a: f64) -> (f64, f64, f64, f64) {
    (a.ln(), a.ln_1p(), a.log2(), a.log10())
}

#[routine]
fn double_logarithm_to_base(a: f64, b: f64) -> f64 {
    a.log(b)
}

#[routine]
fn double_powers(a: f64, b: f64) -> f64 {
    a.powf(b)
}

#[routine]
fn double_whole_powers(a: f64, n: i32) -> (f64, f64) {
    (a.powi(n), a.powi(-2))
}

#[routine]
fn double_roots(a: f64, b: f64) -> (f64, f64) {
    (a.cbrt(), a.hypot(b))
}

#[routine]
fn double_hyperbolics(a: f64) -> (f64, f64, f64) {
    (a.sinh(), a.cosh(), a.tanh())
}

#[routine]
fn double_areas(a: f64) -> (f64, f64, f64) {
    (a.asinh(), a.acosh(), a.atanh())
}

#[routine]
fn double_functions_by_path(a: f64, b: f64) -> (f64, f64, f64) {
    (f64::sin(a), f64::hypot(a, b), f64::powi(b, 3))
}

#[routine]
fn double_wave(n: u32, a: f64) -> f64 {
    let mut sum = 0.0;
    for k in 1..n % 6 {
        let k = f64::from(k);
        sum += (consts::TAU * k * a).sin() / k;
    }
    sum
}

#[routine]
fn double_gaussian(a: f64, b: f64) -> f64 {
    let z = (a - 1.5) / (b.abs() + 0.5);
    (-0.5 * z * z).exp() / ((b.abs() + 0.5) * consts::TAU.sqrt())
}
