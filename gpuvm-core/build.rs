//! Writes what the standard library of the compiler at hand knows of characters as tables for routines, so that they agree with it whatever version of
//! Unicode it follows.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let tables = [
        set("ALPHABETIC", char::is_alphabetic),
        set("NUMERIC", char::is_numeric),
        set("LOWERCASE", char::is_lowercase),
        set("UPPERCASE", char::is_uppercase),
        set("ESCAPED", |c| c.escape_debug().count() > 1),
        mapping("TO_LOWERCASE", char::to_lowercase),
        mapping("TO_UPPERCASE", char::to_uppercase),
    ];
    let folder = env::var_os("OUT_DIR").expect("cargo says where to write to");
    fs::write(Path::new(&folder).join("unicode.rs"), tables.concat()).expect("cargo's folder can be written to");
}

fn all() -> impl Iterator<Item = char> {
    '\0'..=char::MAX
}

/// A set of characters: the codes at which they begin to be in it and to be out of it, in turns.
fn set(name: &str, is_in: fn(char) -> bool) -> String {
    let mut bounds = Vec::new();
    for c in all() {
        if is_in(c) != (bounds.len() % 2 == 1) {
            bounds.push(u32::from(c));
        }
    }
    table(
        name,
        "The codes at which characters begin to be such and not to be, in turns.",
        &bounds,
    )
}

/// What characters become that do not stay as they are: four words each, its code and those of what it becomes.
fn mapping<I: Iterator<Item = char>>(name: &str, of: fn(char) -> I) -> String {
    let mut rows = Vec::new();
    for c in all() {
        let mut row = [u32::from(c), 0, 0, 0];
        for (word, other) in row[1..].iter_mut().zip(of(c)) {
            *word = u32::from(other);
        }
        if row[1..] != [u32::from(c), 0, 0] {
            rows.extend(row);
        }
    }
    table(
        name,
        "Four words for each character that does not stay as it is: its code, and what it becomes.",
        &rows,
    )
}

fn table(name: &str, what: &str, words: &[u32]) -> String {
    let mut text = format!("/// {what}\nconst {name}: [u32; {}] = [", words.len());
    for word in words {
        // Writing to a string cannot fail.
        let _ = write!(text, "{word},");
    }
    text + "];\n"
}
