//! Programs that tests compile: what is refused, in which words, and what is accepted.

mod check;
mod fuzz;
mod marked;
mod texts;

/// Here for clippy alone, which does not look at what tests compile.
#[deny(clippy::pedantic)]
#[path = "lints/everything.rs"]
mod everything;
#[deny(clippy::pedantic)]
#[path = "lints/language.rs"]
mod language;

use std::path::{Path, PathBuf};

/// This package.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .canonicalize()
        .expect("the package")
}

/// The programs in a folder, from here.
fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = root().join(folder).canonicalize().expect("the folder of a topic");
    let entries = std::fs::read_dir(&folder).expect("the folder of a topic");
    let mut programs: Vec<PathBuf> = entries
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    programs.sort();
    programs
}

#[test]
fn accepted_programs_compile_and_run() {
    check::run("accepted", &programs("pass"));
}

/// A program in a folder that no test reads would say nothing of itself.
#[test]
fn every_folder_is_read() {
    const ELSEWHERE: [&str; 3] = ["lints", "pass", "renamed"];
    let entries = std::fs::read_dir(root()).expect("the package");
    for path in entries.map(|entry| entry.expect("an entry").path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let mut read = texts::TOPICS.iter().chain(&marked::FOLDERS).chain(&ELSEWHERE);
        assert!(
            read.any(|folder| *folder == name) || !path.is_dir(),
            "no test reads {}",
            path.display()
        );
    }
}
