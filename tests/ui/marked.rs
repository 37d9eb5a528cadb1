//! Mistakes in which rustc has a part of the answer, as a table: each file of `../mistakes/compile/` (the mistakes of first contact), `rustc/` and `derive/` is a program, and below the
//! line of a mistake stands a mark with the token that has to be blamed and with what the answer has to say:
//!
//! ```text
//! fn f(a: &[f32], i: u32) -> f32 { a[i] }
//! //~ «i» cannot be indexed by `u32` … slice indices are of type `usize`
//! ```
//!
//! A program has as many errors as marks. One without marks compiles, to the last instruction. What is looked at are the compiler's diagnostics as data
//! and not how they are printed, so it is the same whether or not rustc shows lines of std (the component `rust-src`).

use std::fmt::Write;
use std::path::PathBuf;

use crate::check::{Diagnostic, build, build_as, check, check_as, is_binary, said_of};
use crate::root;

/// Where the programs are.
pub const FOLDERS: [&str; 3] = ["../mistakes/compile", "rustc", "derive"];

/// One answer that a program has to get.
struct Mark {
    line: usize,
    token: String,
    says: Vec<String>,
}

impl Mark {
    /// The mark on a line of a program, if one is there; `line` is the last one that is none.
    fn of(text: &str, line: usize) -> Option<Mark> {
        let (token, says) = text.trim().strip_prefix("//~ «")?.split_once('»')?;
        Some(Mark {
            line,
            token: token.to_string(),
            says: says.split('…').map(|part| part.trim().to_string()).collect(),
        })
    }

    /// Whether an error is the answer.
    fn is_met_by(&self, error: &Diagnostic) -> bool {
        error.line == self.line && error.token == self.token && self.says.iter().all(|part| error.text.contains(part))
    }
}

fn marks(program: &str) -> Vec<Mark> {
    let mut last = 0;
    let mut marks = Vec::new();
    for (i, text) in program.lines().enumerate() {
        match Mark::of(text, last) {
            Some(mark) => marks.push(mark),
            None => last = i + 1,
        }
    }
    marks
}

/// What is wrong with the answers to a program; empty if nothing is.
fn faults(program: &str, errors: &[Diagnostic]) -> String {
    let mut faults = String::new();
    let mut left: Vec<&Diagnostic> = errors.iter().collect();
    for mark in marks(program) {
        match left.iter().position(|error| mark.is_met_by(error)) {
            Some(place) => {
                left.remove(place);
            }
            None => writeln!(
                faults,
                "  line {}: «{}» is not told {:?}",
                mark.line, mark.token, mark.says
            )
            .unwrap(),
        }
    }
    for error in left {
        writeln!(
            faults,
            "  line {}: «{}» is told {}",
            error.line, error.token, error.title
        )
        .unwrap();
    }
    for place in errors.iter().flat_map(|error| &error.inside) {
        writeln!(faults, "  an error of the user's points into gpuvm, {place}").unwrap();
    }
    faults
}

#[test]
fn each_mistake_is_answered_once_on_the_spot() {
    let programs: Vec<PathBuf> = FOLDERS.into_iter().flat_map(crate::programs).collect();
    let sources: Vec<String> = programs
        .iter()
        .map(|path| std::fs::read_to_string(path).expect("a program"))
        .collect();
    let answers = check("marked", &programs);
    let mut faults_of_all = String::new();
    for (path, source) in programs.iter().zip(&sources) {
        let faults = faults(source, &said_of(&answers, path));
        if !faults.is_empty() {
            writeln!(faults_of_all, "{}\n{faults}", path.display()).unwrap();
        }
    }
    assert!(faults_of_all.is_empty(), "\n{faults_of_all}");
    // What is no mistake is built to the end. Libraries are about lints, which a crate has and a module has not.
    let sound = programs
        .iter()
        .zip(&sources)
        .filter(|(_, source)| marks(source).is_empty() && is_binary(source));
    let sound: Vec<PathBuf> = sound.map(|(path, _)| path.clone()).collect();
    let errors = build("marked-build", &sound);
    assert!(errors.is_empty(), "{errors:?}");
}

/// Nobody has to say how a `Cargo.toml` calls gpuvm, `machine = { package = "gpuvm", … }`: the macros see it, and what they blame stays where it was.
#[test]
fn gpuvm_may_have_another_name() {
    let program = |name: &str| root().join("renamed").join(name);
    let errors = build_as("machine", "renamed-build", &[program("machine.rs")]);
    assert!(errors.is_empty(), "{errors:?}");
    let mistakes = program("mistakes.rs");
    let answers = check_as("machine", "renamed", std::slice::from_ref(&mistakes));
    let source = std::fs::read_to_string(&mistakes).expect("a program");
    let faults = faults(&source, &said_of(&answers, &mistakes));
    assert!(faults.is_empty(), "\n{faults}");
}
