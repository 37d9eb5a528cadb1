//! Programs through rustc, all of a folder at once, and what it says of them as data.
//!
//! What is checked and what is built have each a target directory of their own, so that one does not wait for the other.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// An error of rustc's, or a warning.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// Whether it is an error.
    pub is_error: bool,
    /// The file that it is told of.
    pub file: PathBuf,
    /// Its first line.
    pub title: String,
    /// All that it says, notes and suggestions included.
    pub text: String,
    /// The line that is blamed; 0 if none is.
    pub line: usize,
    /// What is blamed on it.
    pub token: String,
    /// Its code, as `E0277`.
    pub code: String,
    /// Places in gpuvm that are blamed themselves.
    pub inside: Vec<String>,
}

/// What programs call gpuvm if nothing else is said.
const GPUVM: &str = "gpuvm";

/// What cargo has said and made.
struct Outcome {
    diagnostics: Vec<Diagnostic>,
    executables: Vec<PathBuf>,
}

impl Outcome {
    fn into_errors(mut self) -> Vec<Diagnostic> {
        self.diagnostics.retain(|diagnostic| diagnostic.is_error);
        self.diagnostics
    }
}

/// Checks programs, each a crate of its own, as `cargo check` does. One without a `main` is a library.
///
/// # Panics
///
/// If cargo does not run, or gpuvm does not compile.
pub fn check(name: &str, programs: &[PathBuf]) -> Vec<Diagnostic> {
    check_as(GPUVM, name, programs)
}

/// The same where they have gpuvm under the name `called`.
///
/// # Panics
///
/// As [`check`].
pub fn check_as(called: &str, name: &str, programs: &[PathBuf]) -> Vec<Diagnostic> {
    crates(called, name, "check", programs).into_errors()
}

/// Checks programs, and gives the warnings as well.
///
/// # Panics
///
/// As [`check`].
pub fn answers(name: &str, programs: &[PathBuf]) -> Vec<Diagnostic> {
    crates(GPUVM, name, "check", programs).diagnostics
}

/// Builds programs, each a crate of its own, and runs them.
///
/// # Panics
///
/// If one does not compile, or fails.
pub fn run(name: &str, programs: &[PathBuf]) {
    let outcome = crates(GPUVM, name, "build", programs);
    let executables = outcome.executables.clone();
    let errors = outcome.into_errors();
    assert!(errors.is_empty(), "{errors:?}");
    assert_eq!(executables.len(), programs.len(), "every program has a `main`");
    for executable in executables {
        let status = Command::new(&executable).status().expect("the program runs");
        assert!(status.success(), "{}: {status}", executable.display());
    }
}

/// Gives cargo a package that has each program as a crate.
fn crates(called: &str, name: &str, command: &str, programs: &[PathBuf]) -> Outcome {
    let targets: String = programs
        .iter()
        .map(|path| {
            let program = std::fs::read_to_string(path).expect("a program");
            let kind = match is_binary(&program) {
                true => "[[bin]]",
                false => "[[example]]\ncrate-type = [\"lib\"]",
            };
            format!("{kind}\nname = \"{}\"\npath = {path:?}\n", crate_name(path))
        })
        .collect();
    cargo(called, name, &[command, "--bins", "--examples"], &targets, programs)
}

/// Whether a program has a `main`.
pub fn is_binary(program: &str) -> bool {
    program.contains("fn main()")
}

/// Builds programs to the last instruction, all in one crate, as modules of which nothing is run.
///
/// # Panics
///
/// As [`check`].
pub fn build(name: &str, programs: &[PathBuf]) -> Vec<Diagnostic> {
    build_as(GPUVM, name, programs)
}

