//! One case a rule: `<topic>/<rule>.rs` is refused with exactly the words in `<topic>/<rule>.stderr`. After a change of a message, run with
//! `TRYBUILD=overwrite` and read what came out.

#![deny(clippy::pedantic)]

/// Here for clippy alone, which does not look at trybuild's cases.
#[path = "lints/everything.rs"]
mod everything;

use std::process::Command;

/// The compiler whose words the expected messages hold, next to ours.
const RECORDED_WITH: &str = "rustc 1.95.";

/// Topics whose messages are gpuvm's own.
const OUR_WORDS: [&str; 7] = ["expressions", "items", "loops", "patterns", "ring", "texts", "types"];

/// Topics in which rustc says part of it. Another rustc words or breaks them differently, which is no fault of gpuvm's.
const RUSTC_WORDS: [&str; 3] = ["derive", "mistakes", "rustc"];

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("pass/*.rs");
    for topic in OUR_WORDS {
        cases.compile_fail(format!("{topic}/*.rs"));
    }
    let version = rustc_version();
    if version.starts_with(RECORDED_WITH) {
        for topic in RUSTC_WORDS {
            cases.compile_fail(format!("{topic}/*.rs"));
        }
    } else {
        eprintln!(
            "the messages of {RUSTC_WORDS:?} were recorded with {RECORDED_WITH}x and are not compared under {version}"
        );
    }
}

/// What the compiler of this build says it is.
fn rustc_version() -> String {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    let output = Command::new(rustc).arg("--version").output().expect("rustc runs");
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}
