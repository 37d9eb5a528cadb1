//! The functions of `f64`: errors against correctly rounded values (`double.txt`, made by `examples/double_errors.py` with mpmath), special
//! values, exact results, that the machine runs to the same bits, and that the bits stay what they are.

// Generated code names `::gpuvm`, which below the facade is the core.
extern crate gpuvm_core as gpuvm;

mod double_functions;
mod ulp;

use double_functions::{BINARY, Binary, UNARY, Unary, pair, single};
use gpuvm_core::compile::link;
use gpuvm_core::facts::RoutineType;
use gpuvm_core::interp::{Memory, Vm, run_all};
use gpuvm_core::program::{ParamSlot, Program, Status};
use gpuvm_core::routine::Routine;
use gpuvm_core::settings::Settings;
use gpuvm_macros::routine;
use gpuvm_math as math;
use gpuvm_math::LIBRARY;
use gpuvm_math::native::MethodsOf;
use ulp::Random;

/// The largest error that the documentation promises, in ulp.
fn bound(name: &str) -> f64 {
    match name {
        "sin" | "cos" | "exp" | "exp2" | "ln" | "log2" => 1.0,
        _ => 2.0,
    }
}

fn same(a: f64, b: f64) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

fn unary(name: &str) -> fn(f64) -> f64 {
    UNARY.iter().find(|(n, _)| *n == name).expect("a name from the list").1
}

fn binary(name: &str) -> fn(f64, f64) -> f64 {
    BINARY.iter().find(|(n, _)| *n == name).expect("a name from the list").1
}

/// Arguments where special cases begin or end.
fn edges() -> Vec<f64> {
    let mut edges = vec![
        0.0,
        1e-300,
        1e-20,
        1e-9,
        0.25,
        0.5,
        0.75,
        1.0,
        1.5,
        2.0,
        2.5,
        3.0,
        4.0,
        10.0,
        20.0,
        22.0,
        36.7,
        38.9,
        53.0,
        54.0,
        709.0,
        709.8,
        710.4,
        710.5,
        745.1,
        745.2,
        1023.0,
        1024.0,
        1074.0,
        1075.0,
        1e5,
        1647099.3,
        1e9,
        2147483648.0,
        4503599627370495.5,
        9007199254740991.0,
        9007199254740992.0,
        1e22,
        1e100,
        1e154,
        1e300,
    ];
    edges.extend([f64::MAX, f64::MIN_POSITIVE, f64::EPSILON, f64::INFINITY, f64::NAN]);
    edges.extend([1, 2, (1 << 52) - 1].map(f64::from_bits));
    edges.extend(
        [1.0f64, 0.5, f64::MIN_POSITIVE]
            .iter()
            .flat_map(|x| [x.next_up(), x.next_down()]),
    );
    let negative: Vec<f64> = edges.iter().map(|x| -x).collect();
    edges.extend(negative);
    edges
}

#[test]
fn results_are_within_the_bound() {
    for line in include_str!("double.txt").lines() {
        let mut words = line.split(' ');
        let name = words.next().expect("a name");
        let numbers: Vec<f64> = words
            .map(|word| f64::from_bits(u64::from_str_radix(word, 16).expect("bits")))
            .collect();
        let (got, exact) = match numbers[..] {
            [x, exact] => (unary(name)(x), exact),
            [x, y, exact] => (binary(name)(x, y), exact),
            _ => panic!("{line}"),
        };
        // Half an ulp is the reference's own.
        let apart = got.to_bits().abs_diff(exact.to_bits());
        let most = (bound(name) + 0.5) as u64;
        assert!(
            apart <= most,
            "{name} {:?} is {got:e}, not {exact:e}: {apart} apart",
            &numbers[..numbers.len() - 1]
        );
    }
}

