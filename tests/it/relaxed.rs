//! Relaxed routines: the one place where results may differ, within a stated tolerance.

use gpuvm::FloatMode;
use gpuvm::prelude::*;

use crate::harness::{ENGINES, runtime};
use crate::sample::Rng;

/// How far a result may lie from the native function's, times its size where that is more than 1. WGSL lets a sine be off by 2^-11, the
/// others by a few units in the last place; the power of eight bits loses eight.
const TOLERANCE: f32 = 1.0 / 2048.0;

#[routine(relaxed)]
fn relaxed_functions(a: f32, b: f32) -> [f32; 16] {
    let size = a.abs() + 0.01;
    let part = b / 8.0;
    [
        a.sin(),
        a.cos(),
        part.tan(),
        part.asin(),
        part.acos(),
        a.atan(),
        a.atan2(b),
        a.sinh(),
        a.cosh(),
        a.tanh(),
        a.exp(),
        a.exp2(),
        size.ln(),
        size.log2(),
        size.log10(),
        size.powf(part),
    ]
}

#[routine(relaxed)]
fn relaxed_edges(a: f32, b: f32) -> [f32; 3] {
    [a.powf(b), a.atan2(b), (a * 100.0).tanh()]
}

#[routine(relaxed)]
fn relaxed_arithmetic(a: f32, b: f32) -> [f32; 5] {
    [
        a * b + a,
        a / (b + 10.0),
        (a * a + b * b).sqrt(),
        norm(a, b),
        a.floor() + b.round(),
    ]
}

#[routine(callee)]
fn norm(a: f32, b: f32) -> f32 {
    (a.sin() * b + a).hypot(b)
}

#[routine]
fn exact_caller(a: f32, b: f32) -> f32 {
    norm(a, b)
}

/// Numbers between -8 and 8.
fn columns(name: &str) -> [Vec<f32>; 2] {
    let mut rng = Rng::named(name);
    [(); 2].map(|()| (0..4096).map(|_| (rng.next() as i32) as f32 / 268_435_456.0).collect())
}

/// Runs a routine everywhere and compares with its function.
fn close<const N: usize>(id: &str, [a, b]: &[Vec<f32>; 2], native: fn(f32, f32) -> [f32; N])
where
    [f32; N]: VmType,
{
    for engine in ENGINES {
        let done = runtime().launch(id).unwrap().args((a, b)).engine(engine).run().unwrap();
        let (expected_mode, tolerance) = match engine {
            Engine::Native => (FloatMode::Exact, 0.0),
            _ => (FloatMode::Relaxed, TOLERANCE),
        };
        assert_eq!(done.stats().float_mode, expected_mode, "{engine}");
        assert!(done.stats().to_string().contains(&format!("({expected_mode} floats)")));
        for (vm, found) in done.output::<Vec<[f32; N]>>().unwrap().into_iter().enumerate() {
            let (a, b) = (a[vm], b[vm]);
            for (i, (found, expected)) in found.into_iter().zip(native(a, b)).enumerate() {
                let near = (found - expected).abs() <= tolerance * expected.abs().max(1.0);
                assert!(
                    near || found == expected || found.is_nan() && expected.is_nan(),
                    "{engine}: result {i} of `{id}` with {a} and {b} is {found} and should be about {expected}"
                );
            }
        }
    }
}

#[test]
fn functions_are_close() {
    close("relaxed_functions", &columns("relaxed_functions"), relaxed_functions);
}

#[test]
fn domains_are_kept() {
    let values = [0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 0.5, -0.5, 5.0];
    let a = values.iter().flat_map(|a| [*a; 11]).collect();
    let b = values.repeat(11);
    close("relaxed_edges", &[a, b], relaxed_edges);
}

#[test]
fn arithmetic_is_close() {
    close("relaxed_arithmetic", &columns("relaxed_arithmetic"), relaxed_arithmetic);
}

#[test]
fn a_callee_follows_its_entry() {
    let text = |id| runtime().program(id).unwrap().disassemble();
    let (relaxed, exact) = (text("relaxed_arithmetic"), text("exact_caller"));
    assert!(
        relaxed.contains("\nrelaxed\n") && relaxed.contains(" fmath "),
        "{relaxed}"
    );
    assert!(!exact.contains("\nrelaxed\n") && !exact.contains(" fmath "), "{exact}");
}
