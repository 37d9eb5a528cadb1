//! Instructions that compute.

use super::Thread;
use super::parse::Argument;

/// Runs one.
pub(super) fn step(thread: &mut Thread, parts: &[&str], arguments: &[Argument]) {
    let bits: Vec<u64> = arguments[1..].iter().map(|argument| thread.bits(argument)).collect();
    let ty = parts[parts.len() - 1];
    let value = match parts {
        ["setp", how, ty] => u64::from(compared(how, ty, bits[0], bits[1])),
        ["selp", _] => bits[if bits[2] != 0 { 0 } else { 1 }],
        ["cvt", rest @ ..] => converted(rest, bits[0]),
        ["cvta", ..] => bits[0],
        ["mad", "wide", "u32"] => low(bits[0]) * low(bits[1]) + bits[2],
        ["mad", "wide", "s32"] => {
            let signed = |bits: u64| i64::from(bits as i32);
            (signed(bits[0]) * signed(bits[1])).wrapping_add(bits[2] as i64) as u64
        }
        ["mul", "wide", "u32"] => low(bits[0]) * low(bits[1]),
        ["mul", "hi", "u32"] => (low(bits[0]) * low(bits[1])) >> 32,
        ["mul", "hi", "s32"] => ((i64::from(bits[0] as i32) * i64::from(bits[1] as i32)) >> 32) as u64,
        ["mul", "hi", "u64"] => ((u128::from(bits[0]) * u128::from(bits[1])) >> 64) as u64,
        ["mul", "hi", "s64"] => ((i128::from(bits[0] as i64) * i128::from(bits[1] as i64)) >> 64) as u64,
        ["shf", direction, "wrap", "b32"] => {
            let both = low(bits[1]) << 32 | low(bits[0]);
            let by = bits[2] as u32 & 31;
            match *direction {
                "l" => (both << by) >> 32,
                _ => low(both >> by),
            }
        }
        ["mov", _] => bits[0],
        [name, .., "pred"] => match *name {
            "and" => bits[0] & bits[1],
            "or" => bits[0] | bits[1],
            "xor" => bits[0] ^ bits[1],
            "not" => bits[0] ^ 1,
            other => panic!("no `{other}` of truth values"),
        },
        [name, ..] => match ty {
            "f32" => float32(name, parts, &bits),
            "f64" => float64(name, &bits),
            "u32" | "s32" | "b32" => integer(name, ty, 32, &bits),
            "u64" | "s64" | "b64" => integer(name, ty, 64, &bits),
            _ => panic!("no type in {parts:?}"),
        },
        [] => panic!("no instruction"),
    };
    thread.set(&arguments[0], value);
}

fn low(bits: u64) -> u64 {
    bits & 0xffff_ffff
}

fn signed(bits: u64, width: u32) -> i64 {
    match width {
        32 => i64::from(bits as u32 as i32),
        _ => bits as i64,
    }
}

fn compared(how: &str, ty: &str, a: u64, b: u64) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let order = match ty {
        "f32" => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        "f64" => f64::from_bits(a).partial_cmp(&f64::from_bits(b)),
        "s32" | "s64" => {
            Some(signed(a, if ty == "s32" { 32 } else { 64 }).cmp(&signed(b, if ty == "s32" { 32 } else { 64 })))
        }
        "u32" | "b32" => Some(low(a).cmp(&low(b))),
        _ => Some(a.cmp(&b)),
    };
    match how {
        "eq" => order == Some(Equal),
        "ne" => order.is_some_and(|order| order != Equal),
        "neu" => order != Some(Equal),
        "lt" => order == Some(Less),
        "le" => matches!(order, Some(Less | Equal)),
        "gt" => order == Some(Greater),
        "ge" => matches!(order, Some(Greater | Equal)),
        "nan" => order.is_none(),
        other => panic!("no comparison `{other}`"),
    }
}

/// Conversions, as the manual has them for NaN.
fn converted(parts: &[&str], bits: u64) -> u64 {
    let (from, to) = (parts[parts.len() - 1], parts[parts.len() - 2]);
    let mode = if parts.len() == 3 { parts[0] } else { "" };
    let rounded = |x: f64| match mode {
        "rzi" => x.trunc(),
        "rmi" => x.floor(),
        "rpi" => x.ceil(),
        "rni" => x.round_ties_even(),
        _ => x,
    };
    let float = match from {
        "f32" => Some(f64::from(f32::from_bits(bits as u32))),
        "f64" => Some(f64::from_bits(bits)),
        _ => None,
    };
    let Some(x) = float else {
        let value: i128 = match from {
            "s32" => i128::from(bits as u32 as i32),
            "u32" => i128::from(bits as u32),
            "s64" => i128::from(bits as i64),
            _ => i128::from(bits),
        };
        return match to {
            "f32" => {
                assert_eq!(mode, "rn");
                (value as f32).to_bits().into()
            }
            "f64" => (value as f64).to_bits(),
            _ => value as u64,
        };
    };
    let x = rounded(x);
    match to {
        "f32" => (x as f32).to_bits().into(),
        "f64" => x.to_bits(),
        _ if x.is_nan() && (from == "f64" || to.ends_with("64")) => 1 << (to[1..].parse::<u32>().unwrap() - 1),
        "s32" => x as i32 as u32 as u64,
        "u32" => (x as u32).into(),
        "s64" => x as i64 as u64,
        _ => x as u64,
    }
}

