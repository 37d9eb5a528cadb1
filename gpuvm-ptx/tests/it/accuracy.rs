//! Functions that are no arithmetic, against Rust's. The executor takes the device's estimates for exact, so that what is tried here are
//! the formulas around them: reductions, polynomials, limits, zeros, infinities and NaN.

use super::*;

fn near(body: &str, inputs: &[[u32; 2]], tolerance: f64, exact: impl Fn(f64, f64) -> f64) {
    for options in [EXACT, RELAXED] {
        let whole = format!("let a = bitcast<f32>(x); let b = bitcast<f32>(y); return bitcast<u32>({body});");
        let found = each_pair(options, "", &whole, inputs);
        for (&[x, y], found) in inputs.iter().zip(found) {
            let (a, b) = (f64::from(f32::from_bits(x)), f64::from(f32::from_bits(y)));
            let (found, expected) = (f64::from(f32::from_bits(found)), exact(a, b));
            let rounded = f64::from(expected as f32);
            let close = (found - expected).abs() <= tolerance * expected.abs().max(1e-30);
            assert!(
                close || found == rounded || found.is_nan() && expected.is_nan(),
                "{body} of {a} and {b} is {found} and not {expected}"
            );
            if expected == 0.0 && close {
                assert_eq!(
                    found.is_sign_negative(),
                    expected.is_sign_negative(),
                    "the sign of {body} of {a} and {b}"
                );
            }
        }
    }
}

/// Numbers of one sign and the other in a range, each with another.
fn numbers(from: f32, to: f32) -> Vec<[u32; 2]> {
    let mut state = 0x9e37_79b9_u32;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        from + (to - from) * (state as f32 / u32::MAX as f32)
    };
    (0..400).map(|_| [random().to_bits(), random().to_bits()]).collect()
}

const SPECIAL: [f32; 15] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1e-20,
    -1e-20,
    1e20,
    -3e38,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    1e-40,
    3.0,
];

fn special() -> Vec<[u32; 2]> {
    let pairs = SPECIAL.iter().flat_map(|a| SPECIAL.map(|b| [a.to_bits(), b.to_bits()]));
    pairs.collect()
}

#[test]
fn angles_are_near() {
    near("asin(a)", &numbers(-1.0, 1.0), 4e-7, |a, _| a.asin());
    near("acos(a)", &numbers(-1.0, 1.0), 4e-6, |a, _| a.acos());
    near("atan(a)", &numbers(-3.0, 3.0), 4e-7, |a, _| a.atan());
    near("atan(a)", &numbers(-3e7, 3e7), 4e-7, |a, _| a.atan());
    near("atan2(a, b)", &numbers(-8.0, 8.0), 4e-7, f64::atan2);
    near("atan2(a, b)", &special(), 4e-7, f64::atan2);
    near("atan(a)", &special(), 4e-7, |a, _| a.atan());
    near("asin(a)", &special(), 4e-7, |a, _| a.asin());
    near("acos(a)", &special(), 4e-7, |a, _| a.acos());
}

#[test]
fn waves_are_near() {
    let absolute = |body: &str, exact: fn(f64) -> f64| {
        let shifted = format!("{body} + 2.0");
        near(&shifted, &numbers(-100.0, 100.0), 4e-5, move |a, _| exact(a) + 2.0);
    };
    absolute("sin(a)", f64::sin);
    absolute("cos(a)", f64::cos);
    near("tan(a)", &numbers(-1.0, 1.0), 1e-6, |a, _| a.tan());
}

#[test]
fn exponentials_are_near() {
    near("exp(a)", &numbers(-80.0, 80.0), 1e-5, |a, _| a.exp());
    near("exp2(a)", &numbers(-100.0, 100.0), 4e-7, |a, _| a.exp2());
    near("log(a)", &numbers(0.001, 100.0), 4e-7, |a, _| a.ln());
    near("log2(a)", &numbers(0.001, 100.0), 4e-7, |a, _| a.log2());
    near("pow(a, b)", &numbers(0.1, 9.0), 1e-5, f64::powf);
    near("exp(a)", &special(), 1e-6, |a, _| a.exp());
}

#[test]
fn hyperbolic_functions_are_near() {
    for range in [0.1, 1.2, 20.0] {
        near("sinh(a)", &numbers(-range, range), 4e-6, |a, _| a.sinh());
        near("cosh(a)", &numbers(-range, range), 4e-6, |a, _| a.cosh());
        near("tanh(a)", &numbers(-range, range), 1e-6, |a, _| a.tanh());
    }
    near("tanh(a)", &special(), 1e-6, |a, _| a.tanh());
    near(
        "sinh(a)",
        &[[88.9_f32.to_bits(), 0], [(-88.9_f32).to_bits(), 0]],
        4e-5,
        |a, _| a.sinh(),
    );
    near("asinh(a)", &numbers(0.5, 50.0), 2e-6, |a, _| a.asinh());
    near("acosh(a)", &numbers(1.5, 50.0), 2e-6, |a, _| a.acosh());
    near("atanh(a)", &numbers(0.1, 0.95), 2e-6, |a, _| a.atanh());
}

#[test]
fn vectors_have_lengths_and_directions() {
    near("length(vec3(a, b, 2.0))", &numbers(-5.0, 5.0), 1e-6, |a, b| {
        (a * a + b * b + 4.0).sqrt()
    });
    near(
        "distance(vec2(a, b), vec2(1.0, 1.5)) + 1.0",
        &numbers(-5.0, 5.0),
        1e-6,
        |a, b| (a - 1.0).hypot(b - 1.5) + 1.0,
    );
    near("normalize(vec2(a, b)).x + 2.0", &numbers(0.5, 5.0), 1e-6, |a, b| {
        a / a.hypot(b) + 2.0
    });
    near(
        "cross(vec3(a, b, 1.0), vec3(2.0, 3.0, 4.0)).z + 99.0",
        &numbers(-5.0, 5.0),
        1e-6,
        |a, b| 3.0 * a - 2.0 * b + 99.0,
    );
    near(
        "reflect(vec2(a, b), vec2(0.0, 1.0)).y + 9.0",
        &numbers(-5.0, 5.0),
        1e-6,
        |_, b| 9.0 - b,
    );
    near("inverseSqrt(a)", &numbers(0.1, 9.0), 1e-6, |a, _| 1.0 / a.sqrt());
}

#[test]
fn values_are_mixed_and_stepped() {
    near("mix(a, b, 0.25) + 50.0", &numbers(-5.0, 5.0), 1e-6, |a, b| {
        0.75 * a + 0.25 * b + 50.0
    });
    near("step(a, b) + 1.0", &numbers(-5.0, 5.0), 0.0, |a, b| {
        if a <= b { 2.0 } else { 1.0 }
    });
    near("smoothstep(-1.0, 3.0, a) + 1.0", &numbers(-5.0, 5.0), 1e-6, |a, _| {
        let t = ((a + 1.0) / 4.0).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t) + 1.0
    });
    near(
        "sign(a) * 2.0 + clamp(b, -1.0, 2.0) + saturate(a)",
        &numbers(-5.0, 5.0),
        1e-6,
        |a, b| a.signum() * 2.0 + b.clamp(-1.0, 2.0) + a.clamp(0.0, 1.0),
    );
    near("radians(a) + degrees(b)", &numbers(0.5, 5.0), 1e-6, |a, b| {
        a.to_radians() + b.to_degrees()
    });
}