/// std's functions are within an ulp or so too, and right where results are zero, infinite or no numbers.
#[test]
fn special_values_are_those_of_std() {
    let unary_std: [Unary; 20] = [
        ("sin", f64::sin),
        ("cos", f64::cos),
        ("tan", f64::tan),
        ("asin", f64::asin),
        ("acos", f64::acos),
        ("atan", f64::atan),
        ("sinh", f64::sinh),
        ("cosh", f64::cosh),
        ("tanh", f64::tanh),
        ("asinh", f64::asinh),
        ("acosh", f64::acosh),
        ("atanh", f64::atanh),
        ("exp", f64::exp),
        ("exp2", f64::exp2),
        ("exp_m1", f64::exp_m1),
        ("ln", f64::ln),
        ("ln_1p", f64::ln_1p),
        ("log2", f64::log2),
        ("log10", f64::log10),
        ("cbrt", f64::cbrt),
    ];
    assert_eq!(unary_std.len(), UNARY.len());
    // std's own formulas for these lose digits.
    let digits = |name: &str, x: f64| match name {
        "asinh" | "acosh" => x.abs() * 1e-8 + 1e-7,
        "atanh" => x.abs() / 32.0,
        _ => x.abs() * 1e-15,
    };
    let close = |name: &str, got: f64, std: f64| {
        same(got, std)
            || got.is_finite()
                && std.is_finite()
                && (got == 0.0) == (std == 0.0)
                && got.is_sign_negative() == std.is_sign_negative()
                && (got - std).abs() <= digits(name, std) + 1e-323
    };
    for (name, std) in unary_std {
        for x in edges() {
            let (got, std) = (unary(name)(x), std(x));
            // These overflow in std.
            let beyond = (name == "asinh" || name == "acosh") && std.is_infinite() && x.is_finite();
            assert!(
                beyond || close(name, got, std),
                "{name} of {x:e} is {got:e}, not {std:e}"
            );
        }
    }
    let binary_std: [Binary; 5] = [
        ("atan2", f64::atan2),
        ("hypot", f64::hypot),
        ("powf", f64::powf),
        ("powi", |x, n| x.powf(f64::from(n as i32))),
        ("log", f64::log),
    ];
    for (name, std) in binary_std {
        for x in edges() {
            for y in edges() {
                let (got, std) = (binary(name)(x, y), std(x, y));
                assert!(close(name, got, std), "{name} of {x:e}, {y:e} is {got:e}, not {std:e}");
            }
        }
    }
}

#[test]
fn sin_cos_has_the_bits_of_sin_and_cos() {
    let mut random = Random(3);
    for x in edges().into_iter().chain((0..10_000).map(|_| single(&mut random))) {
        let (s, c) = math::sin_cos_f64(x);
        assert!(same(s, math::sin_f64(x)) && same(c, math::cos_f64(x)), "{x:e}");
    }
}

#[test]
fn odd_and_even_functions_are_symmetric() {
    let mut random = Random(4);
    for x in edges().into_iter().chain((0..10_000).map(|_| single(&mut random))) {
        for name in ["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "cbrt"] {
            assert!(same(unary(name)(-x), -unary(name)(x)), "{name} of {x:e}");
        }
        assert!(
            same(math::cos_f64(-x), math::cos_f64(x)) && same(math::cosh_f64(-x), math::cosh_f64(x)),
            "{x:e}"
        );
    }
}

