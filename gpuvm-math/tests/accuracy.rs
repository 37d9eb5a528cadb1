//! Errors against `f64` references, special values, exact results, and that the bits stay what they are.
//! `examples/exhaustive.rs` measures all arguments.

mod ulp;

use gpuvm_math::*;
use ulp::{BINARY, Random, SPECIAL, UNARY, ulp_error};

/// A prime, so that the patterns of a stride share no low bits.
const STRIDE: usize = 4099;
const PAIRS: u32 = 300_000;

fn special_values() -> impl Iterator<Item = f32> + Clone {
    SPECIAL.iter().flat_map(|&x| [x, -x])
}

fn strided() -> impl Iterator<Item = f32> {
    (0..=u32::MAX).step_by(STRIDE).map(f32::from_bits)
}

fn same_bits(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[track_caller]
fn check_unary(name: &str) {
    let unary = UNARY.iter().find(|u| u.name == name).expect("a name from the list");
    for x in special_values().chain(strided()) {
        let (got, exact) = ((unary.function)(x), (unary.reference)(x as f64));
        let error = ulp_error(got, exact);
        assert!(
            error <= unary.bound,
            "{name}({x:e}) is {got:e}, not {exact:e}: {error} ulp"
        );
    }
}

#[track_caller]
fn check_binary(name: &str) {
    let binary = BINARY.iter().find(|b| b.name == name).expect("a name from the list");
    let special = special_values().flat_map(|x| special_values().map(move |y| (x, y)));
    let mut random = Random(1);
    for (x, y) in special.chain((0..PAIRS).map(|_| random.pair())) {
        let (got, exact) = ((binary.function)(x, y), (binary.reference)(x as f64, y as f64));
        let error = ulp_error(got, exact);
        assert!(
            error <= binary.bound,
            "{name}({x:e}, {y:e}) is {got:e}, not {exact:e}: {error} ulp"
        );
    }
}

macro_rules! accuracy {
    ($check:ident: $($name:ident)*) => {
        mod $check {
            $(#[test] fn $name() { super::$check(stringify!($name)); })*
        }
    };
}

accuracy!(check_unary: sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 exp_m1 ln ln_1p log2 log10 cbrt);
accuracy!(check_binary: atan2 hypot powf powi log);

#[test]
fn every_function_is_in_a_test() {
    assert_eq!(UNARY.len() + BINARY.len() + 1, 26, "the lists and `sin_cos`");
}

#[test]
fn sin_cos_has_the_bits_of_sin_and_cos() {
    for x in special_values().chain(strided()) {
        let (s, c) = sin_cos(x);
        assert!(same_bits(s, sin(x)) && same_bits(c, cos(x)), "{x:e}");
    }
}

#[test]
fn odd_and_even_functions_are_symmetric() {
    let odd = [sin, tan, asin, atan, sinh, tanh, asinh, atanh, cbrt];
    let even = [cos, cosh];
    for x in special_values().chain(strided()) {
        assert!(odd.iter().all(|f| same_bits(f(-x), -f(x))), "{x:e}");
        assert!(even.iter().all(|f| same_bits(f(-x), f(x))), "{x:e}");
    }
}

#[test]
fn powers_of_two_are_exact() {
    for k in -149..128 {
        let power = 2f64.powi(k) as f32;
        assert_eq!(exp2(k as f32), power, "exp2({k})");
        assert_eq!(powi(2.0, k), power, "powi(2, {k})");
        assert_eq!(powf(2.0, k as f32), power, "powf(2, {k})");
        assert_eq!(powf(0.5, -k as f32), power, "powf(1/2, {})", -k);
        assert_eq!(log2(power), k as f32, "log2(2^{k})");
    }
    assert_eq!(powi(-2.0, 127), -(2f32.powi(127)));
    assert_eq!((exp2(-150.0), exp2(128.0)), (0.0, f32::INFINITY));
}

#[test]
fn small_integer_powers_and_their_roots_are_exact() {
    for base in 2u64..=4096 {
        let mut power = base;
        for n in 2.. {
            power *= base;
            if power > 1 << 24 {
                break;
            }
            assert_eq!(powi(base as f32, n), power as f32, "powi({base}, {n})");
            assert_eq!(powf(base as f32, n as f32), power as f32, "powf({base}, {n})");
            assert_eq!(
                powf(-(base as f32), n as f32),
                (-(base as i64)).pow(n as u32) as f32,
                "powf(-{base}, {n})"
            );
            if n == 2 {
                assert_eq!(powf(power as f32, 0.5), base as f32, "powf({power}, 1/2)");
            }
            if n == 3 {
                assert_eq!(cbrt(power as f32), base as f32, "cbrt({power})");
            }
        }
    }
}

#[test]
fn logarithms_of_exact_powers_are_exact() {
    for n in 0..=10 {
        assert_eq!(log10(10f64.powi(n) as f32), n as f32, "log10(10^{n})");
    }
    for base in 2u64..=256 {
        for n in (1..).take_while(|&n| base.pow(n) <= 1 << 24) {
            assert_eq!(
                log(base.pow(n) as f32, base as f32),
                n as f32,
                "log({base}^{n}, {base})"
            );
        }
    }
}

#[test]
fn identities_are_exact() {
    for x in strided().filter(|x| x.is_finite()) {
        assert_eq!(powf(x, 1.0), x);
        assert_eq!(powi(x, 1), x);
        assert_eq!(hypot(x, 0.0), x.abs());
    }
    assert_eq!(hypot(3.0, 4.0), 5.0);
    assert_eq!((exp(0.0), cos(0.0), cosh(0.0)), (1.0, 1.0, 1.0));
    for (x, name) in [
        (acos(1.0), "acos"),
        (ln(1.0), "ln"),
        (log2(1.0), "log2"),
        (log10(1.0), "log10"),
        (acosh(1.0), "acosh"),
    ] {
        assert_eq!(x.to_bits(), 0, "{name}(1) is +0");
    }
}

#[test]
fn powi_takes_every_exponent() {
    let exponents = [
        i32::MIN,
        i32::MIN + 1,
        -16777217,
        -3,
        -1,
        0,
        1,
        3,
        16777217,
        i32::MAX - 1,
        i32::MAX,
    ];
    let near_one = [
        1.0f32.next_up(),
        1.0f32.next_down(),
        -(1.0f32.next_up()),
        -(1.0f32.next_down()),
    ];
    for x in special_values().chain(near_one) {
        for n in exponents {
            let (got, exact) = (powi(x, n), (x as f64).powf(n as f64));
            assert!(
                ulp_error(got, exact) <= 1.0,
                "powi({x:e}, {n}) is {got:e}, not {exact:e}"
            );
        }
    }
}

/// FNV-1a over results, NaN counted as one value.
fn hash(results: impl Iterator<Item = f32>) -> u64 {
    results.fold(0xcbf2_9ce4_8422_2325, |hash, x| {
        let bits = if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
        (hash ^ bits as u64).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Programs rely on the bits: a change here is a change of behaviour, to be made knowingly.
#[test]
fn the_bits_stay() {
    let unary = UNARY.iter().map(|u| (u.name, hash(strided().map(u.function))));
    let binary = BINARY.iter().map(|b| {
        let mut random = Random(2);
        (
            b.name,
            hash((0..PAIRS).map(|_| random.pair()).map(|(x, y)| (b.function)(x, y))),
        )
    });
    let found: Vec<String> = unary
        .chain(binary)
        .map(|(name, hash)| format!("{name} {hash:016x}"))
        .collect();
    let expected: Vec<&str> = include_str!("bits.txt").lines().collect();
    assert_eq!(found, expected, "\n{}\n", found.join("\n"));
}
