//! Macros that another file of the user's crate defines. Nobody tells a routine's attribute where a name comes from, so the rules are looked for in all files.

use std::fs;
use std::path::Path;

use proc_macro2::Span;

use crate::expansion::{HERE, Rules, Scope, collect, defines};

/// The rules of a macro in another file of the crate, if one file alone has some. Whether they are in scope, rustc says of the function itself.
pub fn rules(place: Span, name: &str) -> Option<Vec<Rules>> {
    let path = place.local_file()?;
    let package = path.ancestors().find(|folder| folder.join("Cargo.toml").is_file())?;
    // A package's crates are in folders of their own: `src`, `tests`, `examples`.
    let folder = path.strip_prefix(package).ok()?.components().next()?;
    let mut found = Vec::new();
    rules_in(&package.join(folder), name, &mut found);
    found.pop().filter(|_| found.is_empty())
}

/// Looks for rules in all files of a folder and of those inside.
fn rules_in(folder: &Path, name: &str, found: &mut Vec<Vec<Rules>>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            rules_in(&path, name, found);
            continue;
        }
        let is_source = path.extension().is_some_and(|extension| extension == "rs");
        let text = is_source.then(|| fs::read_to_string(&path).ok()).flatten();
        let Some(text) = text.filter(|text| defines(text, name)) else {
            continue;
        };
        let mut scope = Scope::new();
        if let Ok(tokens) = format!("{text} {HERE}").parse() {
            collect(tokens, &mut scope);
        }
        found.extend(scope.remove(name));
    }
}

/// Whether a macro is std's, for all that its name tells.
pub fn is_std(name: &str) -> bool {
    const NAMES: [&str; 42] = [
        "assert",
        "assert_eq",
        "assert_ne",
        "cfg",
        "column",
        "compile_error",
        "concat",
        "dbg",
        "debug",
        "debug_assert",
        "debug_assert_eq",
        "debug_assert_ne",
        "env",
        "eprint",
        "eprintln",
        "error",
        "file",
        "format",
        "format_args",
        "include",
        "include_bytes",
        "include_str",
        "info",
        "is_x86_feature_detected",
        "line",
        "log",
        "matches",
        "module_path",
        "option_env",
        "panic",
        "print",
        "println",
        "stringify",
        "thread_local",
        "todo",
        "trace",
        "unimplemented",
        "unreachable",
        "vec",
        "warn",
        "write",
        "writeln",
    ];
    NAMES.contains(&name)
}