fn float32(name: &str, parts: &[&str], bits: &[u64]) -> u64 {
    let x: Vec<f32> = bits.iter().map(|&bits| f32::from_bits(bits as u32)).collect();
    // What is rounded says so, and what is approximated too.
    let how = parts.get(1).copied().unwrap_or("");
    let result = match (name, how) {
        ("add", _) => x[0] + x[1],
        ("sub", _) => x[0] - x[1],
        ("mul", _) => x[0] * x[1],
        ("div", "rn" | "approx") => x[0] / x[1],
        ("fma", "rn") => x[0].mul_add(x[1], x[2]),
        ("sqrt", "rn" | "approx") => x[0].sqrt(),
        ("rsqrt", "approx") => (1.0 / f64::from(x[0]).sqrt()) as f32,
        ("rcp", "approx") => 1.0 / x[0],
        ("sin", "approx") => x[0].sin(),
        ("cos", "approx") => x[0].cos(),
        ("ex2", "approx") => x[0].exp2(),
        ("lg2", "approx") => x[0].log2(),
        ("neg", _) => -x[0],
        ("abs", _) => x[0].abs(),
        ("min", _) => least(x[0].into(), x[1].into()) as f32,
        ("max", _) => -least(-f64::from(x[0]), -f64::from(x[1])) as f32,
        other => panic!("no {other:?} of f32"),
    };
    result.to_bits().into()
}

fn float64(name: &str, bits: &[u64]) -> u64 {
    let x: Vec<f64> = bits.iter().map(|&bits| f64::from_bits(bits)).collect();
    let result = match name {
        "add" => x[0] + x[1],
        "sub" => x[0] - x[1],
        "mul" => x[0] * x[1],
        "div" => x[0] / x[1],
        "fma" => x[0].mul_add(x[1], x[2]),
        "sqrt" => x[0].sqrt(),
        "neg" => -x[0],
        "abs" => x[0].abs(),
        "min" => least(x[0], x[1]),
        "max" => -least(-x[0], -x[1]),
        other => panic!("no `{other}` of f64"),
    };
    result.to_bits()
}

/// The smaller one, which is the other of NaN, and -0 of both zeros.
fn least(x: f64, y: f64) -> f64 {
    match (x, y) {
        _ if x.is_nan() => y,
        _ if y.is_nan() => x,
        _ if x == y => {
            if x.is_sign_negative() {
                x
            } else {
                y
            }
        }
        _ => {
            if x < y {
                x
            } else {
                y
            }
        }
    }
}

fn integer(name: &str, ty: &str, width: u32, bits: &[u64]) -> u64 {
    let mask = if width == 32 { 0xffff_ffff } else { u64::MAX };
    let x: Vec<u64> = bits.iter().map(|bits| bits & mask).collect();
    let s = |at: usize| signed(x[at], width);
    let is_signed = ty.starts_with('s');
    let clamped = |by: u64| low(by).min(u64::from(width)) as u32;
    let result = match name {
        "add" => x[0].wrapping_add(x[1]),
        "sub" => x[0].wrapping_sub(x[1]),
        "mul" => x[0].wrapping_mul(x[1]),
        "mad" => x[0].wrapping_mul(x[1]).wrapping_add(x[2]),
        "div" if is_signed => {
            let least = if width == 32 { i64::from(i32::MIN) } else { i64::MIN };
            assert!(
                s(1) != 0 && !(s(0) == least && s(1) == -1),
                "a quotient that is not defined"
            );
            (s(0) / s(1)) as u64
        }
        "rem" if is_signed => {
            let least = if width == 32 { i64::from(i32::MIN) } else { i64::MIN };
            assert!(
                s(1) != 0 && !(s(0) == least && s(1) == -1),
                "a remainder that is not defined"
            );
            (s(0) % s(1)) as u64
        }
        "div" => x[0] / x[1],
        "rem" => x[0] % x[1],
        "and" => x[0] & x[1],
        "or" => x[0] | x[1],
        "xor" => x[0] ^ x[1],
        "not" => !x[0],
        "abs" => s(0).wrapping_abs() as u64,
        "min" if is_signed => s(0).min(s(1)) as u64,
        "max" if is_signed => s(0).max(s(1)) as u64,
        "min" => x[0].min(x[1]),
        "max" => x[0].max(x[1]),
        "shl" => x[0].checked_shl(clamped(bits[1])).unwrap_or(0),
        "shr" if is_signed => (s(0) >> clamped(bits[1]).min(width - 1)) as u64,
        "shr" => x[0].checked_shr(clamped(bits[1])).unwrap_or(0),
        "clz" => u64::from(x[0].leading_zeros() - (64 - width)),
        "popc" => u64::from(x[0].count_ones()),
        "brev" => x[0].reverse_bits() >> (64 - width),
        "bfind" => {
            let x = if is_signed && s(0) < 0 { !x[0] & mask } else { x[0] };
            match x {
                0 => 0xffff_ffff,
                x => u64::from(63 - x.leading_zeros()),
            }
        }
        "bfe" => field(x[0], width, is_signed, bits[1], bits[2]),
        "bfi" => {
            let (offset, count) = (low(bits[2]).min(255), low(bits[3]).min(255));
            (0..u64::from(width)).fold(0, |sum, place| {
                let inside = place >= offset && place < offset + count;
                let bit = if inside {
                    x[0] >> (place - offset)
                } else {
                    x[1] >> place
                };
                sum | (bit & 1) << place
            })
        }
        other => panic!("no `{other}` of {ty}"),
    };
    result & mask
}

fn field(x: u64, width: u32, is_signed: bool, offset: u64, count: u64) -> u64 {
    let (offset, count) = (low(offset), low(count));
    let last = (offset + count).saturating_sub(1).min(u64::from(width) - 1);
    let sign = is_signed && count != 0 && x >> last & 1 == 1;
    (0..u64::from(width)).fold(0, |sum, place| {
        let bit = match place {
            _ if place < count && place + offset < u64::from(width) => x >> (place + offset) & 1,
            _ => sign.into(),
        };
        sum | bit << place
    })
}
