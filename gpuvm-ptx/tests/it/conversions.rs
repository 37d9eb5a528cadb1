//! Conversions, out of range and of NaN.

use super::*;

fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

#[test]
fn floats_become_integers_as_in_rust() {
    check_edges("return u32(i32(bitcast<f32>(x)));", false, |x, _| f(x) as i32 as u32);
    check_edges("return u32(bitcast<f32>(x));", false, |x, _| f(x) as u32);
    check_edges(
        "let a = i64(bitcast<f32>(x)); return u32(a) ^ u32(u64(a) >> 32u);",
        false,
        |x, _| {
            let a = f(x) as i64;
            a as u32 ^ (a as u64 >> 32) as u32
        },
    );
    check_edges(
        "let a = u64(f64(bitcast<f32>(x))); return u32(a) ^ u32(a >> 32u);",
        false,
        |x, _| {
            let a = f(x) as u64;
            a as u32 ^ (a >> 32) as u32
        },
    );
    check_edges("return u32(i32(f64(bitcast<f32>(x)) * f64(3.5)));", false, |x, _| {
        (f64::from(f(x)) * 3.5) as i32 as u32
    });
}

#[test]
fn integers_become_floats_rounded() {
    check_edges("return bitcast<u32>(f32(x) - f32(i32(y)));", true, |x, y| {
        (x as f32 - y as i32 as f32).to_bits()
    });
    let long = "let a = u64(x) | (u64(y) << 32u); return bitcast<u32>(f32(a)) ^ bitcast<u32>(f32(i64(a)));";
    check_edges(long, false, |x, y| {
        let a = u64::from(x) | u64::from(y) << 32;
        (a as f32).to_bits() ^ (a as i64 as f32).to_bits()
    });
    let double = "let a = u64(x) | (u64(y) << 32u); return bitcast<u32>(f32(f64(a) - f64(i64(a)) + f64(i32(x))));";
    check_edges(double, true, |x, y| {
        let a = u64::from(x) | u64::from(y) << 32;
        ((a as f64 - a as i64 as f64 + f64::from(x as i32)) as f32).to_bits()
    });
}

#[test]
fn widths_and_truth_values_convert() {
    check_edges("return u32(u64(i64(i32(x))) >> 32u) ^ u32(i64(y));", false, |x, y| {
        (i64::from(x as i32) as u64 >> 32) as u32 ^ y
    });
    check_edges(
        "return u32(bool(x)) + 2u * u32(bool(bitcast<f32>(y))) + bitcast<u32>(f32(x == y));",
        false,
        |x, y| {
            let one = if x == y { 1.0_f32.to_bits() } else { 0 };
            u32::from(x != 0) + 2 * u32::from(f(y) != 0.0) + one
        },
    );
    check_edges(
        "let a = bitcast<vec2<f32>>(vec2(x, y)); return bitcast<u32>(a.y) ^ bitcast<u32>(bitcast<i32>(a.x));",
        false,
        |x, y| x ^ y,
    );
}
