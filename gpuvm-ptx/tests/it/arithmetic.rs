//! Operators on edge values.

use proptest::prelude::*;

use super::*;

fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

#[test]
fn words_wrap() {
    check_edges("return x + y;", false, u32::wrapping_add);
    check_edges("return x - y;", false, u32::wrapping_sub);
    check_edges("return x * y;", false, u32::wrapping_mul);
    check_edges("return u32(-i32(x)) + (~y);", false, |x, y| {
        x.wrapping_neg().wrapping_add(!y)
    });
    check_edges("return (x & y) ^ (x | 5u);", false, |x, y| (x & y) ^ (x | 5));
}

#[test]
fn quotients_are_guarded() {
    let guarded = |x: u32, y: u32| x.checked_div(y).unwrap_or(x);
    check_edges("return x / y;", false, guarded);
    check_edges("return x % y;", false, |x, y| if y == 0 { 0 } else { x % y });
    let signed = |x: u32, y: u32| match y as i32 {
        0 => x,
        y => (x as i32).wrapping_div(y) as u32,
    };
    check_edges("return u32(i32(x) / i32(y));", false, signed);
    check_edges("return u32(i32(x) % i32(y));", false, |x, y| match y as i32 {
        0 => 0,
        y => (x as i32).wrapping_rem(y) as u32,
    });
    check_edges("return u32(i32(x) / 7) + x / 10u;", false, |x, _| {
        ((x as i32 / 7) as u32).wrapping_add(x / 10)
    });
    check_edges("return u32(i32(x) / -1);", false, |x, _| {
        (x as i32).wrapping_neg() as u32
    });
    check_edges(
        "return u32(i64(x) / i64(y)) + u32(u64(x) % u64(y));",
        false,
        |x, y| match y {
            0 => x,
            y => (x / y).wrapping_add(x % y),
        },
    );
}

/// Checks quotients and remainders of both signs by a constant, of words and of pairs of them: those of `x` and `y`.
fn check_divisor(divisor: u64, inputs: &[[u32; 2]]) {
    let (by, signed) = (divisor as u32, divisor as u32 as i32);
    if by != 0 {
        let body = format!("return (x / {by}u) ^ (x % {by}u * 3u);");
        check_pairs(UNCHECKED, &body, inputs, false, |x, _| {
            (x / by) ^ (x % by).wrapping_mul(3)
        });
        // What a number is masked with is known to bound it.
        let body = format!("let z = x & 0xfffu; return (z / {by}u) ^ (z % {by}u * 3u);");
        check_pairs(UNCHECKED, &body, inputs, false, |x, _| {
            (x % 4096 / by) ^ (x % 4096 % by).wrapping_mul(3)
        });
    }
    // `i32::MIN` has no literal, and by -1 it is not divided.
    if !matches!(signed, 0 | -1 | i32::MIN) {
        let body = format!("let z = i32(x); return u32((z / {signed}i) ^ (z % {signed}i * 3i));");
        check_pairs(UNCHECKED, &body, inputs, false, |x, _| {
            let x = x as i32;
            ((x / signed) ^ (x % signed).wrapping_mul(3)) as u32
        });
    }
    let pair = |x: u32, y: u32| u64::from(x) | u64::from(y) << 32;
    let folded = |z: u64| z as u32 ^ (z >> 32) as u32;
    let [low, high] = [divisor as u32, (divisor >> 32) as u32];
    let declared = "let z = u64(x) | (u64(y) << 32u);";
    let shown = "return u32(r) ^ u32(r >> 32u);";
    if divisor != 0 {
        let by = format!("let by = u64({low}u) | (u64({high}u) << 32u);");
        let body = format!("{declared} {by} let r = (z / by) ^ (z % by * u64(3u)); {shown}");
        check_pairs(UNCHECKED, &body, inputs, false, |x, y| {
            let z = pair(x, y);
            folded((z / divisor) ^ (z % divisor).wrapping_mul(3))
        });
    }
    let wide = divisor as i64;
    if !matches!(wide, 0 | -1 | i64::MIN) {
        let by = format!("let by = i64(u64({low}u) | (u64({high}u) << 32u));");
        let body = format!("{declared} {by} let s = (i64(z) / by) ^ (i64(z) % by * i64(3i)); let r = u64(s); {shown}");
        check_pairs(UNCHECKED, &body, inputs, false, |x, y| {
            let z = pair(x, y) as i64;
            folded(((z / wide) ^ (z % wide).wrapping_mul(3)) as u64)
        });
    }
}