#[test]
fn exact_results_are_exact() {
    for k in -1074..1024 {
        let power = f64::from_bits(if k < -1022 {
            1 << (k + 1074)
        } else {
            ((k + 1023) as u64) << 52
        });
        assert_eq!(math::exp2_f64(k.into()), power, "exp2({k})");
        assert_eq!(math::powi_f64(2.0, k), power, "powi(2, {k})");
        assert_eq!(math::powf_f64(0.5, f64::from(-k)), power, "powf(1/2, {})", -k);
        assert_eq!(math::log2_f64(power), k.into(), "log2(2^{k})");
    }
    for n in 0..=22 {
        assert_eq!(math::log10_f64(10f64.powi(n)), n.into(), "log10(10^{n})");
        assert_eq!(math::powi_f64(10.0, n), 10f64.powi(n), "powi(10, {n})");
    }
    for base in 2u64..=2000 {
        let mut power = base;
        for n in 2.. {
            power *= base;
            if power >= 1 << 53 {
                break;
            }
            assert_eq!(math::powi_f64(base as f64, n), power as f64, "powi({base}, {n})");
            assert_eq!(
                math::powf_f64(-(base as f64), n.into()).abs(),
                power as f64,
                "powf(-{base}, {n})"
            );
            assert_eq!(
                math::log_f64(power as f64, base as f64),
                n.into(),
                "log({base}^{n}, {base})"
            );
            if n == 3 {
                assert_eq!(math::cbrt_f64(power as f64), base as f64, "cbrt({power})");
            }
        }
    }
    assert_eq!(math::hypot_f64(3.0, 4.0), 5.0);
    assert_eq!(
        (math::exp_f64(0.0), math::cos_f64(0.0), math::cosh_f64(0.0)),
        (1.0, 1.0, 1.0)
    );
}

