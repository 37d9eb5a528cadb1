//! One case a rule: `<topic>/<rule>.rs` is refused with exactly the words in `<topic>/<rule>.stderr`. After a change of a message, run with
//! `GPUVM_TEXTS=overwrite` and read what came out. Where rustc has a part of the answer, programs are marked instead: see `marked.rs`.

use std::fmt::Write;
use std::path::PathBuf;

use crate::check::{Diagnostic, answers, said_of};
use crate::{programs, root};

/// Topics whose messages are gpuvm's own.
pub const TOPICS: [&str; 6] = ["expressions", "items", "patterns", "ring", "texts", "types"];

#[test]
fn what_is_refused_is_refused_in_these_words() {
    let programs: Vec<PathBuf> = TOPICS.into_iter().flat_map(programs).collect();
    let overwrites = std::env::var("GPUVM_TEXTS").is_ok_and(|what| what == "overwrite");
    let answers = answers("refused", &programs);
    let mut faults = String::new();
    for program in &programs {
        let said = said_of(&answers, program);
        let is_refused = said.iter().any(|diagnostic| diagnostic.is_error);
        let (said, path) = (text(&said), program.with_extension("stderr"));
        if overwrites {
            std::fs::write(&path, &said).expect("the text is written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        if !is_refused || said != expected {
            writeln!(
                faults,
                "{}\n\nexpected:\n{expected}\nis told:\n{said}",
                program.display()
            )
            .unwrap();
        }
    }
    assert!(faults.is_empty(), "\n{faults}");
}

/// What is said, as whoever reads it sees it, with paths from here.
fn text(said: &[Diagnostic]) -> String {
    let texts = said.iter().map(|diagnostic| {
        let text = diagnostic.text.replace(&format!("{}/", root().display()), "");
        let lines = text.trim_end().lines().map(|line| format!("{}\n", line.trim_end()));
        lines.collect::<String>()
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// What rustc prints of std depends on whether `rust-src` is there, so nothing expected may have it.
#[test]
fn no_expected_text_shows_std() {
    for program in TOPICS.into_iter().flat_map(programs) {
        let path = program.with_extension("stderr");
        let text = std::fs::read_to_string(&path).expect("an expected text");
        for std in ["/rustc/", "/library/core/", "/library/std/", "/library/alloc/"] {
            assert!(
                !text.contains(std),
                "{} has {std} in it; mark the program instead",
                path.display()
            );
        }
    }
}