/// Multiples of a divisor and their neighbours, which are where a quotient changes.
fn around(divisor: u64) -> Vec<[u32; 2]> {
    let times = [0, 1, 2, 3, 7, u64::MAX / 2, u64::MAX].map(|most| most / divisor.max(1));
    let close = times.into_iter().flat_map(|times| {
        let multiple = times.wrapping_mul(divisor);
        [multiple.wrapping_sub(1), multiple, multiple.wrapping_add(1)]
    });
    let words = times
        .into_iter()
        .map(|times| (times as u32).wrapping_mul(divisor as u32));
    let close = close.chain(words.flat_map(|word| [u64::from(word.wrapping_sub(1)), word.into()]));
    close.map(|z| [z as u32, (z >> 32) as u32]).chain(edges()).collect()
}

#[test]
fn constants_divide_by_multiplication() {
    let small = 1..=20;
    let edges = EDGES
        .iter()
        .flat_map(|&edge| [edge.into(), u64::from(edge) << 32 | 5, !u64::from(edge)]);
    let others = [
        641,
        1000,
        1 << 20,
        0xaaaa_aaab,
        0x8000_0001,
        6_700_417,
        1_000_000_007,
        10_000_000_000,
        1 << 63,
    ];
    for divisor in small.chain(edges).chain(others) {
        check_divisor(divisor, &around(divisor));
    }
    let source = "@group(0) @binding(0) var<storage, read_write> x: array<u32>;
        @compute @workgroup_size(1) fn main() {
            x[0] = x[1] / 10u + x[2] % 7u;
            x[3] = u32(i32(x[4]) / -12i);
            x[5] = u32(u64(x[6]) / (u64(10u) | (u64(1u) << 32u)));
        }";
    let text = translated(source, &UNCHECKED).unwrap().text;
    assert_eq!(text.matches("mul.hi").count(), 4, "{text}");
    assert!(!text.contains("div") && !text.contains("rem"), "{text}");
}

#[test]
fn quotients_are_not_guarded_where_the_author_vouches() {
    let count = |options| {
        let source = "@group(0) @binding(0) var<storage, read_write> x: array<i32, 4>;
            @compute @workgroup_size(1) fn main() { x[0] = x[1] / x[2]; }";
        translated(source, options).unwrap().text.matches("selp").count()
    };
    assert_eq!((count(&EXACT), count(&UNCHECKED)), (2, 0));
}

#[test]
fn comparisons_order() {
    check_edges(
        "return u32(x < y) + 2u * u32(x <= y) + 4u * u32(x > y) + 8u * u32(x >= y);",
        false,
        |x, y| u32::from(x < y) + 2 * u32::from(x <= y) + 4 * u32::from(x > y) + 8 * u32::from(x >= y),
    );
    let signed =
        "let a = i32(x); let b = i32(y); return u32(a < b) + 2u * u32(a <= b) + 4u * u32(a > b) + 8u * u32(a == b);";
    check_edges(signed, false, |x, y| {
        let (a, b) = (x as i32, y as i32);
        u32::from(a < b) + 2 * u32::from(a <= b) + 4 * u32::from(a > b) + 8 * u32::from(a == b)
    });
    let floats = "let a = bitcast<f32>(x); let b = bitcast<f32>(y);
        return u32(a < b) + 2u * u32(a <= b) + 4u * u32(a > b) + 8u * u32(a >= b) + 16u * u32(a == b) + 32u * u32(a != b);";
    check_edges(floats, false, |x, y| {
        let (a, b) = (f(x), f(y));
        u32::from(a < b)
            + 2 * u32::from(a <= b)
            + 4 * u32::from(a > b)
            + 8 * u32::from(a >= b)
            + 16 * u32::from(a == b)
            + 32 * u32::from(a != b)
    });
}

#[test]
fn truth_values_combine() {
    let body = "let a = x < 8u; let b = y < 8u; let c = vec2(a, b);
        return u32(a & b) + 2u * u32(a | b) + 4u * u32(a != b) + 8u * u32(a == b) + 16u * u32(!a) + 32u * u32(a && !b)
            + 64u * u32(a || b) + 128u * u32(all(c)) + 256u * u32(any(!c)) + 512u * u32(select(a, b, x == y));";
    check_edges(body, false, |x, y| {
        let (a, b) = (x < 8, y < 8);
        let all = [
            a & b,
            a | b,
            a != b,
            a == b,
            !a,
            a && !b,
            a || b,
            a && b,
            !a || !b,
            if x == y { b } else { a },
        ];
        all.iter()
            .enumerate()
            .map(|(bit, &truth)| u32::from(truth) << bit)
            .sum()
    });
}