/// FNV-1a over results, NaN counted as one value.
fn hash(results: impl Iterator<Item = f64>) -> u64 {
    results.fold(0xcbf2_9ce4_8422_2325, |hash, x| {
        let bits = if x.is_nan() { math::NAN_F64 } else { x.to_bits() };
        (hash ^ bits).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Programs rely on the bits: a change here is a change of behaviour, to be made knowingly.
#[test]
fn the_bits_stay() {
    const ARGUMENTS: u32 = 100_000;
    let unary = UNARY.iter().map(|(name, function)| {
        let mut random = Random(8);
        (*name, hash((0..ARGUMENTS).map(|_| function(single(&mut random)))))
    });
    let binary = BINARY.iter().map(|(name, function)| {
        let mut random = Random(9);
        (
            *name,
            hash((0..ARGUMENTS).map(|_| pair(&mut random)).map(|(x, y)| function(x, y))),
        )
    });
    let found: Vec<String> = unary
        .chain(binary)
        .map(|(name, hash)| format!("{name} {hash:016x}"))
        .collect();
    let expected: Vec<&str> = include_str!("double_bits.txt").lines().collect();
    assert_eq!(found, expected, "\n{}\n", found.join("\n"));
}

/// What a program makes of words, and the instructions that it takes.
fn run(program: &Program, routine: &Routine, words: &[u32]) -> (Vec<u32>, u64) {
    let mut base = 0;
    let mut params = Vec::new();
    for param in routine.params.iter() {
        params.push(ParamSlot {
            base,
            ..ParamSlot::default()
        });
        base += param.words();
    }
    params.push(ParamSlot {
        base,
        ..ParamSlot::default()
    });
    let mut arena = words.to_vec();
    arena.resize((base + routine.result.words()) as usize, 0);
    let mut memory = Memory {
        arena: &mut arena,
        atomics: &mut [],
        params: &params,
        vm_count: 1,
        first_vm: 0,
    };
    let outcome = run_all(program, &mut memory, &mut [Vm::new(program, 0)], None);
    assert_eq!(outcome.statuses, [Status::Halted], "{}", routine.name);
    (arena.split_off(base as usize), outcome.retired.iter().sum())
}

fn words(x: f64) -> [u32; 2] {
    [x.to_bits() as u32, (x.to_bits() >> 32) as u32]
}

fn number(words: &[u32]) -> f64 {
    f64::from_bits(u64::from(words[1]) << 32 | u64::from(words[0]))
}

/// Methods as a user calls them: natively std's own here, since the tests are below the facade; on the machine the library's.
#[allow(dead_code, reason = "only their routines run")]
mod by_method {
    use super::*;

    /// A routine, and what the user's function does natively.
    pub type Both<F> = (&'static str, fn() -> &'static Routine, F);

    macro_rules! unary {
        ($($name:ident)*) => {
            $(#[routine(library)] pub fn $name(x: f64) -> f64 { x.$name() })*
            pub const UNARY: &[Both<fn(f64) -> f64>] =
                &[$((stringify!($name), <$name as RoutineType>::routine, |x| MethodsOf(&x, true).$name())),*];
        };
    }
    unary! { sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp exp2 exp_m1 ln ln_1p log2 log10 cbrt }

    macro_rules! binary {
        ($($name:ident $argument:ident)*) => {
            $(#[routine(library)] pub fn $name(x: f64, y: f64) -> f64 { f64::$name(x, y as $argument) })*
            pub const BINARY: &[Both<fn(f64, f64) -> f64>] =
                &[$((stringify!($name), <$name as RoutineType>::routine, |x, y| MethodsOf(&x, true).$name(y as $argument))),*];
        };
    }
    binary! { atan2 f64 hypot f64 powf f64 powi i32 log f64 }

    /// Methods of a number whose type only rustc knows.
    #[routine(library)]
    pub fn inferred(x: f64) -> f64 {
        let three = f64::from(3u8);
        (three * x).tanh().hypot(three)
    }

    #[routine(library)]
    pub fn sin_cos(x: f64) -> (f64, f64) {
        x.sin_cos()
    }
}

/// The reference interpreter against the functions, through the methods' own way into a program. `--nocapture` shows how many instructions a
/// call takes on average, and how many a program with one function has.
#[test]
fn the_machine_gives_the_same_bits() {
    let linked = |routine| link(routine, LIBRARY, &Settings::default()).expect("the routine is valid");
    for (name, routine, native) in by_method::UNARY {
        let program = linked(routine());
        let mut random = Random(5);
        let arguments: Vec<f64> = edges()
            .into_iter()
            .chain((0..300).map(|_| single(&mut random)))
            .collect();
        let mut taken = 0;
        for &x in &arguments {
            let (result, instructions) = run(&program, routine(), &words(x));
            taken += instructions;
            let (got, native) = (number(&result), native(x));
            assert!(same(native, unary(name)(x)), "M's {name} of {x:e}");
            assert!(
                same(got, native),
                "{name} of {x:e} is {got:e} on the machine and {native:e} natively"
            );
        }
        println!(
            "{name:7} {:6} instructions, {:6} on average",
            program.code.len(),
            taken / arguments.len() as u64
        );
    }
    for (name, routine, native) in by_method::BINARY {
        let program = linked(routine());
        let mut random = Random(6);
        let some = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            3.0,
            0.5,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
            1e-320,
        ];
        let crossed = some.iter().flat_map(|&x| some.map(|y| (x, y)));
        let arguments: Vec<(f64, f64)> = crossed.chain((0..300).map(|_| pair(&mut random))).collect();
        let mut taken = 0;
        for &(x, y) in &arguments {
            let (result, instructions) = run(&program, routine(), &[words(x), words(y)].concat());
            taken += instructions;
            let (got, native) = (number(&result), native(x, y));
            assert!(same(native, binary(name)(x, y)), "M's {name} of {x:e}, {y:e}");
            assert!(
                same(got, native),
                "{name} of {x:e}, {y:e} is {got:e} on the machine and {native:e} natively"
            );
        }
        println!(
            "{name:7} {:6} instructions, {:6} on average",
            program.code.len(),
            taken / arguments.len() as u64
        );
    }
    let routine = <by_method::sin_cos as RoutineType>::routine();
    let program = linked(routine);
    let mut random = Random(7);
    for x in edges().into_iter().chain((0..300).map(|_| single(&mut random))) {
        let (result, _) = run(&program, routine, &words(x));
        let (s, c) = MethodsOf(&x, true).sin_cos();
        assert!(
            same(number(&result), s) && same(number(&result[2..]), c),
            "sin_cos of {x:e}"
        );
    }
}
