//! One case a rule: `<topic>/<rule>.rs` is refused with exactly the words in `<topic>/<rule>.stderr`. After a change of a message, run with
//! `TRYBUILD=overwrite` and read what came out. Where rustc has a part of the answer, programs are marked instead: see `marked.rs`.

#![deny(clippy::pedantic)]

/// Here for clippy alone, which does not look at trybuild's cases.
#[path = "lints/everything.rs"]
mod everything;
#[path = "lints/language.rs"]
mod language;

/// Topics whose messages are gpuvm's own.
const TOPICS: [&str; 6] = ["expressions", "items", "patterns", "ring", "texts", "types"];

#[test]
fn what_is_accepted_compiles() {
    trybuild::TestCases::new().pass("pass/*.rs");
}

/// On their own: cases that have only to be checked are checked all at once.
#[test]
fn what_is_refused_is_refused_in_these_words() {
    let cases = trybuild::TestCases::new();
    for topic in TOPICS {
        cases.compile_fail(format!("{topic}/*.rs"));
    }
}

/// A program in a folder that no test reads would say nothing of itself.
#[test]
fn every_folder_is_read() {
    const ELSEWHERE: [&str; 5] = ["derive", "lints", "pass", "renamed", "rustc"];
    let entries = std::fs::read_dir(env!("CARGO_MANIFEST_DIR")).expect("the package");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let known = TOPICS.iter().chain(&ELSEWHERE).any(|topic| *topic == name);
        assert!(known || !path.is_dir(), "no test reads {}", path.display());
    }
}