/// The same where they have gpuvm under the name `called`.
///
/// # Panics
///
/// As [`check`].
pub fn build_as(called: &str, name: &str, programs: &[PathBuf]) -> Vec<Diagnostic> {
    let folder = target().join("tests").join(format!("{name}-modules"));
    std::fs::create_dir_all(&folder).expect("a folder under target/");
    let modules: String = programs
        .iter()
        .enumerate()
        .map(|(i, path)| format!("#[path = {path:?}]\npub mod m{i};\n"))
        .collect();
    let root = folder.join("lib.rs");
    let text = format!("#![allow(warnings)]\n{modules}");
    if std::fs::read_to_string(&root).ok().as_deref() != Some(&text) {
        std::fs::write(&root, text).expect("a crate");
    }
    cargo(
        called,
        name,
        &["build", "--lib"],
        &format!("[lib]\npath = {root:?}\n"),
        programs,
    )
    .into_errors()
}

/// Runs cargo on a package that has these targets.
fn cargo(called: &str, name: &str, command: &[&str], targets: &str, programs: &[PathBuf]) -> Outcome {
    let folder = target().join("tests").join(name);
    std::fs::create_dir_all(&folder).expect("a folder under target/");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let gpuvm = root.join("gpuvm");
    // Where rustc compiles incrementally, as it does for users, it tells more; what is built has only to be built.
    let incremental = command[0] == "check";
    // Messages are the same without a GPU, and the programs compile sooner.
    let manifest = format!(
        "[package]\nname = \"gpuvm-{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\nautobins = false\n{targets}\
         [dependencies]\n{called} = {{ package = \"gpuvm\", path = {gpuvm:?}, default-features = false }}\npollster = \"1\"\n\
         [profile.dev]\nincremental = false\ndebug = false\n[profile.dev.package.gpuvm-{name}]\nincremental = {incremental}\n[workspace]\n"
    );
    let path = folder.join("Cargo.toml");
    // An unchanged manifest spares cargo the thought.
    if std::fs::read_to_string(&path).ok().as_deref() != Some(&manifest) {
        std::fs::write(&path, manifest).expect("a manifest");
        std::fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).expect("the workspace's lock file");
    }
    let output = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()))
        .args(command)
        .args(["--offline", "--keep-going", "--message-format=json", "--quiet"])
        .env_remove("CARGO_INCREMENTAL")
        .env_remove("RUSTC_WORKSPACE_WRAPPER")
        .env(
            "CARGO_TARGET_DIR",
            target().join("tests").join("target").join(command[0]),
        )
        .current_dir(&folder)
        .output()
        .expect("cargo runs");
    let messages: Vec<Value> = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    let said = String::from_utf8_lossy(&output.stderr);
    let mut diagnostics: Vec<Diagnostic> = messages.iter().filter_map(diagnostic).collect();
    // Where rustc compiles incrementally, places in different items are never the same to it, so it tells an error of the user's body
    // for each copy of that. Cargo, and so the user, shows of equal texts the first.
    let mut shown = HashSet::new();
    diagnostics.retain(|diagnostic| shown.insert((diagnostic.file.clone(), diagnostic.text.clone())));
    let errors = || diagnostics.iter().filter(|diagnostic| diagnostic.is_error);
    assert!(
        !messages.is_empty() && (output.status.success() || errors().next().is_some()),
        "{said}"
    );
    for error in errors().filter(|_| command[0] == "check") {
        assert!(
            programs.contains(&error.file),
            "{}: {}",
            error.file.display(),
            error.text
        );
    }
    let executables = messages.iter().filter_map(|message| message["executable"].as_str());
    Outcome {
        executables: executables.map(PathBuf::from).collect(),
        diagnostics,
    }
}

/// What is said of one program.
pub fn said_of(all: &[Diagnostic], program: &Path) -> Vec<Diagnostic> {
    all.iter().filter(|error| error.file == program).cloned().collect()
}

/// The target directory that this test was built in.
pub fn target() -> PathBuf {
    let temporary = Path::new(env!("CARGO_TARGET_TMPDIR"));
    temporary.parent().unwrap_or(temporary).to_path_buf()
}

