//! Routines with mistakes that nobody thought of, compiled: whatever rustc says of them, it says of their own code.

use std::path::PathBuf;

use gpuvm_generator::{mutated_module, unmutated_modules};

use crate::check::{Diagnostic, build, check, said_of, target};

/// How many routines the suite tries; `cargo xtask fuzz --mistakes` tries others.
const ROUTINES: u64 = 40;

/// The first seed and how many there are, as `xtask` says.
fn seeds() -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|value| value.parse().ok());
    let first: u64 = number("GPUVM_MISTAKES_SEED").unwrap_or(0);
    first..first + number("GPUVM_MISTAKES").unwrap_or(ROUTINES)
}

/// Writes modules as crates.
fn write(modules: &[(String, String)]) -> Vec<PathBuf> {
    let folder = target().join("tests").join("mutated-source");
    // What an earlier run left is not looked at.
    std::fs::create_dir_all(&folder).expect("a folder under target/");
    modules
        .iter()
        .map(|(name, source)| {
            let path = folder.join(format!("{name}.rs"));
            let program = format!("#![allow(warnings)]\n{source}fn main() {{}}\n");
            if std::fs::read_to_string(&path).ok().as_deref() != Some(&program) {
                std::fs::write(&path, program).expect("a program");
            }
            path
        })
        .collect()
}

fn is_ours(error: &Diagnostic) -> bool {
    !error.inside.is_empty() || error.code == "E0080" || error.title.contains("internal compiler error")
}

#[test]
fn what_a_mistake_draws_is_told_of_the_users_code() {
    let sound = unmutated_modules();
    let mut modules: Vec<(String, String)> = sound
        .into_iter()
        .enumerate()
        .map(|(i, module)| (format!("sound_{i}"), module))
        .collect();
    modules.extend(seeds().map(|seed| (format!("seed_{seed}"), mutated_module(seed))));
    let programs = write(&modules);
    let mut errors = check("mutated", &programs);
    let (accepted, refused): (Vec<PathBuf>, Vec<PathBuf>) = programs
        .iter()
        .cloned()
        .partition(|path| said_of(&errors, path).is_empty());
    let sound: Vec<_> = refused
        .iter()
        .filter(|path| path.to_string_lossy().contains("sound_"))
        .collect();
    assert!(sound.is_empty(), "{sound:?} have no mistake: {errors:?}");
    // What rustc takes, the encoder takes.
    errors.extend(build("mutated-build", &accepted));
    let ours: Vec<String> = errors
        .iter()
        .filter(|error| is_ours(error))
        .map(|error| format!("{}: {:?}\n{}", error.file.display(), error.inside, error.text))
        .collect();
    assert!(
        ours.is_empty(),
        "{} of {}:\n{}",
        ours.len(),
        modules.len(),
        ours.join("\n")
    );
}