#[test]
fn shifts_wrap() {
    check_edges("return x << y;", false, |x, y| x.wrapping_shl(y));
    check_edges("return x >> y;", false, |x, y| x.wrapping_shr(y));
    check_edges("return u32(i32(x) >> y);", false, |x, y| {
        (x as i32).wrapping_shr(y) as u32
    });
    check_edges(
        "return (x << (y & 31u)) ^ (x >> (y & 15u)) ^ (x << 3u) ^ u32(i32(x) >> 5u);",
        false,
        |x, y| (x << (y & 31)) ^ (x >> (y & 15)) ^ (x << 3) ^ (x as i32 >> 5) as u32,
    );
    let long = "let a = u64(x) | (u64(y) << 32u); let b = (a << y) ^ (a >> x) ^ u64(i64(a) >> y); return u32(b) ^ u32(b >> 32u);";
    check_edges(long, false, |x, y| {
        let a = u64::from(x) | u64::from(y) << 32;
        let b = a.wrapping_shl(y) ^ a.wrapping_shr(x) ^ (a as i64).wrapping_shr(y) as u64;
        b as u32 ^ (b >> 32) as u32
    });
}

#[test]
fn words_rotate() {
    let body = "let n = y & 31u; return (x << n) | ((x >> 1u) >> (31u - n));";
    check_edges(body, false, |x, y| x.rotate_left(y & 31));
    let source = format!(
        "@group(0) @binding(0) var<storage, read_write> o: array<u32, 4>;
        fn rotated(x: u32, y: u32) -> u32 {{ {body} }}
        @compute @workgroup_size(1) fn main() {{ o[0] = rotated(o[1], o[2]); }}"
    );
    assert!(translated(&source, &EXACT).unwrap().text.contains("shf.l.wrap.b32"));
    check_edges("return (x << y) | ((x >> 1u) >> (31u - y));", false, |x, y| {
        x.wrapping_shl(y) | (x >> 1).wrapping_shr(31_u32.wrapping_sub(y))
    });
}

#[test]
fn long_integers_compute() {
    let body = "let a = u64(x) * u64(y); let b = a + (u64(x) << 32u) - u64(y); let c = b * (a ^ u64(7u));
        return u32(c >> 32u) ^ u32(c) ^ u32(a < b) ^ (2u * u32(i64(a) < i64(b)));";
    check_edges(body, false, |x, y| {
        let a = u64::from(x) * u64::from(y);
        let b = a.wrapping_add(u64::from(x) << 32).wrapping_sub(u64::from(y));
        let c = b.wrapping_mul(a ^ 7);
        (c >> 32) as u32 ^ c as u32 ^ u32::from(a < b) ^ (2 * u32::from((a as i64) < b as i64))
    });
}

#[test]
fn float_arithmetic_is_rounded_each_time() {
    let of = |body: &str| format!("let a = bitcast<f32>(x); let b = bitcast<f32>(y); return bitcast<u32>({body});");
    check_edges(&of("a + b"), true, |x, y| (f(x) + f(y)).to_bits());
    check_edges(&of("a - b"), true, |x, y| (f(x) - f(y)).to_bits());
    check_edges(&of("a * b"), true, |x, y| (f(x) * f(y)).to_bits());
    check_edges(&of("a / b"), true, |x, y| (f(x) / f(y)).to_bits());
    check_edges(&of("a * b + a"), true, |x, y| (f(x) * f(y) + f(x)).to_bits());
    check_edges(&of("fma(a, b, a)"), true, |x, y| f(x).mul_add(f(y), f(x)).to_bits());
    check_edges(&of("sqrt(a) * -b"), true, |x, y| (f(x).sqrt() * -f(y)).to_bits());
    check_edges(&of("min(a, b)"), true, |x, y| {
        let zeros = f(x) == 0.0 && f(y) == 0.0;
        if zeros { x | y } else { f(x).min(f(y)).to_bits() }
    });
    check_edges(&of("max(a, b)"), true, |x, y| {
        let zeros = f(x) == 0.0 && f(y) == 0.0;
        if zeros { x & y } else { f(x).max(f(y)).to_bits() }
    });
    check_edges(&of("abs(a) + floor(b)"), true, |x, y| {
        (f(x).abs() + f(y).floor()).to_bits()
    });
    check_edges(&of("ceil(a)"), true, |x, _| f(x).ceil().to_bits());
    check_edges(&of("trunc(a) + round(b)"), true, |x, y| {
        (f(x).trunc() + f(y).round_ties_even()).to_bits()
    });
    check_edges(&of("fract(a)"), true, |x, _| (f(x) - f(x).floor()).to_bits());
}