fn crate_name(path: &Path) -> String {
    let part = |path: Option<&std::ffi::OsStr>| path.unwrap_or_default().to_string_lossy().into_owned();
    format!(
        "{}-{}",
        part(path.parent().and_then(Path::file_name)),
        part(path.file_stem())
    )
}

fn diagnostic(message: &Value) -> Option<Diagnostic> {
    if message["reason"] != "compiler-message" {
        return None;
    }
    let file = PathBuf::from(message["target"]["src_path"].as_str()?);
    let message = &message["message"];
    let title = message["message"].as_str()?;
    let level = message["level"].as_str()?;
    // What is left counts the others.
    if level == "failure-note" || title.starts_with("aborting due to") || title.ends_with(" emitted") {
        return None;
    }
    let spans = message["spans"].as_array()?;
    let primary = spans.iter().find(|span| span["is_primary"] == true);
    let primary = primary.map(|span| in_the_program(span, &file));
    let mut inside = Vec::new();
    for span in spans.iter().filter(|span| span["is_primary"] == true) {
        blamed(span, &mut inside);
    }
    let children = message["children"].as_array().into_iter().flatten();
    for child in children.filter(|child| !tells_of_a_definition(child)) {
        for span in child["spans"].as_array().into_iter().flatten() {
            blamed(span, &mut inside);
        }
    }
    Some(Diagnostic {
        is_error: level.starts_with("error"),
        file,
        title: title.to_string(),
        text: message["rendered"].as_str().unwrap_or(title).to_string(),
        line: primary.and_then(|span| span["line_start"].as_u64()).unwrap_or(0) as usize,
        token: primary.map(token).unwrap_or_default(),
        code: message["code"]["code"].as_str().unwrap_or_default().to_string(),
        inside,
    })
}

/// Whether a note says where something is defined that rustc has named, which may be gpuvm's as it may be std's.
fn tells_of_a_definition(note: &Value) -> bool {
    const BEGINNINGS: [&str; 7] = [
        "while trying to match",
        "required by a bound in",
        "the following other types implement trait",
        "the trait `",
        "function defined here",
        "method defined here",
        "associated function defined here",
    ];
    let text = note["message"].as_str().unwrap_or_default();
    BEGINNINGS.iter().any(|beginning| text.starts_with(beginning))
}

/// Where a span in a macro's definition is in the program that uses it.
fn in_the_program<'s>(span: &'s Value, file: &Path) -> &'s Value {
    let mut span = span;
    while Path::new(span["file_name"].as_str().unwrap_or_default()) != file && !span["expansion"].is_null() {
        span = &span["expansion"]["span"];
    }
    span
}

/// What a span covers of its first line.
fn token(span: &Value) -> String {
    let text = &span["text"][0];
    let at = |field: &str| text[field].as_u64().unwrap_or(1) as usize - 1;
    let line: Vec<char> = text["text"].as_str().unwrap_or_default().chars().collect();
    line.get(at("highlight_start")..at("highlight_end"))
        .unwrap_or_default()
        .iter()
        .collect()
}

/// Where gpuvm's own files are.
const CRATES: [&str; 6] = [
    "gpuvm",
    "gpuvm-core",
    "gpuvm-macros",
    "gpuvm-math",
    "gpuvm-nodes",
    "gpuvm-runtime",
];

/// Notes a span's file if it is one of gpuvm's own.
fn blamed(span: &Value, inside: &mut Vec<String>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let Ok(root) = root.canonicalize() else { return };
    let name = span["file_name"].as_str().unwrap_or_default();
    if let Ok(file) = Path::new(name).canonicalize()
        && let Ok(file) = file.strip_prefix(&root)
        && CRATES.iter().any(|folder| file.starts_with(folder))
    {
        inside.push(format!("{}:{}", file.display(), span["line_start"]));
    }
}
