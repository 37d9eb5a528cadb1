//! Every optimisation switched off, each alone and all together: not a bit of any result may change.

use gpuvm::Settings;
use gpuvm::prelude::*;
use gpuvm::program::Format;
use gpuvm_tests::runtime_with;

use crate::harness::Case;

/// The cases with the most for an optimiser to get wrong.
const CASES: [&[Case]; 13] = [
    crate::algebra::cases::ALL,
    crate::loops::cases::ALL,
    crate::patterns::cases::ALL,
    crate::evaluation_order::cases::ALL,
    crate::calls_recursion::cases::ALL,
    crate::arrays::cases::ALL,
    crate::references::cases::ALL,
    crate::traps::cases::ALL,
    crate::integers64::cases::ALL,
    crate::structs::cases::ALL,
    crate::closures::cases::ALL,
    crate::iterators::cases::ALL,
    crate::results::cases::ALL,
];

/// For settings that make other programs of the same instructions: one engine tells whether they are right.
fn all_agree(settings: Settings) {
    agree_on(settings, |_| &[Engine::Reference]);
}

/// For settings that give a GPU's interpreter other things to do: one case in so many shows that it does them.
const INTERPRETED: usize = 4;

fn all_agree_interpreted(settings: Settings) {
    agree_on(settings, |number| match number % INTERPRETED {
        0 => &[Engine::Reference, Engine::Interpreter],
        _ => &[Engine::Reference],
    });
}

/// Checks every case on the engines that are for its number.
fn agree_on(settings: Settings, engines: fn(usize) -> &'static [Engine]) {
    let runtime = runtime_with(settings);
    let agrees = |(number, case): &(usize, &Case)| {
        let check = || (case.check)(&runtime, engines(*number));
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(check)).is_ok()
    };
    let cases = CASES.into_iter().flatten().enumerate();
    let differ: Vec<&str> = cases.filter(|case| !agrees(case)).map(|(_, case)| case.name).collect();
    assert!(differ.is_empty(), "with these settings these cases differ: {differ:?}");
}

#[test]
fn without_folding() {
    all_agree(Settings {
        fold: false,
        ..Settings::default()
    });
}

#[test]
fn without_copy_propagation() {
    all_agree(Settings {
        copies: false,
        ..Settings::default()
    });
}

#[test]
fn without_dead_code_removal() {
    all_agree(Settings {
        dead_code: false,
        ..Settings::default()
    });
}

#[test]
fn without_jump_threading() {
    all_agree(Settings {
        threading: false,
        ..Settings::default()
    });
}

#[test]
fn without_inlining() {
    all_agree(Settings {
        inline: None,
        ..Settings::default()
    });
}

#[test]
fn without_promotion() {
    all_agree(Settings {
        promote: false,
        ..Settings::default()
    });
}

#[test]
fn without_loop_changes() {
    all_agree(Settings {
        loops: false,
        ..Settings::default()
    });
}

#[test]
fn without_powers() {
    all_agree(Settings {
        raise: false,
        ..Settings::default()
    });
}

#[test]
fn without_fusion() {
    all_agree_interpreted(Settings {
        fuse: false,
        ..Settings::default()
    });
}

#[test]
fn without_anything() {
    all_agree_interpreted(Settings::debug());
}

#[test]
fn with_dense_matrices_only() {
    all_agree_interpreted(Settings {
        force_format: Some(Format::Dense),
        ..Settings::default()
    });
}

#[test]
fn with_sparse_matrices_only() {
    all_agree_interpreted(Settings {
        force_format: Some(Format::Sparse),
        ..Settings::default()
    });
}