#[test]
fn float_remainders_keep_the_dividends_sign() {
    let inputs: Vec<[u32; 2]> = [7.5, -7.5, 8.0, 0.25]
        .iter()
        .flat_map(|a: &f32| [2.0_f32, -2.0, 3.0].map(|b| [a.to_bits(), b.to_bits()]))
        .collect();
    let body = "return bitcast<u32>(bitcast<f32>(x) % bitcast<f32>(y));";
    check_pairs(EXACT, body, &inputs, true, |x, y| (f(x) % f(y)).to_bits());
    check_pairs(RELAXED, body, &inputs, true, |x, y| (f(x) % f(y)).to_bits());
}

#[test]
fn doubles_compute() {
    let body = "let a = f64(bitcast<f32>(x)); let b = f64(bitcast<f32>(y));
        return bitcast<u32>(f32(sqrt(abs(a * b)) + (a - b) / (abs(b) + f64(1.0))));";
    check_edges(body, true, |x, y| {
        let (a, b) = (f64::from(f(x)), f64::from(f(y)));
        (((a * b).abs().sqrt() + (a - b) / (b.abs() + 1.0)) as f32).to_bits()
    });
}

#[test]
fn relaxed_floats_may_be_contracted_and_exact_ones_never() {
    let source = "@group(0) @binding(0) var<storage, read_write> x: array<f32, 4>;
        @compute @workgroup_size(1) fn main() { x[0] = x[1] * x[2] + x[3] / x[1] - sqrt(x[2]); }";
    let exact = translated(source, &EXACT).unwrap().text;
    for name in ["mul.rn.f32", "add.rn.f32", "div.rn.f32", "sub.rn.f32", "sqrt.rn.f32"] {
        assert!(exact.contains(name), "{name}");
    }
    let relaxed = translated(source, &RELAXED).unwrap().text;
    for name in ["mul.f32", "add.f32", "div.approx.f32", "sub.f32", "sqrt.approx.f32"] {
        assert!(relaxed.contains(name), "{name}");
    }
    assert!(!exact.contains("ftz") && !relaxed.contains("ftz"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_constant_divides(divisor: u64, short in 0..64_u32, inputs in prop::collection::vec(any::<[u32; 2]>(), 64)) {
        let divisor = divisor >> short;
        let inputs: Vec<[u32; 2]> = around(divisor).into_iter().chain(inputs).collect();
        check_divisor(divisor, &inputs);
    }

    /// Operators in any nesting: a row of them, each on the results of earlier ones.
    #[test]
    fn rows_of_operators_compute(steps in prop::collection::vec((0_usize..9, 0_usize..8, 0_usize..8), 1..24), inputs in prop::collection::vec(any::<[u32; 2]>(), 1..8)) {
        let mut body = String::from("let v0 = x; let v1 = y;\n");
        for (number, (op, a, b)) in steps.iter().enumerate() {
            let names = ["+", "-", "*", "&", "|", "^", "<<", ">>", "%"];
            let (number, a, b) = (number + 2, a % (number + 2), b % (number + 2));
            body += &format!("let v{number} = v{a} {} v{b};\n", names[*op]);
        }
        body += &format!("return v{};", steps.len() + 1);
        let expected = |x: u32, y: u32| {
            let mut values = vec![x, y];
            for &(op, a, b) in &steps {
                let (a, b) = (values[a % values.len()], values[b % values.len()]);
                values.push(match op {
                    0 => a.wrapping_add(b),
                    1 => a.wrapping_sub(b),
                    2 => a.wrapping_mul(b),
                    3 => a & b,
                    4 => a | b,
                    5 => a ^ b,
                    6 => a.wrapping_shl(b),
                    7 => a.wrapping_shr(b),
                    _ => a.checked_rem(b).unwrap_or(0),
                });
            }
            values[values.len() - 1]
        };
        check_pairs(EXACT, &body, &inputs, false, expected);
    }
}
